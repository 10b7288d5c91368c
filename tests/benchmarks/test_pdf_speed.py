"""Speed and memory of reading a whole formulary from a PDF (spec 07: at most 3 × the bare reading of its text, in bounded memory).

``python -m pytest tests/benchmarks/test_pdf_speed.py --benchmark-enable`` on a machine that is otherwise idle: the import reads in two
processes, so its time is the clock's, as is that of the bare reading beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pypdfium2
from pytest_benchmark.fixture import BenchmarkFixture

from duocthu_core.corpus.importing import import_files
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.settings import DEMO_CORPUS
from tests.corpus.pdf.memory import peak_memory_of_import
from tests.corpus.pdf_maker import make_book

_RATIO_MAX = 3.0
_MEGABYTES_MAX = 500


def _bare(path: Path) -> int:
    """Characters of the whole text layer, read by pdfium alone."""
    document = pypdfium2.PdfDocument(path)
    characters = 0
    for page in document:
        text = page.get_textpage()
        characters += len(text.get_text_range())
        text.close()
        page.close()
    document.close()
    return characters


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def test_a_formulary_of_sixteen_hundred_pages(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    pages = 1600 if benchmark.enabled else 4
    path, corpus = tmp_path / "book.pdf", tmp_path / "corpus.jsonl"
    book = make_book(path, load_corpus(DEMO_CORPUS), pages=pages, drugs_in_one=3, justified=True)

    def read() -> None:
        assert import_files([path], "Bản thử", corpus).written

    if benchmark.disabled:
        benchmark.pedantic(read)
        return
    bare, whole = [], []
    for _ in range(3):  # in turn, so that whatever else the machine does falls on both; the best of each
        bare.append(_seconds(lambda: _bare(path)))
        whole.append(_seconds(read))
    benchmark.pedantic(read)
    ratio = min(whole) / min(bare)
    memory = peak_memory_of_import(path, corpus)
    benchmark.extra_info |= {"pages": book.pages, "ratio": round(ratio, 2), "megabytes": round(memory)}
    assert memory < _MEGABYTES_MAX
    assert ratio <= _RATIO_MAX, f"{ratio:.2f} × the bare reading"
