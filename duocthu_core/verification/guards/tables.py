"""Tables in a text: the head of a column says the unit of its cells and whether they are bands of clearance."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from dataclasses import dataclass

from duocthu_core.verification.guards.lexicon import Hit, Lexicon
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.tokens import Tokens
from duocthu_core.verification.guards.units import unit_within

_BAR = "|"


@dataclass(slots=True)
class _Column:
    unit: Quantity | None
    """The unit in the column's head, on a quantity without a number."""
    is_clearance: bool


def fill_table_cells(found: list[Quantity], tokens: Tokens, hits: dict[str, list[Hit]], lexicon: Lexicon) -> None:
    """Gives the figures of table cells what stands in the head of their column ("Độ thanh thải creatinin (ml/phút)")."""
    if _BAR not in tokens.words:
        return
    starts = [quantity.start for quantity in found]
    measured = [hit.start for hit in hits.get("measured", ())]
    columns: list[_Column] = []
    rows = _rows(tokens)
    for number, row in enumerate(rows):
        figures = [found[bisect_left(starts, start) : bisect_left(starts, end)] for start, end in row]
        lettered = any(tokens.words[place][0].isalpha() for start, end in row for place in range(start, end))
        if lettered and (not any(figures) or _is_rule(rows[number + 1 : number + 2], tokens)):
            heads = [
                _Column(unit_within(tokens, start, end, lexicon), bisect_left(measured, start) < bisect_left(measured, end))
                for start, end in row
            ]
            columns = [_below(upper, head) for upper, head in zip(columns, heads, strict=True)] if len(columns) == len(heads) else heads
            continue
        for column, cell in zip(columns, figures, strict=False):
            for quantity in cell:
                _fill(quantity, column)


def _is_rule(following: list[list[tuple[int, int]]], tokens: Tokens) -> bool:
    """Whether the next row is the line of dashes under a table's head."""
    return any(all(tokens.words[place] in ("-", ":") for start, end in row for place in range(start, end)) for row in following)


def _below(upper: _Column, head: _Column) -> _Column:
    """A second head row: what it leaves open is what the first one says."""
    return _Column(head.unit or upper.unit, head.is_clearance or upper.is_clearance)


def _fill(quantity: Quantity, column: _Column) -> None:
    unit = column.unit
    if quantity.unit is None and unit is not None:
        quantity.unit = quantity.low_unit = unit.unit
        quantity.per_body, quantity.per_time, quantity.kind = unit.per_body, unit.per_time, unit.kind
    if column.is_clearance and quantity.unit is None:
        quantity.unit = quantity.low_unit = "ml"
        quantity.per_time = "phut"
    if column.is_clearance and quantity.unit == "ml" and quantity.per_time == "phut":
        quantity.band = "clearance"


def _rows(tokens: Tokens) -> list[list[tuple[int, int]]]:
    """The cells of each table row: the tokens between its bars."""
    lines = sorted({0, *tokens.line_starts, len(tokens.words)})
    rows: list[list[tuple[int, int]]] = []
    for start, end in itertools.pairwise(lines):
        if tokens.words[start] != _BAR:
            continue
        bars = [place for place in range(start, end) if tokens.words[place] == _BAR]
        if tokens.words[end - 1] != _BAR:
            bars.append(end)
        rows.append([(left + 1, right) for left, right in itertools.pairwise(bars)])
    return rows
