"""What a piece of work may take: held only where benchmarks are asked for (``--benchmark-enable``), never in an ordinary run.

In an ordinary run each benchmark does its work once, on a small input, to see that it still runs. Time is the processor's
(``timer=time.process_time``): what else runs on the machine does not count.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

Input = TypeVar("Input")

TIMES_LARGER = 4
RATIO_MAX = 10
"""Between linear (4) and quadratic (16), with room for caches that fill and memory that is far away."""


def hold_linear(benchmark: Any, work: Callable[[Input], object], input_of: Callable[[int], Input], size: int) -> None:
    """``work`` on ``input_of(size)`` takes at most ten times what it takes on a quarter of that size.

    Both are measured in turn in one run, the best of three of each, every time on an input of its own size: nothing kept from the time
    before can answer.
    """
    small = size // TIMES_LARGER
    if benchmark.disabled:
        benchmark.pedantic(work, args=(input_of(min(small, 1_000)),))
        return
    seconds: dict[int, list[float]] = {small: [], size: []}
    for turn in range(3):
        for each in (small, size):
            given = input_of(each + turn)
            begun = time.process_time()
            work(given)
            seconds[each].append(time.process_time() - begun)
    ratio = min(seconds[size]) / max(min(seconds[small]), 1e-4)
    benchmark.extra_info["ratio"] = round(ratio, 1)
    benchmark.pedantic(work, args=(input_of(size),))
    assert ratio < RATIO_MAX, f"{TIMES_LARGER} times the input takes {ratio:.1f} times as long"


def hold_within(benchmark: Any, seconds: float) -> None:
    """The median of the benchmark that has run is below ``seconds``."""
    if benchmark.enabled:
        median = benchmark.stats.stats.median
        assert median < seconds, f"{median * 1000:.2f} ms, not within {seconds * 1000:g} ms"
