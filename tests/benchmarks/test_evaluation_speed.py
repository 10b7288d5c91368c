"""A thousand cases offline: at least 100 a second on two cores (``--benchmark-enable``), by the processor's time, which what else runs on
the machine does not count in, and by the clock on the wall, from the first case to the last result that is kept: that one wants two cores
for itself, and says how busy the machine was."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from duocthu_core.bootstrap import bootstrap
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.corpus.names import load_names
from duocthu_core.evaluation.results import next_run
from duocthu_core.evaluation.running import OFFLINE_CHUNK, CaseRunner, identity_of
from duocthu_core.evaluation.sets import EvalSet, load_set
from duocthu_core.language_models.offline import OfflineModel
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.settings import DEMO_CORPUS, DRUG_NAMES, load_settings
from duocthu_core.storage.database import open_database
from duocthu_core.storage.evaluation import SqlEvalStore
from duocthu_core.storage.traces import SqlTraceStore
from tests.jobs.installation import many_cases

CASES = 1_000
CASES_A_SECOND = 100
CORES = 2


def test_a_thousand_cases(benchmark: Any, ruleset: Ruleset, tmp_path: Path) -> None:
    """Each core does half of them, beginning with nothing read, and stores every trace and result: what one worker process does."""
    corpus, model = load_corpus(DEMO_CORPUS), OfflineModel(ruleset)
    shipped = load_set("demo", corpus).items
    many = CASES // CORES if not benchmark.disabled else 5
    items = [
        replace(shipped[n % len(shipped)], item=shipped[n % len(shipped)].item.model_copy(update={"id": f"case-{n}"})) for n in range(many)
    ]
    database = open_database(f"sqlite:///{tmp_path}/evaluation.db")
    store = SqlEvalStore(database)
    pipeline = Pipeline(corpus, ruleset, model, model, price=lambda *_args, **_named: 0.0, names=load_names(DRUG_NAMES))
    kept = next_run(store, identity_of(EvalSet("speed", tuple(items), corpus.corpus_id), pipeline), many, datetime.now(UTC))
    store.save_run(kept)
    runner = CaseRunner(pipeline, SqlTraceStore(database), kept.run_id)

    def run() -> float:
        begun = time.process_time()
        for start in range(0, many, OFFLINE_CHUNK):
            found = [result for result in runner.run_all(items[start : start + OFFLINE_CHUNK]) if result is not None]
            store.save_results(kept.run_id, found)
        assert len(store.finished_items(kept.run_id)) == many
        return time.process_time() - begun

    seconds = benchmark.pedantic(run, rounds=1)
    rate = CORES * many / seconds
    benchmark.extra_info["cases_a_second_on_two_cores"] = round(rate)
    if not benchmark.disabled:
        assert rate >= CASES_A_SECOND


def test_a_thousand_cases_by_the_clock(benchmark: Any, tmp_path: Path) -> None:
    """As ``eval run --workers 2`` does them: two processes, every trace and result kept, the start of the processes counted in."""
    many = CASES if not benchmark.disabled else 4
    path = many_cases(tmp_path / "many.jsonl", many)
    settings = load_settings(_env_file=None, DUOCTHU_DATA_DIR=tmp_path / "data", DUOCTHU_DATABASE_URL="")
    evaluating = bootstrap(settings).evaluating(in_processes=True)
    evalset = evaluating.load(path)
    run = evaluating.begin(evalset)

    def whole() -> float:
        begun = time.monotonic()
        done = evaluating.run(evalset, run, workers=CORES, processes=True)
        assert (done.status, len(evaluating.store.finished_items(run.run_id))) == ("finished", many)
        return time.monotonic() - begun

    seconds = benchmark.pedantic(whole, rounds=1)
    benchmark.extra_info |= {"cases_a_second": round(many / seconds), "load_of_the_machine": round(os.getloadavg()[0], 1)}
    if not benchmark.disabled:
        assert many / seconds >= CASES_A_SECOND, f"{many / seconds:.0f} a second; the machine's load is {os.getloadavg()[0]:.1f}"
