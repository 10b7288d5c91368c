"""A turn as a whole: order, endings, failures, what is recorded (spec 01, 03, 04)."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from duocthu_core.conversation.model import ConversationState
from duocthu_core.language_models.offline import OfflineModel
from duocthu_core.language_models.port import LanguageModel, ModelError
from duocthu_core.pipeline.running import Pipeline, TurnCancelled
from duocthu_core.pipeline.trace import OPTIONAL_STAGES, STAGE_ORDER, StageRecord, Trace
from duocthu_core.rulesets.model import Ruleset
from tests.pipeline.corpora import small_corpus
from tests.pipeline.fakes import COMPLETE, ScriptedModel, draft, incomplete, verdicts

ADULT_ORAL = "Liều paracetamol uống cho người lớn là bao nhiêu?"
TRUE_CLAIM = ("Người lớn, uống: 0,5 - 1 g/lần, cách 4 - 6 giờ một lần; tối đa 4 g/ngày.", [1])


def free(provider: str, model: str, input_tokens: int, output_tokens: int) -> float | None:
    return 0.0


def pipeline(ruleset: Ruleset, generator: LanguageModel, judge: LanguageModel, **more: Any) -> Pipeline:
    return Pipeline(small_corpus(), ruleset, generator, judge, price=free, **more)


def ask(ruleset: Ruleset, question: str, generator: LanguageModel, judge: LanguageModel, **more: Any) -> Trace:
    return pipeline(ruleset, generator, judge, **more).run(question, ConversationState(conversation_id="c")).trace


def record(trace: Trace, name: Any) -> StageRecord:
    found = trace.stage(name)
    assert found is not None, name
    return found


def test_stages_come_in_the_fixed_order_and_the_trace_survives_json(ruleset: Ruleset) -> None:
    offline = OfflineModel(ruleset)
    trace = ask(ruleset, ADULT_ORAL, offline, offline)
    assert trace.outcome == "answered", (trace.reject_reason, trace.clarifying_question)
    assert [stage.name for stage in trace.stages] == [name for name in STAGE_ORDER if name not in OPTIONAL_STAGES]
    assert Trace.model_validate_json(trace.model_dump_json()) == trace


def test_an_offline_answer_gives_the_adult_dose_its_page_and_the_disclaimer(ruleset: Ruleset) -> None:
    offline = OfflineModel(ruleset)
    trace = ask(ruleset, ADULT_ORAL, offline, offline)
    said = " ".join((claim.label or "") + " " + claim.text for block in trace.answer.blocks for claim in block.claims)
    assert "0,5 - 1 g/lần" in said
    assert "240" not in said
    assert {citation.page_start for block in trace.answer.blocks for claim in block.claims for citation in claim.citations} == {1120}
    assert trace.disclaimer.startswith("Nội dung được trích từ Bộ thử, phục vụ tra cứu chuyên môn")


def test_a_true_draft_passes_every_check(ruleset: Ruleset) -> None:
    trace = ask(ruleset, ADULT_ORAL, ScriptedModel(draft(TRUE_CLAIM)), ScriptedModel(verdicts("SUPPORTS"), COMPLETE))
    assert (trace.outcome, trace.reject_reason) == ("answered", None)
    assert trace.totals.model_calls == 3
    assert trace.totals.judge_calls == 2


@pytest.mark.parametrize(
    ("claim", "reason", "stage"),
    [
        (("Người lớn, uống: tối đa 40 g/ngày.", [1]), "ungrounded_number", "grounding"),
        (("Người lớn, uống: tối đa 4 mg/ngày.", [1]), "unit_mismatch", "guards"),
        (("Người lớn, uống: tối đa 4 g/ngày.", [9]), "invalid_citation", "grounding"),
        (("Người lớn, uống: tối đa 4 g/ngày.", []), "uncited_claim", "grounding"),
    ],
)
def test_a_wrong_draft_ends_with_its_one_reason_and_later_stages_are_skipped(
    ruleset: Ruleset, claim: tuple[str, list[int]], reason: str, stage: str
) -> None:
    judge = ScriptedModel()
    trace = ask(ruleset, ADULT_ORAL, ScriptedModel(draft(claim)), judge)
    assert (trace.outcome, trace.reject_reason) == ("abstained", reason)
    assert record(trace, stage).status == "stopped"
    assert record(trace, "entailment").status == "skipped"
    assert record(trace, "entailment").why.params["stage"] == stage
    assert record(trace, "answer").status == "ran"
    assert not trace.answer.blocks
    assert trace.message
    assert trace.disclaimer
    assert judge.requests == []


def test_a_malformed_reply_is_asked_for_once_more_with_the_same_request(ruleset: Ruleset) -> None:
    generator = ScriptedModel("Đây là câu trả lời.", draft(TRUE_CLAIM))
    trace = ask(ruleset, ADULT_ORAL, generator, ScriptedModel(verdicts("SUPPORTS"), COMPLETE))
    assert trace.outcome == "answered"
    assert generator.requests[0].fingerprint() == generator.requests[1].fingerprint()


def test_a_reply_that_stays_malformed_fails_closed(ruleset: Ruleset) -> None:
    generator = ScriptedModel("không phải JSON", "vẫn không", draft(TRUE_CLAIM))
    trace = ask(ruleset, ADULT_ORAL, generator, ScriptedModel())
    assert (trace.outcome, trace.reject_reason) == ("abstained", "malformed_output")
    assert len(generator.requests) == 2


def test_a_question_of_the_generator_is_returned_instead_of_the_section(ruleset: Ruleset) -> None:
    asked = draft(evidence_sufficient=False, clarifying_question="Bé mấy tuổi?", quick_replies=[])
    trace = ask(ruleset, "Liều paracetamol uống cho trẻ em?", ScriptedModel(asked), ScriptedModel())
    assert (trace.outcome, trace.clarifying_question) == ("clarification", "Bé mấy tuổi?")


def test_a_clarifying_question_cannot_smuggle_a_number(ruleset: Ruleset) -> None:
    asked = draft(evidence_sufficient=False, clarifying_question="Bạn muốn liều 40 g hay 60 g?", quick_replies=["40 g", "60 g"])
    trace = ask(ruleset, ADULT_ORAL, ScriptedModel(asked), ScriptedModel())
    assert trace.outcome == "clarification"
    assert "40" not in (trace.clarifying_question or "")
    assert trace.quick_replies == ()


@pytest.mark.parametrize(
    ("kind", "reason"),
    [("unavailable", "provider_unavailable"), ("budget_exhausted", "request_budget_exhausted"), ("malformed", "malformed_output")],
)
@pytest.mark.parametrize("role", ["generator", "judge"])
def test_a_model_that_cannot_be_reached_is_told_apart_from_a_no(ruleset: Ruleset, kind: Any, reason: str, role: str) -> None:
    broken = ScriptedModel(ModelError(kind, "Lỗi của máy chủ"))
    generator = broken if role == "generator" else ScriptedModel(draft(TRUE_CLAIM))
    trace = ask(ruleset, ADULT_ORAL, generator, broken)
    assert (trace.outcome, trace.reject_reason) == ("abstained", reason)
    stage = record(trace, "generation" if role == "generator" else "entailment")
    assert stage.status == "failed"
    assert stage.calls[-1].error == "Lỗi của máy chủ"


def test_a_judge_that_says_no_is_an_unsupported_claim(ruleset: Ruleset) -> None:
    trace = ask(ruleset, ADULT_ORAL, ScriptedModel(draft(TRUE_CLAIM)), ScriptedModel(verdicts("NOT_FOUND")))
    assert trace.reject_reason == "unsupported_claim"
    assert record(trace, "entailment").status == "stopped"


def test_below_the_confidence_of_the_ruleset_is_not_supported(ruleset: Ruleset) -> None:
    trace = ask(ruleset, ADULT_ORAL, ScriptedModel(draft(TRUE_CLAIM)), ScriptedModel(verdicts("SUPPORTS", confidence=10)))
    assert trace.reject_reason == "unsupported_claim"


def test_a_judge_cut_off_is_malformed_not_a_no(ruleset: Ruleset) -> None:
    judge = ScriptedModel('{"verdicts":[{"index":1,"stance":"SUPP', stop_reason="max_tokens")
    trace = ask(ruleset, ADULT_ORAL, ScriptedModel(draft(TRUE_CLAIM)), judge)
    assert trace.reject_reason == "malformed_output"


OBJECTION = incomplete("tối đa 4 g/ngày", "tối đa 4 g/ngày")
SHORT = ("Người lớn, uống: 0,5 - 1 g/lần.", [1])


def test_an_accepted_objection_is_repaired_once(ruleset: Ruleset) -> None:
    generator = ScriptedModel(draft(SHORT), draft(TRUE_CLAIM))
    judge = ScriptedModel(verdicts("SUPPORTS"), OBJECTION, verdicts("SUPPORTS"))
    trace = ask(ruleset, ADULT_ORAL, generator, judge)
    assert (trace.outcome, record(trace, "repair").status) == ("answered", "ran")
    assert "tối đa 4 g/ngày" in generator.requests[1].user


def test_a_repair_that_invents_a_number_is_incomplete(ruleset: Ruleset) -> None:
    generator = ScriptedModel(draft(SHORT), draft(("Người lớn, uống: tối đa 8 g/ngày.", [1])))
    trace = ask(ruleset, ADULT_ORAL, generator, ScriptedModel(verdicts("SUPPORTS"), OBJECTION))
    assert trace.reject_reason == "incomplete_answer"


def test_a_repair_that_still_leaves_it_out_is_incomplete(ruleset: Ruleset) -> None:
    generator = ScriptedModel(draft(SHORT), draft(SHORT))
    trace = ask(ruleset, ADULT_ORAL, generator, ScriptedModel(verdicts("SUPPORTS"), OBJECTION, verdicts("SUPPORTS")))
    assert trace.reject_reason == "incomplete_answer"


def test_with_nothing_left_of_the_budget_no_call_is_made(ruleset: Ruleset) -> None:
    generator = ScriptedModel(draft(TRUE_CLAIM))
    trace = ask(ruleset, ADULT_ORAL, generator, ScriptedModel(), budget_s=0.0)
    assert trace.reject_reason == "request_budget_exhausted"
    assert generator.requests == []
    assert trace.totals.model_calls == 0


def test_a_quarantined_table_sends_to_the_book_with_its_page(ruleset: Ruleset) -> None:
    generator = ScriptedModel()
    trace = ask(ruleset, "Liều cefazolin cho người suy thận?", generator, ScriptedModel())
    assert (trace.outcome, trace.reject_reason) == ("verify_pdf", "quarantined")
    assert any(345 in notice.pages for notice in trace.answer.notices)
    assert [block.page_start for block in trace.evidence if block.quarantined] == [345]
    assert generator.requests == []


def test_a_dog_is_out_of_scope_and_no_model_is_asked(ruleset: Ruleset) -> None:
    trace = ask(ruleset, "Chó nhà em bị sốt, cho uống paracetamol mấy viên?", ScriptedModel(), ScriptedModel())
    assert (trace.outcome, trace.reject_reason) == ("abstained", "out_of_scope")
    assert record(trace, "scope").status == "stopped"


def test_a_greeting_is_answered_socially_and_leaves_the_focus_alone(ruleset: Ruleset) -> None:
    offline = OfflineModel(ruleset)
    pipe = pipeline(ruleset, offline, offline)
    first = pipe.run(ADULT_ORAL, ConversationState(conversation_id="c"))
    second = pipe.run("Cảm ơn bạn nhiều!!", first.state)
    assert (second.trace.outcome, second.trace.reject_reason) == ("smalltalk", None)
    assert second.state.focus.drug_id == "paracetamol"
    assert second.trace.disclaimer


def test_a_followup_inherits_and_says_so(ruleset: Ruleset) -> None:
    offline = OfflineModel(ruleset)
    pipe = pipeline(ruleset, offline, offline)
    first = pipe.run(ADULT_ORAL, ConversationState(conversation_id="c"))
    second = pipe.run("Còn chống chỉ định?", first.state).trace
    assert second.resolved.drug_id == "paracetamol"
    assert second.resolved.inherited["drug_id"] == 2
    assert any(notice.kind == "carry_over" and "Paracetamol" in notice.text for notice in second.answer.notices)
    assert second.turn_index == 2


def test_an_answer_to_our_question_continues_the_question(ruleset: Ruleset) -> None:
    offline = OfflineModel(ruleset)
    pipe = pipeline(ruleset, offline, offline)
    first = pipe.run("Liều paracetamol uống cho trẻ em?", ConversationState(conversation_id="c"))
    assert first.trace.outcome == "clarification"
    second = pipe.run("5 tuổi", first.state).trace
    assert second.outcome == "answered", (second.reject_reason, second.clarifying_question)
    said = " ".join(claim.text for block in second.answer.blocks for claim in block.claims)
    assert "240 mg" in said
    assert "360" not in said


def test_without_a_generator_the_source_is_quoted(ruleset: Ruleset) -> None:
    generator = ScriptedModel()
    generator.provider = "disabled"
    trace = ask(ruleset, ADULT_ORAL, generator, ScriptedModel())
    assert trace.outcome == "extractive"
    assert any("0,5 - 1 g/lần" in claim.text for block in trace.answer.blocks for claim in block.claims)


def test_a_reader_can_stop_a_turn_between_stages(ruleset: Ruleset) -> None:
    answers = itertools.chain([False, False, True])
    with pytest.raises(TurnCancelled):
        pipeline(ruleset, ScriptedModel(), ScriptedModel()).run(
            ADULT_ORAL, ConversationState(conversation_id="c"), should_stop=lambda: next(answers)
        )


def test_each_record_is_told_as_it_is_made(ruleset: Ruleset) -> None:
    offline = OfflineModel(ruleset)
    told: list[StageRecord] = []
    result = pipeline(ruleset, offline, offline).run(ADULT_ORAL, ConversationState(conversation_id="c"), on_stage=told.append)
    assert tuple(told) == result.trace.stages


def test_personal_data_reaches_neither_prompt_nor_trace(ruleset: Ruleset) -> None:
    generator = ScriptedModel(draft(TRUE_CLAIM))
    judge = ScriptedModel(verdicts("SUPPORTS"), COMPLETE)
    question = "BN Nguyễn Văn Tèo, sđt 0912345678, người lớn uống paracetamol liều bao nhiêu?"
    trace = ask(ruleset, question, generator, judge)
    everything = trace.model_dump_json() + "".join(request.user + request.system for request in generator.requests + judge.requests)
    assert "0912345678" not in everything
    assert "Văn Tèo" not in everything
    assert "dien_thoai" in record(trace, "scope").model_dump_json()
