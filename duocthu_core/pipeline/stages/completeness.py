"""Stage 12, completeness: what the answer leaves out, each objection checked before it counts (spec 04, check 3)."""

from __future__ import annotations

from duocthu_core.answering.json_reply import MalformedOutput
from duocthu_core.language_models.port import ModelError
from duocthu_core.pipeline.calling import reject_reason_of
from duocthu_core.pipeline.outputs import CompletenessOutput
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.turn import StageResult, Turn, failed, ran
from duocthu_core.verification.completeness import check_objections, completeness_request, parse_completeness


def run(turn: Turn, tools: Tools) -> StageResult:
    """Collects the objections that stand; they go to the repair stage."""
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
    accepted = [checked for checked in turn.objections if checked.accepted]
    output = CompletenessOutput(complete=complete and not accepted, objections=turn.objections)
    return ran(output, "objections_accepted" if accepted else "complete", accepted=str(len(accepted)))
