"""Guards over who a figure is for: group, route, band, degree, item and label.

Every figure of the claim is laid beside every equal figure of the block. It fails there when what the claim says about patient,
route, band or degree cannot be what governs that place; it is lost there when another item fits the claim better, or when what
tells that item from its neighbours is not said at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from duocthu_core.verification.guards.bands import bands_conflict, lost_band_finding
from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.figures import Occurrence, occurrences
from duocthu_core.verification.guards.foreign_terms import is_foreign, other_subject_finding
from duocthu_core.verification.guards.groups import ancestors, populations_conflict, routes_conflict
from duocthu_core.verification.guards.labels import REASONS, label_text, label_words, with_label
from duocthu_core.verification.guards.lexicon import Lexicon
from duocthu_core.verification.guards.neighbours import bands_of, neighbour_finding, other_statement_finding
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.roles import roles_differ
from duocthu_core.verification.guards.schedules import other_day_part, other_schedule, other_side
from duocthu_core.verification.guards.statements import named_nowhere_findings, statement_findings
from duocthu_core.verification.guards.structure import Clause, Reading, Scope, content_words
from duocthu_core.verification.guards.surroundings import misplaced_finding
from duocthu_core.verification.guards.topics import other_topic_finding
from duocthu_core.verification.guards.widening import widened_finding
from duocthu_core.verification.model import Finding

# No block of a book states one figure as often; more would only cost time.
_PLACES_MAX = 64
_NAME_WITHIN = 6


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
            if quantity.implied or (quantity.from_words and quantity.kind != "time") or _is_part_of_name(quantity, comparison):
                continue
            finding = _figure_alignment(clause, quantity, comparison)
            if finding is not None:
                found.append(finding)
        if not clause.quantities:
            found += statement_findings(clause, comparison)
        reasons = {finding.reason for finding in found}
        found += [finding for finding in named_nowhere_findings(clause, comparison) if finding.reason not in reasons]
    return found


def _is_part_of_name(quantity: Quantity, comparison: Comparison) -> bool:
    """ "Pacegan 500": a figure without a unit behind a name."""
    before = comparison.claim.tokens.words[quantity.start - 1] if quantity.start else ""
    return quantity.unit is None and (is_foreign(before, comparison.lexicon) or before in comparison.drug_words)


def _figure_alignment(clause: Clause, quantity: Quantity, comparison: Comparison) -> Finding | None:
    fitting = (place for place in occurrences(quantity, comparison) if quantity.same_unit(place[1]) and place[1].band is None)
    places = list(islice(fitting, _PLACES_MAX))
    if not all(_opposite_limit(quantity, place) for _, place in places):
        places = [entry for entry in places if not _opposite_limit(quantity, entry[1])]
    if quantity.is_dose and any(place.unit is not None for _, place in places):
        places = [entry for entry in places if entry[1].unit is not None]  # a figure without a unit is anyone's
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
    if free and all(other.sentence < 0 for other, _ in free):
        return None  # it stands in a label (a strength, a time after the dose): what it is said of stands behind
    if not free:
        kinds = {conflict.kind for conflict in conflicts}
        kind = kinds.pop() if len(kinds) == 1 else "item"
        conflict = conflicts[0]
        reason = REASONS.get(kind, "other_item")
        return comparison.finding(
            reason, f"{kind}_conflict", here, with_label(conflict.clause, conflict.place), label=label_text(conflict.clause, comparison)
        )
    limit = _limit_as_dose(clause, quantity, free, comparison)
    if limit is not None:
        return limit
    widened = widened_finding(clause, quantity, free, comparison)
    if widened is not None:
        return widened
    misplaced = misplaced_finding(clause, quantity, free, comparison)
    if misplaced is not None:
        return misplaced
    topic = other_topic_finding(clause, quantity, free, comparison)
    if topic is not None:
        return topic
    subject = other_subject_finding(clause, quantity, free, comparison)
    if subject is not None:
        return subject
    if quantity.kind == "time" and all(_time_of_a_band(other, place, comparison) for other, place in free):
        finding = neighbour_finding(clause, quantity, free, comparison)  # "Clcr 10 - 50 ml/phút, cho cách nhau 6 giờ/lần"
        if finding is not None:
            return finding
    if not quantity.is_dose:
        return other_statement_finding(clause, quantity, free, comparison)
    finding = neighbour_finding(clause, quantity, free, comparison) or lost_band_finding(quantity, free, comparison)
    if finding is None:  # "10% liều" may be a dose or what is left of one in the urine; an item of a list has its own words
        finding = other_statement_finding(clause, quantity, free, comparison)
    return finding


def _opposite_limit(quantity: Quantity, place: Quantity) -> bool:
    return (quantity.upper and place.lower) or (quantity.lower and place.upper)


def _limit_as_dose(clause: Clause, quantity: Quantity, places: list[Occurrence], comparison: Comparison) -> Finding | None:
    """ "Trẻ em: khởi đầu 50 mg", where 50 mg is only the most a child may have (and what an adult starts with)."""
    if not quantity.is_dose or quantity.bound is not None or not all(place.upper for _, place in places):
        return None
    led_to = comparison.claim.tokens.words[max(0, quantity.start - 1)] in comparison.lexicon.reaching_words
    around = [other for other in comparison.claim.clauses if other.item == clause.item]
    hits = [*comparison.claim.hits.get("bound", ()), *comparison.claim.hits.get("bound_after", ())]
    if led_to or any(around[0].start <= hit.start < around[-1].end for hit in hits):
        return None
    other, place = places[0]
    return comparison.finding("comparator_mismatch", "limit_as_dose", (quantity.start, quantity.end), with_label(other, place))


def _time_of_a_band(other: Clause, place: Quantity, comparison: Comparison) -> bool:
    """Whether a place gives a time for a band and no dose: there the time is what the band decides."""
    return not place.implied and not any(each.is_dose for each in other.quantities) and bool(bands_of(other, comparison))


# --- one figure at one place


def _conflict(clause: Clause, quantity: Quantity, other: Clause, place: Quantity, comparison: Comparison) -> str | None:
    lexicon = comparison.lexicon
    mine, theirs = clause.scope, other.scope if quantity.is_dose else other.firm
    if populations_conflict(mine.populations, theirs.populations, lexicon):
        return "population"
    if quantity.is_dose and not theirs.populations and populations_conflict(mine.populations, other.near.populations, lexicon):
        return "population"  # a line behind "Trẻ em: …" that names nobody: perhaps for all, but not for adults alone
    after = _population_right_after(place, comparison)
    if after and mine.populations and populations_conflict(mine.populations, after, lexicon):
        return "population"
    if _newborn_in_older_band(mine, theirs, lexicon) or _said_of_the_other(quantity, clause, place, other, comparison):
        return "population"
    if _other_route(clause, quantity, other, place, comparison):
        return "route"
    if bands_conflict(mine.bands, theirs.bands, other, quantity, comparison):
        return "band"
    if mine.severity and theirs.severity and not mine.severity & theirs.severity:
        return "severity"
    if quantity.kind == "time" and other_side(quantity, place, comparison):
        return "item"
    if quantity.is_dose and roles_differ(quantity, clause, place, other, comparison):
        return "role"
    if mine.tiers and theirs.tiers and not mine.tiers & theirs.tiers:
        return "tier"
    if (
        _explains_only(quantity, clause, place, other)
        and not _names_what_it_explains(clause, place, comparison)
        and not _explained_alike(quantity, place, comparison)
    ):
        return "parenthesis"
    if other_day_part(quantity, clause, place, other, comparison):
        return "day_part"
    if quantity.is_dose and other_schedule(quantity, clause, place, other, comparison):
        return "schedule"
    return None


def _newborn_in_older_band(mine: Scope, theirs: Scope, lexicon: Lexicon) -> bool:
    """A newborn is no child of an age band ("Trẻ em trên 1 tháng tuổi"), unless the claim names the band."""
    newborn = mine.populations and all(tag == "tre_so_sinh" or "tre_so_sinh" in ancestors(tag, lexicon) for tag in mine.populations)
    if not newborn or not theirs.populations or theirs.populations & mine.populations:
        return False
    return any(band.band == "age" for band in theirs.bands) and not mine.bands


def _adjacent_populations(quantity: Quantity, reading: Reading, lexicon: Lexicon) -> frozenset[str]:
    """The group right before a figure ("ở người suy thận 12 giờ") or right behind it ("5 ngày ở trẻ em")."""
    words = reading.tokens.words
    found = [
        hit.value
        for hit in reading.hits.get("population", ())
        if (0 <= quantity.start - hit.end <= 3 and not any(word in ";:." for word in words[hit.end : quantity.start]))
        or _leads_on(words[quantity.end : hit.start], lexicon)
    ]
    return frozenset(found)


def _leads_on(between: list[str], lexicon: Lexicon) -> bool:
    """Whether the words between a figure and a group put the figure to it ("5 ngày ở", "(0,5 - 5%) cho")."""
    rest = between[1:] if between[:1] == [")"] else between
    return len(rest) == 1 and rest[0] in lexicon.group_openers


def _said_of_the_other(quantity: Quantity, clause: Clause, place: Quantity, other: Clause, comparison: Comparison) -> bool:
    """The claim puts a figure beside a group that the block puts beside another figure of the same kind."""
    mine = _adjacent_populations(quantity, comparison.claim, comparison.lexicon)
    if not mine and not quantity.is_dose and sum(each.unit == quantity.unit for each in clause.quantities) == 1:
        mine = clause.own.populations
    if not mine or _adjacent_populations(place, comparison.block, comparison.lexicon):
        return False
    return any(
        candidate is not place
        and candidate.unit == place.unit
        and candidate.value != place.value
        and bool(mine & _adjacent_populations(candidate, comparison.block, comparison.lexicon))
        for candidate in other.quantities
    )


def _other_route(clause: Clause, quantity: Quantity, other: Clause, place: Quantity, comparison: Comparison) -> bool:
    """Another route over the clause, or another one right beside the figure.

    A share or a time may stand in a sentence that names the route of another drug: there only what is beside it counts.
    """
    lexicon = comparison.lexicon
    theirs = other.scope if quantity.is_dose else other.firm
    beside, beside_place = _routes_beside(quantity, clause, comparison.claim), _routes_beside(place, other, comparison.block)
    if routes_conflict(beside, beside_place, lexicon):
        return True
    if not routes_conflict(clause.scope.routes, theirs.routes, lexicon):
        return False
    return quantity.kind != "percent" or (bool(beside) and bool(beside_place))


def _routes_beside(quantity: Quantity, clause: Clause, reading: Reading) -> frozenset[str]:
    """The routes between the commas around a figure ("tiêm bắp sâu vào cơ, tiêm chậm vào tĩnh mạch trong 5 phút")."""
    if len(clause.own.routes) < 2 and quantity.kind != "percent":
        return clause.scope.routes if clause.own.routes else frozenset()
    words = reading.tokens.words
    start, end = quantity.start, quantity.end
    while start > clause.start and words[start - 1] not in ",;:":
        start -= 1
    while end < clause.end and words[end] not in ",;":
        end += 1
    found = {hit.value for hit in reading.hits.get("route", ()) if start <= hit.start and hit.end <= end}
    return frozenset(found - {"tiem_khong_ro"} if len(found) > 1 else found)


def _population_right_after(place: Quantity, comparison: Comparison) -> frozenset[str]:
    """ "(0,5 - 5%) ở người lớn": the group right behind the figure."""
    words = comparison.block.tokens.words
    position = place.end
    while position < len(words) and words[position] in ")":
        position += 1
    if words[position : position + 1] == [] or words[position] not in comparison.lexicon.group_openers:
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


def _explained_alike(quantity: Quantity, place: Quantity, comparison: Comparison) -> bool:
    """ "tương đương 24 mg": the claim, too, says that the figure only explains another."""
    mine, theirs = comparison.claim.tokens.words, comparison.block.tokens.words
    before = tuple(mine[max(0, quantity.start - 2) : quantity.start])
    return bool(before) and before in comparison.lexicon.explaining and before == tuple(theirs[max(0, place.start - 2) : place.start])


def _names_what_it_explains(clause: Clause, place: Quantity, comparison: Comparison) -> bool:
    """ "phối hợp với gentamicin (3 mg/kg/ngày)": in brackets stands the dose of what is named before them, and the claim names it."""
    words = comparison.block.tokens.words
    position = place.start
    while position and words[position] != "(":
        position -= 1
    inside = frozenset(word for word in words[position + 1 : place.start] if is_foreign(word, comparison.lexicon))
    if inside and inside <= clause.words | label_words(clause):
        return True  # "(hoặc lansoprazol 30 mg …)": the alternative has its own name, and the claim names it
    if any(each.is_dose and 0 <= position - each.end < _NAME_WITHIN for each in comparison.block.quantities):
        return False  # "8 mg erbumin (hoặc 10 mg arginin)": what is named has its dose before the brackets
    before = content_words(words[max(0, position - _NAME_WITHIN) : position], comparison.lexicon)
    named = [word for word in before if word not in comparison.lexicon.dosing_words and word not in comparison.lexicon.unit_words]
    return bool(named) and named[-1] in clause.words | label_words(clause)
