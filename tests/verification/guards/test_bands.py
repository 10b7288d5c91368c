"""A dose keeps the age, weight or clearance it was given for (spec 04, ``dropped_label``)."""

from __future__ import annotations

import pytest

from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.guards import Guards
from tests.verification.evidence import blocks, claims

BABY = "Trẻ em:\nĐau, sốt:\nUống:\nTrẻ em 1 - 3 tháng tuổi: 30 - 60 mg, uống nhắc lại sau 8 giờ nếu cần."
RENAL = "Suy thận:\nClcr 10 - 30 ml/phút: 250 mg, cách 12 giờ một lần."


def reasons(ruleset: Ruleset, claim: str, block: str) -> set[str]:
    checked = Guards(ruleset).check(claims([{"text": claim, "citations": [1]}]), blocks([block]))
    return {finding.reason for entry in checked for finding in entry.findings if finding.level == "reject"}


@pytest.mark.parametrize(
    ("claim", "block"),
    [
        ("Trẻ em: 30 - 60 mg, uống nhắc lại sau 8 giờ nếu cần.", BABY),
        ("Trẻ em uống 30 - 60 mg khi đau hoặc sốt.", BABY),
        ("Người suy thận dùng 250 mg, cách 12 giờ một lần.", RENAL),
    ],
)
def test_a_dose_of_one_band_is_not_everybodys(ruleset: Ruleset, claim: str, block: str) -> None:
    assert "dropped_label" in reasons(ruleset, claim, block)


@pytest.mark.parametrize(
    ("claim", "block"),
    [
        ("Trẻ 1 - 3 tháng tuổi uống 30 - 60 mg, nhắc lại sau 8 giờ nếu cần.", BABY),
        ("Trẻ em 1 - 3 tháng tuổi: 30 - 60 mg, uống nhắc lại sau 8 giờ nếu cần.", BABY),
        ("Suy thận, Clcr 10 - 30 ml/phút: 250 mg, cách 12 giờ một lần.", RENAL),
        ("Người lớn: uống 500 mg.", "Người lớn:\nUống 500 mg."),
    ],
)
def test_a_dose_with_its_band_passes(ruleset: Ruleset, claim: str, block: str) -> None:
    assert reasons(ruleset, claim, block) == set()
