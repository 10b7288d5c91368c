"""Printed pages and running heads (spec 07): a number counts as a page where it goes on the sequence, not because it stands alone.

A running head stands in the first or last row of a page. It is known by the book's mark, or by the page number that the pages around it
confirm. Its name is not used: it may be the next drug's. What only looks like a head stays in the text.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from duocthu_core.corpus.pdf.lines import Edge, Line
from duocthu_core.corpus.pdf.page_reader import ReadPage
from duocthu_core.corpus.reading.passages import UNKNOWN_PAGES, Pages
from duocthu_core.corpus.reading.rules import reading_words
from duocthu_core.text.folding import fold

_AHEAD = 8
"""Pages that are looked at before a page's number is settled."""
_NUMBER = re.compile(r"(?<![\d.,/%])[1-9][0-9]{0,3}(?![\d.,/%])")
_ONLY_NUMBERS = re.compile(r"[\s\d–—|·•*\[\]()-]+\Z")
_THUMB = re.compile(r"\s+[A-ZĐ]\Z", re.IGNORECASE)
_LONGEST_HEAD = 130
_LONGEST_PLAIN_HEAD = 80
_SENTENCE_END = re.compile(r"[.;:,!?]\s*\Z")


@dataclass(frozen=True, slots=True)
class Head:
    """A running head or page number that was taken out of the text."""

    text: str
    file_page: int
    """From 1."""
    page: int | None
    """The printed page it stands on."""


@dataclass(frozen=True, slots=True)
class NumberedSheet:
    """A printed page: its number, its lines without the running heads, and these."""

    index: int
    """Number of the sheet in the file, from 0."""
    file_page: int
    """Page of the file, from 1."""
    pages: Pages
    lines: tuple[Line, ...]
    heads: tuple[Head, ...] = ()
    problem: str | None = None
    after_gap: bool = False
    """Printed pages are missing before it, or a page without a text layer: what stands here may belong to another drug."""
    offset_before: int | None = None
    """Printed number less index of the sheets before it."""


@dataclass(slots=True)
class _Row:
    """The first or last row of a sheet."""

    edge: Edge
    text: str
    has_mark: bool
    isolated: bool
    numbers: tuple[int, ...]


@dataclass(slots=True)
class _Waiting:
    index: int
    file_page: int
    lines: tuple[Line, ...]
    rows: list[_Row] = field(default_factory=list)
    after_gap: bool = False

    @property
    def offsets(self) -> set[int]:
        return {number - self.index for row in self.rows for number in row.numbers}


def prints_numbers(samples: Iterable[Sequence[Sequence[Line]]]) -> bool:
    """Whether a book's pages carry printed numbers. ``samples``: some runs of neighbouring sheets."""
    for run in samples:
        waiting = [_waiting(index, 0, tuple(lines)) for index, lines in enumerate(run)]
        votes = Counter(offset for sheet in waiting for offset in sheet.offsets)
        marked = any(row.has_mark and row.numbers for sheet in waiting for row in sheet.rows)
        if marked or any(count >= min(3, len(waiting)) for count in votes.values() if len(waiting) > 1):
            return True
    return False


class PageNumbers:
    """Numbers the sheets of a book in order.

    ``numbered``: whether the book prints page numbers (:func:`prints_numbers`); if not, a sheet's number is its place in the file.
    ``known``: a sheet's index and the offset (printed number less index) before it, from an earlier run that is gone on with.
    """

    def __init__(self, *, numbered: bool = True, known: tuple[int, int | None] | None = None) -> None:
        self._offset: int | None = None
        self._numbered = numbered
        self._known = known
        self._waiting: deque[_Waiting] = deque()
        self._known_heads: Counter[str] = Counter()

    def numbered(self, pages: Iterable[ReadPage], first_sheet: int = 0) -> Iterator[NumberedSheet]:
        """The sheets of ``pages``, each settled once the pages after it were seen."""
        index = first_sheet
        after_gap = False
        for page in pages:
            for _, lines in page.sheets:
                sheet = _waiting(index, page.index + 1, lines)
                sheet.after_gap, after_gap = after_gap, False
                self._waiting.append(sheet)
                self._known_heads.update(_shape(row.text) for row in sheet.rows if row.isolated)
                index += 1
                if len(self._waiting) > _AHEAD:
                    yield self._settled()
            after_gap = after_gap or page.is_picture
        while self._waiting:
            yield self._settled()

    def _settled(self) -> NumberedSheet:
        sheet = self._waiting.popleft()
        if self._known is not None and self._known[0] == sheet.index:
            self._offset = self._known[1]
        before = self._offset
        if not self._numbered:
            number = sheet.index + 1
            return self._sheet(sheet, Pages(number, number), number, None)
        pages, problem = self._pages(sheet)
        settled = self._sheet(sheet, pages, pages.first if pages.first == pages.last else None, problem)
        missing = before is not None and self._offset is not None and self._offset > before
        return replace(settled, offset_before=before, after_gap=sheet.after_gap or missing)

    def _pages(self, sheet: _Waiting) -> tuple[Pages, str | None]:
        offsets = sheet.offsets
        if self._offset is not None and self._offset in offsets:
            return self._page(sheet), None
        if offsets:
            support = {offset: sum(offset in later.offsets for later in self._waiting) for offset in offsets}
            best = max(offsets, key=lambda offset: (support[offset], -abs(offset - (self._offset if self._offset is not None else offset))))
            marked = self._offset is None and any(row.has_mark for row in sheet.rows)
            if marked and not support[best] and len(offsets) > 1:  # the heads of both pages of a spread, and nothing to tell which
                return Pages(sheet.index + min(offsets), sheet.index + max(offsets)), None
            if support[best] or marked:
                before, self._offset = self._offset, best
                return self._page(sheet), None if before is None else _jump(sheet.index + before, sheet.index + best)
            if self._offset is None:
                return UNKNOWN_PAGES, None
            printed = ", ".join(str(offset + sheet.index) for offset in sorted(offsets))
            return self._page(sheet), f"trang in ghi {printed}, không nối tiếp trang {self._offset + sheet.index - 1}: không dùng số này"
        following = next((offset for later in self._waiting if (offset := self._confirmed(later)) is not None), None)
        if self._offset is None:
            if following is None or sheet.index + following < 1:
                return UNKNOWN_PAGES, None
            self._offset = following
            return self._page(sheet), None
        if following is None or following <= self._offset:
            return self._page(sheet), None
        # Pages are missing around here: the sheet is one of those between.
        return Pages(sheet.index + self._offset, sheet.index + following), "không có số trang, và số trang trước sau không liền nhau"

    def _confirmed(self, sheet: _Waiting) -> int | None:
        """The offset that a later sheet shares with a sheet after it, or with the pages so far."""
        offsets = sheet.offsets
        if self._offset in offsets:
            return self._offset
        others = [later.offsets for later in self._waiting if later is not sheet]
        return next((offset for offset in sorted(offsets) if any(offset in other for other in others)), None)

    def _page(self, sheet: _Waiting) -> Pages:
        assert self._offset is not None
        number = sheet.index + self._offset
        return Pages(number, number) if number > 0 else UNKNOWN_PAGES

    def _sheet(self, sheet: _Waiting, pages: Pages, number: int | None, problem: str | None) -> NumberedSheet:
        heads = [row for row in sheet.rows if self._is_head(row, number)]
        edges = {row.edge for row in heads}
        removed = tuple(Head(row.text, sheet.file_page, pages.first) for row in heads)
        lines = tuple(_as_text(line, number) if line.edge else line for line in sheet.lines if not line.edge or line.edge not in edges)
        return NumberedSheet(sheet.index, sheet.file_page, pages, lines, removed, problem, sheet.after_gap)

    def _is_head(self, row: _Row, number: int | None) -> bool:
        if row.has_mark and len(row.text) <= _LONGEST_HEAD:
            return True
        if not row.isolated:
            return False
        if number is not None and number in row.numbers:
            return _ONLY_NUMBERS.match(row.text) is not None or (
                len(row.text) <= _LONGEST_PLAIN_HEAD and _SENTENCE_END.search(row.text) is None
            )
        repeats = self._known_heads[_shape(row.text)] > 2
        return repeats and len(row.text) <= _LONGEST_PLAIN_HEAD and _SENTENCE_END.search(row.text) is None and not row.numbers


def _jump(expected: int, printed: int) -> str:
    what = "thiếu trang ở giữa" if printed > expected else "số trang lùi lại"
    return f"trang {printed} đứng sau trang {expected - 1}: {what}"


def _as_text(line: Line, number: int | None) -> Line:
    """An edge line that is no head. One that is only a number, the number of its page at that, may be either: nothing is made of it."""
    if number is not None and line.text.strip(" -–—") == str(number):
        return line._replace(signs=(*line.signs, (0, "noise_near_digits")), apart=True)
    return line


def _waiting(index: int, file_page: int, lines: tuple[Line, ...]) -> _Waiting:
    sheet = _Waiting(index, file_page, lines)
    edges: tuple[Edge, ...] = ("top", "bottom")
    for edge in edges:
        row = [line for line in lines if line.edge == edge]
        if row:
            sheet.rows.append(_row(edge, row))
    return sheet


def _row(edge: Edge, lines: Sequence[Line]) -> _Row:
    text = " ".join(line.text for line in lines)
    isolated = all(line.isolated for line in lines)
    has_mark = _mark().search(fold(text)) is not None
    numbers: tuple[int, ...] = ()
    if isolated or has_mark:
        bare = _THUMB.sub("", _mark().sub(lambda match: "¦" * len(match.group()), fold(text)) if has_mark else text)
        numbers = tuple(int(match.group()) for match in _NUMBER.finditer(bare) if _stands_outside(bare, match, has_mark=has_mark))
    return _Row(edge, text, has_mark, isolated, numbers)


def _stands_outside(text: str, match: re.Match[str], *, has_mark: bool) -> bool:
    """Whether a number stands where page numbers stand: at either end of its row, or beside the book's mark."""
    before, behind = text[: match.start()].strip(" -–—|[("), text[match.end() :].strip(" -–—|])")
    return not before or not behind or (has_mark and (before.endswith("¦") or behind.startswith("¦")))


def _shape(text: str) -> str:
    return re.sub(r"\d+", "#", fold(text))


@lru_cache(maxsize=1)
def _mark() -> re.Pattern[str]:
    """The book's marks, with any space or none inside them."""
    marks = reading_words()["page_headers"]["marks"]
    return re.compile("|".join(r"\s*".join(map(re.escape, fold(mark).split())) for mark in marks) or r"(?!)")
