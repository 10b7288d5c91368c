"""Speed of a rerun of a page (spec 06): work of ours is to stay under 50 ms; counted with Streamlit's own part in it.

``python -m pytest tests/benchmarks/test_page_speed.py --benchmark-enable``
"""

from __future__ import annotations

import time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from duocthu_core.bootstrap import Services
from tests.app import sample_traces as sample
from tests.app.conftest import Opening
from tests.benchmarks.limits import hold_within


@pytest.mark.benchmark(timer=time.process_time, warmup=False)
def test_a_rerun_of_a_long_conversation_is_not_felt(benchmark: BenchmarkFixture, open_page: Opening, services: Services) -> None:
    turns = 40 if benchmark.enabled else 3
    for number in range(1, turns + 1):
        services.traces.save(sample.answered(f"long-{number}", number, "long"))
    at = open_page(conversation="long", turn=str(turns // 2))
    benchmark.pedantic(at.run, rounds=5, warmup_rounds=1)
    assert not at.exception
    hold_within(benchmark, 0.1)
