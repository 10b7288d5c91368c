"""Counts of a corpus: what it holds, and how much of it is kept from generation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.model import SECTION_KEYS, Block


class DrugStatistics(BaseModel):
    """One drug."""

    model_config = ConfigDict(frozen=True)

    name: str
    blocks: int
    quarantined: int
    sections: int
    first_page: int | None
    last_page: int | None


class CorpusStatistics(BaseModel):
    """A corpus in numbers."""

    model_config = ConfigDict(frozen=True)

    edition: str
    corpus_id: str
    is_demo: bool
    monographs: int
    blocks: int
    brands: int
    characters: int
    """Of all block texts."""
    by_section: dict[str, int]
    """In book order; sections without a block are left out."""
    by_kind: dict[str, int]
    quarantined: int
    by_quarantine_reason: dict[str, int]
    labelled: int
    repaired: int
    by_repair: dict[str, int]
    damaged: int
    """Blocks with a damage note."""
    without_page: int
    estimated_pages: int
    by_drug: dict[str, DrugStatistics]


def corpus_statistics(corpus: Corpus) -> CorpusStatistics:
    """The counts of ``corpus``."""
    blocks = corpus.blocks
    sections = Counter(block.section_key for block in blocks)
    return CorpusStatistics(
        edition=corpus.edition,
        corpus_id=corpus.corpus_id,
        is_demo=corpus.is_demo,
        monographs=len(corpus.monographs),
        blocks=len(blocks),
        brands=sum(len(monograph.brands) for monograph in corpus.monographs.values()),
        characters=sum(len(block.text) for block in blocks),
        by_section={key: sections[key] for key in SECTION_KEYS if sections[key]},
        by_kind=dict(Counter(block.kind for block in blocks)),
        quarantined=sum(block.quarantined for block in blocks),
        by_quarantine_reason=dict(Counter(block.quarantine_reason or "" for block in blocks if block.quarantined)),
        labelled=sum(block.label is not None for block in blocks),
        repaired=sum(bool(block.repairs) for block in blocks),
        by_repair=dict(Counter(repair.kind for block in blocks for repair in block.repairs)),
        damaged=sum(bool(block.damage_notes) for block in blocks),
        without_page=sum(block.page_start is None for block in blocks),
        estimated_pages=sum(block.page_estimated for block in blocks),
        by_drug={drug_id: _drug(monograph.name, corpus.blocks_of(drug_id)) for drug_id, monograph in corpus.monographs.items()},
    )


def _drug(name: str, blocks: Iterable[Block]) -> DrugStatistics:
    found = list(blocks)
    first = [block.page_start for block in found if block.page_start is not None]
    last = [block.page_end for block in found if block.page_end is not None]
    return DrugStatistics(
        name=name,
        blocks=len(found),
        quarantined=sum(block.quarantined for block in found),
        sections=len({block.section_key for block in found}),
        first_page=min(first, default=None),
        last_page=max(last, default=None),
    )
