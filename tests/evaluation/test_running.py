"""Running a set: stopped and resumed, failing cases, models that fail, processes, A against A."""

from __future__ import annotations

import hashlib

import pytest

from duocthu_core.evaluation.comparing import NotComparable, compare
from duocthu_core.evaluation.metrics import metrics_of
from duocthu_core.evaluation.results import InMemoryEvalStore, ItemResult, next_run, run_id_of
from duocthu_core.evaluation.running import CaseRunner, Progress, StopFlag, Workers, identity_of, run_set
from duocthu_core.evaluation.sets import EvalSet
from duocthu_core.language_models.offline import OfflineModel
from duocthu_core.language_models.port import ModelError, ModelRequest, ModelResponse
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.rulesets.model import Ruleset
from tests.evaluation.conftest import NOW, part_of, run_whole


class SometimesThrows:
    """An offline model of which about 5 % of the requests fail, always the same ones: with the port's error or with a fault of its own."""

    provider = "offline"
    model_id = "sometimes-throws"

    def __init__(self, ruleset: Ruleset, fault: Exception, share: int = 5) -> None:
        self._model = OfflineModel(ruleset)
        self._fault = fault
        self._share = share

    def complete(self, request: ModelRequest, *, timeout_s: float) -> ModelResponse:
        if int(hashlib.sha256(request.user.encode()).hexdigest(), 16) % 100 < self._share:
            raise self._fault
        return self._model.complete(request, timeout_s=timeout_s)


def prints(results: list[ItemResult]) -> dict[str, str]:
    return {result.item_id: result.fingerprint for result in results}


def test_a_run_stopped_and_resumed_finds_what_an_unbroken_one_finds(
    demo_set: EvalSet, demo_results: list[ItemResult], pipeline: Pipeline
) -> None:
    store, stop = InMemoryEvalStore(), StopFlag()

    def pull_at_sixty(progress: Progress) -> None:
        if progress.done >= 60:
            stop.pull()

    def go_on(should_stop=None, on_progress=None):
        run = next_run(store, identity_of(demo_set, pipeline), len(demo_set.items), NOW)
        return run_set(demo_set, run, store, Workers.threads(CaseRunner(pipeline), 2), should_stop=should_stop, on_progress=on_progress)

    stopped = go_on(stop, pull_at_sixty)
    assert stopped.status == "stopped"
    kept = store.results(stopped.run_id)
    assert 60 <= len(kept) < len(demo_set.items)
    finished = go_on()
    assert (finished.run_id, finished.status) == (stopped.run_id, "finished")
    assert prints(store.results(finished.run_id)) == prints(demo_results)
    untouched = {result.item_id: result for result in store.results(finished.run_id)}
    assert all(untouched[result.item_id] == result for result in kept)
    assert metrics_of(store.results(finished.run_id)).rates == metrics_of(demo_results).rates


def test_a_against_a_shows_no_difference(demo_set: EvalSet, demo_results: list[ItemResult], pipeline: Pipeline) -> None:
    found = compare(demo_results, run_whole(demo_set, pipeline, workers=2))
    assert found.changed == ()
    assert (found.overall.p, found.overall.b, found.overall.c) == (1.0, 0, 0)
    assert not any(test.differs for test in (found.overall, *found.slices))


def test_the_next_run_of_the_same_goes_on_or_is_a_repeat(demo_set: EvalSet, pipeline: Pipeline) -> None:
    store, identity = InMemoryEvalStore(), identity_of(demo_set, pipeline)
    first = next_run(store, identity, 1, NOW)
    store.save_run(first.model_copy(update={"status": "stopped"}))
    assert next_run(store, identity, 1, NOW).run_id == first.run_id == run_id_of(identity, 1)
    assert next_run(store, identity, 1, NOW, fresh=True).run_id == run_id_of(identity, 2)
    assert next_run(store, identity.model_copy(update={"judge": "openai/other"}), 1, NOW).run_id != first.run_id
    store.save_run(first.model_copy(update={"status": "finished"}))
    assert next_run(store, identity, 1, NOW).repeat == 2


def test_a_model_that_fails_now_and_then_leaves_a_whole_run(demo_set: EvalSet, pipeline: Pipeline, ruleset: Ruleset) -> None:
    model = SometimesThrows(ruleset, ModelError("unavailable", "reset by peer"))
    results = run_whole(demo_set, pipeline.with_parts(generator=model, judge=model), workers=2)
    assert len(results) == len(demo_set.items)
    failed = [result.item_id for result in results for turn in result.scored if turn.reason == "provider_unavailable"]
    assert len(failed) > len([resolved for resolved in demo_set.items if "provider_unavailable" in resolved.item.tags])
    assert metrics_of(results).rate("could_not_run").k > 0
    assert not any(result.missing for result in results)


def test_a_model_that_crashes_leaves_a_whole_run_with_those_cases_marked(demo_set: EvalSet, pipeline: Pipeline, ruleset: Ruleset) -> None:
    model = SometimesThrows(ruleset, RuntimeError("out of\nmemory"))
    results = run_whole(demo_set, pipeline.with_parts(generator=model, judge=model))
    missing = [result for result in results if result.missing]
    assert len(results) == len(demo_set.items)
    assert 0 < len(missing) < len(results) / 4
    assert {result.error for result in missing} == {"RuntimeError: out of memory"}
    found = metrics_of(results)
    assert found.rate("missing").k == pytest.approx(sum(1 for result in missing for turn in result.scored if turn.got == "missing"), abs=2)
    assert found.rate("outcome_accuracy").n == len(demo_set.items)
    assert not any(result.right for result in missing)


def test_what_was_expected_of_a_crashed_turn_still_counts(demo_set: EvalSet, pipeline: Pipeline, ruleset: Ruleset) -> None:
    model = SometimesThrows(ruleset, RuntimeError("gone"), share=100)
    (result,) = run_whole(part_of(demo_set, "par-be-8-tuoi"), pipeline.with_parts(generator=model))
    assert (result.turns[0].got, result.turns[0].facts.k, result.turns[0].facts.n) == ("missing", 0, 2)


def test_a_case_whose_script_does_not_fit_is_missing_not_wrong_in_silence(demo_set: EvalSet, pipeline: Pipeline) -> None:
    resolved = demo_set.item("mx-gap-muoi")
    assert resolved is not None
    turn = resolved.item.turns[0].model_copy(update={"q": "Chống chỉ định của losartan?"})
    other = EvalSet("thử", (type(resolved)(resolved.item.model_copy(update={"turns": (turn,)}), resolved.gold),), demo_set.corpus_id)
    (result,) = run_whole(other, pipeline)
    assert result.missing
    assert "is not among" in (result.error or "")


def case_runner() -> CaseRunner:
    """What a worker process builds."""
    from duocthu_core.corpus.jsonl import load_corpus
    from duocthu_core.corpus.names import load_names
    from duocthu_core.rulesets.loading import shipped_ruleset
    from duocthu_core.settings import DEMO_CORPUS, DRUG_NAMES

    ruleset = shipped_ruleset()
    model = OfflineModel(ruleset)
    names = load_names(DRUG_NAMES)
    return CaseRunner(Pipeline(load_corpus(DEMO_CORPUS), ruleset, model, model, price=lambda *_args, **_named: 0.0, names=names))


def test_processes_find_what_threads_find(demo_set: EvalSet, demo_results: list[ItemResult], pipeline: Pipeline) -> None:
    part, store = part_of(demo_set, "tc-", "nl-9-thang", "mx-don-vi"), InMemoryEvalStore()
    run = next_run(store, identity_of(part, pipeline), len(part.items), NOW)
    assert run_set(part, run, store, Workers.processes(case_runner, 1)).status == "finished"
    expected = prints(demo_results)
    assert prints(store.results(run.run_id)) == {item_id: expected[item_id] for item_id in prints(store.results(run.run_id))}
    assert len(store.results(run.run_id)) == len(part.items)


def test_runs_over_other_items_are_not_compared(demo_results: list[ItemResult]) -> None:
    with pytest.raises(NotComparable, match="hold other items"):
        compare(demo_results, demo_results[1:])
    changed = [demo_results[0].model_copy(update={"expect_hash": "sha256:other"}), *demo_results[1:]]
    with pytest.raises(NotComparable, match=f"differ of {demo_results[0].item_id}"):
        compare(demo_results, changed)
