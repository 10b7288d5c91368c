"""Every stage output is laid open as typed data (spec 06, page 1)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from duocthu_core.agreement.people import JudgeConfidence
from duocthu_core.answering.model import Claim, Draft
from duocthu_core.pipeline import outputs
from duocthu_core.pipeline.trace import STAGE_ORDER, StageName, StageRecord, Trace
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.understanding.model import DrugOffer, Question
from duocthu_core.verification.model import RawVerdict, Verdict
from pages.components.model_calls import call_parts
from pages.components.stage_details import output_parts
from tests.app import sample_traces as sample

CLAIM = Claim(text="Uống 5 g.", citations=(1,))
RARE: dict[StageName, outputs.StageOutput] = {
    "scope": outputs.ScopeOutput(
        in_scope=False, reject_reason="out_of_scope", animal="mèo", masked_kinds=("ho_ten",), injection_cues=("bỏ qua hướng dẫn",)
    ),
    "understanding": outputs.UnderstandingOutput(
        question=Question(
            text="Liều paracetamon?", offers=(DrugOffer(words="paracetamon", drug_id="p", drug_name="Paracetamol", why="misspelling"),)
        )
    ),
    "sufficiency": outputs.SufficiencyOutput(sufficient=True, failed_open=True),
    "generation": outputs.GenerationOutput(raw=("Xin lỗi", "Xin lỗi"), malformed="no JSON object"),
    "entailment": outputs.EntailmentOutput(
        raw=(RawVerdict(index=1, stance="NOT_FOUND", confidence=12, evidence_quote="không có câu này"),),
        verdicts=(Verdict(claim_index=0, status="not_run", why="provider_unavailable"),),
        malformed="two verdicts for claim 1",
    ),
    "completeness": outputs.CompletenessOutput(complete=False, malformed="cut off"),
    "repair": outputs.RepairOutput(raw="{}", draft=Draft(claims=(CLAIM,), evidence_sufficient=True), reject_reason="unit_mismatch"),
    "cache": outputs.CacheOutput(enabled=False),
}


def drawn(record: StageRecord, trace: Trace, ruleset: Ruleset) -> str:
    return json.dumps([part.data() for part in output_parts(record, trace, ruleset)], ensure_ascii=False)


@pytest.mark.parametrize("trace", [*sample.conversation(), sample.hostile()], ids=lambda trace: trace.trace_id)
def test_every_stage_of_every_outcome_can_be_drawn(trace: Trace, ruleset: Ruleset) -> None:
    for record in trace.stages:
        text = drawn(record, trace, ruleset)
        assert "\u202e" not in text, record.name


@pytest.mark.parametrize("name", RARE)
def test_rare_outputs_can_be_drawn(name: StageName, ruleset: Ruleset) -> None:
    assert drawn(sample.record(name, RARE[name], "x"), sample.answered(), ruleset)


def test_every_stage_has_its_module(ruleset: Ruleset) -> None:
    covered = {record.name for record in sample.answered().stages if record.output} | set(RARE)
    assert covered == set(STAGE_ORDER)


def stage_text(trace: Trace, name: StageName, ruleset: Ruleset) -> str:
    return drawn(sample.ran_stage(trace, name), trace, ruleset)


def test_focus_says_where_each_field_comes_from_how_old_it_is_and_which_words_set_it(ruleset: Ruleset) -> None:
    text = stage_text(sample.stopped(), "focus", ruleset)
    for expected in ("Paracetamol", "lấy lại từ câu hỏi 1", "lượt này", "2 lượt", "4 lượt", "“người lớn”"):
        assert expected in text


def test_retrieval_says_for_every_candidate_its_score_and_why(ruleset: Ruleset) -> None:
    text = stage_text(sample.answered(), "retrieval", ruleset)
    for expected in ("0,93", "0,61", "khoảng tuổi hoặc cân nặng khác", "bảng hoặc công thức", "tra mục", "tìm kiếm"):
        assert expected in text


def test_generation_shows_the_reply_as_received_and_as_parsed(ruleset: Ruleset) -> None:
    parts = output_parts(sample.ran_stage(sample.answered(), "generation"), sample.answered(), ruleset)
    kinds = [part.data()["type"] for part in parts]
    assert kinds == ["table", "values", "raw"]
    output = sample.ran_stage(sample.answered(), "generation").output
    assert isinstance(output, outputs.GenerationOutput)
    assert parts[-1].data()["text"] == output.raw[0]


def test_a_verdict_shows_the_judges_words_and_marks_its_quote_in_the_block(ruleset: Ruleset) -> None:
    group: dict[str, Any] = output_parts(sample.ran_stage(sample.answered(), "entailment"), sample.answered(), ruleset)[0].data()
    assert group["state"]["text"] == "có căn cứ"
    passage = next(part for part in group["parts"] if part["type"] == "passage")
    quoted = "".join(piece["text"] for piece in passage["pieces"] if piece["keys"])
    assert quoted == "Đường uống: mỗi lần 0,5 - 1 g, các lần cách nhau 4 - 6 giờ"


def test_an_ignored_objection_says_why_it_was_ignored(ruleset: Ruleset) -> None:
    text = stage_text(sample.answered(), "completeness", ruleset)
    assert "bỏ qua" in text
    assert "có con số không nằm trong câu trích" in text


def test_the_cache_shows_both_hashes_the_time_left_and_what_was_done(ruleset: Ruleset) -> None:
    parts = [part.data() for part in output_parts(sample.ran_stage(sample.answered(), "cache"), sample.answered(), ruleset)]
    assert [group["state"]["text"] for group in parts[1:]] == ["còn mới", "chưa có", "cũ: lời nhắc", "cũ: ngưỡng"]
    text = json.dumps(parts[3], ensure_ascii=False)
    for expected in ("0aa1bb2cc3dd", "3b9f5d0c11aa", "khác", "lời nhắc đã đổi", "hỏi máy chấm", "1 (ít nhất 1)", "30/11/2026"):
        assert expected in text
    assert parts[0]["rows"] == [
        ["Lần gọi đỡ được", {"figure": "0"}],
        ["Token đỡ được", {"figure": "240"}],
        ["Tiền đỡ được", {"words": "0,0012 USD"}],
    ]


def test_memory_shows_before_after_and_what_left(ruleset: Ruleset) -> None:
    text = stage_text(sample.answered(), "memory", ruleset)
    assert "Paracetamol dùng để làm gì?" in text
    assert "- đã hỏi Liều lượng và cách dùng của Paracetamol" in text
    assert "(trống)" in text


def test_an_unknown_code_is_shown_as_that_code(ruleset: Ruleset) -> None:
    found = sample.ran_stage(sample.answered(), "retrieval").output
    assert isinstance(found, outputs.RetrievalOutput)
    output = outputs.RetrievalOutput(candidates=(found.candidates[0].model_copy(update={"why": "brand_new"}),))
    assert "brand_new" in drawn(sample.record("retrieval", output, "x"), sample.answered(), ruleset)


def test_a_call_shows_the_exact_request_and_the_raw_response() -> None:
    call = sample.ran_stage(sample.answered(), "generation").calls[0]
    texts = [part["text"] for part in call_parts([call])[0].data()["parts"] if part["type"] == "raw"]
    assert call.request.system in texts
    assert call.request.user in texts
    assert call.response is not None
    assert call.response.text in texts


def test_a_failed_call_shows_the_providers_error() -> None:
    call = sample.ran_stage(sample.failed(), "generation").calls[0]
    group = call_parts([call])[0].data()
    assert group["state"]["text"] == "không có phản hồi"
    assert call.error in [part.get("text") for part in group["parts"]]


def test_a_stage_that_asked_no_model_says_so() -> None:
    assert call_parts([])[0].data()["text"] == "Chặng này không gọi mô hình nào."


def test_the_confidence_in_a_judge_is_what_people_found_and_only_for_that_judge(ruleset: Ruleset) -> None:
    trace = sample.answered("t", 1, "c")
    record = trace.stage("entailment")
    assert record is not None
    output = record.output
    assert isinstance(output, outputs.EntailmentOutput)
    found = JudgeConfidence(0.9, (0.8, 0.95), turns=40, claims=70, judge_model=output.judge_model, prompt_hash=output.prompt_hash)
    assert "70 mệnh đề của 40 lượt" in str(output_parts(record, trace, ruleset, found))
    for other in (None, replace(found, prompt_hash="khác"), replace(found, judge_model="khác/m")):
        shown = str(output_parts(record, trace, ruleset, other))
        assert "không nêu độ tin" in shown
        assert "mệnh đề của" not in shown
