"""Statements turned round by a small word: limits of time, rates, forbidden lists, both for either (spec 04, "Check 1b")."""

from __future__ import annotations

import pytest

from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.guards import Guards
from tests.verification.guards.test_things import reasons


@pytest.fixture(scope="module")
def guards(ruleset: Ruleset) -> Guards:
    return Guards(ruleset)


RATES = "Người bệnh nặng: tổng liều hàng ngày không vượt quá 2,5 mg/kg. Theo dõi mạch cách 30 phút một lần trong 2 giờ."
INFUSED = "Truyền tĩnh mạch 2,5 mg/kg trong mỗi giờ đầu, sau đó giảm dần."


@pytest.mark.parametrize("claim", ["Tổng liều không vượt quá 2,5 mg/kg mỗi giờ.", "Tổng liều không vượt quá 2,5 mg/kg/phút."])
def test_a_rate_is_not_put_in_where_the_block_says_nothing_per_hour(guards: Guards, claim: str) -> None:
    assert "unit_mismatch" in reasons(guards, claim, RATES)


@pytest.mark.parametrize(
    ("claim", "block"),
    [
        ("Với người bệnh nặng, tổng liều mỗi ngày không vượt quá 2,5 mg/kg.", RATES),
        ("Trong giờ đầu truyền tĩnh mạch 2,5 mg/kg mỗi giờ.", INFUSED),
    ],
)
def test_the_time_that_the_block_gives_elsewhere_may_be_told_with_the_dose(guards: Guards, claim: str, block: str) -> None:
    assert "unit_mismatch" not in reasons(guards, claim, block)


EITHER = "Ngừng velortan khi người bệnh sốt cao kéo dài, ban đỏ lan rộng hoặc có men gan tăng gấp bội."


def test_both_together_is_not_either_of_them(guards: Guards) -> None:
    claim = "Chỉ ngừng velortan khi người bệnh vừa sốt cao kéo dài vừa có men gan tăng gấp bội."
    assert "other_item" in reasons(guards, claim, EITHER)


@pytest.mark.parametrize(
    ("claim", "block"),
    [
        ("Ngừng velortan khi người bệnh sốt cao kéo dài hoặc men gan tăng gấp bội.", EITHER),
        (
            "Velortan vừa hạ sốt nhanh vừa giảm đau khớp.",
            "Velortan có tác dụng hạ sốt nhanh và giảm đau khớp, sáng hoặc tối.",
        ),
    ],
)
def test_both_together_stays_where_the_block_joins_them(guards: Guards, claim: str, block: str) -> None:
    assert "other_item" not in reasons(guards, claim, block)


WASHING = "Cần súc rửa vết bỏng bằng dung dịch velortan, tốt nhất trong vòng 6 giờ sau khi tiếp xúc. Thay băng cách nhau 6 giờ một lần."
AGAIN = "Tiêm nhắc lại velortan vào bắp đùi bên kia sau 8 giờ."
PEAK = "Nồng độ đỉnh của velortan trong huyết tương đạt được trong vòng 2 giờ."


@pytest.mark.parametrize(
    ("claim", "block"),
    [
        ("Súc rửa vết bỏng tốt nhất sau 6 giờ kể từ khi tiếp xúc.", WASHING),
        ("Tiêm nhắc lại velortan vào bắp đùi bên kia trong vòng 8 giờ.", AGAIN),
    ],
)
def test_a_limit_of_time_is_not_told_as_its_beginning(guards: Guards, claim: str, block: str) -> None:
    assert "comparator_mismatch" in reasons(guards, claim, block)


@pytest.mark.parametrize(
    ("claim", "block"),
    [
        ("Súc rửa vết bỏng tốt nhất trong vòng 6 giờ kể từ khi tiếp xúc.", WASHING),
        ("Vào bắp đùi bên kia, tiêm nhắc lại velortan sau 8 giờ.", AGAIN),
        ("Velortan đạt nồng độ đỉnh trong huyết tương sau 2 giờ.", PEAK),
        ("Sau 6 giờ lại thay băng một lần.", WASHING),
    ],
)
def test_a_time_told_on_its_own_side_is_no_error(guards: Guards, claim: str, block: str) -> None:
    assert "comparator_mismatch" not in reasons(guards, claim, block)


CRUSHED = "Viên velortan bao tan trong ruột không được bẻ đôi, nhai hoặc ngâm rã trong sữa. Có thể uống cùng nước quả."
ALLOWED = "Không nên trộn velortan với cháo, sữa nóng hoặc mật ong. Dạng cốm velortan có thể trộn với sữa nóng."


@pytest.mark.parametrize(
    "claim",
    [
        "Viên velortan bao tan trong ruột có thể nhai hoặc ngâm rã trong sữa.",
        "Viên velortan bao tan trong ruột nên ngâm rã trong sữa nếu khó nuốt.",
    ],
)
def test_a_member_of_a_forbidden_list_is_not_allowed(guards: Guards, claim: str) -> None:
    assert "negation_mismatch" in reasons(guards, claim, CRUSHED)


@pytest.mark.parametrize(
    ("claim", "block"),
    [
        ("Viên velortan bao tan trong ruột không được ngâm rã trong sữa, cũng không nên nhai hoặc bẻ đôi.", CRUSHED),
        ("Viên velortan bao tan trong ruột có thể uống cùng nước quả.", CRUSHED),
        ("Dạng cốm velortan có thể trộn với sữa nóng.", ALLOWED),
    ],
)
def test_what_the_block_allows_or_the_claim_forbids_as_well_is_no_error(guards: Guards, claim: str, block: str) -> None:
    assert "negation_mismatch" not in reasons(guards, claim, block)
