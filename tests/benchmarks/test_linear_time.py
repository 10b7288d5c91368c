"""Reading grows with the length of a text: four times the text takes about four times as long, measured side by side in one run.

The ratio is held only where benchmarks are asked for (``--benchmark-enable``); in an ordinary run each reading is just done once.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from duocthu_core.answering.model import Claim
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.numbers import numeric_tokens
from duocthu_core.text.sentences import items
from duocthu_core.verification.guards import Guards
from tests.verification.evidence import blocks

pytestmark = pytest.mark.benchmark(timer=time.process_time, warmup=False)

# Between linear (4) and quadratic (16), with room for a busy machine.
RATIO_MAX = 10


def _hold_linear(benchmark: BenchmarkFixture, run: Callable[[str], object], unit: str, length: int) -> None:
    """``run`` over ``length`` characters of ``unit`` and over a quarter of them, in turn, the best of three of each."""
    small, large = unit * (length // 4 // len(unit)), unit * (length // len(unit))
    if not benchmark.enabled:
        benchmark.pedantic(run, args=(small,), rounds=1)
        return
    times: dict[str, list[float]] = {small: [], large: []}
    for turn in range(3):
        for text in (small, large):
            begun = time.process_time()
            run(text + " " * turn)  # a text of its own each time: nothing kept from the turn before
            times[text].append(time.process_time() - begun)
    ratio = min(times[large]) / max(min(times[small]), 1e-4)
    benchmark.extra_info["ratio"] = round(ratio, 1)
    benchmark.pedantic(run, args=(large,), rounds=1)
    assert ratio < RATIO_MAX, f"four times the text takes {ratio:.1f} times as long"


@pytest.mark.parametrize("unit", ["1 ", "1-", "1/", "1,", "a-", "5O", "1\u200b", "a1 500 ", "(1) ", "-1"])
def test_numeric_tokens(benchmark: BenchmarkFixture, unit: str) -> None:
    _hold_linear(benchmark, numeric_tokens, unit, 200_000)


@pytest.mark.parametrize("unit", ["a. ", "A.", ". ", "- ", "1. A", "; a", "S. a"])
def test_items_and_sentences(benchmark: BenchmarkFixture, unit: str) -> None:
    _hold_linear(benchmark, items, unit, 100_000)


@pytest.mark.parametrize(
    "unit",
    [
        "Không dùng 500 mg cho trẻ em dưới 12 tuổi, người lớn uống 1 g. ",
        "Khoảng 60% thải qua nước tiểu, 35% qua phân, ",
        "| 10 - 20 | 5 mg |\n",
        "1 - 2 - ",
        "(",
        "a: ",
        "a.- ",
        "không ",
        "nếu uống, ",
        "500 mg, ",
    ],
)
def test_guards_over_a_long_block(benchmark: BenchmarkFixture, ruleset: Ruleset, unit: str) -> None:
    guards = Guards(ruleset)
    claim = Claim(text="Không dùng 500 mg cho trẻ em; khoảng 60% qua phân.", citations=(1,))
    _hold_linear(benchmark, lambda text: guards.check([claim], blocks([text])), unit, 64_000)
