"""Two runs of one set as pairs of stored turns."""

from __future__ import annotations

from datetime import UTC, datetime

from duocthu_core.evaluation.evaluating import Evaluating
from duocthu_core.evaluation.paired_runs import finished_run, paired_turns
from duocthu_core.evaluation.results import InMemoryEvalStore, ItemResult, next_run
from duocthu_core.evaluation.sets import EvalSet
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.pipeline.trace_store import InMemoryTraceStore

NOW = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


def test_only_a_finished_run_by_the_same_rules_is_found(demo_set: EvalSet, pipeline: Pipeline) -> None:
    store = InMemoryEvalStore()
    evaluating = Evaluating(pipeline, store, None)
    run = evaluating.begin(demo_set)
    store.save_run(run)
    assert finished_run(evaluating, demo_set) is None
    finished = run.model_copy(update={"status": "finished", "finished_at": NOW})
    store.save_run(finished)
    assert finished_run(evaluating, demo_set) == finished
    other = run.identity.model_copy(update={"ruleset_id": "sha256:other"})
    store.save_run(next_run(store, other, 1, NOW).model_copy(update={"status": "finished"}))
    assert finished_run(evaluating, demo_set) == finished


def test_every_turn_of_both_runs_is_paired(demo_results: list[ItemResult], traces: InMemoryTraceStore) -> None:
    pairs = paired_turns(demo_results, demo_results)
    assert len(pairs) == sum(turn.trace_id is not None for item in demo_results for turn in item.turns)
    assert all(traces.load(one) is not None and one == other for one, other in pairs)
    assert paired_turns(demo_results, demo_results[1:]) == paired_turns(demo_results[1:], demo_results[1:])
