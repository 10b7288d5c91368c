"""Lines, sheets and pages as a reading process gives them, without a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from duocthu_core.corpus.pdf.lines import Line
from duocthu_core.corpus.pdf.page_numbers import NumberedSheet, PageNumbers
from duocthu_core.corpus.pdf.page_reader import ReadPage
from duocthu_core.corpus.pdf.paragraphs import PlacedLine, passages_of
from duocthu_core.corpus.reading.passages import Pages, Passage

FULL, SHORT = 0.5, 30.0
"""Room behind a line that ran to its margin, and behind one that ended before it."""


def line(text: str, number: int = 1, room: float = FULL, **more: Any) -> Line:
    """A line that ran to its margin, unless told."""
    return Line(text, number, room=room, hyphen=text.endswith("-"), **more)


def placed(*lines: Line | str, page: int = 12, more: Sequence[tuple[int, Line]] = ()) -> list[PlacedLine]:
    """Lines on one printed page; ``more``: (page, line) after them."""
    whole = [(page, line(found) if isinstance(found, str) else found) for found in lines]
    return [PlacedLine(found, Pages(on, on), on, on, place) for place, (on, found) in enumerate((*whole, *more))]


def passages(*lines: Line | str) -> list[Passage]:
    """What lines of one page become."""
    return passages_of(placed(*lines))


def texts(*lines: Line | str) -> list[str]:
    """The texts of what lines of one page become."""
    return [passage.text for passage in passages(*lines)]


def read_page(index: int, *lines: Line, pictures: int = 0) -> ReadPage:
    """A page of a file that shows one printed page."""
    characters = sum(len(found.text) for found in lines)
    return ReadPage(index, ((0, lines),), characters, pictures, "", (), changed=False)


def top(text: str, *, isolated: bool = True) -> Line:
    """A line in the first row of its page."""
    return Line(text, 1, edge="top", isolated=isolated, opens=True)


def bottom(text: str, *, isolated: bool = True) -> Line:
    """A line in the last row of its page."""
    return Line(text, 90, edge="bottom", isolated=isolated, opens=True)


def numbered(pages: Iterable[ReadPage], **more: Any) -> list[NumberedSheet]:
    """The sheets of some pages with their numbers."""
    return list(PageNumbers(**more).numbered(pages))
