"""Stage 9, guards: check 1b, no model (spec 04)."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import GuardsOutput
from duocthu_core.pipeline.stages.grounding import first_rejection
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.turn import Ending, StageResult, Turn, ran, stopped
from duocthu_core.verification.binding import bind
from duocthu_core.verification.guards import GuardContext


def context_of(turn: Turn) -> GuardContext:
    """What the guards need to know of the turn besides claims and evidence."""
    assert turn.plan is not None
    return GuardContext(
        suppress_numbers=turn.plan.suppress_numbers,
        list_mode=turn.plan.reasoning_mode == "candidate_list",
        allowed_drug_ids=turn.plan.allowed_drug_ids,
        asked_drug_ids=turn.resolved.drug_ids,
    )


def run(turn: Turn, tools: Tools) -> StageResult:
    """Runs every guard that is on; a warning is shown and lets the claim pass."""
    assert turn.retrieval is not None
    checked = tools.guards.check(turn.claims, turn.retrieval.evidence, context_of(turn))
    turn.bindings = bind(turn.claims, turn.retrieval.evidence, checked, tools.ruleset)
    output = GuardsOutput(claims=checked, bindings=turn.bindings, levels=dict(tools.ruleset.guards))
    warnings = tuple(dict.fromkeys(finding.reason for claim in checked for finding in claim.findings if finding.level == "warn"))
    rejection = first_rejection(checked)
    if rejection is None:
        return StageResult(output, ran(None, "guards_passed", claims=str(len(checked))).why, warnings=warnings)
    result = stopped(output, rejection.reason, Ending("abstained", rejection.reason), token=rejection.token or "")
    return StageResult(output, result.why, "stopped", result.ending, warnings)
