"""How often, which way, who on whom, how sure, what first: told otherwise than the block tells it."""

from __future__ import annotations

import pytest

from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.verification.guards import Guards
from tests.verification.evidence import blocks, claims

GUARDS = Guards(shipped_ruleset())

TIERS = (
    "Thường gặp, ADR > 1/100\nTiêu hóa: Nôn khan, ợ nóng. Da: Mẩn đỏ.\n"
    "Hiếm gặp, ADR < 1/1 000\nMáu: Giảm tiểu cầu. Tai: Điếc khi liều cao. Tiêu hóa: Loét hành tá tràng."
)
LISTS = "Tăng nồng độ velortan: Abrazolin, cortamid.\nGiảm nồng độ velortan: Dexifampin, ettomidon."
GERMS = "Vi khuẩn nhạy cảm: Bracella minor.\nVi khuẩn kháng thuốc: Torulina fragosa."
ACT = "Abrazolin làm tăng độc tính của velortan đối với thận."
SHARE = "Abrazolin làm giảm thải trừ velortan, từ đó tăng nồng độ đỉnh của velortan lên 45%."
COURSE = "Người lớn: 600 mg ngày đầu, sau đó 300 mg/ngày từ ngày 2 đến ngày 5."
ANTIDOTES = "Người lớn: Truyền tĩnh mạch 300 mg velortan (10 ml dung dịch 3%), tiếp theo đó truyền 12 g fentolin."
RAISED = "Velortan làm tăng tác dụng: Abrazolin, cortamid."
LABELLED = "Thường gặp, ADR > 1/100\nPhản ứng da: Mẩn đỏ.\nHiếm gặp, ADR < 1/1 000\nPhản ứng chung: Phản ứng phản vệ."
CHOICE = "Tụt áp do quá liều velortan: noradrenalin, glucagon, không dùng epinephrin."
EARS = "Velortan nhỏ tai trị viêm tai ngoài, cấm khi viêm tai giữa thủng nhĩ."
PEAK = "Tiêm tĩnh mạch: Velortan khởi phát khoảng 5 phút, tối đa 20 - 40 phút."
NEEDLESS = "Nhiều thầy thuốc cho rằng không cần cho velortan sau mổ tim, mạch máu vì có thể làm tăng kháng thuốc."
ASKED = "Trước khi dùng velortan, phải điều tra kỹ về tiền sử dị ứng của người bệnh với abrazolin hoặc thuốc khác."
HANDLED = "Nếu dị ứng với velortan, phải ngừng thuốc và cần xử lý bằng các thuốc thường dùng (như epinephrin, kháng histamin)."
MAY = "Dùng velortan dài ngày có thể gây bội nhiễm nấm."
SOME = "Velortan được chỉ định ở người viêm xoang không dung nạp abrazolin."
NEVER = "Chống chỉ định phối hợp: Abrazolin, cortamid."
STOP = "Nếu nổi mẩn khi dùng velortan, phải ngừng thuốc."
FASTER = "Abrazolin làm chậm đào thải velortan."
MORE = "Velortan hấp thu nhiều hơn qua ruột so với abrazolin."
EASIER = "Trẻ em có khuynh hướng tạo methemoglobin dễ hơn người lớn khi dùng velortan."


def reasons(claim: str, block: str, section: str = "") -> list[str]:
    evidence = blocks([{"index": 1, "drug_id": "velortan", "drug": "Velortan", "section": section, "text": block}])
    (checked,) = GUARDS.check(claims([{"text": claim, "citations": [1]}]), evidence)
    return [finding.reason for finding in checked.findings if finding.level == "reject"]


@pytest.mark.parametrize(
    ("claim", "block", "reason"),
    [
        ("Giảm tiểu cầu là ADR thường gặp của velortan.", TIERS, "other_item"),
        ("Điếc do velortan liều cao là ADR thường gặp.", TIERS, "other_item"),
        ("Nôn khan và ợ nóng khi dùng velortan hiếm gặp, ADR < 1/1 000.", TIERS, "other_item"),
        ("Dexifampin làm tăng nồng độ velortan.", LISTS, "negation_mismatch"),
        ("Abrazolin và cortamid làm nồng độ velortan giảm.", LISTS, "negation_mismatch"),
        ("Torulina fragosa nhạy cảm với velortan.", GERMS, "negation_mismatch"),
        ("Velortan làm tăng độc tính trên thận của abrazolin.", ACT, "negation_mismatch"),
        ("Khi dùng cùng abrazolin, nồng độ đỉnh của velortan giảm 45%.", SHARE, "negation_mismatch"),
        ("Người lớn dùng 300 mg ngày đầu, sau đó 600 mg/ngày từ ngày 2 đến ngày 5.", COURSE, "other_item"),
        ("Người lớn được truyền fentolin 12 g trước, sau đó truyền 300 mg velortan.", ANTIDOTES, "other_item"),
        ("Cortamid làm tăng tác dụng của velortan.", RAISED, "negation_mismatch"),
        ("Velortan làm tăng nồng độ của cortamid.", LISTS, "negation_mismatch"),
        ("Tụt áp do quá liều velortan được trị bằng noradrenalin, glucagon hoặc epinephrin.", CHOICE, "negation_mismatch"),
        ("Velortan nhỏ tai được dùng cả trong viêm tai giữa có thủng nhĩ.", EARS, "negation_mismatch"),
        ("Velortan là thuốc mạnh nhất ở người lớn.", PEAK, "ranking_claim"),
        ("Velortan là thuốc mạnh nhất sau abrazolin.", PEAK, "ranking_claim"),
        ("Cần cho velortan sau mổ tim, mạch máu vì có thể làm giảm kháng thuốc.", NEEDLESS, "negation_mismatch"),
        ("Dùng velortan dài ngày luôn gây bội nhiễm nấm.", MAY, "negation_mismatch"),
        ("Dùng velortan dài ngày chắc chắn gây bội nhiễm nấm.", MAY, "negation_mismatch"),
        ("Velortan được chỉ định cho mọi người viêm xoang.", SOME, "dropped_label"),
        ("Cần thận trọng khi phối hợp velortan với abrazolin.", NEVER, "negation_mismatch"),
        ("Nếu nổi mẩn khi dùng velortan, chỉ cần giảm liều.", STOP, "negation_mismatch"),
        ("Abrazolin làm velortan đào thải nhanh hơn.", FASTER, "negation_mismatch"),
        ("Abrazolin hấp thu nhiều hơn qua ruột so với velortan.", MORE, "negation_mismatch"),
        ("Khi dùng velortan, người lớn dễ tạo methemoglobin hơn trẻ em.", EASIER, "negation_mismatch"),
    ],
)
def test_it_is_rejected_where_the_block_says_otherwise(claim: str, block: str, reason: str) -> None:
    assert reason in reasons(claim, block)


@pytest.mark.parametrize(
    ("claim", "block"),
    [
        ("Giảm tiểu cầu là ADR hiếm gặp của velortan.", TIERS),
        ("Khi dùng velortan thường gặp (ADR > 1/100) nôn khan, ợ nóng và mẩn đỏ.", TIERS),
        ("Điếc khi dùng velortan liều cao là ADR hiếm gặp.", TIERS),
        ("Dexifampin làm giảm nồng độ velortan.", LISTS),
        ("Nồng độ velortan tăng khi dùng cùng abrazolin.", LISTS),
        ("Torulina fragosa kháng velortan.", GERMS),
        ("Độc tính của velortan trên thận tăng khi dùng cùng abrazolin.", ACT),
        ("Velortan độc với thận hơn khi có abrazolin, vì abrazolin làm tăng độc tính này.", ACT),
        ("Abrazolin làm nồng độ đỉnh của velortan tăng 45%.", SHARE),
        ("Nồng độ đỉnh của velortan tăng 45% do abrazolin làm giảm thải trừ velortan.", SHARE),
        ("Người lớn dùng 600 mg ngày đầu, rồi 300 mg/ngày từ ngày 2 đến ngày 5.", COURSE),
        ("Người lớn được truyền 300 mg velortan, rồi 12 g fentolin.", ANTIDOTES),
        ("Velortan làm tăng tác dụng của cortamid.", RAISED),
        ("Tác dụng của cortamid tăng khi dùng cùng velortan.", RAISED),
        ("Cortamid làm tăng nồng độ velortan.", LISTS),
        ("Phản ứng mẩn đỏ là ADR thường gặp của velortan.", LABELLED),
        ("Tụt áp do quá liều velortan được trị bằng noradrenalin hoặc glucagon; không dùng epinephrin.", CHOICE),
        ("Không dùng epinephrin để trị tụt áp do quá liều velortan.", CHOICE),
        ("Không nhỏ tai velortan khi viêm tai giữa thủng nhĩ.", EARS),
        ("Phải ngừng velortan khi dị ứng với thuốc và xử lý bằng thuốc thường dùng, chẳng hạn epinephrin, kháng histamin.", HANDLED),
        ("Velortan có tác dụng sau khoảng 5 phút, mạnh nhất ở 20 - 40 phút.", PEAK),
        ("Kéo dài velortan sau mổ tim, mạch máu là không cần thiết vì có thể tăng kháng thuốc.", NEEDLESS),
        ("Trước khi dùng velortan, cần hỏi xem người bệnh có từng dị ứng với abrazolin hay thuốc khác không.", ASKED),
        ("Velortan dùng dài ngày có thể dẫn đến bội nhiễm nấm.", MAY),
        ("Người viêm xoang không dung nạp abrazolin được chỉ định velortan.", SOME),
        ("Không được phối hợp velortan với abrazolin.", NEVER),
        ("Phải ngừng velortan nếu bị nổi mẩn.", STOP),
        ("Velortan đào thải chậm lại do abrazolin.", FASTER),
        ("So với abrazolin, velortan hấp thu qua ruột nhiều hơn.", MORE),
        ("Khi dùng velortan, trẻ em dễ tạo methemoglobin hơn người lớn.", EASIER),
        ("Người viêm xoang dùng velortan, chẳng hạn khi không dung nạp abrazolin.", SOME),
    ],
)
def test_the_same_told_in_other_words_passes(claim: str, block: str) -> None:
    assert reasons(claim, block) == []


def test_what_a_contraindication_forbids_is_no_case_for_caution() -> None:
    assert reasons("Cần thận trọng khi dùng velortan cho người suy gan nặng.", "Suy gan nặng.", "Chống chỉ định") == ["negation_mismatch"]
    assert reasons("Thận trọng với người suy gan nặng.", "Thận trọng ở người suy gan nặng.", "Thận trọng") == []


def test_an_intolerance_is_no_prohibition() -> None:
    block = "Không dung nạp: Abrazolin.\nKhông dùng: Cortamid."
    assert reasons("Cần thận trọng khi phối hợp velortan với cortamid.", block) == ["negation_mismatch"]
    assert reasons("Cần thận trọng ở người không dung nạp abrazolin.", block) == []


def test_besides_is_no_limit() -> None:
    block = "Người lớn: 1 g trước khi mổ. Trong khi mổ cho thêm 0,5 g."
    assert reasons("Ngoài 1 g trước khi mổ, người lớn được cho thêm 0,5 g trong khi mổ.", block) == []
