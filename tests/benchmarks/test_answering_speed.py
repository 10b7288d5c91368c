"""Speed of the fence and of reading a reply: linear in the text, whoever wrote it.

``python -m pytest tests/benchmarks/test_answering_speed.py --benchmark-enable``
"""

from __future__ import annotations

import contextlib
import time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from duocthu_core.answering.fence import fenced
from duocthu_core.answering.json_reply import MalformedOutput, read_object
from tests.benchmarks.limits import hold_linear

pytestmark = pytest.mark.benchmark(timer=time.process_time, warmup=False)


@pytest.mark.parametrize(
    "piece", ["<<<NGUOI_", "<<<NGUOI_DUNG_HOI", "NGUOI_DUNG_HOI", "<", ">", "/", "<<<NGUOI_DUNG_HOI>>>", "NGUOI_DUNG_HOI////"]
)
def test_fencing_a_long_text(benchmark: BenchmarkFixture, piece: str) -> None:
    hold_linear(benchmark, fenced, lambda size: (piece * (size // len(piece) + 1))[:size], 400_000)


def test_fencing_nested_markers(benchmark: BenchmarkFixture) -> None:
    hold_linear(benchmark, fenced, lambda depth: "<<<NGUOI_" * depth + "<<<NGUOI_DUNG_HOI>>>" + "DUNG_HOI>>>" * depth, 16_000)


def _read(reply: str) -> None:
    with contextlib.suppress(MalformedOutput):
        read_object(reply)


@pytest.mark.parametrize("piece", ["{", '{"a":1}', "x", "[", '{"a":', '{"a":{"a":[{"b":'])
def test_reading_a_reply_of_one_piece(benchmark: BenchmarkFixture, piece: str) -> None:
    hold_linear(benchmark, _read, lambda size: (piece * (size // len(piece) + 1))[:size], 900_000)


def test_reading_one_long_string(benchmark: BenchmarkFixture) -> None:
    hold_linear(benchmark, _read, lambda size: '{"a": "' + "y" * size + '"}', 900_000)


def test_naming_the_one_key_of_many_that_is_given_twice(benchmark: BenchmarkFixture) -> None:
    hold_linear(benchmark, _read, lambda keys: "{" + "".join(f'"{key}":1,' for key in range(keys)) + f'"{keys - 1}":1}}', 40_000)
