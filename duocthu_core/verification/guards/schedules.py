"""How often a dose is taken, at which time of day: whether the claim says it as the block does."""

from __future__ import annotations

from collections.abc import Iterable

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.lexicon import Hit
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Clause, Reading


def other_day_part(quantity: Quantity, clause: Clause, place: Quantity, other: Clause, comparison: Comparison) -> bool:
    """The morning's dose given in the evening."""
    mine = _day_part(quantity, clause, comparison.claim.hits.get("day_parts", []))
    if mine is None:
        return False
    theirs = _day_part(place, other, comparison.block.hits.get("day_parts", []))
    return theirs is not None and mine != theirs


def _day_part(quantity: Quantity, clause: Clause, hits: list[Hit]) -> str | None:
    """The time of day said with a dose, where a clause has several of both."""
    parts = [hit for hit in hits if clause.start <= hit.start < clause.end]
    doses = [candidate for candidate in clause.quantities if candidate.is_dose and not candidate.in_parenthesis]
    if len(parts) < 2 or len(doses) < 2 or quantity not in doses:
        return None
    place = doses.index(quantity)
    if parts[0].start < doses[0].start:
        before = [hit for hit in parts if hit.end <= quantity.start]
        return before[-1].value if before else None
    behind = doses[place + 1].start if place + 1 < len(doses) else clause.end
    after = [hit for hit in parts if quantity.end <= hit.start < behind]
    return after[0].value if after else None


_SIDES = ("trước", "sau")
_SIDE_WITHIN = 4


def other_side(quantity: Quantity, place: Quantity, comparison: Comparison) -> bool:
    """ "1 giờ trước mổ" told as "1 giờ sau mổ": a time on the other side of what it is counted from."""
    mine, theirs = _side(quantity, comparison.claim), _side(place, comparison.block)
    return mine is not None and theirs is not None and mine != theirs


def _side(quantity: Quantity, reading: Reading) -> str | None:
    """ "trước" or "sau" right behind a time, or a few words before it."""
    words = reading.tokens.words
    if quantity.end < len(words) and words[quantity.end] in _SIDES:
        return words[quantity.end]
    for place in range(quantity.start - 1, max(-1, quantity.start - 1 - _SIDE_WITHIN), -1):
        if words[place] in _SIDES:
            return words[place]
        if words[place] in ",;.:()" or reading.tokens.numbers[place] is not None:
            return None
    return None


def other_schedule(quantity: Quantity, clause: Clause, place: Quantity, other: Clause, comparison: Comparison) -> bool:
    """The interval, count, duration or volume that the claim puts behind the dose is another than the one behind it in the block."""
    mine = _steps(quantity, clause.item, comparison.claim.clauses)
    if not mine:
        return False
    theirs = _steps(place, other.item, comparison.block.clauses)
    for step in mine:
        alike = [candidate for candidate in theirs if candidate.unit == step.unit]
        if alike and not any(candidate.value == step.value for candidate in alike) and step.low.isdigit():
            return True
    return _frequency_of_another(mine, theirs, place, other, comparison=comparison)


def _frequency_of_another(mine: list[Quantity], theirs: list[Quantity], place: Quantity, other: Clause, *, comparison: Comparison) -> bool:
    """The frequency told with the dose is not its own ("2 ngày/lần") but that of another dose of the block ("3 lần/tuần")."""
    own = [step for step in theirs if _is_frequency(step)]
    said = [step for step in mine if _is_frequency(step)]
    if not own or not said or any(_same_step(step, candidate) for step in said for candidate in own):
        return False
    return any(
        any(_same_step(step, candidate) for step in said)
        for clause in comparison.block.clauses
        if clause.item == other.item
        or clause.sentence in (other.sentence, other.sentence + 1)
        or any(each.value == place.value and each.same_unit(place) for each in clause.quantities)
        for candidate in clause.quantities
        if candidate is not place and _is_frequency(candidate)
    )


def _is_frequency(step: Quantity) -> bool:
    return step.is_interval or (step.kind == "count" and step.per_time is not None)


def _same_step(step: Quantity, other: Quantity) -> bool:
    return step.value == other.value and step.same_unit(other)


def _steps(quantity: Quantity, item: int, clauses: Iterable[Clause]) -> list[Quantity]:
    """What stands behind a dose up to the next dose of its kind."""
    steps: list[Quantity] = []
    seen = False
    for clause in clauses:
        if clause.item != item:
            continue
        for candidate in clause.quantities:
            if candidate is quantity:
                seen = True
            elif not seen or candidate.in_parenthesis or candidate.implied or (candidate.from_words and candidate.low == "1"):
                continue
            elif candidate.is_dose and (candidate.kind == quantity.kind or candidate.kind != "volume"):
                return steps
            elif candidate.kind in ("time", "count", "volume") and candidate.per_body is None:
                steps.append(candidate)
    return steps
