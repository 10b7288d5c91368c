"""The case that a sentence opens with belongs to its starting dose (spec 04, ``dropped_label``)."""

from __future__ import annotations

import pytest

from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.guards import Guards
from tests.verification.guards.test_things import reasons

HEART = (
    "Trong viêm cơ tim:\nBắt đầu điều trị với liều 6 mg velortan natri, uống buổi sáng. Liều duy trì là 8 - 12 mg velortan natri. "
    "Đối với người bệnh dễ tụt kali, nên bắt đầu điều trị với liều 3 mg velortan natri."
)


@pytest.fixture(scope="module")
def guards(ruleset: Ruleset) -> Guards:
    return Guards(ruleset)


def test_a_starting_dose_is_not_told_without_the_case_it_is_for(guards: Guards) -> None:
    assert "dropped_label" in reasons(guards, "Velortan nên bắt đầu với 3 mg velortan natri.", HEART)


@pytest.mark.parametrize(
    "claim",
    [
        "Trong viêm cơ tim, người bệnh dễ tụt kali nên bắt đầu với 3 mg velortan natri.",
        "Trong viêm cơ tim, bắt đầu với 6 mg velortan natri vào buổi sáng.",
    ],
)
def test_the_case_said_and_the_usual_dose_pass(guards: Guards, claim: str) -> None:
    assert reasons(guards, claim, HEART) == []
