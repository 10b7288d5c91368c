"""A figure among its neighbours: does another item fit the claim better, and is what tells the items apart said at all?"""

from __future__ import annotations

from duocthu_core.verification.guards.band_ends import inside
from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.figures import Occurrence
from duocthu_core.verification.guards.groups import ancestors, route_fits
from duocthu_core.verification.guards.labels import label_text, label_words, with_label
from duocthu_core.verification.guards.lexicon import DOSE_SHARE
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.roles import roles_differ
from duocthu_core.verification.guards.schedules import other_schedule
from duocthu_core.verification.guards.structure import Clause, Scope, content_words, names_someone
from duocthu_core.verification.guards.wording import synonymous
from duocthu_core.verification.model import Finding

Element = tuple[str, str]
"""Something that tells an item from others: its kind and its value."""
_LABEL_WORDS_MIN = 2  # one syllable of a word of two ("dung dịch", "hỗn dịch") names nothing
_RENAL = "suy_than"
_SENTENCE_LABEL = 6
_PATIENT = ("population", "band", "severity")
_WEIGHTS = {"band": 3, "population": 2, "route": 2, "severity": 2, "tier": 2, "condition": 2}


def neighbour_finding(clause: Clause, quantity: Quantity, places: list[Occurrence], comparison: Comparison) -> Finding | None:
    """What is wrong with a dose that has places in the block without a conflict; None where one of them holds."""
    said = _Said(clause, comparison)
    worst: tuple[str, Occurrence, Clause] | None = None
    for other, place in places:
        verdict = _verdict_at(quantity, clause, other, said, comparison)
        if verdict is not None and verdict[0] == "dropped" and _explained_itself(place, said, comparison):
            return None
        if verdict is None:
            return None
        worst = worst or (verdict[0], (other, place), verdict[1])
    if worst is None:
        return None
    kind, (other, place), neighbour = worst
    here = (quantity.start, quantity.end)
    shown = with_label(other, place)
    if kind == "other":
        return comparison.finding("other_item", "other_item", here, shown, label=label_text(neighbour, comparison))
    return comparison.finding("dropped_label", "dropped_label", here, shown, label=label_text(other, comparison))


def _verdict_at(quantity: Quantity, clause: Clause, other: Clause, said: _Said, comparison: Comparison) -> tuple[str, Clause] | None:
    mine = _elements(other, comparison)
    near = _scope_elements(_near_scope(other)) - mine
    near_said = sum(_WEIGHTS[kind] for kind, value in near if said.says((kind, value)))
    near_said += sum(_WEIGHTS["condition"] for topic in other.near_topics if said.says(("condition", topic)))
    for neighbour in comparison.block.clauses:
        if neighbour is other:
            continue
        doses = [
            candidate
            for candidate in neighbour.quantities
            if (candidate.is_dose if quantity.is_dose else candidate.kind == "time")
            and not (candidate.in_parenthesis and candidate.bound is None)
        ]
        if not doses or any(
            candidate.value == quantity.value
            and candidate.same_unit(quantity)
            and not roles_differ(quantity, clause, candidate, neighbour, comparison)
            and not other_schedule(quantity, clause, candidate, neighbour, comparison)
            for candidate in doses
        ):
            continue
        if neighbour.sentence == other.sentence - 1 and not mine:
            continue  # "Người lớn: 2 viên, tối đa 4 lần mỗi ngày. Không quá 8 viên": the sentence before may name for whom
        theirs = _elements(neighbour, comparison)
        if near and said.names_a_patient and not near_said and _is_twin(other, neighbour, said):
            return "other", neighbour
        only_theirs, only_mine = theirs - mine, mine - theirs
        if not any(kind == "route" for kind, _ in mine):  # the usual route may be said where none is
            only_theirs -= {("route", "uong")}
        routes, their_routes = _routes_in(mine), _routes_in(theirs)
        if not their_routes or their_routes <= routes:  # a route tells apart only from another route
            only_mine = frozenset(element for element in only_mine if element[0] != "route")
        if not only_mine and not only_theirs:
            continue
        here = other.words | label_words(other)
        for_them = sum(_WEIGHTS[kind] for kind, value in only_theirs if said.says((kind, value)) and said.says_of_it(kind, value, here))
        for_me = sum(_WEIGHTS[kind] for kind, value in only_mine if said.says((kind, value)))
        if for_them > for_me + near_said:
            return "other", neighbour
        if not quantity.is_dose and _within_band(other, said):
            only_mine = frozenset(
                element for element in only_mine if element[0] not in _PATIENT
            )  # an interval for 3 - 12 tuổi is one for 5 tuổi
        patient = [element for element in only_mine if element[0] in _PATIENT]
        unsaid = for_me == 0 or (bool(patient) and not said.names_a_patient and not any(said.says(element) for element in patient))
        if (
            only_mine
            and unsaid
            and not said.names_condition_of(other, neighbour, patient=bool(patient))
            and (patient or not said.tells_of(other, neighbour))
        ):
            return "dropped", neighbour
    return None


def _within_band(clause: Clause, said: _Said) -> bool:
    """Whether the claim speaks of part of the band that governs a clause of the block."""
    return any(inside(mine, band) for mine in said.scope.bands for band in clause.scope.bands if mine.band == band.band)


def _routes_in(elements: frozenset[Element]) -> set[str]:
    return {value for kind, value in elements if kind == "route"}


def _near_scope(clause: Clause) -> Scope:
    """Whom a clause is perhaps still about: the label of a sentence or of a line before it."""
    return clause.near if names_someone(clause.near) else clause.scope


def _is_twin(clause: Clause, neighbour: Clause, said: _Said) -> bool:
    """Whether a clause says the same words further up or down, behind the label of the patient that the claim names."""
    if not clause.words or clause.words != neighbour.words:
        return False
    return any(said.says(element) for element in _scope_elements(_near_scope(neighbour)))


def _explained_itself(place: Quantity, said: _Said, comparison: Comparison) -> bool:
    """A statement of its own in brackets ("1,05 cefazolin natri tương đương với 1 g cefazolin") needs no label of its item."""
    if not place.in_parenthesis:
        return False
    words = comparison.block.tokens.words
    start, end = place.start, place.end
    while start and words[start - 1] != "(":
        start -= 1
    while end < len(words) and words[end] != ")":
        end += 1
    inside = set(content_words(words[start:end], comparison.lexicon))
    return len(inside) > 1 and 2 * len(inside & said.words) >= len(inside)


def other_statement_finding(clause: Clause, quantity: Quantity, places: list[Occurrence], comparison: Comparison) -> Finding | None:
    """A share or a time of one statement told of another ("sinh khả dụng 65%", where 65% is the share bound to protein)."""
    shared = comparison.lexicon.dosing_words | comparison.lexicon.bound_words
    words = _item_words(clause, comparison) - shared
    conditions = _if_words(clause, comparison)
    worst: tuple[Clause, Quantity, Clause] | None = None
    told = {each.value for each in comparison.claim.quantities if each is not quantity}
    if any(other.sentence < 0 for other, _ in places):
        return None  # it stands in a label: what it is said of stands behind
    for other, place in places:
        lost = None
        for neighbour in comparison.block.clauses:
            if neighbour is other or not any(
                (candidate.unit == quantity.unit or candidate.kind == quantity.kind == "time") and candidate.value != quantity.value
                for candidate in neighbour.quantities
            ):
                continue
            of_a_list = neighbour.sentence == other.sentence and not any(candidate.value in told for candidate in neighbour.quantities)
            if quantity.is_dose and quantity.kind != DOSE_SHARE and not of_a_list:  # doses: only items of which the claim tells one
                continue
            here, there = other.words | label_words(other), neighbour.words | label_words(neighbour)
            theirs = there - here - shared
            own = here - there - shared
            fitting = words & theirs
            enough = 1 if neighbour.sentence == other.sentence or fitting & conditions else 2
            sure = enough == 1 or len(fitting) > _LABEL_WORDS_MIN or 2 * len(fitting) >= len(theirs)
            all_theirs = len(fitting) > _LABEL_WORDS_MIN and enough == 1 and fitting == theirs
            if len(fitting) >= enough and sure and (own or all_theirs) and not words & own:
                lost = neighbour
                break
        if lost is None:
            return None
        worst = worst or (other, place, lost)
    if worst is None:
        return None
    other, place, neighbour = worst
    label = comparison.block.words_of(neighbour.start, neighbour.end)
    return comparison.finding("other_item", "other_item", (quantity.start, quantity.end), with_label(other, place), label=label)


def _item_words(clause: Clause, comparison: Comparison) -> frozenset[str]:
    """The words of the claim's sentence or item around a clause, its labels with them."""
    around = (other for other in comparison.claim.clauses if other.item == clause.item)
    return frozenset(word for other in around for word in other.words | label_words(other))


def _if_words(clause: Clause, comparison: Comparison) -> frozenset[str]:
    """The content words behind "nếu" or "khi" up to the next comma or figure: the case that the claim speaks of."""
    tokens, lexicon = comparison.claim.tokens, comparison.lexicon
    found: list[str] = []
    inside = False
    for position in range(clause.start, clause.end):
        if tokens.words[position] in lexicon.route_openers:
            inside = True
        elif tokens.words[position] in ",;:" or tokens.numbers[position] is not None:
            inside = False
        elif inside:
            found.append(tokens.words[position])
    return frozenset(content_words(found, lexicon)) - lexicon.dosing_words


class _Said:
    """What a clause of the claim says about patient, route, band, degree and condition."""

    def __init__(self, clause: Clause, comparison: Comparison) -> None:
        self.scope = clause.scope
        self.comparison = comparison
        self.words = comparison.claim.content | synonymous(comparison.claim, comparison.lexicon)
        self.tokens = frozenset(comparison.claim.tokens.words)
        self.names_a_patient = bool(self.scope.populations or self.scope.bands or self.scope.severity)

    def says(self, element: Element) -> bool:
        kind, value = element
        lexicon = self.comparison.lexicon
        if kind == "population":
            if value == _RENAL and self.comparison.claim.hits.get("measured"):
                return True  # "creatinin huyết thanh ≥ 1,5": whose kidneys are meant is said
            return any(tag == value or value in ancestors(tag, lexicon) for tag in self.scope.populations)
        if kind == "route":
            return any(route_fits(route, value, lexicon) for route in self.scope.routes)
        if kind == "severity":
            return value in self.scope.severity
        if kind == "tier":
            return value in self.scope.tiers
        if kind == "band":
            return any(_band_key(band) == value for band in self.scope.bands)
        topic = frozenset(value.split(" "))
        shared = len(topic & self.words)
        if 2 * shared >= len(topic) and shared >= min(_LABEL_WORDS_MIN, len(topic)):
            return True
        if any(name <= self.words for name in _names_of(value, self.comparison)):
            return True
        return len(topic) == 1 and self._retells(value)

    def says_of_it(self, kind: str, value: str, here: frozenset[str]) -> bool:
        """Whether the claim has a word of a topic that is not said ``here`` as well."""
        return kind != "condition" or bool((frozenset(value.split(" ")) - here) & self.words)

    def _retells(self, value: str) -> bool:
        """ "Trước khi truyền phải làm một liều test": of a label that is a sentence, half of its words are enough."""
        words = self.comparison.block.tokens.words
        for label in self.comparison.block.labels:
            if label.topic_key == value and label.end - label.start >= _SENTENCE_LABEL:
                inside = set(words[label.start : label.end])
                return 2 * len(inside & self.tokens) >= len(inside)
        return False

    def tells_of(self, clause: Clause, neighbour: Clause) -> bool:
        """Whether the claim has what the item itself says, besides dosing, and the other item does not ("đáy dưới 2 microgam/ml")."""
        lexicon = self.comparison.lexicon
        common = neighbour.words | label_words(neighbour) | lexicon.dosing_words | lexicon.bound_words | lexicon.unit_words
        special = clause.words - common - lexicon.route_words - self.comparison.drug_words
        return bool(special & self.words) and 2 * len(special & self.words) >= len(special)

    def names_condition_of(self, clause: Clause, neighbour: Clause, *, patient: bool) -> bool:
        """Whether the claim repeats the condition that the sentence itself names ("ở bệnh nhân nghiện rượu")."""
        lexicon = self.comparison.lexicon
        markers = lexicon.person_markers if patient else lexicon.condition_markers
        special = condition_words(clause, self.comparison, markers) - neighbour.words - label_words(neighbour)
        return bool(special) and 2 * len(special & self.words) >= len(special)


def condition_words(clause: Clause, comparison: Comparison, markers: frozenset[str]) -> frozenset[str]:
    """Content words of the phrases that say in whom or what for, inside the clause."""
    words = comparison.block.tokens.words
    found: list[str] = []
    inside = False
    for position in range(clause.start, clause.end):
        word = words[position]
        if word in markers:
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
        found |= {("condition", label.topic_key) for label in clause.labels if label.topic}
        kept[clause.start] = frozenset(found)
    return kept[clause.start]


def _scope_elements(scope: Scope) -> frozenset[Element]:
    """The patient of a scope as elements."""
    return frozenset({("population", tag) for tag in scope.populations} | {("band", _band_key(band)) for band in scope.bands})


def _names_of(topic: str, comparison: Comparison) -> tuple[frozenset[str], ...]:
    """The single names of a topic of the block."""
    if "topic_names" not in comparison.block.derived:
        comparison.block.derived["topic_names"] = {label.topic_key: label.names for label in comparison.block.labels if label.topic}
    names: dict[str, tuple[frozenset[str], ...]] = comparison.block.derived["topic_names"]
    return names.get(topic, ())


def bands_of(clause: Clause, comparison: Comparison) -> frozenset[str]:
    """The bands of age, weight or clearance that govern a clause of the block."""
    return frozenset(value for kind, value in _elements(clause, comparison) if kind == "band")


def _band_key(band: Quantity) -> str:
    side = "" if band.high is not None else "<" if band.upper else ">" if band.lower else ""
    return f"{side}{band.low}-{band.high}{band.unit}"
