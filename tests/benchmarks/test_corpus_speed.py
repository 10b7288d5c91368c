"""Speed of reading a book and of loading a corpus.

``python -m pytest tests/benchmarks/test_corpus_speed.py --benchmark-enable``
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from duocthu_core.corpus.import_markdown import import_markdown
from duocthu_core.corpus.jsonl import load_corpus, save_corpus
from tests.benchmarks.limits import hold_linear, hold_within
from tests.corpus.corpora import large_corpus

pytestmark = pytest.mark.benchmark(timer=time.process_time, warmup=False)


@pytest.mark.parametrize(
    "unit",
    [
        "Trẻ em 1 - 2 tuổi: 5 mg; ",
        "Trẻ em: 5 mg.\n\n",
        "*a* b ",
        "a: ",
        "DTQGVN 2 ",
        "(140 - tuổi) x 5 =\n\n",
        "**THUỐC MỚI**\n\n",
        "Đau bụng:\n\n",
        "| 5 |\n",
        "7\n",
    ],
)
def test_reading_a_section_of_one_piece(benchmark: BenchmarkFixture, unit: str) -> None:
    hold_linear(
        benchmark,
        lambda text: import_markdown(text, "x", "e"),
        lambda pieces: "# **THUỐC THỬ**\n\n## Liều lượng và cách dùng\n\n" + unit * pieces,
        4_000,
    )


def test_fifteen_thousand_blocks_load_and_index_in_less_than_two_seconds(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    blocks = 15_000 if benchmark.enabled else 200
    save_corpus(large_corpus(blocks), tmp_path / "big.jsonl")
    corpus = benchmark.pedantic(load_corpus, args=(tmp_path / "big.jsonl",), rounds=3)
    assert len(corpus.blocks) == blocks
    hold_within(benchmark, 2.0)
