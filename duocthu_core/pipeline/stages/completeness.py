"""Stage 12, completeness: what the answer leaves out, each objection checked before it counts (spec 04, check 3)."""

from __future__ import annotations

from dataclasses import replace

from duocthu_core.answering.json_reply import MalformedOutput
from duocthu_core.language_models.port import ModelError
from duocthu_core.pipeline.calling import reject_reason_of
from duocthu_core.pipeline.outputs import CompletenessOutput
from duocthu_core.pipeline.recalling import WRITE_FAILED, keep_completeness, wanted_completeness
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.turn import StageResult, Turn, failed, ran
from duocthu_core.verification.completeness import check_objections, completeness_request, parse_completeness


def run(turn: Turn, tools: Tools) -> StageResult:
    """Collects the objections that stand; they go to the repair stage. A judge's opinion that is known makes no call."""
    known = turn.recalled.completeness
    if known is None:
        return _asked(turn, tools)
    turn.objections = known.objections
    return _collected(CompletenessOutput(complete=known.complete, objections=known.objections, from_cache=True))


def _asked(turn: Turn, tools: Tools) -> StageResult:
    assert turn.retrieval is not None
    evidence = turn.retrieval.evidence
    request = completeness_request(turn.question, turn.resolved, turn.claims, evidence, tools.ruleset)
    try:
        response = tools.calls.complete(tools.judge, request)
        complete, objections = parse_completeness(response.text, response.stop_reason)
    except ModelError as error:
        return failed(None, reject_reason_of(error), error.detail)
    except MalformedOutput as error:
        return failed(CompletenessOutput(complete=False, malformed=str(error)), "malformed_output", str(error))
    turn.objections = check_objections(objections, turn.claims, evidence, tools.ruleset.thresholds, ruleset=tools.ruleset)
    wanted = wanted_completeness(turn.question, turn.resolved, turn.claims, evidence, tools)
    problems = keep_completeness(wanted, (complete, objections), turn.objections, response, tools)
    return _collected(CompletenessOutput(complete=complete, objections=turn.objections, cache_problems=problems))


def _collected(output: CompletenessOutput) -> StageResult:
    accepted = [checked for checked in output.objections if checked.accepted]
    output = output.model_copy(update={"complete": output.complete and not accepted})
    result = ran(output, "objections_accepted" if accepted else "complete", accepted=str(len(accepted)))
    return replace(result, warnings=(WRITE_FAILED,) if output.cache_problems else ())
