"""A book cut between its monographs, so that it is read drug by drug in bounded memory and gone on with where it stopped.

A cut is made only where a name in capitals is followed by the first sections of a monograph. Where none is certain the slab just grows;
the rooms that read a slab find the monographs in it, however many.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from duocthu_core.corpus.pdf.lines import BOLD
from duocthu_core.corpus.pdf.page_numbers import NumberedSheet
from duocthu_core.corpus.pdf.page_reader import ReadPage
from duocthu_core.corpus.pdf.paragraphs import Arrival, Note, PlacedLine
from duocthu_core.corpus.reading.headings import heading_table
from duocthu_core.corpus.reading.passages import Emphasis, Passage
from duocthu_core.corpus.reading.rules import reading_words
from duocthu_core.text.spans import Span

_AHEAD = 14
"""Lines below a name in which the first section of its monograph must begin."""
_MOST_LINES = 20_000
"""A slab longer than any monograph is cut where it stands."""
_LONGEST_NAME = 110
_BRACKETED = re.compile(r"\([^()]*\)?")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(slots=True)
class Slab:
    """The lines from one monograph's name up to the next."""

    lines: list[PlacedLine] = field(default_factory=list)
    named: bool = False
    """Begins with the name of a monograph whose first sections stand below it."""
    orphaned: bool = False
    """Begins behind missing pages: whose text it is cannot be known."""

    def arrivals(self) -> Iterator[Arrival]:
        """What came before its lines."""
        return (placed.arrival for placed in self.lines if placed.arrival is not None)


def placed_lines(sheets: Iterable[NumberedSheet], notes: Notes) -> Iterator[PlacedLine]:
    """The lines of ``sheets`` in order. The first line of a sheet carries the running heads and notes since the line before it."""
    held = Arrival()
    for sheet in sheets:
        found = (*held.notes, *notes.of(sheet))
        held = Arrival((*held.heads, *sheet.heads), found, held.after_gap or sheet.after_gap)
        arrival: Arrival | None = held if held != Arrival() else None
        for place, line in enumerate(sheet.lines):
            yield PlacedLine(line, sheet.pages, sheet.file_page, sheet.index, place, arrival)
            arrival = None
        if sheet.lines:
            held = Arrival()
    notes.left_over = held


class Notes:
    """What a person should know of a page, gathered as the pages come."""

    def __init__(self) -> None:
        self._by_page: dict[int, list[Note]] = {}
        self.left_over = Arrival()
        """What no line came after."""
        self.with_text = 0
        """Pages with any text."""
        self.pages = 0

    def watched(self, pages: Iterable[ReadPage]) -> Iterator[ReadPage]:
        """``pages``, noted on the way."""
        for page in pages:
            number = page.index + 1
            self.pages += 1
            self.with_text += page.characters > 0
            found = [Note(number, None, "turned_text", text) for text in page.turned]
            if page.is_picture:
                found.append(Note(number, None, "no_text_layer", f"trang {number} của tệp"))
            if page.changed:
                found.append(Note(number, None, "numbers_changed", f"trang {number} của tệp"))
            if found:
                self._by_page[number] = found
            yield page

    def of(self, sheet: NumberedSheet) -> tuple[Note, ...]:
        """The notes of a sheet's page, and of pages without a sheet before it; each is given once."""
        due = sorted(page for page in self._by_page if page <= sheet.file_page)
        found = [note._replace(page=sheet.pages.first) for page in due for note in self._by_page.pop(page)]
        if sheet.problem is not None:
            found.append(Note(sheet.file_page, sheet.pages.first, "page_sequence", sheet.problem))
        return tuple(found)


def slabs_of(lines: Iterable[PlacedLine]) -> Iterator[Slab]:
    """``lines`` cut before each monograph's name, and behind missing pages."""
    ahead: deque[PlacedLine] = deque()
    cutter = _Cutter()
    for placed in lines:
        ahead.append(placed)
        if len(ahead) > _AHEAD and (slab := cutter.take(ahead)) is not None:
            yield slab
    while ahead:
        if (slab := cutter.take(ahead)) is not None:
            yield slab
    if cutter.slab.lines:
        yield cutter.slab


class _Cutter:
    """Puts lines into the open slab, and closes it where the next begins."""

    def __init__(self) -> None:
        self.slab = Slab()

    def take(self, ahead: deque[PlacedLine]) -> Slab | None:
        placed = ahead.popleft()
        last = self.slab.lines[-1] if self.slab.lines else None
        named = _looks_like_name(placed) and not _goes_on_with_name(last, placed) and _front_follows(ahead)
        gap = placed.arrival is not None and placed.arrival.after_gap
        closed: Slab | None = None
        if last is not None and (named or gap or len(self.slab.lines) >= _MOST_LINES):
            closed = self.slab
            self.slab = Slab(orphaned=gap and not named)
        self.slab.named = self.slab.named or named
        self.slab.lines.append(placed)
        return closed


def _looks_like_name(placed: PlacedLine) -> bool:
    line = placed.line
    text = line.text
    if not text[:3].isupper() or line.kind != "text" or len(text) > _LONGEST_NAME or not text[0].isupper():
        return False
    outside = _BRACKETED.sub("", text)
    if len(_LETTER.findall(outside)) < 3 or outside != outside.upper() or text.endswith((".", ":", ";", ",")):
        return False
    return heading_table().whole(text, None, marked=True) is None


def _goes_on_with_name(last: PlacedLine | None, placed: PlacedLine) -> bool:
    """Whether the line is the second one of a long name."""
    return (
        last is not None
        and not placed.line.apart
        and not placed.line.opens
        and (last.line.style, last.line.level) == (placed.line.style, placed.line.level)
        and _looks_like_name(last)
    )


def _front_follows(ahead: Iterable[PlacedLine]) -> bool:
    front = frozenset(reading_words()["headings"]["front"])
    for number, placed in enumerate(ahead):
        if number and _looks_like_name(placed):
            return False
        for piece in heading_table().pieces(_as_passage(placed), None):
            if piece.heading is not None and piece.heading.keys:
                return piece.heading.keys[0] in front
    return False


def _as_passage(placed: PlacedLine) -> Passage:
    line = placed.line
    emphasis = [Emphasis(Span(start, end), bool(style & BOLD)) for start, end, style in line.emphasis]
    if line.style:
        emphasis.append(Emphasis(Span(0, len(line.text)), line.is_strong))
    return Passage(line.text, line.number, emphasis=tuple(emphasis), level=line.level)
