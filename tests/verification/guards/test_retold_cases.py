"""Cases, routes and bands told in another order: what must pass, and what looks like it (spec 04, "Check 1b")."""

from __future__ import annotations

import pytest

from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.guards import Guards
from tests.verification.guards.test_things import reasons


@pytest.fixture(scope="module")
def guards(ruleset: Ruleset) -> Guards:
    return Guards(ruleset)


SELF = "Không dùng velortan cho người lớn để tự chữa ho ra đờm (trên 5 lần/ngày), ho kéo dài trên 7 ngày, trừ khi có thầy thuốc theo dõi."
KEPT = "Không truyền dung dịch velortan sau khi pha quá 24 giờ."
ROUTES = (
    "Tiêm tĩnh mạch: Tiêm chậm trong 5 phút. Người lớn: Không tiêm quá 3 g một lần.\n"
    "Trẻ em: Không tiêm quá 15 mg/kg một lần. Truyền tĩnh mạch trong 40 phút.\n"
    "Người lớn: Không truyền quá 4 g một lần.\nTrẻ em: Không truyền quá 35 mg/kg một lần."
)
BANDS = (
    "Trẻ em (điều trị viêm phổi): Trẻ trên 2 tuổi đến 9 tuổi là 6 mg/kg/lần, 3 lần mỗi ngày.\n"
    "Với trẻ cân nặng ≥ 12 kg - 25 kg: Uống 120 mg/lần, 3 lần mỗi ngày.\n"
    "Với trẻ cân nặng ≥ 25 kg: Uống 240 mg/lần, 3 lần mỗi ngày."
)


@pytest.mark.parametrize(
    ("claim", "block"),
    [
        ("Người lớn không tự dùng velortan khi ho kéo dài hơn 7 ngày, trừ khi có thầy thuốc theo dõi.", SELF),
        ("Dung dịch velortan không được truyền sau khi đã pha quá 24 giờ.", KEPT),
        ("Sau khi pha quá 24 giờ, không truyền dung dịch velortan.", KEPT),
        ("Truyền tĩnh mạch trong 40 phút, mỗi lần tối đa 4 g cho người lớn và 35 mg/kg cho trẻ em.", ROUTES),
        ("Trẻ cân nặng từ 25 kg trở lên bị viêm phổi uống 240 mg/lần, 3 lần mỗi ngày.", BANDS),
    ],
)
def test_a_case_told_in_other_words_passes(guards: Guards, claim: str, block: str) -> None:
    assert reasons(guards, claim, block) == []


@pytest.mark.parametrize(
    ("claim", "block", "reason"),
    [
        ("Người lớn không tự dùng velortan khi ho kéo dài dưới 7 ngày, trừ khi có thầy thuốc theo dõi.", SELF, "comparator_mismatch"),
        ("Dung dịch velortan sau khi pha phải được truyền ít nhất 24 giờ.", KEPT, "comparator_mismatch"),
        ("Sau khi pha quá 24 giờ, truyền dung dịch velortan.", KEPT, "comparator_mismatch"),
        ("Tiêm chậm tĩnh mạch trong 5 phút, mỗi lần tối đa 3 g cho người lớn và 35 mg/kg cho trẻ em.", ROUTES, "route_mismatch"),
        ("Trẻ cân nặng từ 25 kg trở lên bị viêm phổi uống 120 mg/lần, 3 lần mỗi ngày.", BANDS, "other_item"),
    ],
)
def test_another_case_in_its_place_does_not(guards: Guards, claim: str, block: str, reason: str) -> None:
    assert reason in reasons(guards, claim, block)
