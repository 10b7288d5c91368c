"""Stage 4, retrieval: the blocks that may answer, each kept or left with its reason (spec 03)."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import RetrievalOutput
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.turn import StageResult, Turn, ran
from duocthu_core.retrieval.retrieving import retrieve


def run(turn: Turn, tools: Tools) -> StageResult:
    """Looks up, filters and orders the evidence; what answered the latest answered turn may be used again."""
    answered_by = (earlier.evidence_ids for earlier in reversed(turn.state.recent) if earlier.evidence_ids)
    reusable = next(answered_by, ())
    turn.retrieval = retrieve(turn.question, turn.resolved, tools.corpus, tools.index, tools.ruleset, reusable)
    found = turn.retrieval
    output = RetrievalOutput(query=found.query, candidates=found.candidates, reused_evidence_ids=found.reused_ids)
    return ran(output, "blocks_kept", kept=str(len(found.evidence)), seen=str(len(found.candidates)))
