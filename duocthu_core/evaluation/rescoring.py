"""Scoring a finished run again after a set's expectations changed: the stored traces are read, nothing is asked anew (spec 06, page 6)."""

from __future__ import annotations

from duocthu_core.evaluation.gold import ResolvedItem
from duocthu_core.evaluation.results import ItemResult, TurnScore
from duocthu_core.evaluation.running import corpus_of, result_of
from duocthu_core.evaluation.scoring import missing_turn, score_turn
from duocthu_core.evaluation.sets import EvalSet
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.pipeline.trace_store import TraceStore


class NotRescorable(Exception):
    """A run that cannot be scored again; the message says why and what to do."""


def check_turns(evalset: EvalSet, results: list[ItemResult]) -> None:
    """Raises :class:`NotRescorable` unless the run has every item of the set, asked with the same turns."""
    ran = {result.item_id: result.turns_hash for result in results}
    now = {resolved.item.id: resolved.item.turns_hash for resolved in evalset.items}
    other = sorted(item_id for item_id in ran.keys() | now.keys() if ran.get(item_id) != now.get(item_id))
    if other:
        named = f"{', '.join(other[:5])}{' …' if len(other) > 5 else ''}"
        raise NotRescorable(f"turns differ of {named}; run the set again: python -m duocthu_core eval run {evalset.name}")


def rescored(resolved: ResolvedItem, before: ItemResult, traces: TraceStore, pipeline: Pipeline) -> ItemResult:
    """``before`` with its turns scored against the expectations of ``resolved``; turns that crashed stay missing."""
    parts = pipeline.parts
    corpus = corpus_of(resolved.item, parts.corpus)
    scores: list[TurnScore] = []
    for turn, gold in zip(before.turns, resolved.gold, strict=True):
        if turn.outcome == "missing":
            scores.append(missing_turn(turn.turn, gold, turn.error or before.error or ""))
            continue
        trace = traces.load(turn.trace_id) if turn.trace_id else None
        if trace is None:
            raise NotRescorable(f"the trace of {before.item_id}, turn {turn.turn}, is not stored; run the set again with its traces kept")
        scores.append(score_turn(turn.turn, gold, trace, corpus, parts.ruleset))
    return result_of(resolved, scores, before.error)
