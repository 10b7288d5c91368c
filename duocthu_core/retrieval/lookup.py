"""Look-up: a named drug and section is fetched, not searched (spec 03). Each block of the sections is kept or left, with its reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

from duocthu_core.corpus.model import Block
from duocthu_core.retrieval.block_scopes import BlockReader, Fit, Known
from duocthu_core.retrieval.conditions import Conditions
from duocthu_core.retrieval.model import BlockFit, Candidate, CandidateWhy
from duocthu_core.retrieval.routes import Route
from duocthu_core.retrieval.scopes import Patient
from duocthu_core.retrieval.source import BlockSource
from duocthu_core.text.folding import fold

How = Literal["lookup", "search", "reuse"]

# What a block's place and label are worth. Figures for ordering only: asked sections before those beside them, the patient's own lines
# before general ones, and among equals the book's order.
_ASKED, _BESIDE = 1.0, 0.6
_CONDITION_HELD, _CONDITION_OTHER = 0.8, 0.3
"""A heading holds the question's words from the first share on; below the second it is about something else."""
_OPENING_MAX = 60
"""A longer opening before a colon is a sentence, no heading."""
_SPECIFIC, _SURELY_INSIDE, _OWN_ROUTE, _MENTION, _WORDING = 0.5, 0.3, 0.3, 0.2, 0.4


@dataclass(frozen=True)
class Sections:
    """Where to look for one question."""

    asked: tuple[str, ...]
    """Asked about, or taken for the group that was named."""
    beside: tuple[str, ...] = ()
    """Shown together with them."""
    fallback: tuple[str, ...] = ()
    """Consulted when the others say nothing about the patient."""
    only_mentioning: frozenset[str] = frozenset()
    """Of these only the blocks that speak of the patient's group."""
    is_guess: bool = False
    """Taken for a question that names no section and has words of its own: it holds only if a block holds the words."""

    @property
    def all(self) -> tuple[str, ...]:
        """Asked and beside, each once."""
        return tuple(dict.fromkeys((*self.asked, *self.beside)))


class Found(NamedTuple):
    """A block that was looked at."""

    block: Block
    fit: Fit
    score: float
    why: CandidateWhy
    kept: bool
    how: How = "lookup"
    asked_section: bool = True

    @property
    def is_quarantined(self) -> bool:
        """Whether it belongs to the question and is set apart as a table or formula."""
        return self.why == "quarantined"

    def left(self, why: CandidateWhy) -> Found:
        """The same block, left for another reason."""
        return Found(self.block, self.fit, self.score, why, False, self.how, self.asked_section)

    def candidate(self) -> Candidate:
        """As the trace shows it."""
        block = self.block
        return Candidate(
            block_id=block.block_id,
            drug_id=block.drug_id,
            section_key=block.section_key,
            label=block.label,
            score=round(self.score, 4),
            how=self.how,
            kept=self.kept,
            why=self.why,
        )

    def block_fit(self) -> BlockFit:
        """As the decision reads it."""
        return BlockFit(
            block_id=self.block.block_id,
            specific=self.fit.specific,
            mentions_patient=self.fit.mentions_patient,
            carries_dose=self.fit.carries_dose,
            asked_section=self.asked_section,
            route_open=self.fit.route == "unknown",
        )


@dataclass(frozen=True)
class Request:
    """Whom and what a look-up is for."""

    patients: tuple[Patient, ...]
    routes: tuple[Route, ...]
    sections: Sections
    relevance: Mapping[str, float] = field(default_factory=dict)
    """Block id -> share of the question's own words, 0..1."""
    known: Known | None = None
    """What was already found about these patients and routes."""

    @cached_property
    def groups(self) -> frozenset[str]:
        """Groups of the patients whose doses are nobody else's."""
        return frozenset(tag for patient in self.patients for tag in patient.groups)

    @cached_property
    def is_described(self) -> bool:
        """Whether anything is known about a patient."""
        return any(patient.is_described for patient in self.patients)


@dataclass(frozen=True)
class ConditionLines:
    """Blocks after a condition was looked for among them."""

    found: list[Found]
    others: tuple[str, ...] = ()
    """Headings of the lines for other conditions, where none speaks of the one asked about."""
    lacks: bool = False
    """No fitting block speaks of it."""
    dose_left: bool = False
    """Then: a dose under no condition's heading is left."""


class LookUp:
    """Looks sections up in a corpus with the rules of one ruleset."""

    def __init__(self, reader: BlockReader, rules: Mapping[str, Any]) -> None:
        self._reader = reader
        self._dosing = frozenset(rules["single_group_sections"])
        self._general = frozenset(fold(heading) for heading in rules["general_headings"])
        self._own_sections = {tag: frozenset(entry.get("also", ())) for tag, entry in rules["groups"].items()}
        self._administration = tuple(fold(opening) for opening in rules["administration_openings"])

    def drug(self, drug_id: str, request: Request, source: BlockSource) -> list[Found]:
        """Every block of the sections of one drug, in the order of the sections and of the book."""
        found: list[Found] = []
        request = replace(request, known=self._reader.known(request.patients, request.routes))
        for section in request.sections.all:
            of_section = self._section(source.blocks_of(drug_id, section), request, section in request.sections.asked)
            found += self._own_route_only(self._own_figures_only(of_section, request), request) if section in self._dosing else of_section
        if request.sections.fallback and request.is_described and not self._speaks_of_patient(found, request):
            only = frozenset(request.sections.fallback)
            beside = replace(request, sections=Sections(request.sections.fallback, only_mentioning=only))
            for section in request.sections.fallback:
                found += self._section(source.blocks_of(drug_id, section), beside, asked=False)
        return found

    def is_dosing(self, sections: Iterable[str]) -> bool:
        """Whether figures of one of these sections belong to their own group only."""
        return not self._dosing.isdisjoint(sections)

    def dosing_sections(self) -> frozenset[str]:
        """The sections in which a figure belongs to its own group."""
        return self._dosing

    def of_asked_condition(self, found: Sequence[Found], share: Callable[[str], float]) -> list[Found]:
        """Where a dosing line is headed by the condition asked about ("Đau, sốt:"), lines headed by other conditions are left.

        ``share``: how much of the question's own words a heading holds, 0..1.
        """
        headed = {
            one.block.block_id: self._conditions_of(one.block) for one in found if one.kept and self.is_dosing((one.block.section_key,))
        }
        held = {block_id: max(map(share, lines)) for block_id, lines in headed.items() if lines}
        if max(held.values(), default=0.0) < _CONDITION_HELD:
            return list(found)
        return [one.left("other_condition") if held.get(one.block.block_id, 1.0) < _CONDITION_OTHER else one for one in found]

    def for_condition(self, found: Sequence[Found], asked: Sequence[str], conditions: Conditions) -> ConditionLines:
        """The conditions ``asked`` looked for in the dosing sections: lines headed by other conditions are left where one is headed by a
        condition asked about, and where no fitting block speaks of any of them."""
        fitting = [one for one in found if (one.kept or one.is_quarantined) and self.is_dosing((one.block.section_key,))]
        headings = {one.block.block_id: self._headings(one.block) for one in fitting}

        def names_it(text: str, lines: Sequence[str]) -> bool:
            return any(conditions.is_named_in(name, text, lines) for name in asked)

        held = {one.block.block_id for one in fitting if names_it(one.block.shown_text, headings[one.block.block_id])}
        others = {key: list(filter(conditions.heads_condition, lines)) for key, lines in headings.items() if key not in held}
        has_heading = any(names_it("", headings[key]) for key in held)
        if held and not has_heading:
            return ConditionLines(list(found))
        left = [one.left("other_condition") if one.kept and others.get(one.block.block_id) else one for one in found]
        if held:
            return ConditionLines(left)
        kept_doses = [one for one in left if one.kept and one.fit.carries_dose and one.block.block_id in headings]
        dose_left = any(all(fold(line) in self._general for line in headings[one.block.block_id]) for one in kept_doses)
        told = tuple(dict.fromkeys(line for lines in others.values() for line in lines))
        return ConditionLines(left, told, lacks=True, dose_left=dose_left)

    def _headings(self, block: Block) -> list[str]:
        """Headings of a block that name neither patient nor route: label lines, and what its text begins with ("Viêm xoang cấp: …")."""
        opening = block.text.partition(":")[0] if len(block.text.partition(":")[0]) <= _OPENING_MAX else ""
        is_heading = opening and ":" in block.text and not any(map(str.isdigit, opening))
        own = [opening] if is_heading and not self._reader.scopes.read(opening).says_something else []
        return [line.rstrip(": ") for line in (*self._conditions_of(block), *own)]

    def _conditions_of(self, block: Block) -> list[str]:
        """Label lines that name a condition: no patient, no route, no way of giving."""
        if self.is_administration(block):
            return []
        lines = (line.strip() for line in (block.label or "").split("\n"))
        return [line for line in lines if line and not self._reader.scopes.read(line).says_something]

    def _section(self, blocks: Sequence[Block], request: Request, asked: bool) -> list[Found]:
        return [self._judge(block, request, asked) for block in blocks]

    def _judge(self, block: Block, request: Request, asked: bool) -> Found:
        fit = self._reader.fit(block, request.patients, request.routes, request.known)
        if any(block.section_key in self._own_sections.get(tag, ()) for tag in request.groups):
            fit = replace(fit, mentions_patient=True)  # a section about breast-feeding speaks of the nursing mother, whatever its words
        score = _score(fit, asked, request.relevance.get(block.block_id, 0.0))
        why = self._why(block, fit, request, asked)
        return set_apart(Found(block, fit, score, why, why in _KEPT, asked_section=asked))

    def _why(self, block: Block, fit: Fit, request: Request, asked: bool) -> CandidateWhy:
        if fit.mismatch is not None:
            return MISMATCHES[fit.mismatch]
        if block.section_key in request.sections.only_mentioning and not (fit.specific or fit.mentions_patient):
            return "no_mention"
        if block.quarantined and request.groups and not fit.mentions_patient and self.is_dosing((block.section_key,)):
            return "no_mention"
        if fit.specific:
            return "band" if any(patient.stated for patient in request.patients) else "population"
        if fit.route == "inside":
            return "route"
        if fit.mentions_patient:
            return "mention"
        return "section" if asked else "related"

    def _own_figures_only(self, found: list[Found], request: Request) -> list[Found]:
        """Doses under no label are ordinary adults': left for a group with its own doses, and for a child that has lines of its own."""
        has_own = any(one.kept and one.fit.specific and one.fit.carries_dose for one in found)
        own_doses = all(patient.groups or (patient.is_child and has_own) for patient in request.patients)
        if not own_doses:
            return found
        return [self._left_if_general(one, bool(request.groups)) for one in found]

    def _own_route_only(self, found: list[Found], request: Request) -> list[Found]:
        """Doses under no route are those of the whole body: left for a local route ("nhỏ mắt") that has doses of its own."""
        has_own = any(one.kept and one.fit.route == "inside" and one.fit.carries_dose for one in found)
        if not has_own or not request.routes or not all(self._reader.scopes.routes.is_local(route) for route in request.routes):
            return found
        return [one.left("other_route") if one.kept and one.fit.route == "unknown" and one.fit.carries_dose else one for one in found]

    def _left_if_general(self, one: Found, of_group: bool) -> Found:
        """A line under no label of the patient's: its dose is left, and for a group everything that does not tell how the drug is given."""
        if not one.kept or one.fit.specific or one.fit.mentions_patient or self.is_administration(one.block):
            return one
        if one.fit.carries_dose:
            return one.left("general_dose")
        return one.left("no_mention") if of_group else one

    def is_administration(self, block: Block) -> bool:
        """Whether a block tells how the drug is given, which is the same for everybody."""
        return fold(block.label or block.text).startswith(self._administration)

    def _speaks_of_patient(self, found: Sequence[Found], request: Request) -> bool:
        """Whether a section has anything on the patient: a line of their own, or, for a group, a mention; a table counts."""
        fitting = [one for one in found if (one.kept or one.is_quarantined) and one.asked_section]
        if request.groups:
            return any(one.fit.specific or one.fit.mentions_patient for one in fitting)
        left_to_others = any(one.why in ("other_band", "other_population") for one in found)
        return any(one.fit.specific for one in fitting) or not left_to_others


_KEPT: frozenset[CandidateWhy] = frozenset({"section", "band", "population", "route", "mention", "related"})
MISMATCHES: Mapping[str, CandidateWhy] = {"other_band": "other_band", "population": "other_population", "route": "other_route"}


def set_apart(found: Found) -> Found:
    """``found``, left where it may not be generated over (a table or formula) or cannot be cited (no printed page)."""
    if not found.kept:
        return found
    if found.block.quarantined:
        return found.left("quarantined")
    return found if found.block.page_start is not None else found.left("no_page")


def _score(fit: Fit, asked: bool, wording: float) -> float:
    score = (_ASKED if asked else _BESIDE) + _WORDING * wording
    score += _SPECIFIC * fit.specific + _OWN_ROUTE * (fit.route == "inside")
    if fit.specific and fit.selection == "inside":
        score += _SURELY_INSIDE
    return score + _MENTION * (fit.mentions_patient and not fit.specific)


def within_limit(found: Sequence[Found], limit: int) -> list[Found]:
    """``found`` with the least relevant kept blocks left for want of room; of several drugs each keeps its share."""
    kept = [one for one in found if one.kept]
    if len(kept) <= limit:
        return list(found)
    by_drug: dict[str, list[Found]] = {}
    for one in sorted(kept, key=lambda one: -one.score):
        by_drug.setdefault(one.block.drug_id, []).append(one)
    chosen: set[str] = set()
    queues = list(by_drug.values())
    while len(chosen) < limit:
        for queue in queues:
            if queue and len(chosen) < limit:
                chosen.add(queue.pop(0).block.block_id)
    return [one.left("limit") if one.kept and one.block.block_id not in chosen else one for one in found]
