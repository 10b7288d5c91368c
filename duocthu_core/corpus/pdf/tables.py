"""Tables and formulas among the pieces of one column: rows of cells, drawn frames, lines too close to be lines of text (spec 07).

Whatever they look like after extraction, they are shown and never generated over. So the doubtful case counts as a table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median_low

from duocthu_core.corpus.pdf.lines import BOLD, LineKind
from duocthu_core.corpus.pdf.page_text import Piece, Rule
from duocthu_core.corpus.reading import private_use

_SAME_ROW = 0.45
"""Baselines of one row lie within this part of the type's size."""
_TIGHT = 0.8
"""Rows closer than this part of the type's size are no lines of text: a fraction, a raised figure."""
_ALIGNED = 3.0
_EXACTLY = 0.3
_MOST_ROWS_BETWEEN = 2
_MOST_STRETCHED = 6.0
"""Sizes of the type that a space of a stretched line may be wide."""
_LONGEST_MARK = 4
_BULLET = re.compile(rf"[•▪◦●○·‣{private_use.ALWAYS}{private_use.AT_HEAD}]")
_DASH_OR_NUMBER = re.compile(r"[-+–—*]|\(?(?:[0-9]{1,2}|[a-zđ])[.)]")
_MARK_TAB = 4.0
"""Sizes of the type that a tab behind a mark may be wide."""
_LEAST_ITEM = 15
"""Characters: what stands behind a dash or number in a table is shorter."""
_LOWER_OR_BRACKET = re.compile(r"[^\W\d_A-ZĐÀ-Ỹ]|\(")
_CELL_GAP = " | "


@dataclass(slots=True)
class Row:
    """Pieces on one baseline, from left to right."""

    pieces: list[Piece]
    y: float
    """The baseline of its first piece."""
    size: float
    """The size of its largest type."""
    kind: LineKind = "text"
    signs: tuple[str, ...] = ()
    stretched: bool = False
    """A line of few long words that was stretched to both margins of its column: its spaces are wide, and it is no row of cells."""

    @property
    def x0(self) -> float:
        """Where it begins."""
        return self.pieces[0].x0

    @property
    def is_cells(self) -> bool:
        """Whether gaps part it."""
        return len(self.pieces) > 1 and not self.stretched


def rows_of(pieces: Sequence[Piece]) -> list[Row]:
    """The pieces of one column as rows, from top to bottom."""
    rows: list[Row] = []
    for piece in sorted(pieces, key=lambda piece: (-piece.y, piece.x0)):
        if rows and abs(rows[-1].y - piece.y) < _SAME_ROW * max(piece.size, rows[-1].size):
            rows[-1].pieces.append(piece)
            rows[-1].size = max(rows[-1].size, piece.size)
        else:
            rows.append(Row([piece], piece.y, piece.size))
    for row in rows:
        if len(row.pieces) > 1:
            row.pieces.sort(key=lambda piece: piece.x0)
            if len(row.pieces[0].text) <= _LONGEST_MARK:
                _join_mark(row)
    return rows


def _join_mark(row: Row) -> None:
    """Joins the mark of a list's item, which a tab parts from its text, to that text: it is no cell. A dash or number may be one, so only
    before a single text that reads like a sentence."""
    mark, text, *others = row.pieces
    if text.x0 - mark.x1 > _MARK_TAB * row.size:
        return
    reads_on = not others and len(text.text) >= _LEAST_ITEM and text.text[0].isalpha()
    if not (_BULLET.fullmatch(mark.text) or (reads_on and _DASH_OR_NUMBER.fullmatch(mark.text))):
        return
    shift = len(mark.text) + 1
    item = text._replace(
        text=f"{mark.text} {text.text}",
        line=mark.line,
        x0=mark.x0,
        style=mark.style & text.style,
        emphasis=tuple((start + shift, end + shift, style) for start, end, style in _emphasis_of(text, mark)),
        signs=(*mark.signs, *((at + shift, reason) for at, reason in text.signs)),
        gaps=tuple(gap._replace(start=gap.start + shift, end=gap.end + shift) for gap in text.gaps),
    )
    row.pieces[:2] = [item]


def _emphasis_of(text: Piece, mark: Piece) -> tuple[tuple[int, int, int], ...]:
    """How ``text`` is set, told stretch by stretch where its mark is set otherwise."""
    if text.style and text.style != mark.style:
        return ((0, len(text.text), text.style),)
    return text.emphasis


def frames(rules: Sequence[Rule], height: float) -> list[Rule]:
    """The frames that drawn lines make together; a frame around the whole page, and a single line, are none."""
    found: list[tuple[Rule, int]] = []
    for rule in sorted(rules, key=lambda rule: -rule.y1):
        if rule.y1 - rule.y0 > 0.8 * height:
            continue
        merged, count = rule, 1
        apart: list[tuple[Rule, int]] = []
        for other, parts in found:
            if _touch(merged, other):
                merged, count = _around(merged, other), count + parts
            else:
                apart.append((other, parts))
        found = [*apart, (merged, count)]
    return [frame for frame, parts in found if parts > 1 and frame.y1 - frame.y0 > _ALIGNED]


def _touch(one: Rule, other: Rule) -> bool:
    """Whether two drawn lines belong together: they meet, or lie above each other at the same place (a table with lines between rows)."""
    meet = (
        one.x0 <= other.x1 + _ALIGNED and other.x0 <= one.x1 + _ALIGNED and one.y0 <= other.y1 + _ALIGNED and other.y0 <= one.y1 + _ALIGNED
    )
    stacked = abs(one.x0 - other.x0) <= _ALIGNED and abs(one.x1 - other.x1) <= _ALIGNED and one.x1 - one.x0 > 20
    near = min(abs(one.y0 - other.y1), abs(other.y0 - one.y1)) <= 60
    return meet or (stacked and near)


def _around(one: Rule, other: Rule) -> Rule:
    return Rule(min(one.x0, other.x0), min(one.y0, other.y0), max(one.x1, other.x1), max(one.y1, other.y1))


def mark_regions(rows: list[Row], drawn: Sequence[Rule], left: float, width: float) -> None:
    """Sets the kind of the rows that are part of a table or formula. ``drawn``: frames on the page; ``left``, ``width``: of the column."""
    if not rows:
        return
    _mark_tight_rows(rows)
    _mark_stretched_rows(rows, left, width)
    if not drawn and not any(row.is_cells for row in rows):
        return
    leading = _leading(rows)
    for found in _tables(rows, drawn, leading):
        first, last = _with_edges(rows, found, leading, left, width)
        for row in rows[first : last + 1]:
            row.kind = "table"
    for row in rows:
        if row.is_cells and row.kind == "text":
            row.signs = (*row.signs, "scrambled_columns")


def _mark_stretched_rows(rows: Sequence[Row], left: float, width: float) -> None:
    parted = [row for row in rows if len(row.pieces) > 1]
    for index, row in enumerate(parted):
        fills = row.x0 - left < _ALIGNED and left + width - row.pieces[-1].x1 < _ALIGNED
        narrow = all(after.x0 - before.x1 < _MOST_STRETCHED * row.size for before, after in pairwise(row.pieces))
        beside = (*parted[max(0, index - 2) : index], *parted[index + 1 : index + 3])
        in_line = any(abs(one.x0 - cell.x0) <= _EXACTLY for other in beside for one in other.pieces[1:] for cell in row.pieces[1:])
        row.stretched = fills and narrow and not in_line


def _mark_tight_rows(rows: list[Row]) -> None:
    """A numerator over its denominator, or a raised figure that became a line: rows that lie too close and one over the other."""
    for above, row in pairwise(rows):
        close = above.y - row.y < _TIGHT * max(above.size, row.size)
        if not close:
            continue
        text = " ".join(piece.text for piece in (*above.pieces, *row.pieces))
        if "=" in text:
            above.kind = row.kind = "formula"
        elif any(map(str.isdigit, text)):
            above.signs = (*above.signs, "noise_near_digits")
            row.signs = (*row.signs, "noise_near_digits")
    for _ in range(2):  # the third line of "Clcr = (140 - tuổi) / 72" lies close to one that is a formula already
        for above, row in pairwise(rows):
            if "formula" in (above.kind, row.kind) and above.y - row.y < _TIGHT * max(above.size, row.size):
                above.kind = row.kind = "formula"


def _leading(rows: Sequence[Row]) -> float:
    steps = [above.y - row.y for above, row in pairwise(rows)]
    return median_low(steps) if steps else rows[0].size * 1.25


def _tables(rows: Sequence[Row], drawn: Sequence[Rule], leading: float) -> list[tuple[int, int]]:
    """First and last row of every table: cells in a frame, or rows of cells that stand under one another."""
    framed = [any(frame.y0 - 2 <= row.y <= frame.y1 + 2 and _inside(row, frame) for frame in drawn) for row in rows]
    found: list[tuple[int, int]] = []
    index = 0
    while index < len(rows):
        if not rows[index].is_cells:
            index += 1
            continue
        first = last = index
        following = index + 1
        while following < len(rows) and following - last <= _MOST_ROWS_BETWEEN + 1:
            row = rows[following]
            if rows[following - 1].y - row.y > 2.5 * max(leading, row.size):
                break
            if row.is_cells or (framed[following] and framed[last]):
                last = following
            following += 1
        if framed[first] or _stand_under_one_another([row for row in rows[first : last + 1] if row.is_cells]):
            while first > 0 and framed[first - 1] and framed[first]:
                first -= 1
            while last + 1 < len(rows) and framed[last + 1] and framed[last]:
                last += 1
            found.append((first, last))
        index = max(last, index) + 1
    return found


def _inside(row: Row, frame: Rule) -> bool:
    return frame.x0 - _ALIGNED <= row.x0 and row.pieces[-1].x1 <= frame.x1 + _ALIGNED


def _stand_under_one_another(cells: Sequence[Row]) -> bool:
    """Three rows of cells are a table; two are one where the beginnings or the middles of their cells lie under one another."""
    if len(cells) != 2:
        return len(cells) > 2
    upper, lower = cells
    return any(
        abs(one.x0 - other.x0) <= _ALIGNED or abs((one.x0 + one.x1) - (other.x0 + other.x1)) <= 2 * _ALIGNED
        for one in upper.pieces[1:]
        for other in lower.pieces[1:]
    )


def _with_edges(rows: Sequence[Row], found: tuple[int, int], leading: float, left: float, width: float) -> tuple[int, int]:
    """A table with a heading that lies over several of its columns, and with the rest of a cell below its last row."""
    first, last = found
    while first > 0:
        above = rows[first - 1]
        near = above.y - rows[first].y <= 1.6 * leading
        centred = above.x0 > left + 0.1 * width
        if not (near and centred and above.kind == "text"):
            break
        first -= 1
    while last + 1 < len(rows):
        below = rows[last + 1]
        near = rows[last].y - below.y <= 1.3 * leading
        bold = all(piece.style & BOLD for piece in below.pieces)
        rest_of_cell = below.x0 > left + 0.15 * width or _LOWER_OR_BRACKET.match(below.pieces[0].text) is not None
        if not (near and rest_of_cell and below.kind == "text") or bold:
            break
        last += 1
    return first, last


def row_text(row: Row) -> tuple[str, tuple[tuple[int, str, str, str], ...]]:
    """The text of a row of a table, its cells parted by `` | ``, and the repairs for the signs between them."""
    repairs: list[tuple[int, str, str, str]] = []
    length = 0
    for piece in row.pieces[:-1]:
        length += len(piece.text)
        repairs.append((length, "separator", " ", _CELL_GAP))
        length += len(_CELL_GAP)
    return _CELL_GAP.join(piece.text for piece in row.pieces), tuple(repairs)
