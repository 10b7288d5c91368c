"""Stage 7, generation: a draft from the evidence, parsed; one identical retry (spec 03, "Generation")."""

from __future__ import annotations

from duocthu_core.answering.claims import parse_draft
from duocthu_core.answering.clarifying import recognised, recognised_reply, safe_clarification
from duocthu_core.answering.json_reply import MalformedOutput
from duocthu_core.answering.model import Draft
from duocthu_core.answering.prompts import answer_request
from duocthu_core.language_models.port import ModelError, ModelRequest
from duocthu_core.pipeline.calling import reject_reason_of
from duocthu_core.pipeline.outputs import GenerationOutput
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.turn import Ending, StageResult, Turn, failed, ran, stopped


def run(turn: Turn, tools: Tools) -> StageResult:
    """Generates; a draft that asks back is returned as the question, not as the section."""
    assert turn.retrieval is not None, "generation follows retrieval"
    assert turn.plan is not None, "generation follows the plan"
    if tools.generator.provider == "disabled":
        return stopped(GenerationOutput(extractive=True), "extractive_mode", Ending("extractive"))
    request = answer_request(
        turn.question,
        turn.resolved,
        turn.retrieval.evidence,
        turn.plan,
        turn.state.summary,
        tools.ruleset,
        class_words=turn.retrieval.class_words,
        allergy_words=turn.retrieval.allergy_words,
    )
    try:
        raw, draft, malformed = _draft_with_one_retry(request, turn, tools)
    except ModelError as error:
        return failed(GenerationOutput(), reject_reason_of(error), error.detail)
    turn.draft = draft
    output = GenerationOutput(raw=raw, draft=draft, malformed=malformed)
    if draft is None:
        return failed(output, "malformed_output", malformed or "")
    return _after_parsing(draft, output, turn, tools)


def _draft_with_one_retry(request: ModelRequest, turn: Turn, tools: Tools) -> tuple[tuple[str, ...], Draft | None, str | None]:
    """Reply texts, the last draft and what was wrong with the last reply. The retry is the same request, and there is one."""
    assert turn.plan is not None
    raw: list[str] = []
    draft: Draft | None = None
    malformed: str | None = None
    for _ in range(2):
        response = tools.calls.complete(tools.generator, request)
        raw.append(response.text)
        try:
            draft = parse_draft(
                response.text,
                list_mode=turn.plan.reasoning_mode == "candidate_list",
                stop_reason=response.stop_reason,
                rules=tools.ruleset.generation,
            )
            malformed = None
        except MalformedOutput as error:
            draft, malformed = None, str(error)
        if draft is not None and (draft.evidence_sufficient or draft.clarifying_question):
            break
    return tuple(raw), draft, malformed


def _after_parsing(draft: Draft, output: GenerationOutput, turn: Turn, tools: Tools) -> StageResult:
    assert turn.retrieval is not None
    if draft.clarifying_question:
        question, replies = safe_clarification(draft, turn.question.text, turn.retrieval.evidence, tools.ruleset)
        ending = Ending(
            "clarification",
            clarifying_question=question,
            quick_replies=replies,
            clarifying_said=recognised(question, turn.retrieval.evidence, tools.ruleset),
            quick_replies_said=tuple(recognised_reply(reply, tools.ruleset) for reply in replies),
        )
        return stopped(output, "asked_back", ending)
    if not draft.evidence_sufficient or not draft.claims:
        return stopped(output, "insufficient_evidence", Ending("abstained", "insufficient_evidence"))
    turn.claims = draft.claims
    return ran(output, "drafted", claims=str(len(draft.claims)), replies=str(len(output.raw)))
