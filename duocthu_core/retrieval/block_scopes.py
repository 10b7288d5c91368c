"""Whom a block speaks of: its label lines, and the items inside its text with labels of their own.

"Trẻ em 4 - 6 tuổi: 240 mg; Trẻ em 6 - 8 tuổi: 240 - 250 mg" is one block with two items. A block fits a patient when one of its items
does; it is left out only when its label, or every item in it, speaks of somebody else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from duocthu_core.corpus.model import Block
from duocthu_core.retrieval.bands import Selection
from duocthu_core.retrieval.routes import Route
from duocthu_core.retrieval.scopes import AGE_AXIS, Alternative, Patient, Scope, ScopeReader, Tag
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.phrases import PhraseMatcher
from duocthu_core.text.sentences import items as split_items
from duocthu_core.text.sentences import sentences

Mismatch = Literal["population", "other_band", "route"]

_COLON = re.compile(r":(?=\s|$)")
_COMMA = re.compile(r",(?=\s)")
_HEAD_CHARS = 140
"""No label is longer; what is further on is a sentence with a colon in it."""
_HEADS_MAX = 5
_INNER_LABEL = re.compile(r",\s(?P<label>[^,;:.!?\n]{2,60}):(?=\s)")
_CLAUSE_CHARS = 80
_OPENING_CHARS = 30
"""A sentence without a colon is an item of a group only when it opens with the group ("Trẻ em trên 1 tháng tuổi … 25 mg/kg")."""
_DOSE_KINDS = ("mass", "volume", "biological", "count_form", "percent", "amount", "frequency", "interval")
_PATIENTS_KEPT, _FITS_KEPT = 256, 4_096
_NO_DOSE_KINDS = ("volume_per_time", "volume_per_time_per_area")


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a block's text: the labels that govern it inside the text, outer to inner, and whether its body carries a dose."""

    heads: tuple[Scope, ...]
    carries_dose: bool
    mentions: frozenset[Tag]
    """Groups named anywhere in it."""


@dataclass(frozen=True, eq=False)
class BlockScope:
    """A block's label lines and items. Of those that say the same there is one (:meth:`BlockReader.read`): it is told by its identity."""

    labels: tuple[Scope, ...]
    items: tuple[Item, ...]
    mentions: frozenset[Tag] = field(default_factory=frozenset)
    """Groups named anywhere in label or text."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How a block fits a patient and a route."""

    selection: Selection
    route: Selection
    mismatch: Mismatch | None
    """Why it is left out; None where it stays."""
    specific: bool
    """Its label, or an item in it, speaks of this very patient (group, age, weight, clearance)."""
    mentions_patient: bool
    """Its text names the patient's group somewhere."""
    carries_dose: bool
    """One of the items that fit has a dose."""


@dataclass(frozen=True, slots=True)
class Known:
    """What was already found about the patients and routes of one look-up."""

    fits: dict[tuple[BlockScope, bool, bool], Fit]
    """By what a block says, whether it is quarantined and whether its section's figures are one group's: shared by all look-ups."""
    labels: dict[tuple[int, int], Selection] = field(default_factory=dict)
    """What a label says about a patient, by their identities: both outlive the look-up in which they are compared."""


class _Asked(NamedTuple):
    """Whom and what one fit is for."""

    patient: Patient
    routes: Sequence[Route]
    known: dict[tuple[int, int], Selection]


OPEN_FIT = Fit("unknown", "unknown", None, specific=False, mentions_patient=False, carries_dose=False)
"""The fit of a block that no patient was compared with."""


class BlockReader:
    """Reads and remembers the scopes of blocks, and fits them to patients."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.scopes = ScopeReader(ruleset)
        self._rules: Mapping[str, Any] = ruleset.tables["sections"]["retrieval"]
        self._single_group_sections = frozenset(self._rules["single_group_sections"])
        self._dose = _dose_pattern(ruleset.tables["units"]["units"])
        self._measured = PhraseMatcher(dict.fromkeys(ruleset.tables["populations"]["tags"]["suy_than"]["measured"], True))
        self._read = lru_cache(maxsize=32_768)(self._read_text)
        self._said: dict[tuple[object, ...], BlockScope] = {}
        self._fits_for = lru_cache(maxsize=_PATIENTS_KEPT)(_no_fits)

    def read(self, block: Block) -> BlockScope:
        """The scope of ``block``. Items are told apart in dosage prose only: elsewhere "Thận: suy thận" is an effect and no group."""
        with_items = block.section_key in self._single_group_sections and not block.quarantined
        return self._read(block.label or "", block.text, with_items, block.kind != "prose")

    def known(self, patients: Sequence[Patient], routes: Sequence[Route] = ()) -> Known:
        """What is known about these patients and routes, for the blocks of one look-up."""
        return Known(self._fits_for(tuple(patients), tuple(routes)))

    def fit(self, block: Block, patients: Sequence[Patient], routes: Sequence[Route] = (), known: Known | None = None) -> Fit:
        """How ``block`` fits the patients (one, or one of each group that was asked about) and the routes; the best fit of any.

        ``known``: of these patients and routes (:meth:`known`).
        """
        known = self.known(patients, routes) if known is None else known
        said = (self.read(block), block.quarantined, block.section_key in self._single_group_sections)
        if (fit := known.fits.get(said)) is None:
            if len(known.fits) >= _FITS_KEPT:
                known.fits.clear()
            fit = known.fits[said] = self._best_fit(said, patients, routes, known)
        return fit

    def _best_fit(self, said: tuple[BlockScope, bool, bool], patients: Sequence[Patient], routes: Sequence[Route], known: Known) -> Fit:
        fits = [self._fit(said, patient, routes, known.labels) for patient in patients or (Patient(),)]
        return min(fits, key=lambda one: (one.mismatch is not None, not one.specific, _ORDER[one.selection], _ORDER[one.route]))

    def _fit(
        self, said: tuple[BlockScope, bool, bool], patient: Patient, routes: Sequence[Route], known: dict[tuple[int, int], Selection]
    ) -> Fit:
        scope, quarantined, exclusive = said
        if quarantined and patient.groups:
            # Captions of extracted tables get lost and exchanged: a table that speaks of the group counts, whatever age it names.
            patient, known = Patient(patient.groups, groups=patient.groups), {}
        found = [self._item_fit((*scope.labels, *item.heads), item, _Asked(patient, routes, known), exclusive) for item in scope.items]
        kept = [one for one in found if one.mismatch is None]
        mentions = any(self.scopes.is_related(tag, patient.groups or patient.tags) for tag in scope.mentions)
        if kept:
            best = min(kept, key=lambda one: (_ORDER[one.selection], _ORDER[one.route]))
            specific = any(one.specific for one in kept) or (quarantined and bool(patient.groups) and mentions)
            return Fit(best.selection, best.route, None, specific, mentions, any(one.carries_dose for one in kept))
        return Fit("outside", "outside", _first_mismatch(found), False, mentions, False)

    def carries_dose(self, text: str) -> bool:
        """Whether ``text`` has a figure of a dose or an interval (a band's own figure is none)."""
        return self._dose.search(text) is not None

    # --- reading ----------------------------------------------------------------------------------------------------------------

    def _read_text(self, label: str, text: str, with_items: bool, is_table: bool) -> BlockScope:
        labels: list[Scope] = []
        for line in label.split("\n"):
            of_people = any(self._speaks_of_age(scope) for scope in labels)
            scope = self.scopes.read(line.strip(), of_people)
            if scope.says_something:
                labels.append(scope)
        mentions = self.scopes.tags_in(f"{label}\n{text}")
        if is_table:
            caption = self.scopes.read(text.partition("\n")[0].strip())
            if caption.alternatives:
                labels.append(caption)
            if self._measured.find(text):
                mentions |= {"suy_than"}
        if not with_items:
            items: tuple[Item, ...] = (Item((), self.carries_dose(text), mentions),)
        else:
            items = tuple(self._items(text, any(self._speaks_of_age(scope) for scope in labels)))
            items = items or (Item((), False, mentions),)
        return self._said.setdefault((tuple(labels), items, mentions), BlockScope(tuple(labels), items, mentions))

    def _items(self, text: str, of_people: bool) -> Iterable[Item]:
        governing: tuple[Scope, ...] = ()
        for sentence in sentences(text):
            # A route that only opens a sentence ("Liều uống là …; tối đa …"), or a wider group ("Trẻ vẫn sốt thì …" under "2 - 3 tháng:"),
            # governs that sentence and not the next.
            own: tuple[Scope, ...] = ()
            for item in self._parted(sentence.of(text), of_people):
                heads, body = self._heads(item, of_people or any(self._speaks_of_age(scope) for scope in governing))
                opening = self._opening(body, of_people)
                is_list = item[: len(item) - len(body)].rstrip().endswith(",")
                if opening is not None and is_list and _is_route_list(heads[-1], opening):
                    opening = _joined(heads.pop(), opening)
                lasts = opening is not None and bool(opening.alternatives) and not self.scopes.is_wider(opening, governing)
                if heads or opening is not None:
                    own = (opening,) if opening is not None and not lasts else ()
                governing = self._governed(governing, [*heads, opening] if opening is not None and lasts else heads)
                if any(character.isalnum() for character in body):
                    yield Item((*governing, *own), self.carries_dose(body), self.scopes.tags_in(item))

    def _parted(self, sentence: str, of_people: bool) -> Iterable[str]:
        """The items of a sentence: parted at semicolons, and where a dose is followed by the label of another group ("…, trẻ em: …")."""
        for span in split_items(sentence):
            item = span.of(sentence)
            begin = 0
            for label in _INNER_LABEL.finditer(item):
                found = self.scopes.read(label.group("label").strip(), of_people)
                if found.alternatives and self.carries_dose(item[begin : label.start()]):
                    yield item[begin : label.start()]
                    begin = label.start("label")
            yield item[begin:]

    def _heads(self, item: str, of_people: bool) -> tuple[list[Scope], str]:
        """The labels at the front of an item, outer to inner, and the text that they govern: first those set off by colons ("Đau, sốt:
        Uống:"), then clauses that name somebody or a route at once ("Nếu uống, ở trẻ em, Clcr < 10 ml/phút, …")."""
        heads: list[Scope] = []
        begin = 0
        for colon in _COLON.finditer(item):
            scope = self._label_piece(item[begin : colon.start()], of_people)
            if scope is None or len(heads) == _HEADS_MAX:
                break
            heads += [scope] if scope.says_something else []
            of_people = of_people or self._speaks_of_age(scope)
            begin = colon.end()
        for comma in _COMMA.finditer(item, begin):
            scope = self._clause(item[begin : comma.start()], of_people)
            if scope is None:
                break
            heads.append(_joined(heads.pop(), scope) if heads and _is_route_list(heads[-1], scope) else scope)
            of_people = of_people or self._speaks_of_age(scope)
            begin = comma.end()
        return heads, item[begin:]

    def _label_piece(self, piece: str, of_people: bool) -> Scope | None:
        """What a piece at the front of an item says as a label; None where it is too long for one or already a dose."""
        if len(piece) > _HEAD_CHARS or self.carries_dose(piece):
            return None
        return self.scopes.read(piece.strip(), of_people)

    def _clause(self, piece: str, of_people: bool) -> Scope | None:
        """What a clause before a comma says, where it is short and names somebody or a route at once."""
        if len(piece) > _CLAUSE_CHARS or not self._opens(piece):
            return None
        scope = self._label_piece(piece, of_people)
        return scope if scope is not None and scope.says_something else None

    def _opening(self, body: str, of_people: bool) -> Scope | None:
        """The group or route that a sentence opens with, where no colon sets it off."""
        if not self._opens(body):
            return None
        comma = _COMMA.search(body)
        scope = self.scopes.read((body[: comma.start()] if comma else body).strip(), of_people)
        return scope if scope.says_something else None

    def _opens(self, text: str) -> bool:
        """Whether the first words name somebody or a route; "4 tuần" without a colon is a duration, whoever is spoken of."""
        opening = text[:_OPENING_CHARS].rpartition(" ")[0] if len(text) > _OPENING_CHARS else text
        return self.scopes.read(opening.strip()).says_something

    def _governed(self, governing: tuple[Scope, ...], heads: Sequence[Scope]) -> tuple[Scope, ...]:
        """The labels in force after new ones: a group replaces the group before, a clearance the clearance, a route the route."""
        if not heads:
            return governing
        if any(self._speaks_of_age(scope) for scope in heads):
            kept = [scope for scope in governing if scope.routes and not scope.alternatives]
        elif any(scope.alternatives for scope in heads):
            kept = [scope for scope in governing if self._speaks_of_age(scope) or (scope.routes and not scope.alternatives)]
        else:
            kept = [scope for scope in governing if scope.alternatives]
        if any(scope.routes for scope in heads):
            kept = [Scope(scope.alternatives) for scope in kept if scope.alternatives]
        return (*kept, *heads)

    def _speaks_of_age(self, scope: Scope) -> bool:
        return bool(scope.kinds & {"age", "weight", "gestational_age"}) or any(
            self.scopes.tag_table[tag]["axis"] == AGE_AXIS for tag in scope.tags
        )

    # --- fitting ----------------------------------------------------------------------------------------------------------------

    def _item_fit(self, chain: Sequence[Scope], item: Item, asked: _Asked, exclusive: bool) -> Fit:
        patient = asked.patient
        selection, banded = self._chain_selects(chain, asked)
        if exclusive and selection != "outside" and patient.is_described:
            selection = self._of_own_group(chain, item, patient, selection)
        route_selection = self._route_selects(chain, asked.routes)
        specific = patient.is_described and selection != "outside" and self._is_specific(chain, patient)
        mismatch: Mismatch | None = None
        if selection == "outside":
            mismatch = "other_band" if banded else "population"
        elif route_selection == "outside":
            mismatch = "route"
        return Fit(selection, route_selection, mismatch, specific, False, item.carries_dose)

    def _chain_selects(self, chain: Sequence[Scope], asked: _Asked) -> tuple[Selection, bool]:
        """All labels must fit; an outer one that contradicts an inner one gives way. Second: whether a band was what excluded."""
        inner: set[Tag] = set()
        found: list[Selection] = []
        for scope in reversed(chain):
            if not scope.alternatives:
                continue
            if inner and all(self._contradicts(alternative, inner) for alternative in scope.alternatives):
                continue
            key = (id(scope), id(asked.patient))
            selection = asked.known.get(key) or self.scopes.selects(scope, asked.patient)
            asked.known[key] = selection
            if selection == "outside":
                return "outside", bool(scope.kinds)
            found.append(selection)
            inner |= scope.tags
        if not found:
            return "unknown", False
        return ("unknown", False) if "unknown" in found else ("inside", False)

    def _contradicts(self, alternative: Alternative, inner: set[Tag]) -> bool:
        return any(self.scopes.are_incompatible(tag, other) for tag in alternative.tags for other in inner)

    def _of_own_group(self, chain: Sequence[Scope], item: Item, patient: Patient, selection: Selection) -> Selection:
        """A figure belongs to its group: outside, where the labels name groups and none of them is the patient's."""
        alternatives = [alternative for scope in chain for alternative in scope.alternatives]
        if not alternatives:
            return "outside" if self._mentions_only_others(item, patient) else selection
        if patient.groups:
            named = any(self.scopes.is_related(tag, patient.groups) for one in alternatives for tag in one.tags)
            mentioned = any(self.scopes.is_related(tag, patient.groups) for tag in item.mentions)
            return selection if named else "unknown" if mentioned else "outside"
        of_others = any(
            all(any(self._is_of_others(tag, patient) for tag in one.tags) for one in scope.alternatives)
            for scope in chain
            if scope.alternatives
        )
        return "outside" if of_others else selection

    def _mentions_only_others(self, item: Item, patient: Patient) -> bool:
        """Whether a sentence under no label speaks only of ages that the patient cannot have ("không cho trẻ em quá 5 liều")."""
        ages = [tag for tag in item.mentions if self.scopes.tag_table[tag]["axis"] == AGE_AXIS]
        return bool(ages) and all(any(self.scopes.are_incompatible(tag, own) for own in patient.tags) for tag in ages)

    def _is_of_others(self, tag: Tag, patient: Patient) -> bool:
        if self.scopes.includes(tag, patient.tags):
            return False
        if patient.age_is_stated and self.scopes.tag_table[tag]["axis"] == AGE_AXIS:
            return False
        return any(self.scopes.is_apart(tag, own) for own in patient.tags)

    def _is_specific(self, chain: Sequence[Scope], patient: Patient) -> bool:
        if patient.groups:
            return any(self.scopes.is_related(tag, patient.groups) for scope in chain for tag in scope.tags)
        return any(self._speaks_of_age(scope) for scope in chain)

    def _route_selects(self, chain: Sequence[Scope], asked: Sequence[Route]) -> Selection:
        """The innermost label with a route decides, unless an outer one already rules the route out."""
        found: list[Selection] = [self.scopes.routes.selects(scope.routes, asked) for scope in chain if scope.routes]
        if "outside" in found:
            return "outside"
        return found[-1] if found else "unknown"


def _is_route_list(one: Scope, other: Scope) -> bool:
    """Whether two neighbouring labels only list routes: "Tiêm bắp, tiêm tĩnh mạch chậm hoặc truyền" means any of them."""
    return bool(one.routes and other.routes) and not one.alternatives and not other.alternatives


def _joined(one: Scope, other: Scope) -> Scope:
    return Scope((), one.routes | other.routes)


def _no_fits(_patients: tuple[Patient, ...], _routes: tuple[Route, ...]) -> dict[tuple[BlockScope, bool, bool], Fit]:
    return {}


_ORDER: Mapping[str, int] = {"inside": 0, "unknown": 1, "outside": 2}


def _first_mismatch(found: Sequence[Fit]) -> Mismatch:
    """One reason for a block whose items are all left out: the nearest miss of any, a wrong route before a wrong band."""
    reasons = {one.mismatch for one in found}
    if "route" in reasons:
        return "route"
    return "other_band" if "other_band" in reasons else "population"


def _dose_pattern(units: Mapping[str, Any]) -> re.Pattern[str]:
    """A figure directly before a unit of dose, or an interval ("cách 8 giờ", "mỗi 12 giờ")."""
    aliases = [
        alias
        for entry in units.values()
        if entry["kind"].startswith(_DOSE_KINDS) and entry["kind"] not in _NO_DOSE_KINDS
        for alias in entry["aliases"]
    ]
    written = "|".join(re.escape(alias) for alias in sorted(set(aliases), key=len, reverse=True))
    figure = rf"[0-9½¼¾]\s?(?:{written})(?![^\W\d_])(?!/\s?phút)"
    interval = r"(?:cách|mỗi|cứ)\s(?:nhau\s)?[0-9]{1,3}(?:\s?-\s?[0-9]{1,3})?\s?(?:giờ|ngày|tuần|h)(?![^\W\d_])"
    return re.compile(f"{figure}|{interval}", re.IGNORECASE)
