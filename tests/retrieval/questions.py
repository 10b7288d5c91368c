"""Questions as the rules of understanding hand them on, built by hand so that these tests depend on retrieval alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from duocthu_core.retrieval.deciding import Decision, decide
from duocthu_core.retrieval.model import Retrieval
from duocthu_core.retrieval.retrieving import retrieve
from duocthu_core.retrieval.search import SearchIndex
from duocthu_core.retrieval.source import BlockSource
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.spans import Span
from duocthu_core.understanding.model import DrugOffer, Intent, Mention, Question, ResolvedQuestion, Stated, StatedKind, StatedValues

DOSAGE = "lieu_luong_cach_dung"


def stated(kind: StatedKind, text: str, low: float, high: float | None = None) -> Stated:
    """A stated value: months, kg, weeks or ml/phút."""
    return Stated(kind=kind, text=text, low=low, high=low if high is None else high, span=Span(0, 0))


def years(number: float) -> Stated:
    """ "8 tuổi"."""
    return stated("age", f"{number:g} tuổi", number * 12)


def kilograms(number: float) -> Stated:
    """ "12 kg"."""
    return stated("weight", f"{number:g} kg", number)


def clearance(number: float) -> Stated:
    """ "Clcr 20 ml/phút"."""
    return stated("clcr", f"{number:g} ml/phút", number)


class Asked:
    """One question put to a corpus: what was retrieved and what was decided."""

    def __init__(self, source: BlockSource, ruleset: Ruleset, index: SearchIndex | None = None) -> None:
        self.source = source
        self.ruleset = ruleset
        self.index = index or SearchIndex(source)

    def __call__(
        self,
        text: str = "",
        drugs: Sequence[str] = (),
        section: str | None = None,
        *,
        population: str | None = None,
        values: Sequence[Stated] = (),
        route: str | None = None,
        intent: Intent = "section",
        asks_amounts: bool = True,
        offers: Sequence[DrugOffer] = (),
        unknown: Sequence[str] = (),
        condition: str | None = None,
        inherited: dict[str, int] | None = None,
        reuse: Sequence[str] = (),
        verbosity: str = "",
        populations: Sequence[str] = (),
        routes: Sequence[str] = (),
    ) -> tuple[Retrieval, Decision]:
        carried = inherited or {}
        question = Question(
            text=text,
            mentions=tuple(self._mentions(text, drugs, population, verbosity)),
            drug_ids=() if "drug_id" in carried else tuple(drugs),
            section_keys=(section,) if section and "section_key" not in carried else (),
            population=None if "population" in carried else population,
            populations=tuple(populations),
            stated=tuple(values),
            route=route,
            routes=tuple(routes),
            intent=intent,
            asks_amounts=asks_amounts,
            offers=tuple(offers),
            unknown_names=tuple(unknown),
            condition=condition,
        )
        resolved = ResolvedQuestion(
            drug_ids=tuple(drugs),
            drug_id=drugs[0] if len(drugs) == 1 else None,
            section_key=section,
            population=population,
            stated=StatedValues(age=next((v.text for v in values if v.kind == "age"), None)),
            route=route,
            intent=intent,
            inherited=carried,
        )
        found = retrieve(question, resolved, self.source, self.index, self.ruleset, reuse)
        return found, decide(question, resolved, found, self.source, self.ruleset)

    def _mentions(self, text: str, drugs: Sequence[str], population: str | None, verbosity: str) -> list[Mention]:
        found: list[Mention] = []
        for drug_id in drugs:
            name = self.source.name_of(drug_id)
            at = text.lower().find(name.lower())
            if at >= 0:
                found.append(Mention(kind="drug", value=drug_id, words=text[at : at + len(name)], span=Span(at, at + len(name))))
        if verbosity:
            at = text.index(verbosity)
            found.append(Mention(kind="verbosity", value="detailed", words=verbosity, span=Span(at, at + len(verbosity))))
        if population:
            found.append(Mention(kind="population", value=population, words="", span=Span(0, 0)))
        return found


def kept(found: Retrieval) -> list[str]:
    """Block ids of the evidence without the drug's part, in order."""
    return [block.block_id.split("/", 1)[1] for block in found.evidence]


def why(found: Retrieval, block_id: str) -> str:
    """Why the candidate was kept or left."""
    return next(candidate.why for candidate in found.candidates if candidate.block_id == block_id)


def offer(words: str, drug_id: str, name: str, kind: Any = "misspelling", score: float = 90.0) -> DrugOffer:
    """A drug that is offered."""
    return DrugOffer(words=words, drug_id=drug_id, drug_name=name, why=kind, score=score)
