"""Speed of a rerun of a page (spec 06): under 50 ms over an empty page in the same run, with 10,000 stored traces.

``python -m pytest tests/benchmarks/test_page_speed.py --benchmark-enable`` (``extra_info``: ``over_empty_ms``)
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from streamlit.testing.v1 import AppTest

from duocthu_core.bootstrap import Services, bootstrap
from duocthu_core.settings import load_settings
from duocthu_core.storage.database import open_database
from duocthu_core.storage.traces import save_trace
from pages.frame import access
from pages.frame import services as page_services
from tests.app import sample_traces as sample
from tests.app.conftest import SHELL, Opening
from tests.benchmarks.limits import hold_within

TRACES = 10_000
OVER_EMPTY_S = 0.05
ROUNDS = 9
PAGES = sorted(path.name for path in SHELL.parent.glob("*.py") if not path.name.startswith("_"))


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Services:
    """Services over a database with many traces; with a few where nothing is measured."""
    settings = load_settings(_env_file=None, DUOCTHU_DATA_DIR=tmp_path_factory.mktemp("full"))
    services = bootstrap(settings)
    count = 3 if request.config.getoption("benchmark_disable") else TRACES
    with open_database(settings.effective_database_url).writing() as connection:
        for number in range(count):
            conversation, turn = f"c{number // 3}", number % 3 + 1
            trace = sample.answered(f"t{number}", turn, conversation)
            save_trace(connection, trace.model_copy(update={"created_at": trace.created_at + timedelta(minutes=number)}))
    return services


@pytest.fixture
def shown(full: Services, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(page_services, "services", lambda: full)
    monkeypatch.setattr(access, "served_to_this_machine", lambda: True)
    page_services._kept_trace.clear()  # pyright: ignore[reportFunctionMemberAccess]
    yield
    page_services._kept_trace.clear()  # pyright: ignore[reportFunctionMemberAccess]


def empty_page(folder: Path) -> AppTest:
    script = folder / "empty.py"
    script.write_text("import streamlit as st\n\nst.text('empty')\n", encoding="utf-8")
    return AppTest.from_file(script, default_timeout=30)


def page(name: str) -> AppTest:
    at = AppTest.from_file(SHELL, default_timeout=60)
    at.run()
    if name != "live.py":
        at.switch_page(name)
    return at.run()


@pytest.mark.usefixtures("shown")
@pytest.mark.parametrize("name", PAGES)
def test_a_rerun_with_many_traces_is_hardly_longer_than_one_of_an_empty_page(
    benchmark: BenchmarkFixture, tmp_path: Path, name: str
) -> None:
    ours, empty = page(name), empty_page(tmp_path)
    assert not ours.exception
    empty.run()
    spent: dict[str, list[float]] = {"ours": [], "empty": []}
    for _ in range(ROUNDS if benchmark.enabled else 1):
        for what, at in (("ours", ours), ("empty", empty)):
            begun = time.process_time()
            at.run()
            spent[what].append(time.process_time() - begun)
    over = statistics.median(spent["ours"]) - statistics.median(spent["empty"])
    benchmark.extra_info["over_empty_ms"] = round(over * 1000, 1)
    benchmark.pedantic(ours.run, rounds=1)
    if benchmark.enabled:
        assert over < OVER_EMPTY_S, f"{over * 1000:.1f} ms over an empty page"


@pytest.mark.benchmark(timer=time.process_time, warmup=False)
def test_a_rerun_of_a_long_conversation_is_not_felt(benchmark: BenchmarkFixture, open_page: Opening, services: Services) -> None:
    turns = 40 if benchmark.enabled else 3
    for number in range(1, turns + 1):
        services.traces.save(sample.answered(f"long-{number}", number, "long"))
    at = open_page(conversation="long", turn=str(turns // 2))
    benchmark.pedantic(at.run, rounds=5, warmup_rounds=1)
    assert not at.exception
    hold_within(benchmark, 0.1)
