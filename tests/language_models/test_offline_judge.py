"""The offline judge: wording against wording, with polarity and bounds."""

from __future__ import annotations

import pytest

from tests.answering.blocks import block
from tests.language_models.offline_asking import judged

DOSE = block(
    1, "Liều thường dùng là 0,5 - 1 g/lần, 4 - 6 giờ một lần; tối đa là 4 g/ngày. Không dùng quá 10 ngày.", label="Người lớn:\nUống:"
)
HARM = block(2, "Không được trộn chung dung dịch tiêm với bất kỳ thuốc nào. Dùng ngay sau khi pha.", section="tuong_ky")
NEVER = block(3, "Suy gan nặng. Mẫn cảm với penicilin.", section="chong_chi_dinh")
EFFECTS = block(
    4, "Thường gặp, ADR > 1/100\nDa: Ban.\nÍt gặp, 1/1 000 < ADR < 1/100\nMáu: Giảm tiểu cầu.", section="tac_dung_khong_mong_muon"
)


def test_a_copy_is_supported_and_its_sentence_is_the_quote():
    verdict = judged("Không dùng quá 10 ngày.", DOSE)
    assert (verdict.stance, verdict.confidence, verdict.evidence_quote) == ("SUPPORTS", 100, "Không dùng quá 10 ngày.")


def test_governing_labels_count_as_part_of_what_the_block_says():
    assert judged("Người lớn: Uống: Liều thường dùng là 0,5 - 1 g/lần, 4 - 6 giờ một lần; tối đa là 4 g/ngày.", DOSE).stance == "SUPPORTS"
    assert judged("Ít gặp, 1/1 000 < ADR < 1/100: Máu: Giảm tiểu cầu.", EFFECTS).stance == "SUPPORTS"


def test_a_header_inside_the_block_governs_only_what_follows_it():
    assert judged("Thường gặp, ADR > 1/100: Máu: Giảm tiểu cầu.", EFFECTS).stance != "SUPPORTS"


@pytest.mark.parametrize(
    "claim",
    [
        "Liều thường dùng là 0,5 - 4 g/lần.",
        "Liều thường dùng là 5 - 1 g/lần.",
        "Tối đa là 4 mg/ngày.",
        "Trẻ em: Liều thường dùng là 0,5 - 1 g/lần.",
        "Liều thường dùng là 0.5 - 1 g/lần.",
    ],
)
def test_another_number_unit_range_or_group_is_not_supported(claim):
    assert judged(claim, DOSE).stance in ("PARTIAL", "NOT_FOUND")


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Được trộn chung dung dịch tiêm với bất kỳ thuốc nào.", HARM),
        ("trộn chung dung dịch tiêm với bất kỳ thuốc nào.", HARM),
        ("Không dùng ngay sau khi pha.", HARM),
        ("Ít nhất là 4 g/ngày.", DOSE),
        ("Có thể dùng cho người suy gan nặng.", NEVER),
    ],
)
def test_turned_round_is_contradicted(claim, evidence):
    assert judged(claim, evidence).stance == "CONTRADICTS"


def test_what_a_heading_forbids_is_supported_as_it_stands():
    assert judged("Suy gan nặng.", NEVER).stance == "SUPPORTS"
    assert judged("Không dùng cho người suy gan nặng.", NEVER).stance == "SUPPORTS"


def test_most_words_are_partial_and_few_are_not_found():
    partial = judged("Liều thường dùng là 0,5 - 1 g/lần, uống cùng nước cam.", DOSE)
    assert partial.stance == "PARTIAL"
    assert 60 <= partial.confidence < 100
    missing = judged("Thuốc gây buồn ngủ và chóng mặt.", DOSE)
    assert (missing.stance, missing.evidence_quote) == ("NOT_FOUND", "")


def test_the_best_of_several_cited_blocks_counts():
    assert judged("Suy gan nặng.", DOSE, NEVER).stance == "SUPPORTS"


def test_a_claim_of_two_sentences_is_compared_with_two():
    claim = "Không được trộn chung dung dịch tiêm với bất kỳ thuốc nào. Dùng ngay sau khi pha."
    assert judged(claim, HARM).evidence_quote == claim


def test_a_claim_without_words_is_not_found():
    assert judged("…", DOSE).stance == "NOT_FOUND"


def test_a_claim_may_name_the_drug_that_its_monograph_leaves_unsaid():
    assert judged("Người lớn uống paracetamol tối đa 4 g/ngày.", DOSE).stance == "SUPPORTS"
    assert judged("Người lớn uống ibuprofen tối đa 4 g/ngày.", DOSE).stance != "SUPPORTS"
