"""Blocks of the answer: heading, tone and label come from the book; each claim keeps where it stands."""

from __future__ import annotations

from duocthu_core.answering.assembling import assemble, extractive, missing_label
from duocthu_core.answering.model import Claim
from duocthu_core.text.spans import Span
from duocthu_core.verification.model import BoundDetail, ClaimBinding, EvidenceSpan
from tests.answering.blocks import block

DOSE = block(1, "Trẻ em 6 - 8 tuổi: 240 - 250 mg.", label="Trẻ em:\nUống:")
HARM = block(2, "Suy gan nặng.", section="chong_chi_dinh", page=1119)
OTHER = block(3, "Quá mẫn với ibuprofen.", section="chong_chi_dinh", drug="ibuprofen", name="Ibuprofen", page=793)


def binding(index: int, *spans: tuple[int, Span, bool]) -> ClaimBinding:
    details = tuple(
        BoundDetail(kind="number", text="x", claim_span=Span(0, 1), found=found, evidence=EvidenceSpan(index=where, span=span))
        for where, span, found in spans
    )
    return ClaimBinding(claim_index=index, text="", citations=(), details=details)


def test_title_and_tone_come_from_the_section_of_the_cited_block(ruleset):
    answer = assemble(
        [Claim(text="Trẻ em, uống: 6 - 8 tuổi: 240 - 250 mg.", citations=(1,)), Claim(text="Suy gan nặng.", citations=(2,))],
        [DOSE, HARM],
        [],
        ruleset,
    )
    assert [(found.title, found.kind, found.section_key) for found in answer.blocks] == [
        ("Liều lượng và cách dùng", "dosage", "lieu_luong_cach_dung"),
        ("Chống chỉ định", "warning", "chong_chi_dinh"),
    ]


def test_claims_of_one_section_stand_together_in_the_order_of_the_draft(ruleset):
    claims = [Claim(text=text, citations=(index,)) for text, index in (("Suy gan nặng.", 2), ("240 - 250 mg.", 1), ("Suy gan.", 2))]
    answer = assemble(claims, [DOSE, HARM], [], ruleset)
    assert [[claim.text for claim in found.claims] for found in answer.blocks] == [["Suy gan nặng.", "Suy gan."], ["240 - 250 mg."]]


def test_several_drugs_are_named_in_the_titles(ruleset):
    claims = [Claim(text="Suy gan nặng.", citations=(2,)), Claim(text="Quá mẫn với ibuprofen.", citations=(3,))]
    titles = [found.title for found in assemble(claims, [HARM, OTHER], [], ruleset).blocks]
    assert titles == ["Paracetamol: Chống chỉ định", "Ibuprofen: Chống chỉ định"]


def test_a_citation_keeps_drug_section_page_block_and_spans(ruleset):
    bound = binding(0, (1, Span(34, 37), True), (1, Span(34, 37), True), (1, Span(0, 3), False))
    answer = assemble([Claim(text="240 mg", citations=(1, 1))], [DOSE], [bound], ruleset)
    (citation,) = answer.blocks[0].claims[0].citations
    assert citation.block_id == "paracetamol/lieu_luong_cach_dung/1"
    assert (citation.drug_name, citation.section_title, citation.page_start) == ("Paracetamol", "Liều lượng và cách dùng", 1120)
    assert citation.spans == (Span(34, 37),)


def test_a_claim_without_numbers_points_at_its_sentence(ruleset):
    text = "Người bệnh quá mẫn với paracetamol. Suy gan nặng."
    answer = assemble([Claim(text="Suy gan nặng.", citations=(2,))], [block(2, text, section="chong_chi_dinh")], [], ruleset)
    (span,) = answer.blocks[0].claims[0].citations[0].spans
    assert span.of(text) == "Suy gan nặng."


def test_the_governing_label_is_printed_in_front_of_a_claim_that_lacks_it(ruleset):
    answer = assemble([Claim(text="6 - 8 tuổi: 240 - 250 mg.", citations=(1,))], [DOSE], [], ruleset)
    assert answer.blocks[0].claims[0].label == "Trẻ em: Uống:"


def test_only_the_missing_lines_of_a_label_are_printed():
    assert missing_label("Uống: 6 - 8 tuổi: 240 mg.", "Trẻ em:\nUống:") == "Trẻ em:"
    assert missing_label("Trẻ em, uống: 240 mg.", "Trẻ em:\nUống:") is None
    assert missing_label("Trẻ em 6 - 8 tuổi uống 240 mg.", "Trẻ em:\nUống:") is None
    assert missing_label("240 mg", None) is None


def test_a_label_far_down_a_chain_of_labels_counts_as_said():
    label = "Uống, chức năng thận bình thường:\nNhiễm khuẩn tai, mũi, họng, da, đường tiết niệu:\nNgười lớn:"
    claim = "Uống, chức năng thận bình thường: Nhiễm khuẩn tai, mũi, họng, da, đường tiết niệu: Người lớn: Nhẹ, vừa: 250 mg cách 8 giờ/lần."
    assert missing_label(claim, label) is None


def test_figures_of_a_label_must_be_said_exactly():
    assert missing_label("Clcr < 10 ml/phút: 250 mg.", "Suy thận, Clcr < 30 ml/phút:") == "Suy thận, Clcr < 30 ml/phút:"
    assert missing_label("Buồn nôn.", "Thường gặp, ADR > 1/100:") == "Thường gặp, ADR > 1/100:"


def test_a_group_named_far_into_the_claim_is_no_label():
    claim = "Một liều duy nhất 50 mg/kg uống một giờ trước khi làm thủ thuật nha khoa hoặc phẫu thuật, không được vượt liều người lớn."
    assert missing_label(claim, "Người lớn:") == "Người lớn:"


def test_an_index_outside_the_evidence_is_skipped(ruleset):
    assert assemble([Claim(text="x", citations=(9,))], [DOSE], [], ruleset).blocks == ()


def test_extractive_quotes_whole_blocks_and_never_a_quarantined_one(ruleset):
    table = block(4, "| 10 | 50 % |", quarantined=True)
    answer = extractive([DOSE, table, HARM], ruleset)
    first = answer.blocks[0].claims[0]
    assert (first.label, first.text) == ("Trẻ em: Uống:", "Trẻ em 6 - 8 tuổi: 240 - 250 mg.")
    assert first.citations[0].spans[0].of(DOSE.text) == first.text
    assert [found.title for found in answer.blocks] == ["Liều lượng và cách dùng", "Chống chỉ định"]
    assert "50 %" not in answer.model_dump_json()


def test_every_citation_of_an_edition_that_is_not_the_book_says_so(ruleset):
    marked = DOSE.model_copy(update={"edition_mark": "Bộ minh hoạ"})
    built = assemble([Claim(text="6 - 8 tuổi: 240 - 250 mg.", citations=(1,))], [marked], [], ruleset)
    quoted = extractive([marked], ruleset)
    marks = [c.edition_mark for answer in (built, quoted) for found in answer.blocks for claim in found.claims for c in claim.citations]
    assert marks == ["Bộ minh hoạ", "Bộ minh hoạ"]
