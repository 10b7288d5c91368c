"""A process that reads a PDF, or every other run of its pages: JSON lines on standard output (started by :mod:`page_reader`)."""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import sys
from typing import Any, TextIO

import pypdfium2

from duocthu_core.corpus.pdf.columns import sheets_of
from duocthu_core.corpus.pdf.lines import Line
from duocthu_core.corpus.pdf.page_runs import reader_of
from duocthu_core.corpus.pdf.page_text import PageText
from duocthu_core.corpus.pdf.text_layer import read_page_text

_FIGURES = re.compile(r"\d(?:[\d.,/~^]*\d)?")
_MEMORY = 1 << 30
"""Bytes of address space for this process: a file that unpacks without end ends it."""
SECONDS_A_PAGE = 60.0
"""Seconds of the processor for one page: a page that is read without end ends it."""
_SAMPLES, _SAMPLE_PAGES = 3, 8


def main(path: str, first: int, out: TextIO, reader: int = 0, readers: int = 1) -> None:
    """Writes the pages of ``path`` from ``first`` on to ``out`` as JSON lines, or one line with what is wrong.

    ``reader``: which of ``readers`` this is, from 0; each reads its own runs of pages (:mod:`page_runs`). The first tells of the whole
    file, too.
    """
    try:
        document = pypdfium2.PdfDocument(path)
        count = len(document)
    except pypdfium2.PdfiumError as error:
        encrypted = "password" in str(error).lower()
        what = "PDF có mật khẩu; gỡ mật khẩu rồi nhập lại" if encrypted else "PDF hỏng, không mở được; xuất lại tệp PDF rồi nhập lại"
        _write(out, {"error": what})
        return
    samples: list[list[dict[str, Any]]] = []
    index = 0
    try:
        if reader == 0:
            for run in _sample_runs(count):
                samples.append([])
                for index in run:
                    samples[-1].append(_page(document, index, only_edges=True))
            _write(out, {"pages": count, "samples": samples})
        for index in range(first, count):
            if reader_of(index, readers) == reader:
                _write(out, _page(document, index))
    except pypdfium2.PdfiumError:
        _write(out, {"error": f"PDF hỏng: trang {index + 1} của tệp không đọc được; xuất lại tệp PDF rồi nhập lại"})
        return
    _write(out, {"end": True})


def _sample_runs(count: int) -> list[range]:
    """Runs of pages at the head, in the middle and at the end; a short file whole."""
    if count <= _SAMPLES * _SAMPLE_PAGES:
        return [range(count)]
    last = count - _SAMPLE_PAGES
    return [range(start, start + _SAMPLE_PAGES) for start in (0, last // 2, last)]


def _page(document: Any, index: int, *, only_edges: bool = False) -> dict[str, Any]:
    _limit_time()
    page = document[index]
    try:
        read = read_page_text(page)
    finally:
        page.close()
    sheets = sheets_of(read)
    lines = [(sheet.half, [line for line in sheet.lines if line.edge or not only_edges]) for sheet in sheets]
    return {
        "page": index,
        "sheets": lines,
        "characters": len(read.text),
        "pictures": read.pictures,
        "label": document.get_page_label(index),
        "turned": [piece.text for piece in read.turned],
        "changed": not only_edges and _figures_changed(read, [line for _, of_sheet in lines for line in of_sheet]),
    }


def _figures_changed(read: PageText, lines: list[Line]) -> bool:
    """Whether the figures of a page's text layer are not those of its lines, each as often as it stands."""
    kept = _FIGURES.findall("\n".join(line.text for line in lines) + "\n" + "\n".join(piece.text for piece in read.turned))
    lost = [digit for line in lines for _, _, removed, _ in line.repairs for digit in removed if digit.isdigit()]
    return sorted(_FIGURES.findall(read.text)) != sorted((*kept, *lost))


def _write(out: TextIO, message: dict[str, Any]) -> None:
    out.write(json.dumps(message, ensure_ascii=False, separators=(",", ":")) + "\n")


def _limit_time() -> None:
    """Begins the time of a page. The signal's own action ends the process, whatever pdfium is doing."""
    if hasattr(signal, "ITIMER_PROF"):  # not on every system
        signal.setitimer(signal.ITIMER_PROF, SECONDS_A_PAGE)


def _limit_memory() -> None:
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard), hard))


if __name__ == "__main__":
    _limit_memory()
    gc.freeze()
    gc.set_threshold(50_000)  # a page leaves few rings of objects, and looking for them after every 700 costs more than they do
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")  # pyright: ignore[reportAttributeAccessIssue]
    try:
        main(sys.argv[1], int(sys.argv[2]), sys.stdout, int(sys.argv[3]), int(sys.argv[4]))
        sys.stdout.flush()
    except BrokenPipeError:  # nobody reads any more
        os._exit(0)
