"""The pages of a PDF file, one after the other, read in processes of their own.

A broken file can stop pdfium, not the workbench: the pages come as JSON lines over a pipe, and a reader that dies is an error with the
page it died on. A pipe holds a few pages, so memory stays bounded however long the book is.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duocthu_core.corpus.pdf.lines import Line, line_of
from duocthu_core.corpus.pdf.page_runs import reader_of

try:
    import fcntl
except ImportError:  # not on every system
    fcntl = None

_MOST_READERS = 2
"""More than two only wait for the process that makes monographs of the pages."""
_LONG_FILE = 1 << 20
"""Bytes: a shorter file is read before a second process has begun."""
_ROOM = 1 << 20
"""Bytes that a pipe holds."""


class PdfError(Exception):
    """A file that cannot be imported; the message is one line in Vietnamese that says what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class ReadPage:
    """One page of the file."""

    index: int
    """From 0."""
    sheets: tuple[tuple[int, tuple[Line, ...]], ...]
    """(half, lines) of each printed page it shows."""
    characters: int
    pictures: int
    label: str
    """The number that the file itself gives the page; empty for none."""
    turned: tuple[str, ...]
    """Lines that run up or down the page; they are in no sheet."""
    changed: bool
    """The figures of the lines are not those of the text layer. Never happens while reading is right."""

    @property
    def is_picture(self) -> bool:
        """A page without a text layer that is not blank."""
        return not self.characters and self.pictures > 0


class PdfPages:
    """The pages of ``path`` from page ``first`` (from 0) on; a context manager. Raises :class:`PdfError`.

    A long file is read by as many processes as there are processors for it, each its own runs of pages; they come in order all the same.
    """

    def __init__(self, path: Path, first: int = 0) -> None:
        _check_head_and_tail(path)
        self._first = first
        count = min(_MOST_READERS, _processors()) if path.stat().st_size >= _LONG_FILE else 1
        self._readers = [_Reader(path, first, number, count) for number in range(count)]
        try:
            head = self._readers[0].next(None)
        except BaseException:
            self.close()
            raise
        self.count: int = head["pages"]
        """How many pages the file has."""
        self.samples: list[list[tuple[int, tuple[tuple[int, tuple[Line, ...]], ...]]]] = [
            [(page["page"], _sheets(page)) for page in sample] for sample in head["samples"]
        ]
        """Some runs of pages from all over the file: (index, sheets)."""

    def __enter__(self) -> PdfPages:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the readers."""
        for reader in self._readers:
            reader.close()

    def __iter__(self) -> Iterator[ReadPage]:
        for index in range(self._first, self.count):
            page = self._readers[reader_of(index, len(self._readers))].next(index - 1 if index > self._first else None)
            yield ReadPage(
                page["page"], _sheets(page), page["characters"], page["pictures"], page["label"], tuple(page["turned"]), page["changed"]
            )


class _Reader:
    """One process that reads pages."""

    def __init__(self, path: Path, first: int, number: int, count: int) -> None:
        root = Path(__file__).resolve().parents[3]
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(filter(None, (str(root), os.environ.get("PYTHONPATH")))),
            "PYTHONUTF8": "1",
        }
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-m", "duocthu_core.corpus.pdf.page_process", str(path.resolve()), *map(str, (first, number, count))],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            encoding="utf-8",
        )
        assert self._process.stdout is not None
        self._lines = self._process.stdout
        if count > 1:
            _widen(self._lines.fileno())

    def next(self, last: int | None) -> dict[str, Any]:
        """Its next message; ``last``: the page that came before it, for an error to name."""
        line = self._lines.readline()
        if not line.endswith("\n"):
            where = "ở đầu tệp" if last is None else f"sau trang {last + 1} của tệp"
            raise PdfError(f"PDF hỏng hoặc bung ra quá lớn: phần đọc PDF dừng đột ngột {where}; xuất lại tệp PDF rồi nhập lại")
        message = json.loads(line)
        if "error" in message:
            raise PdfError(message["error"])
        return message

    def close(self) -> None:
        """Ends it, wherever it is."""
        self._lines.close()
        self._process.kill()
        self._process.wait()


def _processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _widen(pipe: int) -> None:
    """Makes room in a pipe for a run of pages, so that its reader works on while another's pages are taken. Not on every system."""
    if fcntl is not None and hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _ROOM)


def _sheets(page: dict[str, Any]) -> tuple[tuple[int, tuple[Line, ...]], ...]:
    return tuple((half, tuple(map(line_of, lines))) for half, lines in page["sheets"])


_OTHER_KINDS = (
    (b"\x89PNG", "ảnh PNG"),
    (b"\xff\xd8\xff", "ảnh JPEG"),
    (b"PK\x03\x04", "tệp nén (docx, zip)"),
    (b"\xd0\xcf\x11\xe0", "tệp Word cũ"),
)


def _check_head_and_tail(path: Path) -> None:
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(1024)
        file.seek(max(0, size - 2048))
        tail = file.read()
    if b"%PDF-" not in head:
        other = next((name for start, name in _OTHER_KINDS if head.startswith(start)), None)
        what = f"đuôi .pdf nhưng nội dung là {other}" if other else "tệp trống" if not head else "không phải tệp PDF"
        raise PdfError(f"{what}; cần tệp PDF có lớp chữ")
    if b"%%EOF" not in tail:
        raise PdfError("PDF bị cắt cụt: không có phần kết của tệp; tải hoặc xuất lại tệp rồi nhập lại")
