"""How far labels reach and what case they name: true paraphrases pass, another case's figure does not (spec 04, "Check 1b")."""

from __future__ import annotations

from typing import Any

import pytest

from duocthu_core.answering.model import Claim
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.guards import Guards
from tests.verification.evidence import blocks


@pytest.fixture(scope="module")
def guards(ruleset: Ruleset) -> Guards:
    return Guards(ruleset)


def reasons(guards: Guards, text: str, block: Any) -> list[str]:
    """Reject reasons of a claim that cites one block."""
    checked = guards.check([Claim(text=text, citations=(1,))], blocks([block]))
    return [finding.reason for finding in checked[0].findings if finding.level == "reject"]


CASES = (
    "Thoái hóa khớp, uống: 60 mg hai đến ba lần hoặc 90 mg ngày hai lần.\n"
    "Viêm cột sống dính khớp: 30 mg bốn lần; tối đa 180 mg/ngày.\n"
    "Trẻ em từ 8 tháng, viêm xoang; viêm tai: 9 mg/kg ngày thứ nhất rồi 4 mg/kg.\n"
    "Tối đa mọi đường: không vượt quá 3 g trong 24 giờ."
)
LEVELS = (
    "Truyền: pha 70 ml. Theo dõi, nhiều liều/ngày: Đáy dưới 3 microgam/ml; đỉnh không quá 12 microgam/ml.\n"
    "Người lớn, tấn công: 4 - 6 mg/kg/ngày, chia 3 lần.\n"
    "Viêm phổi nhẹ: uống 250 mg; tiêm 400 mg; 6 - 9 ngày. Trẻ em: tất cả ngày 2 lần."
)
LIMITS = "Người lớn: khởi đầu 70 mg mỗi ngày.\nTrẻ em trên 7 tuổi: khởi đầu 0,6 mg/kg/lần/ngày, tối đa 70 mg/lần/ngày."
ADULTS = "Trẻ em nặng trên 45 kg: dùng liều như người lớn.\nTiêm bắp: 60 mg/lần, mỗi ngày 1 lần, 2 - 3 ngày rồi chuyển uống/trực tràng."
RENAL = (
    "Suy thận: Clcr 70 - 90 ml/phút: 85%; 40 - 69 ml/phút: 65%; dưới 40 ml/phút: không dùng.\n"
    "CCĐ khi hôn mê gan. Suy gan hoặc thận không cần chỉnh liều."
)
BRACKETS = (
    "Người lớn: 2 g velortan ngày uống 2 lần (hoặc ketovenazol 45 mg uống 3 lần mỗi ngày).\n"
    "Trẻ em, viêm tai giữa: 80 mg/kg/ngày, chia 2 lần: 8 ngày (dưới 5 tuổi, nặng), 4 - 6 ngày (trên 5 tuổi, nhẹ)."
)


@pytest.mark.parametrize(
    ("claim", "block"),
    [
        ("Thoái hóa khớp uống 60 mg, hai đến ba lần.", CASES),
        ("Trẻ từ 8 tháng bị viêm tai: ngày thứ nhất 9 mg/kg.", CASES),
        ("Dùng đường nào cũng không quá 3 g trong 24 giờ.", CASES),
        ("Nồng độ đáy phải dưới 3 microgam/ml, đỉnh tối đa 12 microgam/ml.", LEVELS),
        ("Liều tấn công cho người lớn: 4 - 6 mg/kg mỗi ngày, chia 3 lần.", LEVELS),
        ("Viêm phổi nhẹ tiêm 400 mg, trong 6 - 9 ngày.", LEVELS),
        ("Trẻ trên 7 tuổi bắt đầu 0,6 mg/kg ngày một lần.", LIMITS),
        ("Trẻ nặng trên 45 kg dùng theo liều của người lớn.", ADULTS),
        ("Tiêm bắp 60 mg ngày 1 lần, chỉ 2 - 3 ngày rồi chuyển sang đường uống hoặc trực tràng.", ADULTS),
        ("Người suy thận có Clcr 40 - 69 ml/phút dùng 65% liều.", RENAL),
        ("Không dùng khi hôn mê gan.", RENAL),
        ("Bệnh nhân suy gan hoặc suy thận không cần chỉnh liều.", RENAL),
        ("Có thể thay bằng ketovenazol 45 mg, uống 3 lần mỗi ngày.", BRACKETS),
        ("Viêm tai giữa ở trẻ em: 80 mg/kg/ngày, chia làm 2 lần.", BRACKETS),
    ],
)
def test_a_case_told_in_other_words_passes(guards: Guards, claim: str, block: str) -> None:
    assert reasons(guards, claim, block) == []


@pytest.mark.parametrize(
    ("claim", "block", "reason"),
    [
        ("Thoái hóa khớp uống 60 mg bốn lần mỗi ngày.", CASES, "other_item"),
        ("Viêm cột sống dính khớp: 60 mg hai đến ba lần.", CASES, "other_item"),
        ("Trẻ em trên 7 tuổi: khởi đầu 70 mg mỗi ngày.", LIMITS, "comparator_mismatch"),
        ("Clcr 70 - 90 ml/phút: 65%.", RENAL, "other_item"),
        ("Không dùng khi Clcr trên 40 ml/phút.", RENAL, "comparator_mismatch"),
        ("Người lớn dùng 80 mg/kg/ngày, chia 2 lần.", BRACKETS, "population_mismatch"),
    ],
)
def test_a_figure_of_another_case_does_not(guards: Guards, claim: str, block: str, reason: str) -> None:
    assert reason in reasons(guards, claim, block)


def test_a_label_in_the_middle_of_a_line_ends_with_its_sentence(guards: Guards) -> None:
    block = "Phân mức: thấp: dưới 30 mg; cao: trên 2 g. Trên 90 mg thường truyền tĩnh mạch.\nNgười lớn: 15 mg/ngày."
    assert reasons(guards, "Liều trên 90 mg thường được truyền tĩnh mạch.", block) == []


def test_a_line_without_a_group_is_not_told_for_the_other_group(guards: Guards) -> None:
    block = "Người lớn: 5 mg/ngày.\nLiều trẻ em: Chưa rõ ở trẻ dưới 2 tháng.\nDự phòng trước mổ: 25 mg/kg tiêm tĩnh mạch."
    assert "population_mismatch" in reasons(guards, "Dự phòng trước mổ ở người lớn: 25 mg/kg tiêm tĩnh mạch.", block)


def test_a_group_that_only_a_label_of_the_claim_names_must_stand_in_the_block(guards: Guards) -> None:
    assert "population_mismatch" in reasons(guards, "Người lớn: uống 8 mg mỗi ngày.", "Trẻ em: uống 8 mg mỗi ngày.")


def test_a_dose_without_its_degree_group_or_interval_is_a_dropped_label(guards: Guards) -> None:
    block = "Người lớn: 15 mg, 1 lần/ngày.\nSuy gan nặng: Khởi đầu 15 mg, 3 ngày một lần: người lớn."
    assert "dropped_label" in reasons(guards, "Người lớn dùng 15 mg, 3 ngày một lần.", block)


# --- statements without figures


@pytest.mark.parametrize(
    ("claim", "block", "reason"),
    [
        ("Chống chỉ định ở người hẹp động mạch thận.", "Thận trọng ở người hẹp động mạch thận.", "negation_mismatch"),
        ("Suy gan nặng phải dùng liều thấp.", "Suy gan: dùng liều thấp.", "other_item"),
        ("Nên để thuốc nơi có ánh sáng.", "Bảo quản dưới 25 °C, tránh ánh sáng.", "negation_mismatch"),
        (
            "Velortan được dùng trong sốt rét thể não.",
            "Không dùng trong Herpes ở mắt, sốt rét thể não, viêm gan virus.",
            "negation_mismatch",
        ),
        ("Người mang thai dùng velortan là an toàn.", "Sử dụng an toàn velortan khi mang thai chưa được xác định rõ.", "absence_as_safety"),
        ("Phối hợp với rượu không có vấn đề gì.", "Rượu làm tăng tác dụng an thần.", "absence_as_safety"),
        ("Velortan là thuốc đầu bảng trị hen.", "Chỉ định: hen.", "ranking_claim"),
        ("NSAID làm tăng tác dụng hạ áp của velortan.", "NSAID: giảm hạ áp, có thể suy thận cấp.", "negation_mismatch"),
    ],
)
def test_a_statement_is_turned_round(guards: Guards, claim: str, block: str, reason: str) -> None:
    assert reason in reasons(guards, claim, block)


@pytest.mark.parametrize(
    ("claim", "block"),
    [
        ("Chỉ dùng khi không có thuốc nào tốt hơn.", "Chỉ khi không có thuốc tốt hơn."),
        ("Để tránh phản ứng phản vệ, truyền xong velortan rồi mới gây mê.", "Phản ứng phản vệ: truyền xong velortan rồi mới gây mê."),
        ("NSAID làm giảm tác dụng hạ áp.", "Thuốc mê: Tăng tác dụng hạ áp.\nNSAID: giảm tác dụng hạ áp."),
        ("Không uống gấp đôi để bù.", "Không uống liều gap đôi để bù cho liều đã quên."),
        ("Xịt 2 lần trước khi gắng sức.", "Phòng hen gắng sức: 2 xịt trước gắng sức."),
        ("Có thể tăng đến 90 mg.", "Theo huyết áp có thể đến 90 mg/lần/ngày."),
    ],
)
def test_a_statement_told_again_passes(guards: Guards, claim: str, block: str) -> None:
    assert reasons(guards, claim, block) == []
