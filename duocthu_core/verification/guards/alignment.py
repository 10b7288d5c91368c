"""Guards over who a figure is for: group, route, band, degree, item and label.

Every figure of the claim is laid beside every equal figure of the block. It fails there when what the claim says about patient,
route, band or degree cannot be what governs that place; it is lost there when another item fits the claim better, or when what
tells that item from its neighbours is not said at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.figures import Occurrence, occurrences
from duocthu_core.verification.guards.groups import ancestors, populations_conflict, route_fits, routes_conflict
from duocthu_core.verification.guards.lexicon import Hit, Lexicon
from duocthu_core.verification.guards.quantities import Quantity
from duocthu_core.verification.guards.structure import Clause, Reading, Scope, content_words
from duocthu_core.verification.model import Finding, RejectReason

_REASONS: dict[str, RejectReason] = {"population": "population_mismatch", "route": "route_mismatch"}
Element = tuple[str, str]
# No block of a book states one figure as often; more would only cost time.
_PLACES_MAX = 64
_WEIGHTS = {"band": 3, "population": 2, "route": 2, "severity": 2, "tier": 2, "condition": 2}


@dataclass(slots=True)
class _Conflict:
    kind: str
    place: Quantity
    clause: Clause


def alignment_findings(comparison: Comparison) -> list[Finding]:
    """What the claim says of patient, route, band and degree against the item each of its figures comes from."""
    found: list[Finding] = []
    for clause in comparison.claim.clauses:
        for quantity in clause.quantities:
            if quantity.from_words:
                continue
            finding = _figure_alignment(clause, quantity, comparison)
            if finding is not None:
                found.append(finding)
        if not clause.quantities:
            found += _statement_alignment(clause, comparison)
        found += _named_nowhere(clause, comparison)
    return found


def _statement_alignment(clause: Clause, comparison: Comparison) -> list[Finding]:
    """A clause without a figure: its best clauses in the block by words must not speak of another group, degree or frequency."""
    scope, lexicon = clause.scope, comparison.lexicon
    if not (scope.populations or scope.routes or scope.severity or scope.tiers):
        return []
    wanted = clause.words - _LABEL_LIKE
    if len(wanted) < 2:
        return []
    scored = [(len(wanted & (other.words | _label_words(other))) / len(wanted), other) for other in comparison.block.clauses]
    best = max((share for share, _ in scored), default=0.0)
    if best < _STATEMENT_SHARE_MIN:
        return []
    kinds: set[str] = set()
    for share, other in scored:
        if share < best - 0.01:
            continue
        kind = _scope_conflict(scope, other.scope, lexicon)
        if kind is None:
            return []
        kinds.add(kind)
    nearest = next(other for share, other in scored if share >= best - 0.01)
    kind = kinds.pop() if len(kinds) == 1 else "item"
    shown = (nearest.start, nearest.end)
    reason = _REASONS.get(kind, "other_item")
    return [comparison.finding(reason, f"{kind}_conflict", (clause.start, clause.end), shown, label=_label_text(nearest, comparison))]


_STATEMENT_SHARE_MIN = 0.6
_LABEL_LIKE = frozenset({"chống", "định", "gặp"})


def _label_words(clause: Clause) -> frozenset[str]:
    return frozenset(word for label in clause.labels for word in label.words)


def _scope_conflict(mine: Scope, theirs: Scope, lexicon: Lexicon) -> str | None:
    if populations_conflict(mine.populations, theirs.populations, lexicon):
        return "population"
    if routes_conflict(mine.routes, theirs.routes, lexicon):
        return "route"
    if mine.severity and theirs.severity and not mine.severity & theirs.severity:
        return "severity"
    if mine.tiers and theirs.tiers and not mine.tiers & theirs.tiers:
        return "tier"
    return None


def _figure_alignment(clause: Clause, quantity: Quantity, comparison: Comparison) -> Finding | None:
    fitting = (place for place in occurrences(quantity, comparison) if quantity.same_unit(place[1]) and place[1].band is None)
    places = list(islice(fitting, _PLACES_MAX))
    if not places:
        return None
    conflicts: list[_Conflict] = []
    free: list[Occurrence] = []
    for other_clause, other in places:
        kind = _conflict(clause, quantity, other_clause, other, comparison)
        if kind is None:
            free.append((other_clause, other))
        else:
            conflicts.append(_Conflict(kind, other, other_clause))
    here = (quantity.start, quantity.end)
    if not free:
        kinds = {conflict.kind for conflict in conflicts}
        kind = kinds.pop() if len(kinds) == 1 else "item"
        conflict = conflicts[0]
        reason = _REASONS.get(kind, "other_item")
        return comparison.finding(
            reason, f"{kind}_conflict", here, _with_label(conflict.clause, conflict.place), label=_label_text(conflict.clause, comparison)
        )
    if not quantity.is_dose:
        return _about_something_else(quantity, free, comparison)
    return _against_neighbours(clause, quantity, free, comparison)


# --- one figure at one place


def _conflict(clause: Clause, quantity: Quantity, other: Clause, place: Quantity, comparison: Comparison) -> str | None:
    lexicon = comparison.lexicon
    mine, theirs = clause.scope, other.scope if quantity.is_dose else other.firm
    if populations_conflict(mine.populations, theirs.populations, lexicon):
        return "population"
    after = _population_right_after(place, comparison)
    if after and mine.populations and populations_conflict(mine.populations, after, lexicon):
        return "population"
    if _newborn_in_older_band(mine, theirs, lexicon) or _said_of_the_other(quantity, place, other, comparison):
        return "population"
    if routes_conflict(mine.routes, theirs.routes, lexicon):
        return "route"
    if _bands_conflict(mine.bands, theirs.bands, other, quantity, comparison):
        return "band"
    if mine.severity and theirs.severity and not mine.severity & theirs.severity:
        return "severity"
    if quantity.is_dose and _roles_differ(quantity, clause, place, other, comparison):
        return "role"
    if mine.tiers and theirs.tiers and not mine.tiers & theirs.tiers:
        return "tier"
    if _explains_only(quantity, clause, place, other):
        return "parenthesis"
    if _other_day_part(quantity, clause, place, other, comparison):
        return "day_part"
    if quantity.is_dose and _other_schedule(quantity, clause, place, other, comparison):
        return "schedule"
    return None


def same_band(band: Quantity, other: Quantity) -> bool:
    """Whether two bands are the same group: same ends, same units, not opposite sides."""
    if band.value != other.value or not band.same_unit(other):
        return False
    return band.high is not None or not ((band.upper and other.lower) or (band.lower and other.upper))


def _bands_conflict(
    mine: tuple[Quantity, ...], theirs: tuple[Quantity, ...], other: Clause, quantity: Quantity, comparison: Comparison
) -> bool:
    for band in mine:
        same_dimension = [
            candidate for candidate in theirs if candidate.band == band.band or {candidate.band, band.band} == {"age", "gestation"}
        ]
        if any(same_band(band, candidate) for candidate in same_dimension):
            continue
        if same_dimension:
            return True
        if quantity.is_dose and any(
            same_band(band, candidate) for clause in comparison.block.clauses if clause is not other for candidate in clause.firm.bands
        ):
            return True
    return False


def _newborn_in_older_band(mine: Scope, theirs: Scope, lexicon: Lexicon) -> bool:
    """A newborn is no child of an age band ("Trẻ em trên 1 tháng tuổi"), unless the claim names the band."""
    newborn = mine.populations and all(tag == "tre_so_sinh" or "tre_so_sinh" in ancestors(tag, lexicon) for tag in mine.populations)
    if not newborn or not theirs.populations or theirs.populations & mine.populations:
        return False
    return any(band.band == "age" for band in theirs.bands) and not mine.bands


_RIGHT_BEHIND = (["ở"], ["cho"], ["của"], [")", "ở"], [")", "cho"])


def _adjacent_populations(quantity: Quantity, reading: Reading) -> frozenset[str]:
    """The group right before a figure ("ở người suy thận 12 giờ") or right behind it ("5 ngày ở trẻ em")."""
    words = reading.tokens.words
    found = [
        hit.value
        for hit in reading.hits.get("population", ())
        if (0 <= quantity.start - hit.end <= 3 and not any(word in ";:." for word in words[hit.end : quantity.start]))
        or words[quantity.end : hit.start] in _RIGHT_BEHIND
    ]
    return frozenset(found)


def _said_of_the_other(quantity: Quantity, place: Quantity, other: Clause, comparison: Comparison) -> bool:
    """The claim puts a figure beside a group that the block puts beside another figure of the same kind."""
    mine = _adjacent_populations(quantity, comparison.claim)
    if not mine or _adjacent_populations(place, comparison.block):
        return False
    return any(
        candidate is not place
        and candidate.unit == place.unit
        and candidate.value != place.value
        and bool(mine & _adjacent_populations(candidate, comparison.block))
        for candidate in other.quantities
    )


def _roles_differ(quantity: Quantity, clause: Clause, place: Quantity, other: Clause, comparison: Comparison) -> bool:
    """A starting dose given as the maintenance dose, or the reverse."""
    mine = _role(quantity, clause, comparison.claim)
    theirs = _role(place, other, comparison.block)
    return mine is not None and theirs is not None and mine != theirs


def _role(quantity: Quantity, clause: Clause, reading: Reading) -> str | None:
    """The last role word before the figure and behind the dose before it."""
    doses = [candidate.end for candidate in clause.quantities if candidate.is_dose and candidate.end <= quantity.start]
    floor = max([clause.start, *doses])
    before = [hit.value for hit in reading.hits.get("roles", ()) if floor <= hit.start and hit.end <= quantity.start]
    if before:
        return before[-1]
    labelled = {role for label in clause.labels for role in label.scope.roles}
    return labelled.pop() if len(labelled) == 1 and not doses else None


def _population_right_after(place: Quantity, comparison: Comparison) -> frozenset[str]:
    """ "(0,5 - 5%) ở người lớn": the group right behind the figure."""
    words = comparison.block.tokens.words
    position = place.end
    while position < len(words) and words[position] in ")":
        position += 1
    if words[position : position + 1] not in (["ở"], ["cho"]):
        return frozenset()
    if "population_starts" not in comparison.block.derived:
        comparison.block.derived["population_starts"] = {hit.start: hit.value for hit in comparison.block.hits.get("population", ())}
    starts: dict[int, str] = comparison.block.derived["population_starts"]
    return frozenset([starts[position + 1]]) if position + 1 in starts else frozenset()


def _explains_only(quantity: Quantity, clause: Clause, place: Quantity, other: Clause) -> bool:
    """The figure stands only in an explaining parenthesis ("150 mg (nửa viên 300 mg)") and the claim gives it as the dose."""
    if not place.in_parenthesis or quantity.in_parenthesis or place.bound is not None:
        return False
    main = [candidate for candidate in other.quantities if candidate.is_dose and not candidate.in_parenthesis]
    if not main or not place.is_dose:
        return False
    return not any(mine.value == candidate.value for mine in clause.quantities for candidate in main)


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


def _other_day_part(quantity: Quantity, clause: Clause, place: Quantity, other: Clause, comparison: Comparison) -> bool:
    mine = _day_part(quantity, clause, comparison.claim.hits.get("day_parts", []))
    if mine is None:
        return False
    theirs = _day_part(place, other, comparison.block.hits.get("day_parts", []))
    return theirs is not None and mine != theirs


def _other_schedule(quantity: Quantity, clause: Clause, place: Quantity, other: Clause, comparison: Comparison) -> bool:
    """The interval or count the claim puts behind the dose is another than the one behind the same dose in the block."""
    mine = _schedule(quantity, clause.item, comparison.claim.clauses)
    if not mine:
        return False
    theirs = _schedule(place, other.item, comparison.block.clauses)
    for step in mine:
        alike = [candidate for candidate in theirs if candidate.unit == step.unit]
        if alike and not any(candidate.value == step.value for candidate in alike) and step.low.isdigit():
            return True
    return False


def _schedule(quantity: Quantity, item: int, clauses: Iterable[Clause]) -> list[Quantity]:
    steps: list[Quantity] = []
    seen = False
    for clause in clauses:
        if clause.item != item:
            continue
        for candidate in clause.quantities:
            if candidate is quantity:
                seen = True
            elif seen and candidate.is_dose and not candidate.in_parenthesis:
                return steps
            elif seen and candidate.kind in ("time", "count") and not candidate.from_words and not candidate.in_parenthesis:
                steps.append(candidate)
    return steps


# --- one figure among its neighbours


def _against_neighbours(clause: Clause, quantity: Quantity, places: list[Occurrence], comparison: Comparison) -> Finding | None:
    said = _Said(clause, comparison)
    worst: tuple[str, Occurrence, Clause] | None = None
    for other, place in places:
        verdict = _verdict_at(quantity, other, said, comparison)
        if verdict is None:
            return None
        worst = worst or (verdict[0], (other, place), verdict[1])
    if worst is None:
        return None
    kind, (other, place), neighbour = worst
    here = (quantity.start, quantity.end)
    shown = _with_label(other, place)
    if kind == "other":
        return comparison.finding("other_item", "other_item", here, shown, label=_label_text(neighbour, comparison))
    return comparison.finding("dropped_label", "dropped_label", here, shown, label=_label_text(other, comparison))


def _verdict_at(quantity: Quantity, other: Clause, said: _Said, comparison: Comparison) -> tuple[str, Clause] | None:
    mine = _elements(other, comparison)
    for neighbour in comparison.block.clauses:
        if neighbour is other:
            continue
        doses = [
            candidate
            for candidate in neighbour.quantities
            if candidate.is_dose and not (candidate.in_parenthesis and candidate.bound is None)
        ]
        if not doses or any(candidate.value == quantity.value and candidate.same_unit(quantity) for candidate in doses):
            continue
        theirs = _elements(neighbour, comparison)
        only_theirs, only_mine = theirs - mine, mine - theirs
        if not only_mine and not only_theirs:
            continue
        for_them = sum(_WEIGHTS[kind] for kind, value in only_theirs if said.says((kind, value)))
        for_me = sum(_WEIGHTS[kind] for kind, value in only_mine if said.says((kind, value)))
        if for_them > for_me:
            return "other", neighbour
        patient = [element for element in only_mine if element[0] in ("population", "band", "severity")]
        unsaid = for_me == 0 or (bool(patient) and not said.names_a_patient and not any(said.says(element) for element in patient))
        if only_mine and unsaid and not said.names_condition_of(other, neighbour):
            return "dropped", neighbour
    return None


def _about_something_else(quantity: Quantity, places: list[Occurrence], comparison: Comparison) -> Finding | None:
    """A share or a time of one statement told of another ("sinh khả dụng 65%", where 65% is the share bound to protein)."""
    words = comparison.claim.content - comparison.lexicon.dosing_words
    worst: tuple[Clause, Quantity, Clause] | None = None
    for other, place in places:
        lost = None
        for neighbour in comparison.block.clauses:
            if neighbour is other or not any(
                candidate.unit == quantity.unit and candidate.value != quantity.value for candidate in neighbour.quantities
            ):
                continue
            theirs = neighbour.words - other.words - comparison.lexicon.dosing_words
            own = other.words - neighbour.words - comparison.lexicon.dosing_words
            if len(words & theirs) >= 2 and 2 * len(words & theirs) >= len(theirs) and not words & own and own:
                lost = neighbour
                break
        if lost is None:
            return None
        worst = worst or (other, place, lost)
    if worst is None:
        return None
    other, place, neighbour = worst
    label = comparison.block.words_of(neighbour.start, neighbour.end)
    return comparison.finding("other_item", "other_item", (quantity.start, quantity.end), _with_label(other, place), label=label)


class _Said:
    """What a clause of the claim says about patient, route, band, degree and condition."""

    def __init__(self, clause: Clause, comparison: Comparison) -> None:
        self.scope = clause.scope
        self.comparison = comparison
        self.words = comparison.claim.content
        self.names_a_patient = bool(self.scope.populations or self.scope.bands or self.scope.severity)

    def says(self, element: Element) -> bool:
        kind, value = element
        lexicon = self.comparison.lexicon
        if kind == "population":
            return any(tag == value or value in ancestors(tag, lexicon) for tag in self.scope.populations)
        if kind == "route":
            return any(route_fits(route, value, lexicon) for route in self.scope.routes)
        if kind == "severity":
            return value in self.scope.severity
        if kind == "tier":
            return value in self.scope.tiers
        if kind == "band":
            return any(_band_key(band) == value for band in self.scope.bands)
        label = self.comparison.block.labels[int(value)]
        return 2 * len(label.words & self.words) >= len(label.words)

    def names_condition_of(self, clause: Clause, neighbour: Clause) -> bool:
        """Whether the claim repeats the condition that the sentence itself names ("ở bệnh nhân nghiện rượu")."""
        special = condition_words(clause, self.comparison) - neighbour.words
        return bool(special) and 2 * len(special & self.words) >= len(special)


_MARKERS = frozenset({"ở", "với", "khi", "nếu", "do", "bị", "người", "nhân", "hợp", "trị", "phòng", "trong", "để", "cho"})


def condition_words(clause: Clause, comparison: Comparison) -> frozenset[str]:
    """Content words of the phrases that say in whom or what for, inside the clause."""
    words = comparison.block.tokens.words
    found: list[str] = []
    inside = False
    for position in range(clause.start, clause.end):
        word = words[position]
        if word in _MARKERS:
            inside = True
        elif word in ";:" or comparison.block.tokens.numbers[position] is not None:
            inside = False
        elif inside:
            found.append(word)
    return frozenset(content_words(found, comparison.lexicon)) - comparison.lexicon.dosing_words


def _elements(clause: Clause, comparison: Comparison) -> frozenset[Element]:
    """What tells a clause of the block from others, kept with the block."""
    kept: dict[int, frozenset[Element]] = comparison.block.derived.setdefault("elements", {})
    if clause.start not in kept:
        scope: Scope = clause.firm
        found: set[Element] = {("population", tag) for tag in scope.populations}
        found |= {("route", route) for route in scope.routes}
        found |= {("severity", value) for value in scope.severity}
        found |= {("tier", value) for value in scope.tiers}
        found |= {("band", _band_key(band)) for band in scope.bands}
        found |= {("condition", str(label.number)) for label in clause.labels if label.is_condition}
        kept[clause.start] = frozenset(found)
    return kept[clause.start]


def _band_key(band: Quantity) -> str:
    side = "" if band.high is not None else "<" if band.upper else ">" if band.lower else ""
    return f"{side}{band.low}-{band.high}{band.unit}"


# --- groups and routes the block does not know


def _named_nowhere(clause: Clause, comparison: Comparison) -> list[Finding]:
    if not any(quantity.is_dose for quantity in clause.quantities):
        return []
    lexicon, block = comparison.lexicon, comparison.block
    found: list[Finding] = []
    known = frozenset(hit.value for hit in block.hits.get("population", ())) | _in_heading("population", comparison)
    for tag in clause.own.populations:
        related = {tag, *ancestors(tag, lexicon)} | {other for other in known if tag in ancestors(other, lexicon)}
        if not related & known and not (tag == "suy_than" and block.hits.get("measured")):
            found.append(_about_hit("population", tag, clause, comparison))
    routes = frozenset(hit.value for hit in block.hits.get("route", ())) | _in_heading("route", comparison)
    for route in clause.own.routes:
        if route == "uong" and not routes:
            continue  # a block that names no route speaks of the usual one
        if not any(route_fits(route, other, lexicon) for other in routes):
            found.append(_about_hit("route", route, clause, comparison))
    return found


def _in_heading(category: str, comparison: Comparison) -> frozenset[str]:
    return frozenset(hit.value for hit in comparison.heading.hits.get(category, ()))


def _about_hit(category: str, value: str, clause: Clause, comparison: Comparison) -> Finding:
    hit = next(hit for hit in comparison.claim.hits[category] if hit.value == value and clause.start <= hit.start < clause.end)
    return comparison.finding(_REASONS[category], f"{category}_unknown", (hit.start, hit.end))


# --- what is shown


def _with_label(clause: Clause, place: Quantity) -> tuple[int, int]:
    """The figure with the inline label right before its clause."""
    near = [label for label in clause.labels if label.end <= place.start and not label.header and label.item == clause.item]
    return (near[-1].start if near else place.start), place.end


def _label_text(clause: Clause, comparison: Comparison) -> str:
    return " › ".join(comparison.block.words_of(label.start, label.end) for label in clause.labels)
