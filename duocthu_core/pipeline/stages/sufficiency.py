"""The optional sufficiency stage: a model's opinion whether the evidence answers; off by default, fails open (spec 03)."""

from __future__ import annotations

from duocthu_core.answering.json_reply import MalformedOutput
from duocthu_core.answering.sufficiency import parse_sufficiency, sufficiency_request
from duocthu_core.language_models.port import ModelError
from duocthu_core.pipeline.outputs import SufficiencyOutput
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.turn import Ending, StageResult, Turn, ran, stopped


def run(turn: Turn, tools: Tools) -> StageResult:
    """Asks the judge; a call that fails or a reply that cannot be read changes nothing."""
    assert turn.retrieval is not None, "sufficiency follows retrieval"
    request = sufficiency_request(turn.question.text, turn.retrieval.evidence, tools.ruleset)
    try:
        response = tools.calls.complete(tools.judge, request)
        sufficient, reasoning = parse_sufficiency(response.text, response.stop_reason)
    except (ModelError, MalformedOutput) as error:
        output = SufficiencyOutput(sufficient=True, reasoning=str(error), failed_open=True)
        return StageResult(output, ran(None, "sufficiency_failed_open").why, warnings=("sufficiency_failed_open",))
    output = SufficiencyOutput(sufficient=sufficient, reasoning=reasoning)
    if sufficient:
        return ran(output, "sufficient")
    return stopped(output, "insufficient_evidence", Ending("abstained", "insufficient_evidence"))
