"""The pieces of a page in reading order: spreads, columns, lines across both columns, tables (spec 07).

Between two lines across the page the left column is read before the right one. Where a page is not plainly set in two columns it is read
as one; then two columns of text look like a table, and are quarantined rather than mixed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from statistics import median_low

from duocthu_core.corpus.pdf.lines import Edge, Line, cleaned
from duocthu_core.corpus.pdf.page_text import Gap, PageText, Piece, Rule
from duocthu_core.corpus.pdf.tables import Row, frames, mark_regions, row_text, rows_of
from duocthu_core.corpus.pdf.text_layer import ENDS_IN_HYPHEN
from duocthu_core.corpus.reading import private_use

_BIN = 2.0
_CENTRE = (0.33, 0.67)
_MOST_CROSSING = 0.12
"""Part of the lines that may lie across the gutter of a page in two columns."""
_LEAST_WIDTH = 0.55
"""Part of a column's width that a long line of text fills; cells of a table are shorter."""
_ACROSS = 0.1
"""Part of a column's width by which a line must reach into both columns to lie across them."""
_GAP = 1.32
"""Leading beyond this parts paragraphs."""
_OTHER_SIZE = 0.12
_HEADING_SIZE = 1.15
_APART = 1.6
_FAR = 2.4
_SPREAD = 1.15
_NUMBER = re.compile(r"(?<![\d.,/-])[1-9][0-9]{0,3}(?![\d.,/%-])")
_ITEM = re.compile(rf"(?:[-+•▪◦●○·‣*–—{private_use.ALWAYS}{private_use.AT_HEAD}]|\(?(?:[0-9]{{1,2}}|[a-zđ])[.)])[ \t]")


@dataclass(slots=True)
class Sheet:
    """One printed page: a page of the file, or half of one where the file shows spreads."""

    half: int
    """0 for a whole page or a left half, 1 for a right half."""
    lines: list[Line] = field(default_factory=list)


def sheets_of(page: PageText) -> list[Sheet]:
    """The printed pages that a page of the file shows, each with its lines in reading order."""
    middle = page.width / 2
    if page.width > _SPREAD * page.height and _is_spread(page, middle):
        halves = [[piece for piece in page.pieces if (piece.x0 + piece.x1 < page.width) is left] for left in (True, False)]
        rules = [[rule for rule in page.rules if (rule.x0 + rule.x1 < page.width) is left] for left in (True, False)]
        found = [Sheet(half, _ordered(halves[half], frames(rules[half], page.height))) for half in (0, 1)]
    else:
        found = [Sheet(0, _ordered(page.pieces, frames(page.rules, page.height) if page.rules else []))]
    if not page.is_clean:
        for sheet in found:  # a line of characters that nobody can see is none
            sheet.lines = [line for line in map(cleaned, sheet.lines) if line.text]
    return found


def _is_spread(page: PageText, middle: float) -> bool:
    """Whether two printed pages lie side by side: nothing crosses the middle, and their numbers follow one another."""
    if any(piece.x0 < middle - 2 and piece.x1 > middle + 2 for piece in page.pieces):
        return False
    for side in (max, min):
        edge = side((piece.y for piece in page.pieces), default=0.0)
        row = [piece for piece in page.pieces if abs(piece.y - edge) < piece.size / 2]
        left = {int(n) for piece in row if piece.x1 <= middle for n in _NUMBER.findall(piece.text)}
        right = {int(n) for piece in row if piece.x0 >= middle for n in _NUMBER.findall(piece.text)}
        if any(number + 1 in right for number in left):
            return True
    return False


def _ordered(pieces: Sequence[Piece], drawn: Sequence[Rule]) -> list[Line]:
    if not pieces:
        return []
    edges = _Edges(pieces)
    body_size = median_low([piece.size for piece in pieces])
    return [line for stretch in _stretches(pieces, drawn, edges) for line in _lines_of(stretch, drawn, edges, body_size)]


# The first and the last row of a page


class _Edges:
    """The first and the last row of a page, and whether they stand away from the other rows."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        levels = sorted({piece.y for piece in pieces}, reverse=True)
        rows: tuple[tuple[Edge, list[float]], ...] = (("top", levels), ("bottom", levels[::-1]))
        self._rows: list[tuple[Edge, float, float, float]] = []
        for name, order in rows:
            size = max(piece.size for piece in pieces if piece.y == order[0])
            following = next((level for level in order if abs(level - order[0]) >= 0.5 * size), None)
            away = abs(following - order[0]) / size if following is not None else float("inf")
            self._rows.append((name, order[0], 0.5 * size, away))
        (_, top, reach, _), (_, bottom, other, _) = self._rows
        self._below, self._above = top - reach, bottom + other

    def of(self, piece: Piece) -> tuple[Edge, float]:
        """In which of the two rows ``piece`` stands, and how far that row stands from the next, in sizes of its type."""
        if self._above <= piece.y <= self._below:
            return "", 0.0
        for name, y, reach, away in self._rows:
            if abs(piece.y - y) < reach:
                return name, away
        return "", 0.0

    def far(self, piece: Piece) -> bool:
        """Whether ``piece`` stands so far from the text that it is no row of a table in it, and says nothing about its columns."""
        return not self._above <= piece.y <= self._below and self.of(piece)[1] > _FAR


# Columns


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Pieces that are read one after the other, from top to bottom."""

    pieces: list[Piece]
    left: float
    right: float


def _stretches(pieces: Sequence[Piece], drawn: Sequence[Rule], edges: _Edges) -> Iterator[_Stretch]:
    flowing = [piece for piece in pieces if not edges.far(piece)] or pieces
    left, right = min(piece.x0 for piece in flowing), max(piece.x1 for piece in flowing)
    gutter = _gutter(flowing, left, right)
    if gutter is None:
        yield _Stretch(list(pieces), left, right)
        return
    parts: list[Piece] = []
    for piece in pieces:
        if piece.gaps:
            parts += _parted_at(piece, gutter)
        else:
            parts.append(piece)
    width = min(gutter - left, right - gutter)
    wide_frames = [frame for frame in drawn if frame.x0 < gutter - 0.3 * width and frame.x1 > gutter + 0.3 * width]
    left_of, right_of = gutter - _ACROSS * width, gutter + _ACROSS * width
    levels = [
        (piece.y, piece.size)
        for piece in parts
        if (piece.x0 < left_of and piece.x1 > right_of) or (wide_frames and _lies_in(piece, wide_frames))
    ]
    columns: tuple[list[Piece], list[Piece]] = ([], [])
    wide: list[Piece] = []
    for piece in parts:
        if levels and any(abs(piece.y - y) < 0.45 * max(size, piece.size) for y, size in levels):
            wide.append(piece)
        else:
            columns[(piece.x0 + piece.x1) / 2 > gutter].append(piece)
    margins = [_margins([piece for piece in column if not edges.far(piece)] or column) for column in columns]
    broader = max(far - near for near, far in margins)
    # A column of few short lines is as wide as the other.
    yield from _in_bands(columns, wide, [(near, max(far, near + broader)) for near, far in margins], (left, right))


def _margins(column: Sequence[Piece]) -> tuple[float, float]:
    return min((piece.x0 for piece in column), default=0.0), max((piece.x1 for piece in column), default=0.0)


def _in_bands(
    columns: tuple[list[Piece], list[Piece]], wide: list[Piece], margins: Sequence[tuple[float, float]], page: tuple[float, float]
) -> Iterator[_Stretch]:
    """The left column, the right column, and the lines across both, from top to bottom."""
    for pieces in (*columns, wide):
        pieces.sort(key=lambda piece: -piece.y)
    taken = [0, 0]
    start = 0
    while start < len(wide):
        yield from _columns_above(columns, margins, taken, wide[start].y)
        below = max((columns[side][taken[side]].y for side in (0, 1) if taken[side] < len(columns[side])), default=float("-inf"))
        end = start + 1
        while end < len(wide) and wide[end].y > below:
            end += 1
        yield _Stretch(wide[start:end], *page)
        start = end
    yield from _columns_above(columns, margins, taken, float("-inf"))


def _columns_above(
    columns: tuple[list[Piece], list[Piece]], margins: Sequence[tuple[float, float]], taken: list[int], y: float
) -> Iterator[_Stretch]:
    for side in (0, 1):
        column, begin = columns[side], taken[side]
        while taken[side] < len(column) and column[taken[side]].y > y:
            taken[side] += 1
        if found := column[begin : taken[side]]:
            yield _Stretch(found, *margins[side])


def _lies_in(piece: Piece, wide_frames: Sequence[Rule]) -> bool:
    """Whether ``piece`` stands in a frame that lies across both columns."""
    return any(frame.y0 <= piece.y <= frame.y1 and frame.x0 - 3 <= piece.x0 and piece.x1 <= frame.x1 + 3 for frame in wide_frames)


def _parted_at(piece: Piece, gutter: float) -> Iterator[Piece]:
    """``piece``, or its two parts where a space of it lies on the gutter: lines of two columns that were written as one."""
    gap = next((gap for gap in piece.gaps if gap.x0 - 1 <= gutter <= gap.x1 + 1), None)
    if gap is None:
        yield piece
        return
    for start, end, x0, x1 in ((0, gap.start, piece.x0, gap.x0), (gap.end, len(piece.text), gap.x1, piece.x1)):
        emphasis = tuple((max(b, start) - start, min(e, end) - start, s) for b, e, s in piece.emphasis if b < end and e > start)
        signs = tuple((at - start, reason) for at, reason in piece.signs if start <= at < end)
        gaps = tuple(Gap(g.start - start, g.end - start, g.x0, g.x1) for g in piece.gaps if start <= g.start and g.end <= end and g != gap)
        text = piece.text[start:end]
        hyphen = piece.hyphen if start else ENDS_IN_HYPHEN.search(text) is not None
        yield piece._replace(text=text, x0=x0, x1=x1, emphasis=emphasis, signs=signs, gaps=gaps, hyphen=hyphen)


def _gutter(pieces: Sequence[Piece], left: float, right: float) -> float | None:
    """The middle of the gap between two columns; None where the page is not plainly set in two."""
    width = right - left
    bins = int(width / _BIN) + 2
    steps = [0] * (bins + 1)
    for piece in pieces:
        steps[int((piece.x0 - left) / _BIN)] += 1
        steps[int((piece.x1 - left) / _BIN) + 1] -= 1
        for gap in piece.gaps:
            steps[int((gap.x0 - left) / _BIN) + 1] -= 1
            steps[int((gap.x1 - left) / _BIN)] += 1
    covered = list(accumulate(steps))
    first, last = int(_CENTRE[0] * bins), int(_CENTRE[1] * bins)
    zone = covered[first : last + 1]
    if not zone:
        return None
    least = min(zone)
    if least > _MOST_CROSSING * len(pieces):
        return None
    start, end = _longest_run(zone, least)
    gutter = left + _BIN * (first + (start + end + 1) / 2)
    sides = [
        [piece for piece in pieces if piece.x1 <= gutter + _BIN],
        [piece for piece in pieces if piece.x0 >= gutter - _BIN],
    ]
    if min(map(len, sides)) < 2:
        return None
    filled = (_long_width(sides[0]) / max(gutter - left, 1.0), _long_width(sides[1]) / max(right - gutter, 1.0))
    return gutter if max(filled) >= _LEAST_WIDTH else None


def _long_width(pieces: Sequence[Piece]) -> float:
    """The width of a long line among ``pieces``: three in ten are as long."""
    return sorted(piece.x1 - piece.x0 for piece in pieces)[int(0.7 * len(pieces))]


def _longest_run(values: Sequence[int], wanted: int) -> tuple[int, int]:
    best = (0, 0)
    start: int | None = None
    for index, value in enumerate((*values, wanted + 1)):
        if value == wanted and start is None:
            start = index
        elif value != wanted and start is not None:
            if index - start > best[1] - best[0]:
                best = (start, index)
            start = None
    return best[0], best[1] - 1


# Lines


def _lines_of(stretch: _Stretch, drawn: Sequence[Rule], edges: _Edges, body_size: float) -> Iterator[Line]:
    rows = rows_of(stretch.pieces)
    flowing = [row for row in rows if not edges.far(row.pieces[0])]
    margin = _left_margin(flowing or rows)
    mark_regions(flowing, drawn, margin, stretch.right - margin)
    leading = median_low([above.y - row.y for above, row in pairwise(flowing)]) if len(flowing) > 1 else 0.0
    heading = _HEADING_SIZE * body_size
    above: Row | None = None
    for row in rows:
        first, last = row.pieces[0], row.pieces[-1]
        text, style, signs, repairs = _joined(row) if len(row.pieces) > 1 else (first.text, first.style, first.signs, ())
        if row.signs:
            signs = (*signs, *((0, reason) for reason in row.signs))
        pitch = (last.x1 - first.x0) / len(text)
        room = round((stretch.right - last.x1) / pitch, 1) if pitch > 0 else 0.0
        apart = above is not None and leading > 0 and _is_apart(above, row, leading, margin)
        level = 2 if first.size >= heading > 0 else 0
        edge, away = edges.of(first)
        yield Line(
            text,
            first.line,
            row.kind,
            style,
            first.emphasis,
            signs,
            repairs,
            room,
            apart,
            above is None,
            last.hyphen,
            edge,
            away > _APART,
            level,
        )
        above = None if edges.far(first) else row  # the line below a running head opens its column


def _joined(row: Row) -> tuple[str, int, tuple[tuple[int, str], ...], tuple[tuple[int, str, str, str], ...]]:
    """Text, style, signs and repairs of a row of several pieces."""
    if row.kind == "table":
        text, repairs = row_text(row)
    else:
        text, repairs = " ".join(piece.text for piece in row.pieces), ()
    signs: list[tuple[int, str]] = []
    offset = 0
    for piece in row.pieces:
        signs += ((offset + at, reason) for at, reason in piece.signs)
        offset += len(piece.text) + (3 if row.kind == "table" else 1)
    return text, min(piece.style for piece in row.pieces), tuple(signs), repairs


def _left_margin(rows: Sequence[Row]) -> float:
    """Where lines of the column begin that are not indented: the leftmost place where a tenth of them begin."""
    starts = sorted(row.x0 for row in rows)
    least = max(1, len(starts) // 10)
    for index, start in enumerate(starts):
        if sum(1 for other in starts[index : index + least + 1] if other - start <= 1.5) >= least:
            return start
    return starts[0]


def _is_apart(above: Row, row: Row, leading: float, margin: float) -> bool:
    size = max(row.size, 1.0)
    if above.y - row.y > _GAP * leading or abs(row.size - above.size) > _OTHER_SIZE * above.size:
        return True
    indented = row.x0 - margin > 0.6 * size and row.x0 - above.x0 > 0.5 * size
    hanging = _ITEM.match(above.pieces[0].text) is not None and row.x0 - above.x0 < 3 * size
    return indented and not hanging
