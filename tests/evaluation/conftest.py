"""One run of the shipped set over the demo corpus with the offline model, for every test that reads one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.corpus.names import load_names
from duocthu_core.evaluation.results import InMemoryEvalStore, ItemResult, next_run
from duocthu_core.evaluation.running import CaseRunner, Workers, identity_of, run_set
from duocthu_core.evaluation.sets import EvalSet, load_set
from duocthu_core.language_models.offline import OfflineModel
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.pipeline.trace_store import InMemoryTraceStore
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.settings import DEMO_CORPUS, DRUG_NAMES

NOW = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    """The corpus that ships."""
    return load_corpus(DEMO_CORPUS)


@pytest.fixture(scope="session")
def pipeline(corpus: Corpus, ruleset: Ruleset) -> Pipeline:
    """The offline pipeline over it."""
    model = OfflineModel(ruleset)
    return Pipeline(corpus, ruleset, model, model, price=lambda *_args, **_named: 0.0, names=load_names(DRUG_NAMES))


@pytest.fixture(scope="session")
def demo_set(corpus: Corpus) -> EvalSet:
    """The set that ships."""
    return load_set("demo", corpus)


@pytest.fixture(scope="session")
def traces() -> InMemoryTraceStore:
    """The traces of the session's run."""
    return InMemoryTraceStore()


@pytest.fixture(scope="session")
def demo_results(demo_set: EvalSet, pipeline: Pipeline, traces: InMemoryTraceStore) -> list[ItemResult]:
    """Its results."""
    return run_whole(demo_set, pipeline, traces=traces)


def run_whole(evalset: EvalSet, pipeline: Pipeline, *, workers: int = 1, traces: InMemoryTraceStore | None = None) -> list[ItemResult]:
    """The results of one unbroken run."""
    store = InMemoryEvalStore()
    run = next_run(store, identity_of(evalset, pipeline), len(evalset.items), NOW)
    assert run_set(evalset, run, store, Workers.threads(CaseRunner(pipeline, traces), workers)).status == "finished"
    return store.results(run.run_id)


def part_of(evalset: EvalSet, *ids: str) -> EvalSet:
    """The items of these ids (or whose id begins so)."""
    items = tuple(resolved for resolved in evalset.items if resolved.item.id.startswith(ids))
    return EvalSet(evalset.name, items, evalset.corpus_id)
