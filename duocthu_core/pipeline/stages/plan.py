"""Stage 6, plan: how the answer will be laid out (spec 03, "Plan"). No medical facts."""

from __future__ import annotations

from duocthu_core.answering.planning import plan
from duocthu_core.pipeline.outputs import PlanOutput
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.turn import StageResult, Turn, ran


def run(turn: Turn, tools: Tools) -> StageResult:
    """Chooses layout, mode and whether figures are allowed."""
    assert turn.retrieval is not None, "the plan follows retrieval"
    turn.plan = plan(turn.question, turn.resolved, turn.retrieval.evidence, tools.ruleset)
    return ran(PlanOutput(plan=turn.plan), f"layout_{turn.plan.layout}")
