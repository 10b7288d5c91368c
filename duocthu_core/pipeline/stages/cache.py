"""Stage 10, cache: verdicts that were kept from earlier turns; what they settle is not judged again (spec 05)."""

from __future__ import annotations

from collections.abc import Sequence

from duocthu_core.pipeline.outputs import CacheLookup, CacheOutput
from duocthu_core.pipeline.recalling import READ_FAILED, Recalled, recall, wanted_completeness
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.trace import Why
from duocthu_core.pipeline.turn import StageResult, Turn, ran


def run(turn: Turn, tools: Tools) -> StageResult:
    """Looks up every claim and the completeness of the answer, in one statement; a cache that fails is a miss and a warning."""
    assert turn.retrieval is not None
    if tools.verdicts is None:
        return StageResult(CacheOutput(enabled=False), Why(code="cache_off"), status="skipped")
    evidence = turn.retrieval.evidence
    asked = wanted_completeness(turn.question, turn.resolved, turn.claims, evidence, tools)
    turn.recalled = recall(turn.claims, evidence, tools, asked)
    output = _output(turn.recalled)
    code = "cache_unavailable" if READ_FAILED in turn.recalled.warnings else "cache_looked_up"
    why = ran(None, code, known=str(len(turn.recalled.verdicts)), claims=str(len(output.lookups))).why
    return StageResult(output, why, warnings=turn.recalled.warnings)


def _output(recalled: Recalled) -> CacheOutput:
    both = [*recalled.lookups, *([recalled.completeness_lookup] if recalled.completeness_lookup else [])]
    used = [lookup for lookup in both if lookup.action != "judged"]
    return CacheOutput(
        enabled=True,
        lookups=recalled.lookups,
        completeness=recalled.completeness_lookup,
        calls_saved=_calls_saved(recalled),
        tokens_saved=sum(lookup.tokens_saved for lookup in used),
        cost_saved_usd=_cost_saved(used),
        problems=recalled.problems,
    )


def _calls_saved(recalled: Recalled) -> int:
    """A call is saved where it has nothing left to judge; an answer that is known to be unsupported is never asked to be complete."""
    every_claim = bool(recalled.lookups) and len(recalled.verdicts) == len(recalled.lookups)
    refuted = any(verdict.status != "supported" for verdict in recalled.verdicts.values())
    return int(every_claim) + int(recalled.completeness is not None and not refuted)


def _cost_saved(used: Sequence[CacheLookup]) -> float | None:
    costs = [lookup.cost_saved_usd for lookup in used if lookup.cost_saved_usd is not None]
    return sum(costs) if used and len(costs) == len(used) else None
