"""Guards over single figures: range, unit, bound, number words and Roman grades."""

from __future__ import annotations

from duocthu_core.text.folding import strip_marks
from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.lexicon import DOSE_KINDS
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Clause, Reading
from duocthu_core.verification.guards.units import unit_at
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
        if not any(other.value == hit.value for other in theirs) and not _stands_without_marks(hit.start, hit.end, comparison)
    ]


def _stands_without_marks(start: int, end: int, comparison: Comparison) -> bool:
    """ "gap đôi": a scan may have lost the marks."""
    wanted = [strip_marks(word) for word in comparison.claim.tokens.words[start:end]]
    words = comparison.block.tokens.words
    return any([strip_marks(word) for word in words[at : at + len(wanted)]] == wanted for at in range(len(words) - len(wanted) + 1))


def _figure_finding(quantity: Quantity, comparison: Comparison) -> Finding | None:
    places = occurrences(quantity, comparison)
    here = (quantity.start, quantity.end)
    if quantity.from_words:
        return _word_finding(quantity, places, comparison)
    if not places:
        near = _standing_alone(quantity, comparison)
        message = "range_mismatch" if near is not None else "number_elsewhere"
        return comparison.finding("other_item", message, here, near)
    fitting = [
        (clause, other)
        for clause, other in places
        if (quantity.same_unit(other) or _sprays(quantity, other, comparison)) and not counts_another_thing(quantity, other, comparison)
    ]
    if not fitting:
        other = places[0][1]
        return comparison.finding("unit_mismatch", "unit_mismatch", here, (other.start, other.end))
    if _is_rate_put_in(quantity, fitting, comparison):
        other = fitting[0][1]
        return comparison.finding("unit_mismatch", "unit_mismatch", here, (other.start, other.end))
    return _bound_finding(quantity, fitting, comparison)


_RATES = ("gio", "phut")


def _is_rate_put_in(quantity: Quantity, places: list[Occurrence], comparison: Comparison) -> bool:
    """ "1,5 mg/kg mỗi giờ", where the block has 1,5 mg/kg and says nothing at all per hour: its time stands before it ("hàng ngày")."""
    if quantity.per_time not in _RATES or not quantity.is_dose or any(place.per_time is not None for _, place in places):
        return False
    tokens, lexicon = comparison.block.tokens, comparison.lexicon
    for place in range(1, len(tokens.words)):
        if tokens.words[place - 1] == "/" or tokens.words[place - 1] in lexicon.per_words:
            unit = unit_at(tokens, place, lexicon)
            if unit is not None and unit[0] == quantity.per_time:
                return False
    return True


def _sprays(quantity: Quantity, other: Quantity, comparison: Comparison) -> bool:
    """ "xịt 2 lần" for "2 xịt"."""
    return {quantity.unit, other.unit} == _SPRAYS and bool(comparison.lexicon.spray_words & set(comparison.claim.tokens.words))


_SPRAYS = {"lan", "xit"}


def counts_another_thing(quantity: Quantity, other: Quantity, comparison: Comparison) -> bool:
    """ "2 viên" against "dạng kết hợp 2 thuốc": a figure without a unit, but with a word that says what it counts."""
    if other.unit is not None or quantity.unit is None or quantity.kind not in DOSE_KINDS:
        return False
    words = comparison.block.tokens.words
    following = words[other.end] if other.end < len(words) else ""
    return following[:1].isalpha() and len(following) > 1 and following not in comparison.lexicon.figure_borders


def _standing_alone(quantity: Quantity, comparison: Comparison) -> tuple[int, int] | None:
    """Where a figure of the claim stands in another range or alone, to show it."""
    for other in comparison.block.quantities:
        if quantity.low in other.value or (quantity.high is not None and quantity.high in other.value):
            return other.start, other.end
    return None


def _word_finding(quantity: Quantity, places: list[Occurrence], comparison: Comparison) -> Finding | None:
    """ "hai ngày" where the block has "hai tuần", "ba lần" where it has "hai lần"."""
    if any(quantity.same_unit(other) and other.unit is not None for _, other in places):
        return None
    if quantity.value == ("1", None) and any(other.per_time == _ONCE_A_DAY for other in comparison.block.quantities):
        return None  # "50 mg/lần/ngày" is "50 mg, ngày một lần"
    here = (quantity.start, quantity.end)
    alike = next((other for _, other in places if _is_of_kind(quantity, other)), None)
    if alike is not None:
        return comparison.finding("unit_mismatch", "unit_mismatch", here, (alike.start, alike.end))
    others = [other for other in comparison.block.quantities if other.unit == quantity.unit and other.unit is not None]
    if not others and quantity.kind not in _SAID_FOR_ITSELF:
        return None
    return comparison.finding("ungrounded_number", "number_word", here, (others[0].start, others[0].end) if others else None)


_ONCE_A_DAY = "lan/ngay"
# "hai tuần" and "ba viên" are facts of their own, also in a block that has no other figure of the kind.
_SAID_FOR_ITSELF = ("time", "count_form")


def _is_of_kind(quantity: Quantity, other: Quantity) -> bool:
    """Whether two figures measure the same sort of thing in different units (times, tablets and sachets, times a day and a week)."""
    return other.unit is not None and quantity.kind == other.kind and bool(quantity.kind)


def _bound_finding(quantity: Quantity, places: list[Occurrence], comparison: Comparison) -> Finding | None:
    here = (quantity.start, quantity.end)
    bounded = [other for _, other in places if other.bound is not None]
    if quantity.bound is not None:
        turned = quantity.band is not None and any(_turned(quantity, other) for other in bounded)
        ends_of_ranges = quantity.high is None and any(other.high is not None for _, other in places) and not turned
        alike = [other for other in bounded if _same_side(quantity, other)]
        if alike or ends_of_ranges:
            return _strictness_warning(quantity, alike, comparison)
        if bounded and (turned or len(bounded) == len(places)):
            other = next((each for each in bounded if _turned(quantity, each)), bounded[0])
            return comparison.finding("comparator_mismatch", "comparator_mismatch", here, (other.start, other.end))
        if _both_reach(quantity, places, comparison):
            return None
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


def _turned(quantity: Quantity, other: Quantity) -> bool:
    return other.high is None and ((quantity.upper and other.lower) or (quantity.lower and other.upper))


def _strictness_warning(quantity: Quantity, alike: list[Quantity], comparison: Comparison) -> Finding | None:
    """ "dưới 30" for "không quá 30": the same limit, but for the figure itself; a warning, whatever the ruleset says of flips."""
    if not alike or quantity.high is not None or any(other.high is not None or other.bound == quantity.bound for other in alike):
        return None
    other = alike[0]
    here, there = (quantity.start, quantity.end), (other.start, other.end)
    return comparison.finding("comparator_mismatch", "bound_strictness", here, there, level="warn")


def _both_reach(quantity: Quantity, places: list[Occurrence], comparison: Comparison) -> bool:
    """ "có thể tăng đến 100 mg" for "có thể đến 100 mg": both lead up to the figure."""
    reaching = comparison.lexicon.reaching_words
    mine, theirs = comparison.claim.tokens.words, comparison.block.tokens.words
    return mine[quantity.start - 1] in reaching and any(theirs[max(0, place.start - 1)] in reaching for _, place in places)


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
