"""Guards over statements without a figure, and over groups and routes that the block does not know."""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein

from duocthu_core.text.folding import fold
from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.groups import ancestors, populations_conflict, route_fits, routes_conflict
from duocthu_core.verification.guards.labels import REASONS, label_text, label_words
from duocthu_core.verification.guards.lexicon import Hit, Lexicon
from duocthu_core.verification.guards.negation import is_negating_section
from duocthu_core.verification.guards.structure import Clause, Scope
from duocthu_core.verification.model import Finding


def statement_findings(clause: Clause, comparison: Comparison) -> list[Finding]:
    """A clause without a figure: its best clauses in the block by words must not speak of another group, degree or frequency."""
    scope, lexicon = clause.scope, comparison.lexicon
    if not (scope.populations or scope.routes or scope.severity or scope.tiers):
        return []
    degree = _other_degree(clause, comparison)
    if degree is not None:
        return [degree]
    wanted = clause.words - lexicon.heading_words
    if len(wanted) < 2:
        return []
    scored = [(len(wanted & (other.words | label_words(other))) / len(wanted), other) for other in comparison.block.clauses]
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
    reason = REASONS.get(kind, "other_item")
    return [comparison.finding(reason, f"{kind}_conflict", (clause.start, clause.end), shown, label=label_text(nearest, comparison))]


_STATEMENT_SHARE_MIN = 0.6


def _other_degree(clause: Clause, comparison: Comparison) -> Finding | None:
    """ "Suy gan nhẹ" where the block speaks of "suy gan vừa và nặng" only."""
    own = clause.own
    if not own.severity or not own.populations:
        return None
    graded = [other for other in comparison.block.clauses if other.own.severity and other.own.populations & own.populations]
    if not graded:
        return _unknown_degree(clause, comparison)
    if any(other.own.severity & own.severity for other in graded):
        return None
    shown = (graded[0].start, graded[0].end)
    label = comparison.block.words_of(*shown)
    return comparison.finding("other_item", "severity_conflict", (clause.start, clause.end), shown, label=label)


def _unknown_degree(clause: Clause, comparison: Comparison) -> Finding | None:
    """ "Suy gan nặng" where the block speaks of "suy gan" and of no degree at all."""
    hit = next((hit for hit in comparison.claim.hits.get("severity", ()) if clause.start <= hit.start < clause.end), None)
    known = frozenset(each.value for each in comparison.block.hits.get("severity", ())) | _in_heading("severity", comparison)
    if hit is None or hit.value in known:
        return None
    words = comparison.block.tokens.words
    if comparison.claim.tokens.words[hit.start] in words:  # "nặng hơn", "mức độ nặng của": the block has the word in another use
        return None
    return comparison.finding("other_item", "severity_unknown", (hit.start, hit.end))


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


def named_nowhere_findings(clause: Clause, comparison: Comparison) -> list[Finding]:
    """A dose told for a group or by a route that neither the block nor its heading names."""
    evidence = comparison.evidence
    forbids = is_negating_section(evidence.section_key, evidence.section_title, comparison.lexicon)
    doses = forbids or any(
        quantity.is_dose for other in comparison.claim.clauses if other.item == clause.item for quantity in other.quantities
    )
    lexicon, block = comparison.lexicon, comparison.block
    found: list[Finding] = []
    known = frozenset(hit.value for hit in block.hits.get("population", ())) | _in_heading("population", comparison)
    for tag in dict.fromkeys(hit.value for hit in _hits_over(clause, "population", comparison)):
        related = {tag, *ancestors(tag, lexicon)} | {other for other in known if tag in ancestors(other, lexicon)}
        if related & known or _said_in_other_order(tag, clause, comparison) or _misread_in_block(tag, clause, comparison):
            continue
        if not doses and not known:
            continue  # the block speaks of no group: what it says in general holds for this one, too
        if not (tag == "suy_than" and block.hits.get("measured")):
            found.append(_about_hit("population", tag, clause, comparison))
    routes = frozenset(hit.value for hit in block.hits.get("route", ())) | _in_heading("route", comparison)
    for route in clause.own.routes:
        if route == "uong" and (not routes or _stands_without_route(clause, comparison)):
            continue  # where a block names no route it speaks of the usual one
        if not doses and (route in ("uong", "tiem_khong_ro") or not routes):
            continue
        if not any(route_fits(route, other, lexicon) for other in routes):
            found.append(_about_hit("route", route, clause, comparison))
    return found


def _stands_without_route(clause: Clause, comparison: Comparison) -> bool:
    """Whether a dose of the clause stands in the block where no route is named."""
    return any(
        not other.scope.routes
        for quantity in clause.quantities
        if quantity.is_dose
        for other, place in comparison.block.values.get(quantity.value, ())
        if quantity.same_unit(place)
    )


def _said_in_other_order(tag: str, clause: Clause, comparison: Comparison) -> bool:
    """ "Tổn thương thận vĩnh viễn" of "Thận: Tổn thương vĩnh viễn": one item of the block has all the words of the group's name."""
    words = comparison.claim.tokens.words
    names = [
        frozenset(words[hit.start : hit.end])
        for hit in _hits_over(clause, "population", comparison)
        if hit.value == tag and hit.end - hit.start > 1
    ]
    return bool(names) and all(any(name <= other.words | label_words(other) for other in comparison.block.clauses) for name in names)


def _misread_in_block(tag: str, clause: Clause, comparison: Comparison) -> bool:
    """ "Thanh thiếu nên" for "Thanh thiếu niên": the name of the group stands in the block with a letter that a scan has changed."""
    words, block = comparison.claim.tokens.words, comparison.block.tokens.words
    for hit in _hits_over(clause, "population", comparison):
        if hit.value != tag or hit.end - hit.start < _MISREAD_FROM:
            continue
        name, length = words[hit.start : hit.end], hit.end - hit.start
        first = fold(name[0])
        for place in range(len(block) - length + 1):
            if fold(block[place]) == first and _one_letter_apart(name, block[place : place + length]):
                return True
    return False


def _one_letter_apart(name: list[str], other: list[str]) -> bool:
    return Levenshtein.distance(fold(" ".join(name)), fold(" ".join(other)), score_cutoff=1) <= 1


_MISREAD_FROM = 3


def _hits_over(clause: Clause, category: str, comparison: Comparison) -> list[Hit]:
    """The hits in a clause of the claim and in the labels over it."""
    ranges = [(clause.start, clause.end), *((label.start, label.end) for label in clause.labels)]
    return [hit for hit in comparison.claim.hits.get(category, ()) if any(start <= hit.start < end for start, end in ranges)]


def _in_heading(category: str, comparison: Comparison) -> frozenset[str]:
    return frozenset(hit.value for hit in comparison.heading.hits.get(category, ()))


def _about_hit(category: str, value: str, clause: Clause, comparison: Comparison) -> Finding:
    hit = next(hit for hit in _hits_over(clause, category, comparison) if hit.value == value)
    instead = next(iter(comparison.block.hits.get(category, ())), None)
    shown = (instead.start, instead.end) if instead is not None else None
    return comparison.finding(REASONS[category], f"{category}_unknown", (hit.start, hit.end), shown)
