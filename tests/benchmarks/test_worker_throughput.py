"""One run by one worker, by two and by four, with a model that takes its time: at least 1.7 times as many cases a second by two.

``python -m pytest tests/benchmarks/test_worker_throughput.py --benchmark-enable``. Here the clock on the wall counts, since what is waited
for is the model; the time is taken between two results, so that the start of the processes does not count.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tests.browser.model_server import ModelServer
from tests.jobs.installation import Installation, many_cases
from tests.servers.databases import new_database

CASES = 240
MODEL_S = 0.5
TIMES_FASTER = 1.7


def rate_of(workers: int, cases: int, installation: Installation, path: Path) -> float:
    """Cases a second between the first tenth of a run and its last one."""
    services = installation.services()
    job_id = services.jobs.submit("eval.run", {"set": str(path), "new": True, "traces": False}, by="benchmark")
    run_id = str(services.jobs.status(job_id).about["run_id"])

    def kept() -> int:
        return len(services.evaluations.finished_items(run_id))

    with installation.workers(workers):
        installation.wait_until(lambda: kept() >= max(1, cases // 10), "the first cases")
        began, from_case = time.monotonic(), kept()
        installation.wait_until(lambda: kept() >= cases * 9 // 10, "nine tenths of the cases")
        rate = (kept() - from_case) / (time.monotonic() - began)
        installation.wait_until(lambda: services.jobs.status(job_id).ended, "the end of the run")
    assert services.jobs.status(job_id).status == "done"
    return rate


def test_two_workers_do_nearly_twice_as_much(benchmark: Any, postgresql: Any, postgresql_template: str, tmp_path: Path) -> None:
    """In an ordinary run: a few cases by two workers, to see that it still runs."""
    cases = CASES if not benchmark.disabled else 8
    path = many_cases(tmp_path / "many.jsonl", cases)
    with ModelServer(delay_s=MODEL_S if not benchmark.disabled else 0.01) as model, new_database(postgresql, postgresql_template) as url:
        how = {"ANSWER_PROVIDER": "openai", "ANSWER_MODEL": "slow", "OPENAI_BASE_URL": model.address, "JUDGE_PROVIDER": "offline"}
        installation = Installation(url, tmp_path, **how)
        if benchmark.disabled:
            benchmark.pedantic(rate_of, args=(2, cases, installation, path))
            return
        one = rate_of(1, cases, installation, path)
        two = benchmark.pedantic(rate_of, args=(2, cases, installation, path), rounds=1)
        four = rate_of(4, cases, installation, path)
        times = two / one
        rates = {"1": round(one, 2), "2": round(two, 2), "4": round(four, 2)}
        benchmark.extra_info |= {"cases_a_second": rates, "times": round(times, 2), "times_of_four": round(four / one, 2)}
        assert times >= TIMES_FASTER, f"{two:.2f} a second by two workers, {one:.2f} by one: {times:.2f} times"
