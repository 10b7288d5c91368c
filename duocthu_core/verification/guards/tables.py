"""Tables in a text: the head of a column says the unit of its cells and whether they are bands of clearance."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from dataclasses import dataclass

from duocthu_core.verification.guards.lexicon import Hit, Lexicon
from duocthu_core.verification.guards.quantity import Band, Quantity
from duocthu_core.verification.guards.tokens import Tokens
from duocthu_core.verification.guards.units import unit_at, unit_within

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


def fill_arrows(found: list[Quantity], tokens: Tokens, lexicon: Lexicon) -> None:
    """ "kg → mg mỗi lần: 10 - 14 → 1; 15 - 19 → 2": the first arrow of a line says the units of both sides of the others."""
    words = tokens.words
    arrows = [place for place, word in enumerate(words) if word in _ARROWS]
    if "(" in words and ":" in words and ";" in words:
        arrows = sorted([*arrows, *_colons_of_pairs(tokens, lexicon)])
    if not arrows:
        return
    by_start = {quantity.start: quantity for quantity in found}
    lines = sorted({0, *tokens.line_starts, len(words)})
    for start, end in itertools.pairwise(lines):
        inside = [place for place in arrows if start < place < end - 1]
        head = next((place for place in inside if tokens.numbers[place + 1] is None and unit_at(tokens, place + 1, lexicon)), None)
        if head is None:
            continue
        left, right = unit_at(tokens, head - 1, lexicon), unit_at(tokens, head + 1, lexicon)
        if left is not None and left[0] == "phut":
            left = ("ml_phut", left[1])
        for place in inside:
            target, source = by_start.get(place + 1), _before_arrow(place, found, words)
            if place <= head or target is None or source is None:
                continue
            if right is not None and target.unit is None:
                target.unit = target.low_unit = right[0]
                target.kind = lexicon.unit_kinds.get(right[0], "")
            if left is not None and source.unit is None and left[0] in _BANDS:
                source.unit = source.low_unit = _YEARS.get(left[0], left[0])
                source.kind, source.band = lexicon.unit_kinds.get(left[0], ""), _BANDS[left[0]]
            if left is not None and source.unit is None and left[0] == "ml_phut":
                source.unit = source.low_unit = "ml"
                source.per_time, source.kind, source.band = "phut", "volume", "clearance"


def _colons_of_pairs(tokens: Tokens, lexicon: Lexicon) -> list[int]:
    """The colons of "(Clcr ml/phút : mg/24 giờ): 100: 1545; 90: 1390": between two units in brackets, then between two figures."""
    words, numbers = tokens.words, tokens.numbers
    found: list[int] = []
    for place in range(1, len(words) - 1):
        if words[place] != ":":
            continue
        if (numbers[place - 1] is not None and numbers[place + 1] is not None and found) or (
            numbers[place - 1] is None and unit_at(tokens, place - 1, lexicon) and unit_at(tokens, place + 1, lexicon)
        ):
            found.append(place)
    return found if len(found) > 1 else []


_ARROWS = frozenset({"→", "⇒", "➔"})
_BANDS: dict[str, Band] = {"kg": "weight", "tuoi": "age", "nam": "age", "thang": "age"}
_YEARS = {"tuoi": "nam"}


def _before_arrow(place: int, found: list[Quantity], words: list[str]) -> Quantity | None:
    """The figure before an arrow, not one in brackets behind it."""
    before = [quantity for quantity in found if quantity.end <= place and not quantity.in_parenthesis]
    if not before or any(word in ";→" for word in words[before[-1].end : place]):
        return None
    return before[-1]


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
