"""Which patient groups and routes may stand for one another."""

from __future__ import annotations

from duocthu_core.verification.guards.lexicon import BARE_INTRAVENOUS, Lexicon


def populations_conflict(mine: frozenset[str], theirs: frozenset[str], lexicon: Lexicon) -> bool:
    """Whether a figure under ``theirs`` may not be stated for ``mine``.

    Age is compared with age and organ function with organ function; only where they share no axis, one with the other.
    """
    if not mine or not theirs:
        return False
    axes = lexicon.population_axes
    shared = {axes[tag] for tag in mine} & {axes[tag] for tag in theirs}
    for axis in shared:
        there = frozenset(tag for tag in theirs if axes[tag] == axis)
        if all(_misfits(tag, there, lexicon) for tag in mine if axes[tag] == axis):
            return True
    return not shared and all(_misfits(tag, theirs, lexicon) for tag in mine)


def _misfits(tag: str, theirs: frozenset[str], lexicon: Lexicon) -> bool:
    """Whether ``tag`` is none of ``theirs``: a group of its own, or the wider one of a narrower group.

    Narrower than the block is no misfit (the neighbours decide), except where figures may not be exchanged: an adult's dose is not
    the dose of an older person.
    """
    if tag in theirs:
        return False
    return all((tag, other) in lexicon.population_conflicts or tag in ancestors(other, lexicon) for other in theirs)


def ancestors(tag: str, lexicon: Lexicon) -> set[str]:
    """The groups that ``tag`` lies in."""
    found: set[str] = set()
    while (tag := lexicon.parents.get(tag, "")) and tag not in found:
        found.add(tag)
    return found


def routes_conflict(mine: frozenset[str], theirs: frozenset[str], lexicon: Lexicon) -> bool:
    """Whether no route of ``mine`` can be one of ``theirs``."""
    if not mine or not theirs:
        return False
    return not any(route_fits(route, other, lexicon) for route in mine for other in theirs)


def route_fits(route: str, other: str, lexicon: Lexicon) -> bool:
    """Whether a claim may say ``route`` where the block has ``other``: the same, or the general word for it."""
    if route == other or other in lexicon.route_specials.get(route, ()):
        return True
    if BARE_INTRAVENOUS in (route, other):
        special = other if route == BARE_INTRAVENOUS else route
        return special in lexicon.intravenous or special == "tiem_khong_ro"
    return False
