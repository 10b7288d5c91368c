"""Stage 2, understanding: what the rules found in the question (spec 03, "Understanding")."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import UnderstandingOutput
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.turn import Ending, StageResult, Turn, ran, stopped


def run(turn: Turn, _tools: Tools) -> StageResult:
    """Shows what was read; a turn that is social and nothing else ends here (spec 02, rule 9)."""
    output = UnderstandingOutput(question=turn.question)
    if turn.question.is_smalltalk:
        return stopped(output, "social_turn", Ending("smalltalk"))
    return ran(output, f"intent_{turn.question.intent}")
