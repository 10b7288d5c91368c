"""A dose of one age, weight or clearance told as if it were everybody's."""

from __future__ import annotations

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.figures import Occurrence
from duocthu_core.verification.guards.labels import label_text, with_label
from duocthu_core.verification.guards.neighbours import bands_of
from duocthu_core.verification.guards.quantities import Quantity
from duocthu_core.verification.model import Finding


def lost_band_finding(quantity: Quantity, places: list[Occurrence], comparison: Comparison) -> Finding | None:
    """``dropped_label`` where the dose stands only under bands and the claim names none at all.

    "Trẻ em: 30 - 60 mg" out of "Trẻ em 1 - 3 tháng tuổi: 30 - 60 mg" gives a baby's dose to every child, also where the block holds no
    other dose that it could be taken for.
    """
    if any(clause.scope.bands for clause in comparison.claim.clauses):
        return None
    if not all(bands_of(other, comparison) for other, _ in places):
        return None
    other, place = places[0]
    here = (quantity.start, quantity.end)
    return comparison.finding("dropped_label", "dropped_label", here, with_label(other, place), label=label_text(other, comparison))
