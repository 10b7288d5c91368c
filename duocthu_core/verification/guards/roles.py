"""What a dose is for: to start with, to go on with, to go up to."""

from __future__ import annotations

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Clause, Reading

_START = "khoi_dau"
"""The role of guards.yaml that no other may stand for."""


def roles_differ(quantity: Quantity, clause: Clause, place: Quantity, other: Clause, comparison: Comparison) -> bool:
    """A starting dose given as the maintenance dose, or the reverse."""
    mine = _roles(quantity, clause, comparison.claim)
    theirs = _roles(place, other, comparison.block)
    if not mine or not theirs or (_START in mine and _START in theirs):
        return False
    return (mine[-1] == _START) is not (theirs[-1] == _START)


def starts_with(quantity: Quantity, clause: Clause, reading: Reading) -> bool:
    """Whether a dose is said to be the one to start with."""
    return _roles(quantity, clause, reading)[-1:] == [_START]


def _roles(quantity: Quantity, clause: Clause, reading: Reading) -> list[str]:
    """The role words before the figure and behind the dose before it, in order."""
    doses = [candidate.end for candidate in clause.quantities if candidate.is_dose and candidate.end <= quantity.start]
    floor = max([clause.start, *doses])
    before = [hit.value for hit in reading.hits.get("roles", ()) if floor <= hit.start and hit.end <= quantity.start]
    if before:
        return before
    labelled = {role for label in clause.labels for role in label.scope.roles}
    return [*labelled] if len(labelled) == 1 and not doses else []
