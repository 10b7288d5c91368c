"""A question asked back carries no figure from nowhere, and offers only what the blocks have."""

from __future__ import annotations

from duocthu_core.answering.clarifying import safe_clarification
from duocthu_core.answering.model import Draft
from duocthu_core.retrieval.model import Evidence

BLOCK = Evidence(
    index=1,
    block_id="paracetamol/lieu_luong_cach_dung/2",
    drug_id="paracetamol",
    section_key="lieu_luong_cach_dung",
    label="Trẻ em:",
    text="Trẻ em:\nUống: 3 - 6 tháng tuổi: 60 mg. Đặt trực tràng: cân nặng > 50 kg: 1 g.",
)
TABLE = BLOCK.model_copy(update={"index": 2, "quarantined": True, "text": "Nhỏ mắt | 99 giọt"})


def asked(question: str, replies: tuple[str, ...] = (), text: str = "liều cho trẻ em?") -> Draft:
    return Draft(claims=(), evidence_sufficient=False, clarifying_question=question, quick_replies=replies)


def test_a_plain_question_with_real_options_is_shown(ruleset):
    draft = asked("Dùng theo đường nào?", ("Uống", "Đặt trực tràng"))
    assert safe_clarification(draft, "liều trẻ em?", [BLOCK], ruleset) == ("Dùng theo đường nào?", ("Uống", "Đặt trực tràng"))


def test_one_invented_option_takes_all_of_them_away(ruleset):
    assert safe_clarification(asked("Đường nào?", ("Uống", "Tiêm bắp")), "liều?", [BLOCK], ruleset)[1] == ()


def test_the_sign_of_an_option_counts(ruleset):
    assert safe_clarification(asked("Cân nặng?", ("> 50 kg", "Uống")), "liều?", [BLOCK], ruleset)[1] == ("> 50 kg", "Uống")
    assert safe_clarification(asked("Cân nặng?", ("< 50 kg", "Uống")), "liều?", [BLOCK], ruleset)[1] == ()


def test_an_option_that_stands_only_in_a_quarantined_table_is_not_offered(ruleset):
    assert safe_clarification(asked("Đường nào?", ("Uống", "Nhỏ mắt")), "liều?", [BLOCK, TABLE], ruleset)[1] == ()


def test_a_figure_that_nobody_named_is_not_smuggled_in_by_a_question(ruleset):
    question, replies = safe_clarification(asked("Bạn hỏi liều 500 mg phải không?", ("Uống", "Đặt trực tràng")), "liều?", [BLOCK], ruleset)
    assert "500" not in question
    assert question == ruleset.tables["severity"]["common"]["ask_for_details_vi"]
    assert replies == ()


def test_figures_of_the_reader_and_of_the_blocks_may_be_repeated(ruleset):
    assert safe_clarification(asked("Trẻ 12 kg mấy tháng tuổi?"), "trẻ 12 kg?", [BLOCK], ruleset)[0] == "Trẻ 12 kg mấy tháng tuổi?"
    assert safe_clarification(asked("Trẻ 3 - 6 tháng tuổi?"), "trẻ?", [BLOCK], ruleset)[0] == "Trẻ 3 - 6 tháng tuổi?"
