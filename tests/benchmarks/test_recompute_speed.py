"""A thousand stored turns under other thresholds: within five seconds, out of the database, without a call."""

from __future__ import annotations

from typing import Any

from duocthu_core.pipeline.recomputing import Recomputation, RecomputedSet
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.storage.database import Database
from duocthu_core.storage.traces import SqlTraceStore
from tests.benchmarks.limits import hold_within
from tests.pipeline.opinions import OpinionRoom

_TURNS = 1_000
_SECONDS = 5.0


def test_a_thousand_stored_turns_under_other_thresholds(benchmark: Any, sqlite_database: Database, ruleset: Ruleset) -> None:
    room = OpinionRoom(ruleset)
    distinct = [room.turn(number) for number in range(20)]
    store = SqlTraceStore(sqlite_database)
    turns = _TURNS if benchmark.enabled else 40
    ids = [f"t{number}" for number in range(turns)]
    for number, trace_id in enumerate(ids):
        store.save(distinct[number % len(distinct)].model_copy(update={"trace_id": trace_id}))
    calls = room.judge.calls
    after = ruleset.model_copy(update={"thresholds": ruleset.thresholds.model_copy(update={"judge_min_confidence": 85})})

    def recomputed() -> RecomputedSet:
        stored = (store.load(trace_id) for trace_id in ids)
        return Recomputation(ruleset, after).over(trace for trace in stored if trace is not None)

    found = benchmark.pedantic(recomputed, rounds=3 if benchmark.enabled else 1)
    hold_within(benchmark, _SECONDS)
    assert len(found.turns) == turns
    assert found.flips
    assert room.judge.calls == calls
