"""Guard over joined groups: "người lớn và trẻ em dưới 3 tuổi" gives a figure to both, so both must have it in the block."""

from __future__ import annotations

from dataclasses import dataclass

from duocthu_core.verification.guards.band_ends import same_band
from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.figures import Occurrence
from duocthu_core.verification.guards.groups import ancestors, populations_conflict
from duocthu_core.verification.guards.labels import label_text, with_label
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Clause, Reading
from duocthu_core.verification.model import Finding

_BESIDE = 4
_JOINERS = frozenset({"và", "hoặc", "hay", "lẫn", ",", "như", "cũng", "cả", "/"})
_MEMBERS_MIN = 2


@dataclass(frozen=True, slots=True)
class _Member:
    """One group of a joined list, with the band right beside it."""

    tag: str
    start: int
    end: int
    band: Quantity | None


def widened_finding(clause: Clause, quantity: Quantity, places: list[Occurrence], comparison: Comparison) -> Finding | None:
    """What is wrong with a figure told for several groups at once, of which one does not have it."""
    if not quantity.is_dose:
        return None
    ranges = [(clause.start, clause.end), *((label.start, label.end) for label in clause.labels)]
    for start, end in ranges:
        members = _joined(start, end, comparison.claim, comparison)
        for member in members if len(members) >= _MEMBERS_MIN else ():
            finding = _without(member, places, comparison)
            if finding is not None:
                return finding
    return None


def _without(member: _Member, places: list[Occurrence], comparison: Comparison) -> Finding | None:
    worst: tuple[str, Occurrence] | None = None
    for clause, place in places:
        kind = _conflict(member, clause, comparison)
        if kind is None:
            return None
        worst = worst or (kind, (clause, place))
    if worst is None:
        return None
    kind, (clause, place) = worst
    here = (member.start, member.end)
    shown, label = with_label(clause, place), label_text(clause, comparison)
    if kind == "band":
        return comparison.finding("dropped_label", "dropped_label", here, shown, label=label)
    if kind == "other_band":
        return comparison.finding("other_item", "band_conflict", here, shown, label=label)
    return comparison.finding("population_mismatch", "population_conflict", here, shown, label=label)


def _conflict(member: _Member, clause: Clause, comparison: Comparison) -> str | None:
    lexicon, theirs = comparison.lexicon, clause.scope.populations
    axis = lexicon.population_axes[member.tag]
    same_axis = frozenset(tag for tag in theirs if lexicon.population_axes[tag] == axis)
    if not same_axis:
        return None
    related = {member.tag, *ancestors(member.tag, lexicon)}
    if not related & same_axis and populations_conflict(frozenset([member.tag]), same_axis, lexicon):
        return "population"
    alike = [band for band in clause.scope.bands if member.band is not None and band.band == member.band.band]
    if member.band is not None and alike and not any(same_band(member.band, band) for band in alike):
        return "other_band"
    if member.band is None and member.tag in _only_with_bands(clause, comparison):
        return "band"
    return None


def _only_with_bands(clause: Clause, comparison: Comparison) -> frozenset[str]:
    """The groups that the block names over a clause with a band right beside them, and nowhere there without one."""
    ranges = [(label.start, label.end) for label in clause.labels] + [(clause.start, clause.end)]
    block = comparison.block
    found = [
        _Member(hit.value, hit.start, hit.end, _band_beside(hit.end, block))
        for start, end in ranges
        for hit in block.hits.get("population", ())
        if start <= hit.start < end
    ]
    bare = {member.tag for member in found if member.band is None}
    return frozenset(member.tag for member in found if member.band is not None and member.tag not in bare)


def _joined(start: int, end: int, reading: Reading, comparison: Comparison) -> list[_Member]:
    """The groups of one axis that "và", "hoặc" or a comma join, each with its band."""
    axes = comparison.lexicon.population_axes
    members: list[_Member] = []
    for hit in reading.hits.get("population", ()):
        if not start <= hit.start < end:
            continue
        member = _Member(hit.value, hit.start, hit.end, _band_beside(hit.end, reading))
        if members:
            last = members[-1]
            floor = last.band.end if last.band is not None else last.end
            between = reading.tokens.words[floor : hit.start]
            if axes[last.tag] != axes[member.tag] or not between or not all(word in _JOINERS or word in "()" for word in between):
                if len(members) >= _MEMBERS_MIN:
                    return members
                members = []
        members.append(member)
    return members


def _band_beside(end: int, reading: Reading) -> Quantity | None:
    """The band of age or weight right behind a group."""
    words = reading.tokens.words
    for quantity in reading.quantities:
        if quantity.band is not None and 0 <= quantity.start - end <= _BESIDE:
            between = words[end : quantity.start]
            return None if any(word in _JOINERS or word in ";:." for word in between) else quantity
    return None
