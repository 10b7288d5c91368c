"""Eval sets, runs and results in both databases, and the store in memory likewise."""

from __future__ import annotations

from datetime import timedelta

import pytest

from duocthu_core.evaluation.gate_report import GateCheck, GateReport
from duocthu_core.evaluation.results import EvalRun, EvalStore, InMemoryEvalStore, RunIdentity, StoredSet, run_id_of
from duocthu_core.storage.evaluation import SqlEvalStore
from tests.evaluation.conftest import NOW
from tests.evaluation.scores import result, turn

IDENTITY = RunIdentity(set_name="thử", set_hash="sha256:s", corpus_id="c", ruleset_id="r", generator="offline/x", judge="offline/x")


@pytest.fixture(params=["memory", "sqlite_database", "postgresql_database"])
def store(request: pytest.FixtureRequest) -> EvalStore:
    return InMemoryEvalStore() if request.param == "memory" else SqlEvalStore(request.getfixturevalue(request.param))


def run(repeat: int = 1, **changes) -> EvalRun:
    return EvalRun(run_id=run_id_of(IDENTITY, repeat), identity=IDENTITY, repeat=repeat, items=2, started_at=NOW).model_copy(update=changes)


def test_a_run_comes_back_with_its_newest_status(store: EvalStore) -> None:
    store.save_run(run())
    store.save_run(run(status="finished", finished_at=NOW))
    assert store.run(run().run_id) == run(status="finished", finished_at=NOW)
    assert store.run("nothing") is None


def test_runs_are_listed_newest_first_and_by_set(store: EvalStore) -> None:
    later, other = run(2, started_at=NOW + timedelta(hours=1)), run(3, identity=IDENTITY.model_copy(update={"set_name": "khác"}))
    for each in (run(), later, other):
        store.save_run(each)
    assert [each.run_id for each in store.runs("thử")] == [later.run_id, run().run_id]
    assert len(store.runs()) == 3


def test_results_come_back_whole_in_the_order_of_their_ids(store: EvalStore) -> None:
    store.save_run(run())
    kept = [
        result("tc-chó", turn(facts=(1, 2), cost_usd=0.25, trace_id="t1")),
        result("B"),
        result("a", turn(got="missing", error="hết\x00chỗ")),
    ]
    for each in kept:
        store.save_result(run().run_id, each)
    assert store.results(run().run_id) == sorted(kept, key=lambda each: each.item_id)
    assert store.results("nothing") == []


def test_several_results_are_kept_at_once(store: EvalStore) -> None:
    store.save_run(run())
    store.save_result(run().run_id, result("a"))
    store.save_results(run().run_id, [result("a", turn(got="clarification")), result("b")])
    store.save_results(run().run_id, [])
    assert store.results(run().run_id) == [result("a"), result("b")]


def test_a_result_that_is_there_is_never_overwritten(store: EvalStore) -> None:
    store.save_run(run())
    store.save_result(run().run_id, result("a"))
    store.save_result(run().run_id, result("a", turn(got="clarification")))
    assert store.results(run().run_id) == [result("a")]


def test_a_set_is_kept_once_under_its_name_and_hash(store: EvalStore) -> None:
    stored = StoredSet(name="thử", set_hash="sha256:s", text="{}\n", gold_hashes={"a/b/1": "sha256:x"}, corpus_id="c", created_at=NOW)
    newer = stored.model_copy(update={"set_hash": "sha256:t", "created_at": NOW + timedelta(days=1)})
    for each in (stored, newer, stored):
        store.save_set(each)
    assert store.sets() == [newer, stored]


def test_what_the_gate_says_is_kept_for_one_run_and_one_baseline(store: EvalStore) -> None:
    store.save_run(run())
    check = GateCheck(name="newly_wrong", status="regression", detail="1 turns got worse", cases=("tc-chó (turn 1): answered → abstained",))
    failed, passed = GateReport(exact=True, status="regression", checks=(check,)), GateReport(exact=True, status="passed", checks=())
    assert store.gate(run().run_id, "sha256:a") is None
    store.save_gate(run().run_id, "sha256:a", failed)
    store.save_gate(run().run_id, "sha256:b", passed)
    assert (store.gate(run().run_id, "sha256:a"), store.gate(run().run_id, "sha256:b")) == (failed, passed)
    store.save_gate(run().run_id, "sha256:a", passed)
    assert store.gate(run().run_id, "sha256:a") == passed
