"""Whether a mutant is true after all: then no check is to blame for letting it through (spec 06, page 7)."""

from __future__ import annotations

from duocthu_core.verification.guards.groups import ancestors, route_fits
from duocthu_core.verification.guards.lexicon import Lexicon
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Clause, Reading, Scope, content_words


def tells_apart(scope: Scope, other: Scope) -> bool:
    def keys(bands: tuple[Quantity, ...]) -> set[tuple[str, str | None]]:
        return {band.value for band in bands}

    populations = scope.populations and other.populations and not scope.populations & other.populations
    severity = scope.severity and other.severity and not scope.severity & other.severity
    return bool(populations or severity or (scope.bands and other.bands and not keys(scope.bands) & keys(other.bands)))


def says_its_label(before: Reading, after: Reading, lexicon: Lexicon) -> bool:
    """Whether the text still names every group and band that the labels cut off named ("Liều người lớn: Liều người lớn thường dùng …").

    A narrower group of its own says the wider one: "Trẻ em: Sơ sinh thiếu tháng …".
    """
    own = frozenset(tag for clause in after.clauses for tag in clause.scope.populations)
    said = own.union(*(ancestors(tag, lexicon) for tag in own))
    bands = {band.value for clause in after.clauses for band in clause.scope.bands}
    named = [label.scope for label in before.labels]
    groups = frozenset(tag for scope in named for tag in scope.populations)
    return groups <= said and {band.value for scope in named for band in scope.bands} <= bands and bool(groups or bands)


_WHOM = (["bệnh", "nhân"], ["người", "bệnh"], ["nếu", "bị"])
_NAMED_WITHIN = 3


def says_whom(text: Reading, lexicon: Lexicon) -> bool:
    """Whether the text itself says in whom ("ở bệnh nhân nghiện rượu", "nếu bị loét tá tràng"): then it holds without its outer label."""
    words = text.tokens.words
    return any(
        words[place : place + 2] in _WHOM and len(content_words(words[place + 2 : place + 2 + _NAMED_WITHIN], lexicon)) > 1
        for place in range(len(words))
    )


def has_one_label(block: Reading) -> bool:
    """Whether all doses of the block stand under the same labels: none of them can be taken for another's (spec 04, ``dropped_label``)."""
    dosing = [clause for clause in block.clauses if any(quantity.is_dose for quantity in clause.quantities)]
    return len({tuple(block.words_of(label.start, label.end) for label in clause.labels) for clause in dosing}) <= 1


def stands_so(reading: Reading, block: Reading, lexicon: Lexicon) -> bool:
    """Whether every figure of the text stands in the block with the same unit under the very same group, route, band and degree."""
    figures = [(clause, quantity) for clause in reading.clauses for quantity in clause.quantities]
    return bool(figures) and all(
        any(_alike(clause, quantity, *place, lexicon) for place in block.values.get(quantity.value, ())) for clause, quantity in figures
    )


def _one_of(routes: frozenset[str], allowed: frozenset[str], lexicon: Lexicon) -> bool:
    """Whether a text names only routes that the block allows there ("tiêm tĩnh mạch" of "tiêm bắp hoặc tĩnh mạch")."""
    return routes == allowed or (bool(routes) and all(any(route_fits(route, other, lexicon) for other in allowed) for route in routes))


def _alike(clause: Clause, quantity: Quantity, other: Clause, place: Quantity, lexicon: Lexicon) -> bool:
    mine, theirs = clause.scope, other.scope
    return (
        (quantity.unit, quantity.per_body, quantity.per_time, quantity.bound) == (place.unit, place.per_body, place.per_time, place.bound)
        and (mine.populations, mine.severity) == (theirs.populations, theirs.severity)
        and _one_of(mine.routes, theirs.routes, lexicon)
        and {band.value for band in mine.bands} == {band.value for band in theirs.bands}
    )
