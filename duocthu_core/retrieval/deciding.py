"""Decision: answer, ask back, send to the book, or abstain, from the evidence alone (spec 03; spec 02, rule 7).

The careful case: a question about a group ("cefazolin suy thận") whose doses stand in a table. Prose of the section may speak of
kidneys in general; only a clean block that carries a dose *for that group* lets the turn be answered, else the reader is sent to the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from duocthu_core.retrieval.interactions import INTERACTION_SECTION
from duocthu_core.retrieval.model import BlockFit, DecisionKind, Evidence, Named, Notice, NoticeKind, Retrieval, Said
from duocthu_core.retrieval.source import BlockSource
from duocthu_core.retrieval.telling import Language, notice_of, told, worded, words
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.understanding.model import DrugOffer, Question, ResolvedQuestion, patient_values

DecisionReason = Literal["no_drug", "ambiguous_drug", "no_evidence", "missing_page", "quarantined"]
_CONDITIONS_TOLD = 12
"""More conditions than these are no help in one notice; the section is a look away."""
_BY_MOUTH = "enteral"
_TWO_DRUG_INTENTS = frozenset({"interaction", "compare"})


class Decision(BaseModel):
    """What the evidence allows, and what the reader is told beside it."""

    model_config = ConfigDict(frozen=True)

    kind: DecisionKind
    reject_reason: DecisionReason | None = None
    """Set for ABSTAIN and VERIFY_PDF."""
    clarifying_question: str | None = None
    quick_replies: tuple[str, ...] = ()
    clarifying_said: Said | None = None
    quick_replies_said: tuple[Said | None, ...] = ()
    """The question and its replies for wording them in another language; None for a reply that is the same in all."""
    quarantined_pages: tuple[int, ...] = ()
    """Printed pages of the tables and formulas that belong to the question."""
    notices: tuple[Notice, ...] = ()


def decide(
    question: Question,
    resolved: ResolvedQuestion,
    retrieval: Retrieval,
    source: BlockSource,
    ruleset: Ruleset,
    *,
    language: Language = "vi",
) -> Decision:
    """The decision for one question; no model takes part, and every text for the reader is the ruleset's."""
    decider = _Decider(question, resolved, retrieval, source, ruleset=ruleset, language=language)
    return decider.about_the_drug() or decider.about_the_evidence()


class _Decider:
    """One decision: first whether it is clear which drug is meant, then whether the evidence answers."""

    def __init__(
        self,
        question: Question,
        resolved: ResolvedQuestion,
        retrieval: Retrieval,
        source: BlockSource,
        *,
        ruleset: Ruleset,
        language: Language,
    ) -> None:
        self._question = question
        self._resolved = resolved
        self._found = retrieval
        self._source = source
        self._ruleset = ruleset
        self._language: Language = language
        self._rules: Mapping[str, Any] = ruleset.tables["sections"]["retrieval"]
        self._replies_max = ruleset.generation.quick_replies_max
        self._offers_max = ruleset.retrieval.offers_max

    # --- which drug -------------------------------------------------------------------------------------------------------------

    def about_the_drug(self) -> Decision | None:
        """Asks or abstains where the drug is not clear; None where it is, or where the question is for a list of drugs."""
        if (asked := self._offered()) is not None:
            return asked
        if self._resolved.intent == "condition_list":
            return None
        named = tuple(dict.fromkeys(self._resolved.drug_ids)) or tuple(filter(None, (self._resolved.drug_id,)))
        unknown = tuple(dict.fromkeys(self._question.unknown_names))
        if not named:
            return _abstain("no_evidence" if unknown else "no_drug")
        said_here = named if self._question.drug_ids else ()
        if len(named) > 1 or (said_here and unknown):
            return None if self._resolved.intent in _TWO_DRUG_INTENTS else self._several(named, unknown)
        return None

    def _offered(self) -> Decision | None:
        """A misspelling, a look-alike or a combination is asked about, never assumed (spec 03, "Understanding")."""
        offers = sorted((offer for offer in self._question.offers if not self._is_named_beside(offer)), key=lambda offer: -offer.score)
        must_ask = [offer for offer in offers if offer.why != "misspelling"]
        if not must_ask and self._question.drug_ids and self._resolved.intent not in _TWO_DRUG_INTENTS:
            return None
        wanted = must_ask or offers
        names = tuple(dict.fromkeys(offer.drug_name for offer in wanted))[: min(self._offers_max, self._replies_max)]
        if not names:
            return None
        replies: tuple[str | Said, ...] = names if len(names) > 1 else (*names, told("not_this_drug"))
        return self._clarify(self._offer_question(wanted[0], names), replies)

    def _is_named_beside(self, offer: DrugOffer) -> bool:
        """Whether the drug offered for one word is named outright by another ("cefuroxim hay cefotaxim"): then it was not mistyped."""
        mentions = [
            mention.words for mention in self._question.mentions if mention.value == offer.drug_id and mention.kind in ("drug", "brand")
        ]
        return bool(mentions) and offer.words not in mentions and offer.why != "combination"

    @staticmethod
    def _offer_question(offer: DrugOffer, names: Sequence[str]) -> Said:
        if offer.why in ("look_alike", "combination") and len(names) > 1:
            return told(offer.why, words=offer.words, names=words(names))
        key = "did_you_mean_one" if len(names) == 1 else "did_you_mean_many"
        return told(key, words=offer.words, names=words(names))

    def _several(self, drug_ids: Sequence[str], unknown: Sequence[str]) -> Decision:
        """Two or more drugs and no word of comparing or taking together: never picks one silently (spec 02, rule 7)."""
        if len(drug_ids) + len(unknown) > self._offers_max:
            return _abstain("ambiguous_drug")
        known = [self._source.name_of(drug_id) for drug_id in drug_ids]
        names = [*known, *unknown]
        replies: list[str | Said] = list(known)
        if len(names) == 2:
            replies += [] if unknown else [told("compare_reply", names=words(names))]
            replies.append(told("interaction_reply", names=words(names)))
        return self._clarify(told("several_drugs", names=words(names)), replies[: self._replies_max])

    # --- what the evidence allows -----------------------------------------------------------------------------------------------

    def about_the_evidence(self) -> Decision:
        """Answers, asks which section, sends to the page, or abstains."""
        found = self._found
        if not found.sections and not found.evidence and not found.quarantined:
            return self._which_section()
        if (unclear := self._unsure_value()) is not None:
            return unclear
        notices = (*self._interaction_notices(), *self._missing_notices())
        if found.quarantined and not self._is_answered():
            return self._verify((*notices, *self._condition_not_stated()))
        if not found.evidence:
            return _abstain("missing_page" if found.without_page else "no_evidence", (*notices, *self._not_stated()))
        if not self._is_answered():
            return _abstain("no_evidence", (*notices, *self._not_stated()))
        pages = _pages(found.quarantined)
        quarantine = (self._notice("quarantine", "quarantine", pages=pages),) if pages else ()
        notices = (*notices, *self._condition_not_stated(), *quarantine, *self._left_out(), *self._route_open())
        return Decision(kind="ANSWER", quarantined_pages=pages, notices=notices)

    def _unsure_value(self) -> Decision | None:
        """ "Bé 9t": months or years give other doses, so it is asked, never guessed."""
        unsure = [stated for stated in self._question.stated if stated.unsure and stated.kind == "age"]
        if not self._found.is_dosing or not unsure:
            return None
        figure = "".join(sign for sign in unsure[0].text if sign.isdigit() or sign in ",./")
        replies = [told(key, figure=figure) for key in ("age_in_months", "age_in_years")]
        return self._clarify(told("unsure_age", words=unsure[0].text), replies)

    def _which_section(self) -> Decision:
        """A drug and no topic: the sections of its monograph as replies."""
        drug_ids = self._drug_ids()
        known = [drug_id for drug_id in drug_ids if drug_id in self._source.monographs]
        if not known:
            return _abstain("no_evidence")
        offered = [key for key in self._rules["offered_sections"] if any(self._source.blocks_of(drug_id, key) for drug_id in known)]
        names = words(self._source.name_of(drug_id) for drug_id in known)
        replies = [told("section_title", section=Named(value=key, kind="section")) for key in offered[: self._replies_max]]
        if not replies:
            return _abstain("no_evidence")
        # A figure of the question is not said back: read out of a reply it would look like one of the book's. Nor are the
        # words of an injected instruction.
        told_back = () if self._question.injection_cues else tuple(word for word in self._found.words if not _has_digit(word))
        key = "words_not_found" if told_back else "which_section"
        return self._clarify(told(key, names=names, words=" ".join(told_back)), replies)

    def _is_answered(self) -> bool:
        """Whether the clean blocks answer, not merely belong to the section."""
        found = self._found
        clean = self._clean_fits()
        if not clean:
            return False
        if not found.is_dosing:
            return True
        if found.condition_lacking and not self._has_dose(clean):
            return False
        if not found.names_patient:
            in_tables = found.quarantined and self._question.asks_amounts
            return self._has_dose(clean) or (not in_tables and self._route_is_open(clean))
        own = [fit for fit in clean if fit.specific or fit.mentions_patient]
        if found.names_group:
            own_tables = [fit for fit in self._quarantined_fits() if fit.specific]
            return self._has_dose(fit for fit in own if fit.specific) if own_tables else bool(own)
        if not self._route_is_open(clean):
            return False
        if self._has_dose(own) or (self._has_dose(clean) and not self._is_left_to_others()):
            return True
        return bool(own) and not found.quarantined

    def _has_dose(self, fits: Iterable[BlockFit]) -> bool:
        return any(fit.carries_dose and fit.asked_section for fit in fits)

    def _route_is_open(self, clean: Sequence[BlockFit]) -> bool:
        """Whether the route asked about is there at all: where others were left for their route, something with a dose must remain."""
        left = any(candidate.why == "other_route" for candidate in self._found.candidates)
        return not left or not self._question.asks_amounts or self._has_dose(clean)

    def _is_left_to_others(self) -> bool:
        """Whether the lines left say that general ones are others' too: true for a child where lines for adults or other ages were left."""
        left = any(candidate.why in ("other_population", "other_band") for candidate in self._found.candidates)
        return left and self._found.is_child

    def _clean_fits(self) -> list[BlockFit]:
        return self._fits_of(self._found.evidence)

    def _quarantined_fits(self) -> list[BlockFit]:
        return self._fits_of(self._found.quarantined)

    def _fits_of(self, evidence: Iterable[Evidence]) -> list[BlockFit]:
        fits = (self._found.fit_of(block.block_id) for block in evidence)
        return [fit for fit in fits if fit is not None]

    def _drug_ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self._resolved.drug_ids, *filter(None, (self._resolved.drug_id,)))))

    # --- notices ----------------------------------------------------------------------------------------------------------------

    def _verify(self, notices: tuple[Notice, ...]) -> Decision:
        """Only tables or formulas hold what was asked: their pages. A group's own tables alone where there are some."""
        own = {fit.block_id for fit in self._quarantined_fits() if fit.specific}
        blocks = [block for block in self._found.quarantined if not self._found.names_group or not own or block.block_id in own]
        pages = _pages(blocks)
        if not pages:
            return _abstain("missing_page", notices)
        notice = self._notice("quarantine", "quarantine", pages=pages)
        return Decision(kind="VERIFY_PDF", reject_reason="quarantined", quarantined_pages=pages, notices=(*notices, notice))

    def _interaction_notices(self) -> tuple[Notice, ...]:
        """For each direction: not found is said as "không nêu …; không có nghĩa là an toàn", and a class is said to be one."""
        found: list[Notice] = []
        for naming in self._found.namings:
            drug = self._source.name_of(naming.drug_id)
            if not naming.has_section:
                section = Named(value=INTERACTION_SECTION, kind="section")
                found.append(self._notice("missing_section", "missing_section", names=drug, section=section))
            elif naming.named_by is None:
                found.append(self._notice("interaction_absent", "interaction_absent", other=naming.other_name, drug=drug))
            elif naming.named_by == "class":
                classes = words(naming.words, "quoted")
                found.append(self._notice("interaction_class", "interaction_class", other=naming.other_name, drug=drug, words=classes))
        return (*found, *self._allergy_notices())

    def _allergy_notices(self) -> Iterable[Notice]:
        """Where the sections do not name what the patient is allergic to, that is said: not named does not mean safe."""
        for naming in self._found.allergies:
            if naming.named_by is None:
                drug = self._source.name_of(naming.drug_id)
                yield self._notice("not_stated", "allergy_absent", other=naming.other_name, drug=drug, section=self._sections())

    def _missing_notices(self) -> tuple[Notice, ...]:
        """Of several drugs, those whose monograph has nothing in the section."""
        if not self._found.drugs_without or not self._found.evidence:
            return ()
        names = words(self._source.name_of(drug_id) for drug_id in self._found.drugs_without)
        return (self._notice("missing_section", "missing_section", names=names, section=self._sections()),)

    def _not_stated(self) -> tuple[Notice, ...]:
        """That the book states nothing for this patient or route, where it does state something for others."""
        found = self._found
        if found.condition_lacking:
            return self._condition_not_stated()
        left = {candidate.why for candidate in found.candidates}
        names = words(self._source.name_of(drug_id) for drug_id in self._drug_ids())
        if found.names_patient and found.is_dosing and (found.names_group or left & {"other_population", "other_band"}):
            group, section = self._patient_words(), self._sections()
            return (self._notice("not_stated", "group_not_stated", section=section, names=names, group=group),)
        routes = self._question.routes or tuple(filter(None, (self._resolved.route or self._question.route,)))
        if routes and "other_route" in left:
            section, way = self._sections(), words(routes, "route")
            return (self._notice("not_stated", "route_not_stated", section=section, names=names, route=way),)
        return ()

    def _condition_not_stated(self) -> tuple[Notice, ...]:
        """That the book has no dose for the condition asked about, and which conditions it has doses for."""
        found = self._found
        if not found.condition_lacking:
            return ()
        names = words(self._source.name_of(drug_id) for drug_id in self._drug_ids())
        section, condition = self._sections(), found.condition_lacking
        notices = [self._notice("not_stated", "condition_not_stated", section=section, names=names, condition=condition)]
        if found.conditions_stated:
            items = words(found.conditions_stated[:_CONDITIONS_TOLD])
            notices.append(self._notice("not_stated", "conditions_stated", items=items))
        return tuple(notices)

    def _patient_words(self) -> tuple[Named, ...]:
        stated = [value.text for value in patient_values(self._question, self._resolved)]
        tags = (self._resolved.population,) if self._resolved.population else self._question.populations
        return (*words(tags, "population"), *words(stated))

    def _left_out(self) -> tuple[Notice, ...]:
        """What fits the question and was not shown for want of room."""
        left = self._found.left_by_limit
        if not left:
            return ()
        if self._resolved.intent == "condition_list":
            shown = {block.drug_id for block in self._found.evidence}
            drugs = dict.fromkeys(self._source.name_of(one.drug_id) for one in left if one.drug_id not in shown)
            return (self._notice("left_out", "left_out_drugs", items=words(drugs)),) if drugs else ()
        items = words(dict.fromkeys(one.section_key for one in left), "section")
        return (self._notice("left_out", "left_out", count=str(len(left)), items=items),)

    def _route_open(self) -> tuple[Notice, ...]:
        """That some of the doses shown name no route, where one other than by mouth was asked about: it is not inferred."""
        table = self._ruleset.tables["routes"]["routes"]
        asked = self._question.routes or tuple(filter(None, (self._resolved.route or self._question.route,)))
        routes = [route for route in asked if table.get(route, {}).get("family") != _BY_MOUTH]
        if not routes or not any(fit.route_open and fit.carries_dose and fit.asked_section for fit in self._clean_fits()):
            return ()
        return (self._notice("route_open", "route_open", route=words(routes, "route")),)

    def _sections(self) -> tuple[Named, ...]:
        return words(self._found.sections, "section")

    # --- wording ----------------------------------------------------------------------------------------------------------------

    def _notice(self, kind: NoticeKind, code: str, *, pages: tuple[int, ...] = (), **params: str | Named | Sequence[Named]) -> Notice:
        return notice_of(kind, told(code, **params), self._ruleset, self._language, pages)

    def _clarify(self, question: Said, replies: Sequence[str | Said]) -> Decision:
        """A question back. A reply that is a drug's name is the same in every language."""
        said = tuple(reply if isinstance(reply, Said) else None for reply in replies)
        texts = (reply if isinstance(reply, str) else worded(reply, self._ruleset, self._language) for reply in replies)
        return Decision(
            kind="CLARIFY",
            clarifying_question=worded(question, self._ruleset, self._language),
            quick_replies=tuple(texts),
            clarifying_said=question,
            quick_replies_said=said,
        )


def _has_digit(words: str) -> bool:
    return any(character.isdigit() for character in words)


def _pages(blocks: Iterable[Evidence]) -> tuple[int, ...]:
    pages: set[int] = set()
    for block in blocks:
        if block.page_start is not None:
            pages |= set(range(block.page_start, (block.page_end or block.page_start) + 1))
    return tuple(sorted(pages))


def _abstain(reason: DecisionReason, notices: tuple[Notice, ...] = ()) -> Decision:
    return Decision(kind="ABSTAIN", reject_reason=reason, notices=notices)
