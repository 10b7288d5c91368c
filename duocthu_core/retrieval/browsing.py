"""Looking something up in the book by hand: the search box of the corpus page (spec 06, page 8).

The same parts as in a turn: names are read by the rules of understanding, wording is searched by BM25. Nothing is decided here, so what
a name may mean is listed with its reason instead of being asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from duocthu_core.corpus.model import Block, Monograph
from duocthu_core.retrieval.search import SearchHit, SearchIndex
from duocthu_core.retrieval.source import BlockSource
from duocthu_core.retrieval.wording import ContentWords, Wording
from duocthu_core.text.folding import fold, has_marks, strip_marks
from duocthu_core.text.phrases import words
from duocthu_core.understanding.model import Question
from duocthu_core.understanding.reading import Understander

FoundBy = Literal["name", "brand", "beginning", "offer"]
"""A name typed outright, a trade name, the beginning of a name or trade name, or a name near to what was typed."""
_QUERY_MAX = 400
_SHORTEST_BEGINNING = 2


@dataclass(frozen=True, slots=True)
class DrugFound:
    """A monograph that the query may be about."""

    drug_id: str
    found_by: FoundBy
    words: str
    """What of the query, or which listed name, led to it."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a query found: drugs first, then blocks, best first."""

    drugs: tuple[DrugFound, ...] = ()
    missing: tuple[str, ...] = ()
    """Names that are known, or look like a drug's, and have no monograph in this corpus."""
    section_keys: tuple[str, ...] = ()
    """Sections that the query names."""
    blocks: tuple[SearchHit, ...] = ()


class BookSearch:
    """Compiled once for a corpus and a ruleset."""

    def __init__(self, source: BlockSource, index: SearchIndex, understander: Understander, content_words: ContentWords) -> None:
        self._source = source
        self._index = index
        self._understander = understander
        self._content_words = content_words
        self._listed = tuple(_listed_names(source.monographs))

    def find(self, query: str, limit: int = 20) -> Found:
        """Drugs and at most ``limit`` blocks for ``query``: a name, a brand, words of a section, a condition, free wording."""
        question = self._understander.read(query[:_QUERY_MAX])
        drugs: dict[str, DrugFound] = {}
        for found in (*self._named(question), *self._beginning(question.text), *self._offered(question)):
            drugs.setdefault(found.drug_id, found)
        return Found(
            drugs=tuple(drugs.values()),
            missing=question.unknown_names,
            section_keys=question.section_keys,
            blocks=tuple(self._blocks(question, limit)),
        )

    def _named(self, question: Question) -> Iterator[DrugFound]:
        for mention in question.mentions:
            if mention.kind in ("drug", "brand") and mention.value in self._source.monographs:
                yield DrugFound(mention.value, "brand" if mention.kind == "brand" else "name", mention.words)

    def _offered(self, question: Question) -> Iterator[DrugFound]:
        for offer in question.offers:
            yield DrugFound(offer.drug_id, "offer", offer.words)

    def _beginning(self, text: str) -> Iterator[DrugFound]:
        """Drugs of which a word begins as the whole query does."""
        start = _bare(text)
        if len(start) < _SHORTEST_BEGINNING:
            return
        for drug_id, name, bare in self._listed:
            if bare.startswith(start) or f" {start}" in bare:
                yield DrugFound(drug_id, "beginning", name)

    def _blocks(self, question: Question, limit: int) -> list[SearchHit]:
        """The drug's blocks in the named sections; else blocks that hold the query's own words, within drug and section where named."""
        drug_id = question.drug_ids[0] if len(question.drug_ids) == 1 else None
        section_key = question.section_keys[0] if len(question.section_keys) == 1 else None
        wording = self._content_words.of(question)
        if wording.runs:
            hits = self._index.search(wording, limit, section_key=section_key, drug_id=drug_id)
            return hits or self._index.search(wording, limit)
        if drug_id is not None:
            return [SearchHit(block, 0.0) for block in self._of_sections(drug_id, question.section_keys)][:limit]
        if question.drug_ids or not question.text.strip():
            return []
        return self._index.search(Wording((question.text,), has_marks(question.text)), limit)

    def _of_sections(self, drug_id: str, section_keys: Iterable[str]) -> Iterator[Block]:
        for key in section_keys:
            yield from self._source.blocks_of(drug_id, key)


def _listed_names(monographs: Mapping[str, Monograph]) -> Iterator[tuple[str, str, str]]:
    for drug_id, monograph in monographs.items():
        for name in (monograph.name, monograph.inn, *monograph.synonyms, *monograph.brands):
            if bare := _bare(name):
                yield drug_id, name, bare


def _bare(text: str) -> str:
    """The words of a text without marks, case and signs."""
    return " ".join(strip_marks(word.folded) for word in words(fold(text)) if word.folded.isalnum())
