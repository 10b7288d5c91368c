"""The repair stage: one more generation that is told what was missing; all checks again (spec 04, check 3)."""

from __future__ import annotations

from dataclasses import replace

from duocthu_core.answering.claims import parse_draft
from duocthu_core.answering.json_reply import MalformedOutput
from duocthu_core.answering.model import Draft
from duocthu_core.answering.prompts import answer_request
from duocthu_core.language_models.port import ModelError
from duocthu_core.pipeline.calling import reject_reason_of
from duocthu_core.pipeline.outputs import EntailmentOutput, RepairOutput
from duocthu_core.pipeline.recalling import WRITE_FAILED, recall
from duocthu_core.pipeline.stages.entailment import judge_claims
from duocthu_core.pipeline.stages.grounding import first_rejection
from duocthu_core.pipeline.stages.guards import context_of
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.turn import Ending, StageResult, Turn, failed, ran, stopped
from duocthu_core.verification.binding import bind
from duocthu_core.verification.completeness import check_objections
from duocthu_core.verification.grounding import ground_claims

_INCOMPLETE = Ending("abstained", "incomplete_answer")


def run(turn: Turn, tools: Tools) -> StageResult:
    """Accepts the repaired draft only if it passes grounding, guards and entailment and now says what was missing."""
    assert turn.retrieval is not None
    assert turn.plan is not None
    missing = tuple(checked.objection for checked in turn.objections if checked.accepted)
    request = answer_request(
        turn.question,
        turn.resolved,
        turn.retrieval.evidence,
        turn.plan,
        turn.state.summary,
        tools.ruleset,
        repair_missing=tuple(objection.evidence_quote for objection in missing),
        class_words=turn.retrieval.class_words,
        allergy_words=turn.retrieval.allergy_words,
    )
    try:
        response = tools.calls.complete(tools.generator, request)
        draft = parse_draft(
            response.text,
            list_mode=turn.plan.reasoning_mode == "candidate_list",
            stop_reason=response.stop_reason,
            rules=tools.ruleset.generation,
        )
        return _checked(RepairOutput(raw=response.text, draft=draft), draft, turn, tools)
    except ModelError as error:
        return failed(RepairOutput(), reject_reason_of(error), error.detail)
    except MalformedOutput as error:
        return stopped(RepairOutput(reject_reason="incomplete_answer"), "repair_malformed", _INCOMPLETE, detail=str(error))


def _checked(output: RepairOutput, draft: Draft, turn: Turn, tools: Tools) -> StageResult:
    assert turn.retrieval is not None
    evidence = turn.retrieval.evidence
    checked = ground_claims(draft.claims, evidence)
    rejection = first_rejection(checked)
    if rejection is None and draft.claims:
        checked = tools.guards.check(draft.claims, evidence, context_of(turn))
        rejection = first_rejection(checked)
    bindings = bind(draft.claims, evidence, checked, tools.ruleset)
    output = output.model_copy(update={"claims": checked, "bindings": bindings})
    if rejection is not None or not draft.claims:
        reason = rejection.reason if rejection else "incomplete_answer"
        return stopped(output.model_copy(update={"reject_reason": reason}), "repair_rejected", _INCOMPLETE, reason=reason)
    recalled = recall(draft.claims, evidence, tools)
    judged = judge_claims(draft.claims, evidence, tools, recalled)
    problems = recalled.problems + judged.cache_problems
    output = output.model_copy(update={"lookups": recalled.lookups, "verdicts": judged.verdicts, "cache_problems": problems})
    warnings = recalled.warnings + ((WRITE_FAILED,) if judged.cache_problems else ())
    return replace(_concluded(output, judged, draft, turn, tools), warnings=tuple(dict.fromkeys(warnings)))


def _concluded(output: RepairOutput, judged: EntailmentOutput, draft: Draft, turn: Turn, tools: Tools) -> StageResult:
    assert turn.retrieval is not None
    if judged.malformed is not None:
        # A judge that could not be understood has not said no: the reader is told that the check could not run.
        return failed(output.model_copy(update={"reject_reason": "malformed_output"}), "malformed_output", judged.malformed)
    if any(verdict.status != "supported" for verdict in judged.verdicts):
        return stopped(output.model_copy(update={"reject_reason": "unsupported_claim"}), "repair_unsupported", _INCOMPLETE)
    missing = tuple(item.objection for item in turn.objections if item.accepted)
    still = check_objections(missing, draft.claims, turn.retrieval.evidence, tools.ruleset.thresholds, ruleset=tools.ruleset)
    if any(item.accepted for item in still):
        return stopped(output.model_copy(update={"reject_reason": "incomplete_answer"}), "repair_still_incomplete", _INCOMPLETE)
    turn.draft, turn.claims, turn.bindings = draft, draft.claims, output.bindings
    return ran(output.model_copy(update={"accepted": True}), "repaired")
