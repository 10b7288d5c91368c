"""Retrieval: from a resolved question to numbered evidence, every candidate with its reason (spec 03, "Retrieval and decision")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from duocthu_core.corpus.model import Block
from duocthu_core.retrieval.block_scopes import OPEN_FIT, BlockReader, Fit
from duocthu_core.retrieval.conditions import Conditions
from duocthu_core.retrieval.interactions import INTERACTION_SECTION, Interactions
from duocthu_core.retrieval.lookup import MISMATCHES, Found, LookUp, Request, Sections, set_apart, within_limit
from duocthu_core.retrieval.model import Candidate, Evidence, InteractionNaming, Retrieval
from duocthu_core.retrieval.routes import Route
from duocthu_core.retrieval.scopes import Patient
from duocthu_core.retrieval.search import SearchIndex
from duocthu_core.retrieval.shown import Shown
from duocthu_core.retrieval.source import BlockSource
from duocthu_core.retrieval.wording import ContentWords, Wording
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.understanding.model import Question, ResolvedQuestion

INDICATIONS, CONTRAINDICATIONS = "chi_dinh", "chong_chi_dinh"


def retrieve(  # noqa: PLR0917 - the stage's inputs, in the order of the turn
    question: Question,
    resolved: ResolvedQuestion,
    source: BlockSource,
    index: SearchIndex,
    ruleset: Ruleset,
    reuse_ids: Sequence[str] = (),
) -> Retrieval:
    """The evidence for a question.

    ``reuse_ids``: block ids that answered earlier turns; they are shown again only where drug, section, patient and route are
    unchanged. Nothing here calls a model, and no figure is read but to choose blocks.
    """
    retriever = _retriever(ruleset.ruleset_id, _Kept(ruleset))
    return retriever.run(question, resolved, source, index, reuse_ids)


class _Kept:
    """A ruleset that hashes by its id, so that what was compiled from it is kept."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kept) and other.ruleset.ruleset_id == self.ruleset.ruleset_id

    def __hash__(self) -> int:
        return hash(self.ruleset.ruleset_id)


@lru_cache(maxsize=4)
def _retriever(ruleset_id: str, kept: _Kept) -> Retriever:
    del ruleset_id
    return Retriever(kept.ruleset)


class Retriever:
    """Retrieval with the tables of one ruleset compiled."""

    def __init__(self, ruleset: Ruleset) -> None:
        self._limits = ruleset.retrieval
        self._rules: Mapping[str, Any] = ruleset.tables["sections"]["retrieval"]
        self._titles: Mapping[str, Any] = ruleset.tables["sections"]["sections"]
        self._reader = BlockReader(ruleset)
        self._lookup = LookUp(self._reader, self._rules)
        self._interactions = Interactions(ruleset)
        self._conditions = Conditions(ruleset)
        self._words = ContentWords(ruleset)
        self._shown = Shown()
        self._allergy_words: tuple[str, ...] = tuple(ruleset.tables["dialogue"]["allergy"]["book_words"])

    def run(
        self, question: Question, resolved: ResolvedQuestion, source: BlockSource, index: SearchIndex, reuse_ids: Sequence[str] = ()
    ) -> Retrieval:
        """See :func:`retrieve`."""
        patients = self._reader.scopes.patients(question, resolved)
        routes = question.routes or tuple(filter(None, (question.route or resolved.route,)))
        turn = _Turn(question, resolved, source, index, patients, routes, self._words.of(question))
        if resolved.intent == "condition_list":
            return self._condition_list(turn)
        drug_ids = self._drug_ids(turn)
        if not drug_ids:
            return Retrieval(query=question.text)
        if (reused := self._reused(turn, reuse_ids)) is not None:
            return reused
        if resolved.intent == "interaction" and len(drug_ids) + len(question.unknown_names) > 1:
            return self._interaction(turn, drug_ids)
        return self._sections(turn, drug_ids)

    # --- a drug and a section ---------------------------------------------------------------------------------------------------

    def _sections(self, turn: _Turn, drug_ids: Sequence[str]) -> Retrieval:
        sections = self._where(turn)
        if not sections.all:
            return self._free_wording(turn, drug_ids)
        found: list[Found] = []
        without: list[str] = []
        stated_instead: tuple[str, ...] | None = None
        of_one_dose = len(drug_ids) == 1 and self._lookup.is_dosing(sections.asked) and not sections.is_guess
        conditions = self._conditions.asked_in(turn.wording) if of_one_dose else ()
        for drug_id in drug_ids:
            blocks = [block for section in sections.all for block in turn.source.blocks_of(drug_id, section)]
            relevance = turn.index.relevance(turn.wording, blocks) if turn.wording.runs else {}
            request = Request(turn.patients, turn.routes, sections, relevance)
            of_drug = self._lookup.drug(drug_id, request, turn.source)
            if turn.wording.runs and turn.resolved.intent != "survey":
                of_drug = self._lookup.of_asked_condition(of_drug, lambda line: turn.index.share(turn.wording, line))
            if conditions:
                for_condition = self._lookup.for_condition(of_drug, conditions, self._conditions)
                of_drug = for_condition.found
                if for_condition.lacks and not (for_condition.dose_left and self._is_indication(turn.source, drug_id, conditions)):
                    stated_instead = for_condition.others
            found += of_drug
            if not any(one.kept or one.is_quarantined for one in of_drug):
                without.append(drug_id)
        if sections.is_guess and not self._speaks_of_words(turn, found):
            return self._free_wording(turn, drug_ids)
        query = self._query(turn, drug_ids, sections.asked)
        result = self._with_allergies(turn, self._result(turn, found, query, sections.asked, drugs_without=tuple(without)))
        if stated_instead is None:
            return result
        return result.model_copy(update={"condition_lacking": ", ".join(conditions), "conditions_stated": stated_instead})

    def _with_allergies(self, turn: _Turn, result: Retrieval) -> Retrieval:
        """The result with what its blocks say of the allergens that were named."""
        if not turn.question.allergens:
            return result
        others = [self._interactions.other(one.drug_id, one.words, turn.source) for one in turn.question.allergens]
        namings = [
            self._interactions.naming(drug_id, other, list(filter(None, map(turn.source.block, ids))))
            for drug_id, ids in _ids_by_drug(result.evidence).items()
            for other in others
        ]
        known = [*(one.words for one in turn.question.allergens), *(word for naming in namings for word in naming.words)]
        words = tuple(dict.fromkeys((*known, *self._allergy_words)))
        return result.model_copy(update={"allergies": tuple(namings), "allergy_words": words})

    def _is_indication(self, source: BlockSource, drug_id: str, conditions: Sequence[str]) -> bool:
        """Whether the drug is indicated for one of the conditions: a dose under no heading is then for it too."""
        wordings = [self._conditions.wordings(name) for name in conditions]
        texts = [block.shown_text for block in source.blocks_of(drug_id, INDICATIONS)]
        return any(self._conditions.holds(wording, text) for wording in wordings for text in texts)

    def _speaks_of_words(self, turn: _Turn, found: Sequence[Found]) -> bool:
        """Whether a kept block holds enough of the question's own words."""
        shown = (one.block.shown_text for one in found if one.kept or one.is_quarantined)
        return any(turn.index.share(turn.wording, text) >= self._rules["dosing_wording_share"] for text in shown)

    def _where(self, turn: _Turn) -> Sections:
        """The sections of a question: those it names, else those that its patient or a survey calls for."""
        asked = turn.question.section_keys or tuple(filter(None, (turn.resolved.section_key,)))
        groups = [self._rules["groups"][tag] for tag in turn.groups]
        if asked:
            beside = _flat(entry.get("also", ()) for entry in groups) if set(asked) & set(self._rules["also_beside"]) else ()
            fallback: tuple[str, ...] = ()
            if groups and self._is_fallback_worthwhile(turn, asked):
                fallback = _flat((*entry["sections"], *entry["fallback"]) for entry in groups)
            elif self._lookup.is_dosing(asked) and (turn.is_child or any("nguoi_cao_tuoi" in patient.tags for patient in turn.patients)):
                fallback = tuple(self._rules["age_groups"]["fallback"])
            used = (*asked, *beside)
            return Sections(asked, tuple(key for key in beside if key not in asked), tuple(key for key in fallback if key not in used))
        if turn.resolved.intent == "survey" or turn.question.wants_whole_monograph:
            return Sections(tuple(self._rules["overview"]))
        if groups:
            named = _flat(entry["sections"] for entry in groups)
            mentioning = frozenset(_flat(entry["fallback"] for entry in groups))
            return Sections(named, fallback=tuple(key for key in mentioning if key not in named), only_mentioning=mentioning)
        if turn.is_described:
            # "diazepam trực tràng bé 2 tuổi co giật" is about a dose; "bé 2 tuổi uống vào có ngủ nhiều không" is not, and is searched for.
            # What is said against giving it to this patient stands beside the dose ("tránh dùng cho trẻ dưới 16 tuổi").
            rules, has_words = self._rules["age_groups"], bool(turn.wording.runs) and not self._conditions.asked_in(turn.wording)
            against = tuple(rules["fallback"])
            return Sections(tuple(rules["sections"]), beside=against, only_mentioning=frozenset(against), is_guess=has_words)
        if turn.routes or turn.question.asks_amounts:
            # "propranolol tiêm tĩnh mạch": a way of giving it is asked about under the dosage.
            return Sections(tuple(self._rules["age_groups"]["sections"]), is_guess=bool(turn.wording.runs))
        return Sections(())

    def _is_fallback_worthwhile(self, turn: _Turn, asked: Sequence[str]) -> bool:
        """A group beside a dosing question, or named in this turn beside a section that was only carried over."""
        return self._lookup.is_dosing(asked) or ("section_key" in turn.resolved.inherited and turn.question.population is not None)

    def _query(self, turn: _Turn, drug_ids: Sequence[str], sections: Sequence[str]) -> str:
        names = ", ".join(turn.source.name_of(drug_id) for drug_id in drug_ids)
        titles = ", ".join(self._title(section) for section in sections)
        return " · ".join(part for part in (names, titles, turn.wording.text) if part)

    # --- free wording -----------------------------------------------------------------------------------------------------------

    def _free_wording(self, turn: _Turn, drug_ids: Sequence[str]) -> Retrieval:
        """A drug and words of no section: the drug's blocks that hold enough of the words. Where none does, the decision asks back."""
        found: list[Found] = []
        for drug_id in drug_ids:
            hits = turn.index.search(turn.wording, self._limits.search_limit, drug_id=drug_id)
            for hit in hits:
                fit = self._reader.fit(hit.block, turn.patients, turn.routes)
                share = turn.index.share(turn.wording, hit.block.shown_text)
                found.append(self._worded(hit.block, fit, hit.score, share))
        return self._result(turn, found, self._query(turn, drug_ids, ()), ())

    def _worded(self, block: Block, fit: Fit, score: float, share: float) -> Found:
        if fit.mismatch is not None:
            return Found(block, fit, score, MISMATCHES[fit.mismatch], False, "search")
        warns = block.section_key in self._rules["warning_sections"]
        if share < self._rules["free_wording_share_of_warnings" if warns else "free_wording_share"]:
            return Found(block, fit, score, "little_overlap", False, "search")
        return set_apart(Found(block, fit, score, "wording", True, "search"))

    # --- conditions -------------------------------------------------------------------------------------------------------------

    def _condition_list(self, turn: _Turn) -> Retrieval:
        """Drugs whose indications really hold the condition; evidence is those blocks, at most ``condition_drugs_max`` drugs."""
        asked = turn.question.condition or turn.question.text
        own = self._words.of_text(asked)
        wordings = self._conditions.wordings(own.text or asked)
        found: dict[str, Found] = {}
        drugs: set[str] = set()
        for wording in wordings:
            for hit in turn.index.search(Wording((wording.text,), own.with_marks), self._limits.search_limit * 2, section_key=INDICATIONS):
                if hit.block.block_id in found:
                    continue
                one = Found(hit.block, OPEN_FIT, hit.score, "condition_not_held", False, "search")
                if self._conditions.holds(wordings, hit.block.shown_text):
                    one = set_apart(Found(hit.block, OPEN_FIT, hit.score, "condition", True, "search"))
                if one.kept and hit.block.drug_id not in drugs and len(drugs) >= self._limits.condition_drugs_max:
                    one = one.left("limit")
                drugs |= {hit.block.drug_id} if one.kept else set()
                found[hit.block.block_id] = one
        return self._result(turn, tuple(found.values()), asked, (INDICATIONS,))

    # --- interactions -----------------------------------------------------------------------------------------------------------

    def _interaction(self, turn: _Turn, drug_ids: Sequence[str]) -> Retrieval:
        """Both interaction sections; where one names the other drug, the blocks that do not are left."""
        namings = list(self._namings(turn, drug_ids))
        by_block: dict[str, str] = {}
        for naming in namings:
            for block_id in naming.block_ids:
                by_block[block_id] = "names_other" if naming.named_by == "name" else "names_class"
        forbidding = {block_id for naming in self._forbiddings(turn, drug_ids) for block_id in naming.block_ids}
        by_block |= dict.fromkeys(forbidding, "names_other")
        request = Request((Patient(),), (), Sections((INTERACTION_SECTION,), beside=(CONTRAINDICATIONS,) if forbidding else ()))
        found: list[Found] = []
        for drug_id in drug_ids:
            for one in self._lookup.drug(drug_id, request, turn.source):
                why = by_block.get(one.block.block_id)
                if one.block.section_key == CONTRAINDICATIONS and why is None:
                    continue
                if why is not None:
                    bonus = one._replace(score=one.score + (1.0 if why == "names_other" else 0.7))
                    found.append(bonus._replace(why=why) if one.kept else bonus)
                elif by_block and one.kept:
                    found.append(one.left("not_named"))
                else:
                    found.append(one)
        query = self._query(turn, drug_ids, (INTERACTION_SECTION,))
        return self._result(turn, found, query, (INTERACTION_SECTION,), namings=tuple(namings))

    def _forbiddings(self, turn: _Turn, drug_ids: Sequence[str]) -> Iterable[InteractionNaming]:
        """Contraindications of the one that name the other, or its class: an interaction that forbids stands there as often."""
        return (naming for naming in self._namings(turn, drug_ids, CONTRAINDICATIONS) if naming.named_by is not None)

    def _namings(self, turn: _Turn, drug_ids: Sequence[str], section: str = INTERACTION_SECTION) -> Iterable[InteractionNaming]:
        others = [self._interactions.other(drug_id, turn.source.name_of(drug_id), turn.source) for drug_id in drug_ids]
        others += [self._interactions.other(None, name, turn.source) for name in turn.question.unknown_names]
        for drug_id in drug_ids:
            blocks = turn.source.blocks_of(drug_id, section)
            for other in others:
                if other.drug_id != drug_id:
                    yield self._interactions.naming(drug_id, other, blocks)

    # --- follow-ups -------------------------------------------------------------------------------------------------------------

    def _reused(self, turn: _Turn, reuse_ids: Sequence[str]) -> Retrieval | None:
        """The evidence of an earlier turn, where this turn only goes on about the same drug and section ("giải thích kỹ hơn")."""
        question, resolved = turn.question, turn.resolved
        goes_on = {"drug_id", "section_key"} <= set(resolved.inherited) and len(resolved.drug_ids) <= 1
        new = (question.populations, question.population, question.route, question.routes, question.stated)
        changed = any(new) or bool(question.section_keys or question.drug_ids or turn.wording.runs)
        if not reuse_ids or not goes_on or changed or resolved.intent not in ("section", "survey"):
            return None
        blocks = [block for block_id in dict.fromkeys(reuse_ids) if (block := turn.source.block(block_id)) is not None]
        wanted = [b for b in blocks if b.drug_id == resolved.drug_id and b.section_key == resolved.section_key]
        fits = [(block, self._reader.fit(block, turn.patients, turn.routes)) for block in wanted]
        found = [
            Found(block, fit, 1.0, "reused", True, "reuse")
            for block, fit in fits
            if fit.mismatch is None and block.page_start is not None and not block.quarantined
        ]
        if not found:
            return None
        asked = (str(resolved.section_key),)
        result = self._result(turn, found, self._query(turn, (str(resolved.drug_id),), asked), asked)
        return result.model_copy(update={"reused_ids": tuple(one.block.block_id for one in found)})

    # --- the result -------------------------------------------------------------------------------------------------------------

    def _result(
        self,
        turn: _Turn,
        found: Sequence[Found],
        query: str,
        sections: tuple[str, ...],
        *,
        namings: tuple[InteractionNaming, ...] = (),
        drugs_without: tuple[str, ...] = (),
    ) -> Retrieval:
        limited = within_limit(found, self._limits.max_blocks)
        evidence = [self._evidence(one.block, turn.source, number) for number, one in enumerate((o for o in limited if o.kept), start=1)]
        apart = [one.block for one in limited if one.is_quarantined]
        return Retrieval(
            query=query,
            candidates=tuple(self._candidate(one, turn.source) for one in limited),
            evidence=tuple(evidence),
            quarantined=tuple(self._evidence(block, turn.source, len(evidence) + n) for n, block in enumerate(apart, start=1)),
            without_page=tuple(one.block.block_id for one in limited if one.why == "no_page"),
            sections=sections,
            is_dosing=self._lookup.is_dosing(sections),
            names_group=bool(turn.groups),
            names_patient=turn.is_described,
            is_child=turn.is_child,
            words=turn.wording.runs,
            fits=tuple(one.block_fit() for one in limited if one.kept or one.is_quarantined),
            namings=namings,
            drugs_without=drugs_without,
            bands_left=tuple(dict.fromkeys(one.block.label or "" for one in limited if one.why == "other_band" and one.block.label)),
        )

    def _candidate(self, one: Found, source: BlockSource) -> Candidate:
        return self._shown.of(one.block, source, (one.score, one.why, one.kept, one.how), one.candidate)

    def _evidence(self, block: Block, source: BlockSource, number: int) -> Evidence:
        return self._shown.of(block, source, (number,), lambda: self._evidence_of(block, source, number))

    def _evidence_of(self, block: Block, source: BlockSource, number: int) -> Evidence:
        return Evidence(
            index=number,
            block_id=block.block_id,
            drug_id=block.drug_id,
            drug_name=source.name_of(block.drug_id),
            section_key=block.section_key,
            section_title=self._title(block.section_key, block.heading),
            label=block.label,
            page_start=block.page_start,
            page_end=block.page_end,
            page_estimated=block.page_estimated,
            edition_mark=source.edition_mark,
            kind=block.kind,
            quarantined=block.quarantined,
            text=block.shown_text,
            url=block.url(source.edition),
        )

    def _title(self, section: str, printed: str = "") -> str:
        return str(self._titles.get(section, {}).get("label_vi") or printed or section)

    @staticmethod
    def _drug_ids(turn: _Turn) -> tuple[str, ...]:
        known = [*turn.resolved.drug_ids, *filter(None, (turn.resolved.drug_id,))]
        return tuple(drug_id for drug_id in dict.fromkeys(known) if drug_id in turn.source.monographs)


@dataclass(frozen=True)
class _Turn:
    """What stays the same through one retrieval."""

    question: Question
    resolved: ResolvedQuestion
    source: BlockSource
    index: SearchIndex
    patients: tuple[Patient, ...]
    routes: tuple[Route, ...]
    wording: Wording
    """The question's own content words."""

    @property
    def groups(self) -> list[str]:
        """Groups of the patients whose doses are nobody else's."""
        return sorted({tag for patient in self.patients for tag in patient.groups})

    @property
    def is_described(self) -> bool:
        """Whether anything is known about a patient."""
        return any(patient.is_described for patient in self.patients)

    @property
    def is_child(self) -> bool:
        """Whether every patient is surely no adult."""
        return all(patient.is_child for patient in self.patients)


def _ids_by_drug(evidence: Iterable[Evidence]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for block in evidence:
        if block.drug_id is not None:
            found.setdefault(block.drug_id, []).append(block.block_id)
    return found


def _flat(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for group in groups for item in group))
