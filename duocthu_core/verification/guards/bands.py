"""Bands of age, weight and clearance: the same band, one inside another, and a dose that has lost its band."""

from __future__ import annotations

from duocthu_core.verification.guards.band_ends import inside, same_band
from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.figures import Occurrence
from duocthu_core.verification.guards.labels import label_text, with_label
from duocthu_core.verification.guards.lexicon import Hit, Lexicon
from duocthu_core.verification.guards.neighbours import bands_of
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Clause, Reading
from duocthu_core.verification.model import Finding


def bands_conflict(
    mine: tuple[Quantity, ...], theirs: tuple[Quantity, ...], other: Clause, quantity: Quantity, comparison: Comparison
) -> bool:
    """Whether a figure under the bands ``theirs`` may not be stated for ``mine``.

    A claim may speak of part of the block's band, but only for an interval or a count: "tối đa 4 lần/24 giờ" for 3 tháng - 12 tuổi
    holds for 5 - 12 tuổi. A dose never moves to another band.
    """
    for band in mine:
        same_dimension = [
            candidate for candidate in theirs if candidate.band == band.band or {candidate.band, band.band} == {"age", "gestation"}
        ]
        if any(same_band(band, candidate) for candidate in same_dimension):
            continue
        if quantity.kind in ("time", "count") and any(inside(band, candidate) for candidate in same_dimension):
            continue
        if same_dimension:
            return True
        if any(same_band(band, candidate) for candidate in other.scope.bands):
            continue  # an earlier label of the line still says so
        if other.sentence < 0 or any(same_band(band, candidate) for candidate in other.near.bands):
            continue  # what stands in a label (a strength) is nobody's dose
        if any(
            same_band(band, candidate)
            for clause in comparison.block.clauses
            if clause is not other and clause.sentence != other.sentence and _decides(clause, quantity, comparison.lexicon)
            for candidate in clause.firm.bands
        ):
            return True
    return False


def _decides(clause: Clause, quantity: Quantity, lexicon: Lexicon) -> bool:
    """Whether a clause of the band gives figures of the same kind, so that a figure from elsewhere is none of the band's."""
    if quantity.is_dose:  # a bare "cân nặng dưới 50 kg" in a list of cases gives none
        return bool(clause.quantities) or bool(clause.words - lexicon.dosing_words - lexicon.unit_words - lexicon.bound_words)
    return quantity.kind == "time" and any(each.kind == "time" and each.is_interval == quantity.is_interval for each in clause.quantities)


def lost_band_finding(quantity: Quantity, places: list[Occurrence], comparison: Comparison) -> Finding | None:
    """``dropped_label`` where the dose stands only under bands and the claim names none at all.

    "Trẻ em: 30 - 60 mg" out of "Trẻ em 1 - 3 tháng tuổi: 30 - 60 mg" gives a baby's dose to every child, also where the block holds no
    other dose that it could be taken for.
    """
    if any(clause.scope.bands for clause in comparison.claim.clauses):
        return None
    if not all(bands_of(other, comparison) and not _only_alternative(other, place, comparison) for other, place in places):
        return None
    said = frozenset(tag for clause in comparison.claim.clauses for tag in clause.scope.populations)
    if any(said & _groups_without_band(other, comparison.block) for other, _ in places):
        return None
    other, place = places[0]
    here = (quantity.start, quantity.end)
    return comparison.finding("dropped_label", "dropped_label", here, with_label(other, place), label=label_text(other, comparison))


def _only_alternative(clause: Clause, place: Quantity, comparison: Comparison) -> bool:
    """ "creatinin ≥ 1,4 mg/decilít hoặc Clcr < 60 ml/phút": the band is another case, not the one of the figure."""
    words = comparison.block.tokens.words
    own = {id(band) for band in clause.own.bands}
    return bool(own) and all(
        id(band) in own
        and place.end <= band.start
        and any(word in comparison.lexicon.list_joiners - {"và"} for word in words[max(place.end, band.start - _BESIDE) : band.start])
        for band in clause.firm.bands
    )


_BESIDE = 4


def _groups_without_band(clause: Clause, block: Reading) -> frozenset[str]:
    """ "Trẻ trên 30 kg và người lớn: 15 ml": the adults of that label have no band."""
    bands = clause.firm.bands
    starts = [band.start for band in bands]
    ranges = [(label.start, label.end) for label in clause.labels] + [(clause.start, clause.end)]
    beside: set[str] = set()
    apart: set[str] = set()
    for hit in block.hits.get("population", ()):
        if any(start <= hit.start < end for start, end in ranges):
            near = any(0 <= start - hit.end <= _BESIDE and not _followed(hit, start, block) for start in starts)
            (beside if near else apart).add(hit.value)
    return frozenset(apart - beside) if beside else frozenset()


def _followed(hit: Hit, start: int, block: Reading) -> bool:
    """Whether another group stands between a group and the band: "người lớn và trẻ em trên 12 tuổi"."""
    return any(hit.end <= other.start and other.end <= start for other in block.hits.get("population", ()))
