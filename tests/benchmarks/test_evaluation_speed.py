"""A thousand cases offline: at least 100 a second on two cores (``--benchmark-enable``; processor time, so that others do not count)."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.corpus.names import load_names
from duocthu_core.evaluation.running import CaseRunner
from duocthu_core.evaluation.sets import load_set
from duocthu_core.language_models.offline import OfflineModel
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.settings import DEMO_CORPUS, DRUG_NAMES

CASES = 1_000
CASES_A_SECOND = 100
CORES = 2


def test_a_thousand_cases(benchmark: Any, ruleset: Ruleset) -> None:
    """Each core does half of them, beginning with nothing read: what one worker process does."""
    corpus, model = load_corpus(DEMO_CORPUS), OfflineModel(ruleset)
    shipped = load_set("demo", corpus).items
    many = CASES // CORES if not benchmark.disabled else 5
    items = [
        replace(shipped[n % len(shipped)], item=shipped[n % len(shipped)].item.model_copy(update={"id": f"case-{n}"})) for n in range(many)
    ]
    runner = CaseRunner(Pipeline(corpus, ruleset, model, model, price=lambda *_args, **_named: 0.0, names=load_names(DRUG_NAMES)))

    def run() -> float:
        begun = time.process_time()
        for item in items:
            assert runner(item) is not None
        return time.process_time() - begun

    seconds = benchmark.pedantic(run, rounds=1)
    rate = CORES * many / seconds
    benchmark.extra_info["cases_a_second_on_two_cores"] = round(rate)
    if not benchmark.disabled:
        assert rate >= CASES_A_SECOND
