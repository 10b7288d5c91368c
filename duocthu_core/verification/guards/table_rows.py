"""Guard over rows of tables: figures told together must stand in one row."""

from __future__ import annotations

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.polarity import polar_sentences
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Reading
from duocthu_core.verification.model import Finding

_BAR = "|"


def table_row_findings(comparison: Comparison) -> list[Finding]:
    """``other_item`` for a figure of a table that the claim tells beside figures of other rows only."""
    rows = _rows_of_figures(comparison.block)
    if not rows:
        return []
    found: list[Finding] = []
    for sentence in polar_sentences(comparison.claim, comparison.lexicon):
        said = [each for each in comparison.claim.quantities if sentence.start <= each.start < sentence.end and not each.implied]
        placed = [(quantity, places) for quantity in said if (places := _rows_with(quantity, rows, comparison))]
        for number, (quantity, places) in enumerate(placed):
            beside = [rows_of for _, rows_of in (*placed[max(0, number - 1) : number], *placed[number + 1 : number + 2])]
            if beside and not any(places & other for other in beside):
                stands = _first_place(quantity, comparison)
                here = (quantity.start, quantity.end)
                return [comparison.finding("other_item", "item_conflict", here, (stands.start, stands.end), label=_BAR)]
    return found


def _first_place(quantity: Quantity, comparison: Comparison) -> Quantity:
    return next(place for _, place in comparison.block.values[quantity.value] if quantity.same_unit(place))


def _rows_with(quantity: Quantity, rows: dict[int, int], comparison: Comparison) -> frozenset[int]:
    """The rows that have the figure; none where it stands outside of tables as well."""
    places = [place for _, place in comparison.block.values.get(quantity.value, ()) if quantity.same_unit(place)]
    if any(place.start not in rows for place in places):
        return frozenset()
    return frozenset(rows[place.start] for place in places)


def _rows_of_figures(reading: Reading) -> dict[int, int]:
    """Figures of the block that stand in a table row: where they begin -> number of the row."""
    if "table_rows" not in reading.derived:
        found: dict[int, int] = {}
        if _BAR in reading.tokens.words:
            starts = sorted({0, *reading.tokens.line_starts})
            row = 0
            for quantity in reading.quantities:
                while row + 1 < len(starts) and starts[row + 1] <= quantity.start:
                    row += 1
                if reading.tokens.words[starts[row]] == _BAR:
                    found[quantity.start] = row
        reading.derived["table_rows"] = found
    return reading.derived["table_rows"]
