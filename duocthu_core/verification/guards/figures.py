"""Guards over single figures: range, unit, bound, number words and Roman grades."""

from __future__ import annotations

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Clause, Reading
from duocthu_core.verification.model import Finding

Occurrence = tuple[Clause, Quantity]


def occurrences(quantity: Quantity, comparison: Comparison) -> list[Occurrence]:
    """Where the figure stands in the block, whatever its unit: as it is written, or as the end of a range its bound points at."""
    block = comparison.block
    found = list(block.values.get(quantity.value, ()))
    if quantity.high is None and (quantity.upper or quantity.lower):
        for (low, high), places in block.values.items():
            if high is not None and quantity.low == (high if quantity.upper else low):
                found += places
    return found


def figure_findings(comparison: Comparison) -> list[Finding]:
    """Every figure of the claim against every equal figure of the block."""
    found: list[Finding] = []
    for quantity in comparison.claim.quantities:
        if quantity.implied:
            continue
        finding = _figure_finding(quantity, comparison)
        if finding is not None:
            found.append(finding)
    return found + grade_findings(comparison) + _multiple_findings(comparison)


def _multiple_findings(comparison: Comparison) -> list[Finding]:
    """ "gấp đôi", "nửa liều": a factor that the block does not state."""
    theirs = comparison.block.hits.get("multiple", ())
    return [
        comparison.finding("ungrounded_number", "number_word", (hit.start, hit.end), (theirs[0].start, theirs[0].end) if theirs else None)
        for hit in comparison.claim.hits.get("multiple", ())
        if not any(other.value == hit.value for other in theirs)
    ]


def _figure_finding(quantity: Quantity, comparison: Comparison) -> Finding | None:
    places = occurrences(quantity, comparison)
    here = (quantity.start, quantity.end)
    if quantity.from_words:
        return _word_finding(quantity, places, comparison)
    if not places:
        near = _standing_alone(quantity, comparison)
        message = "range_mismatch" if near is not None else "number_elsewhere"
        return comparison.finding("other_item", message, here, near)
    fitting = [(clause, other) for clause, other in places if quantity.same_unit(other)]
    if not fitting:
        other = places[0][1]
        return comparison.finding("unit_mismatch", "unit_mismatch", here, (other.start, other.end))
    return _bound_finding(quantity, fitting, comparison)


def _standing_alone(quantity: Quantity, comparison: Comparison) -> tuple[int, int] | None:
    """Where a figure of the claim stands in another range or alone, to show it."""
    for other in comparison.block.quantities:
        if quantity.low in other.value or (quantity.high is not None and quantity.high in other.value):
            return other.start, other.end
    return None


def _word_finding(quantity: Quantity, places: list[Occurrence], comparison: Comparison) -> Finding | None:
    if any(quantity.same_unit(other) for _, other in places):
        return None
    others = [other for other in comparison.block.quantities if other.unit == quantity.unit and other.unit is not None]
    if not others:
        return None
    return comparison.finding("ungrounded_number", "number_word", (quantity.start, quantity.end), (others[0].start, others[0].end))


def _bound_finding(quantity: Quantity, places: list[Occurrence], comparison: Comparison) -> Finding | None:
    here = (quantity.start, quantity.end)
    bounded = [other for _, other in places if other.bound is not None]
    if quantity.bound is not None:
        ends_of_ranges = quantity.high is None and any(other.high is not None for _, other in places)
        alike = [other for other in bounded if _same_side(quantity, other)]
        if alike or ends_of_ranges:
            return _strictness_warning(quantity, alike, comparison)
        if bounded and len(bounded) == len(places):
            other = bounded[0]
            return comparison.finding("comparator_mismatch", "comparator_mismatch", here, (other.start, other.end))
        if _is_soft(quantity, comparison) or any(_side_in_clause(quantity, clause, comparison) for clause, _ in places):
            return None
        other = places[0][1]
        return comparison.finding("comparator_mismatch", "bound_added", here, (other.start, other.end))
    if quantity.bound is None and quantity.is_dose and bounded and len(bounded) == len(places):
        item = next((clause.item for clause in comparison.claim.clauses if clause.start <= quantity.start < clause.end), None)
        clauses = [clause for clause in comparison.claim.clauses if clause.item == item]
        led_to = comparison.claim.tokens.words[max(0, quantity.start - 1)] in comparison.lexicon.reaching_words  # "tới 800 mg"
        if clauses and not led_to and not _has_bound(clauses[0].start, clauses[-1].end, comparison):
            other = bounded[0]
            return comparison.finding("comparator_mismatch", "limit_as_dose", here, (other.start, other.end))
    return None


def _strictness_warning(quantity: Quantity, alike: list[Quantity], comparison: Comparison) -> Finding | None:
    """ "dưới 30" for "không quá 30": the same limit, but for the figure itself; a warning, whatever the ruleset says of flips."""
    if not alike or quantity.high is not None or any(other.high is not None or other.bound == quantity.bound for other in alike):
        return None
    other = alike[0]
    here, there = (quantity.start, quantity.end), (other.start, other.end)
    return comparison.finding("comparator_mismatch", "bound_strictness", here, there, level="warn")


def _is_soft(quantity: Quantity, comparison: Comparison) -> bool:
    """ "trong vòng 24 giờ" says no more than "trong 24 giờ"."""
    start, end = quantity.bound_at or (0, 0)
    return tuple(comparison.claim.tokens.words[start:end]) in comparison.lexicon.soft_bounds


def _same_side(quantity: Quantity, other: Quantity) -> bool:
    return (quantity.upper and other.upper) or (quantity.lower and other.lower)


def _side_in_clause(quantity: Quantity, clause: Clause, comparison: Comparison) -> bool:
    sides = ("max", "lt") if quantity.upper else ("min", "gt")
    hits = [*comparison.block.hits.get("bound", ()), *comparison.block.hits.get("bound_after", ())]
    return any(clause.start <= hit.start < clause.end and hit.value in sides for hit in hits)


def _has_bound(start: int, end: int, comparison: Comparison) -> bool:
    hits = [*comparison.claim.hits.get("bound", ()), *comparison.claim.hits.get("bound_after", ())]
    return any(start <= hit.start < end for hit in hits)


def grade_findings(comparison: Comparison) -> list[Finding]:
    """Roman grades ("độ III"): a grade that the block does not have is another fact."""
    found: list[Finding] = []
    theirs = _grades(comparison.block, comparison)
    for place, figure in _grades(comparison.claim, comparison):
        if any(figure == other for _, other in theirs):
            continue
        near = theirs[0][0] if theirs else None
        block = (near - 1, near + 1) if near is not None else None
        found.append(comparison.finding("ungrounded_number", "grade_mismatch", (place - 1, place + 1), block))
    return found


def _grades(reading: Reading, comparison: Comparison) -> list[tuple[int, str]]:
    words = reading.tokens.words
    measured = {quantity.start for quantity in reading.quantities if quantity.unit is not None or quantity.high is not None}
    roman, grade_words = comparison.lexicon.roman, comparison.lexicon.grade_words
    found: list[tuple[int, str]] = []
    for place in range(1, len(words)):
        if words[place - 1] in grade_words:
            figure = roman.get(words[place]) or (words[place] if words[place].isdigit() and len(words[place]) < 3 else None)
            if figure is not None and place not in measured:
                found.append((place, figure))
    return found
