"""Things, figures and groups of one kind told for one another, sentence by sentence (spec 04, "Check 1b")."""

from __future__ import annotations

import pytest

from duocthu_core.answering.model import Claim
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.guards import Guards
from tests.verification.evidence import blocks


@pytest.fixture(scope="module")
def guards(ruleset: Ruleset) -> Guards:
    return Guards(ruleset)


def reasons(guards: Guards, text: str, block: str) -> list[str]:
    """Reject reasons of a claim that cites one block."""
    checked = guards.check([Claim(text=text, citations=(1,))], blocks([block]))
    return [finding.reason for finding in checked[0].findings if finding.level == "reject"]


KIDNEY = "Velortan độc với thận: định kỳ đo creatinin. Người suy gan không cần chỉnh liều velortan."
MEALS = "Uống velortan lúc đói, 2 giờ trước bữa ăn, vào buổi sáng."
TIMES = "Uống trong hai tuần; sau một tháng điều trị có thể tăng lên 40 mg. Xét nghiệm lại sau vài tuần. Mỗi tuần thêm một viên mỗi ngày."
TABLETS = "Dạng phối hợp 2 hoạt chất: 3 viên mỗi ngày, chia đều. Nhỏ mắt 1 - 2 giọt trong 1 giờ trước mổ."
GROUPS = "Người lớn và trẻ em trên 3 tuổi: 20 mg/lần. Trẻ em dưới 3 tuổi: 5 mg/lần."
JOINED = "Người suy thận kèm suy gan: tối đa 50 mg/ngày. Dùng velortan 10 mg + dimotal 5 mg. Ngừng khi sốt kéo dài và nổi ban toàn thân."


@pytest.mark.parametrize(
    ("claim", "block", "reason"),
    [
        ("Velortan độc với gan: định kỳ đo creatinin.", KIDNEY, "other_item"),
        ("Người suy thận không cần chỉnh liều velortan.", KIDNEY, "population_mismatch"),
        ("Velortan độc với phổi.", KIDNEY, "low_support"),
        ("Uống velortan lúc no, 2 giờ sau bữa ăn.", MEALS, "other_item"),
        ("Uống velortan lúc đói, 2 giờ trước bữa ăn, vào buổi tối.", MEALS, "low_support"),
        ("Uống trong hai ngày.", TIMES, "unit_mismatch"),
        ("Sau một tuần điều trị có thể tăng lên 40 mg.", TIMES, "unit_mismatch"),
        ("Xét nghiệm lại sau vài tháng.", TIMES, "unit_mismatch"),
        ("Mỗi ngày thêm một viên.", TIMES, "unit_mismatch"),
        ("Mỗi ngày 2 viên, chia đều.", TABLETS, "unit_mismatch"),
        ("Mỗi ngày 3 gói, chia đều.", TABLETS, "unit_mismatch"),
        ("Nhỏ mắt 1 - 2 giọt trong 1 giờ sau mổ.", TABLETS, "other_item"),
        ("Người lớn và trẻ em dưới 3 tuổi: 20 mg/lần.", GROUPS, "other_item"),
        ("Người lớn và trẻ em: 20 mg/lần.", GROUPS, "dropped_label"),
        ("Người suy thận hoặc suy gan: tối đa 50 mg/ngày.", JOINED, "other_item"),
        ("Dùng velortan 10 mg hoặc dimotal 5 mg.", JOINED, "other_item"),
        ("Ngừng khi sốt kéo dài hoặc nổi ban toàn thân.", JOINED, "other_item"),
    ],
)
def test_one_of_a_kind_is_not_told_for_another(guards: Guards, claim: str, block: str, reason: str) -> None:
    assert reason in reasons(guards, claim, block)


@pytest.mark.parametrize(
    ("claim", "block"),
    [
        ("Velortan có độc tính trên thận, phải đo creatinin định kỳ.", KIDNEY),
        ("Không phải chỉnh liều velortan ở người suy gan.", KIDNEY),
        ("Velortan uống buổi sáng, trước bữa ăn 2 giờ.", MEALS),
        ("Dùng thuốc trong hai tuần.", TIMES),
        ("Có thể tăng lên 40 mg sau một tháng.", TIMES),
        ("Mỗi ngày 3 viên, chia đều.", TABLETS),
        ("Trước mổ 1 giờ nhỏ mắt 1 - 2 giọt.", TABLETS),
        ("Người lớn dùng 20 mg mỗi lần.", GROUPS),
        ("Trẻ dưới 3 tuổi dùng 5 mg mỗi lần.", GROUPS),
        ("Velortan 10 mg dùng cùng dimotal 5 mg.", JOINED),
    ],
)
def test_what_is_told_as_it_stands_passes(guards: Guards, claim: str, block: str) -> None:
    assert reasons(guards, claim, block) == []


def test_a_choice_of_meals_is_no_duty(guards: Guards) -> None:
    block = "Uống khi đói hay no đều được."
    assert reasons(guards, "Có thể uống lúc đói.", block) == []
    assert reasons(guards, "Chỉ được uống lúc đói.", block) != []


def test_figures_of_a_table_stand_in_one_row(guards: Guards) -> None:
    block = "| Cỡ lọ | Dung môi | Nồng độ |\n|---|---|---|\n| 300 mg | 6 ml | 48 mg/ml |\n| 300 mg | 3 ml | 92 mg/ml |"
    assert reasons(guards, "Lọ 300 mg pha 6 ml được 48 mg/ml.", block) == []
    assert "other_item" in reasons(guards, "Lọ 300 mg pha 6 ml được 92 mg/ml.", block)


@pytest.mark.parametrize(
    ("claim", "right"),
    [("Trẻ nặng 12 - 17 kg: 3 mg mỗi lần.", True), ("Trẻ nặng 12 - 17 kg: 6 mg mỗi lần.", False)],
)
def test_arrows_put_a_dose_to_its_weight(guards: Guards, claim: str, right: bool) -> None:
    block = "Trẻ em theo cân nặng: kg → mg mỗi lần: 12 - 17 → 3; 18 - 25 → 6; 26 - 40 → 9."
    assert (reasons(guards, claim, block) == []) is right


@pytest.mark.parametrize(("claim", "right"), [("Clcr 70 ml/phút: 910 mg/24 giờ.", True), ("Clcr 70 ml/phút: 640 mg/24 giờ.", False)])
def test_pairs_behind_two_units_in_brackets_are_read(guards: Guards, claim: str, right: bool) -> None:
    block = "Suy thận, theo bảng (Clcr ml/phút : mg/24 giờ): 90: 1180; 70: 910; 50: 640."
    assert (reasons(guards, claim, block) == []) is right


def test_a_drug_is_not_told_what_is_said_of_another(guards: Guards) -> None:
    block = "Omefrazol: Velortan làm giảm tác dụng. Ketovenazol: theo dõi khi dùng cùng velortan."
    assert "other_item" in reasons(guards, "Velortan làm giảm tác dụng của ketovenazol.", block)
    assert reasons(guards, "Velortan làm giảm tác dụng của omefrazol.", block) == []


def test_what_is_wrong_is_said_before_words_that_are_missing(guards: Guards) -> None:
    block = "Người lớn: uống 30 mg/lần, sau bữa ăn. Trẻ em: uống 8 mg/lần."
    found = reasons(guards, "Trẻ em uống 30 mg mỗi lần sau bữa ăn, cùng nước đun sôi.", block)
    assert found[0] == "population_mismatch"
