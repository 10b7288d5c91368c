"""What a reader is told of a turn (spec 03, "Answer"): emergencies above, sources beside, one reason where there is no answer, the
disclaimer always."""

from __future__ import annotations

import json

import pytest

from duocthu_core.pipeline.trace import Trace
from duocthu_core.rulesets.model import Ruleset
from pages.components.turn_view.turn_view import evidence_card, focus_line, turn_data
from tests.app import sample_traces as sample

EVERY_OUTCOME = [*sample.conversation(), sample.hostile()]


@pytest.mark.parametrize("trace", EVERY_OUTCOME, ids=lambda trace: trace.trace_id)
def test_the_disclaimer_stands_under_every_turn(trace: Trace, ruleset: Ruleset) -> None:
    assert turn_data(trace, ruleset, opened=True, newest=True)["disclaimer"]


def test_an_answer_shows_each_claim_with_its_source(ruleset: Ruleset) -> None:
    told = turn_data(sample.answered(), ruleset, opened=True, newest=True)
    claims = told["blocks"][0]["claims"]
    assert [claim["text"] for claim in claims][:1] == [sample.CLAIM_1]
    assert all(claim["citations"] for claim in claims)
    assert claims[1]["label"] == "Người lớn:", "the label comes from the block and stands in front"
    assert told["stop"] is None


def test_pressing_a_citation_marks_the_words_it_stands_for(ruleset: Ruleset) -> None:
    told = turn_data(sample.answered(), ruleset, opened=True, newest=True)
    mark = told["blocks"][0]["claims"][2]["citations"][0]["mark"]
    block = told["evidence"]["blocks"][1]
    assert "".join(piece["text"] for piece in block["lead"] + block["rest"] if mark in piece["keys"]) == "không quá 3 g/ngày"


def test_a_quarantined_block_shows_no_text_at_all(ruleset: Ruleset) -> None:
    for trace in (sample.answered(), sample.verify_pdf()):
        told = json.dumps(turn_data(trace, ruleset, opened=True, newest=True), ensure_ascii=False)
        assert "| Tuổi | Liều |" not in told
        assert "hãy xem sách" in told


def test_a_check_that_ran_says_no(ruleset: Ruleset) -> None:
    told = turn_data(sample.stopped(), ruleset, opened=True, newest=True)
    assert told["outcome"] == {"tone": "missing", "icon": "stop", "text": "Không trả lời · sai đơn vị"}
    assert told["stop"]["small"] == ["Chặng “Rào chắn” đã chạy và nói “không”."]
    assert told["stop"]["jump"]["stage"] == "guards"


def test_not_run_is_not_no(ruleset: Ruleset) -> None:
    told = turn_data(sample.failed(), ruleset, opened=True, newest=True)
    assert told["outcome"] == {"tone": "warning", "icon": "alert", "text": "Chưa trả lời được · không kết nối được"}
    assert told["stop"]["tone"] == "warning"
    assert "chưa chạy được" in told["stop"]["lines"][0]
    assert told["stop"]["small"] == []


def test_an_emergency_stands_once_and_above(ruleset: Ruleset) -> None:
    told = turn_data(sample.red_flag(), ruleset, opened=True, newest=True)
    assert told["emergency"] == [sample.RED_FLAG.advice_vi]
    assert all(sample.RED_FLAG.advice_vi not in notice["text"] for notice in told["notices"])
    assert told["blocks"], "the turn goes on"


def test_what_was_carried_over_is_named_with_its_turn_and_its_time_left(ruleset: Ruleset) -> None:
    assert focus_line(sample.stopped(), ruleset) == "Hiểu là hỏi về Paracetamol, người lớn (lấy từ lượt 1, còn hiệu lực 2 lượt)."
    assert focus_line(sample.answered(), ruleset) == ""


def test_the_carry_over_is_told_once(ruleset: Ruleset) -> None:
    assert turn_data(sample.stopped(), ruleset, opened=True, newest=True)["notices"] == []


def test_offered_replies_can_be_taken_in_the_newest_turn_only(ruleset: Ruleset) -> None:
    newest = turn_data(sample.clarification(), ruleset, opened=True, newest=True)["stop"]
    older = turn_data(sample.clarification(), ruleset, opened=True, newest=False)["stop"]
    assert newest["heading"] == "Trẻ bao nhiêu tuổi, hoặc nặng bao nhiêu kg?"
    assert [reply["text"] for reply in newest["replies"]] == ["Trẻ em 4 - 6 tuổi", "Trẻ em 6 - 8 tuổi", "Trẻ em 8 - 10 tuổi"]
    assert older["replies"] == []
    assert "Trẻ em 6 - 8 tuổi" in older["small"][0]


def test_a_folded_turn_carries_its_question_and_outcome_only(ruleset: Ruleset) -> None:
    assert set(turn_data(sample.answered(), ruleset, opened=False, newest=False)) == {"index", "number", "question", "outcome", "open"}


def test_a_long_block_is_cut_at_a_sentence() -> None:
    text = "Câu thứ nhất nói về liều 0,5 g. " * 20
    card = evidence_card(sample.EVIDENCE[0].model_copy(update={"text": text}), [], with_drug=False)
    lead = "".join(piece["text"] for piece in card["lead"])
    assert lead.rstrip().endswith("0,5 g.")
    assert lead + "".join(piece["text"] for piece in card["rest"]) == text


def test_characters_that_turn_the_order_around_are_written_out(ruleset: Ruleset) -> None:
    told = json.dumps(turn_data(sample.hostile(), ruleset, opened=True, newest=True), ensure_ascii=False)
    assert "\u202e" not in told
    assert "⟨U+202E⟩" in told


def test_a_card_of_the_demonstration_corpus_is_marked_beside_its_page() -> None:
    block = sample.EVIDENCE[0]
    assert "Bộ minh hoạ" not in evidence_card(block, [], with_drug=False)["page"]
    marked = evidence_card(block.model_copy(update={"edition_mark": "Bộ minh hoạ"}), [], with_drug=False)
    assert marked["page"].endswith(" · Bộ minh hoạ")
