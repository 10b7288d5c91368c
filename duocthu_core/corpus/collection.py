"""The corpus in memory: monographs and their blocks, found by key (spec 07, "Model")."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any

from duocthu_core.corpus.model import SECTION_KEYS, Block, Monograph, Repair
from duocthu_core.rulesets.loading import shipped_ruleset

FORMAT = 1
"""Version of the stored form; see :mod:`duocthu_core.corpus.jsonl`."""


class CorpusError(Exception):
    """A corpus that cannot be used; the message is one line that says what is wrong, where, and what to do."""


@lru_cache(maxsize=1)
def _section_titles() -> Mapping[str, str]:
    sections = shipped_ruleset().tables["sections"]["sections"]
    return MappingProxyType({key: str(sections[key]["label_vi"]) for key in SECTION_KEYS})


def section_title(key: str) -> str:
    """The Vietnamese title of a section (``label_vi`` of the sections table); the key itself where there is none."""
    return _section_titles().get(key, key)


class Corpus:
    """Every monograph and block of one edition. Immutable; all look-ups are dictionary look-ups.

    Build one with :meth:`of`; read and write one with :mod:`duocthu_core.corpus.jsonl`.
    """

    def __init__(self, monographs: Mapping[str, Monograph], blocks: Iterable[Block], edition: str, is_demo: bool, notice: str) -> None:
        by_drug: dict[str, list[Block]] = {drug_id: [] for drug_id in monographs}
        by_section: dict[tuple[str, str], list[Block]] = {}
        for block in blocks:
            by_drug[block.drug_id].append(block)
            by_section.setdefault((block.drug_id, block.section_key), []).append(block)
        self.monographs: Mapping[str, Monograph] = MappingProxyType(dict(monographs))
        """By drug_id, in book order."""
        self.blocks: tuple[Block, ...] = tuple(block for found in by_drug.values() for block in found)
        """Every block, drug by drug, in book order."""
        self.edition = edition
        self.is_demo = is_demo
        """Restated for a demonstration, not the book's own text: every page that shows it says so."""
        self.notice = notice
        """What readers are told about this corpus; empty for none."""
        self._by_id = {block.block_id: block for block in self.blocks}
        self._by_drug = {drug_id: tuple(found) for drug_id, found in by_drug.items()}
        self._by_section = {key: tuple(found) for key, found in by_section.items()}
        self._sections = {drug_id: tuple(dict.fromkeys(b.section_key for b in found)) for drug_id, found in self._by_drug.items()}

    @property
    def edition_mark(self) -> str:
        """What a citation says beside its page where this is no text of the book ("Bộ minh hoạ"); empty for the book itself."""
        return self.edition.partition(":")[0].strip() if self.is_demo else ""

    @classmethod
    def of(
        cls, monographs: Iterable[Monograph], blocks: Iterable[Block], edition: str, *, is_demo: bool = False, notice: str = ""
    ) -> Corpus:
        """A corpus of these parts; every part gets ``edition``.

        Raises :class:`CorpusError` for a drug or block given twice and for a block of no drug or of no known section.
        """
        drugs: dict[str, Monograph] = {}
        for monograph in monographs:
            if monograph.drug_id in drugs:
                raise CorpusError(f"drug {monograph.drug_id!r} is given twice; keep one of its monographs")
            drugs[monograph.drug_id] = monograph if monograph.edition == edition else monograph.model_copy(update={"edition": edition})
        kept: dict[str, Block] = {}
        for block in blocks:
            if (wrong := placement_problem(block, drugs)) is not None:
                raise CorpusError(wrong)
            if block.block_id in kept:
                raise CorpusError(f"block {block.block_id!r} is given twice; number the blocks of a section from 1")
            kept[block.block_id] = block if block.edition == edition else block.model_copy(update={"edition": edition})
        return cls(drugs, tuple(kept.values()), edition, is_demo, notice)

    @cached_property
    def corpus_id(self) -> str:
        """``sha256:…`` over the stored form, byte for byte: two corpora with one id are the same corpus."""
        digest = hashlib.sha256()
        for line in self.stored_lines():
            digest.update(line.encode())
        return "sha256:" + digest.hexdigest()

    def know_id(self, digest: hashlib._Hash) -> None:
        """Spares :attr:`corpus_id` its work: ``digest`` went over the stored form already."""
        self.__dict__["corpus_id"] = "sha256:" + digest.hexdigest()

    def blocks_of(self, drug_id: str, section_key: str | None = None) -> tuple[Block, ...]:
        """The blocks of a drug, or of one of its sections, in book order; empty where there is none."""
        if section_key is None:
            return self._by_drug.get(drug_id, ())
        return self._by_section.get((drug_id, section_key), ())

    def block(self, block_id: str) -> Block | None:
        """The block of this id, or None."""
        return self._by_id.get(block_id)

    def sections_of(self, drug_id: str) -> tuple[str, ...]:
        """The keys of the sections that a drug has blocks of, in book order."""
        return self._sections.get(drug_id, ())

    def name_of(self, drug_id: str) -> str:
        """The Vietnamese name of a drug; the id itself where the drug is unknown."""
        monograph = self.monographs.get(drug_id)
        return monograph.name if monograph is not None else drug_id

    def section_title(self, key: str) -> str:
        """See :func:`section_title`."""
        return section_title(key)

    def stored_lines(self) -> Iterator[str]:
        """The stored form, line by line, each with its line feed (see :mod:`duocthu_core.corpus.jsonl`)."""
        yield _line("corpus", {"format": FORMAT, "edition": self.edition, "demo": self.is_demo, "notice": self.notice})
        for drug_id, monograph in self.monographs.items():
            yield _line("monograph", monograph.model_dump(mode="json", exclude_defaults=True))
            for block in self._by_drug[drug_id]:
                yield _encoded(_stored(block)) + "\n"

    def __repr__(self) -> str:
        return f"Corpus(edition={self.edition!r}, {len(self.monographs)} monographs, {len(self.blocks)} blocks)"


def placement_problem(block: Block, drugs: Mapping[str, Monograph]) -> str | None:
    """Why ``block`` can stand nowhere in a corpus of these drugs, and what to do; None where it can."""
    if block.drug_id not in drugs:
        return f"block {block.block_id!r} is of drug {block.drug_id!r}, which has no monograph; add the monograph or correct drug_id"
    if block.section_key not in _SECTION_KEYS:
        return f"block {block.block_id!r} is of section {block.section_key!r}, which is unknown; use one of {', '.join(SECTION_KEYS)}"
    return None


_SECTION_KEYS = frozenset(SECTION_KEYS)


_encoded = json.JSONEncoder(ensure_ascii=False).encode
_DEFAULTS: Mapping[str, Any] = {name: field.default for name, field in Block.model_fields.items() if not field.exclude}
"""Of a block's stored fields, in their order; a required one has a default that is no value."""


def _stored(block: Block) -> dict[str, Any]:
    """A block as it is stored: what ``model_dump(exclude_defaults=True)`` gives, in a fraction of its time."""
    held = block.__dict__
    fields: dict[str, Any] = {"type": "block"}
    fields |= {name: value for name, default in _DEFAULTS.items() if (value := held[name]) != default}
    if block.repairs:
        fields["repairs"] = [_stored_repair(repair.kind, repair.removed, repair.inserted, repair.page) for repair in block.repairs]
    return fields


@lru_cache(maxsize=4096)
def _stored_repair(kind: Any, removed: str, inserted: str, page: int | None) -> Mapping[str, Any]:
    """A repair as it is stored; a book has a few over and over."""
    return Repair(kind=kind, removed=removed, inserted=inserted, page=page).model_dump(mode="json", exclude_defaults=True)


def _line(kind: str, fields: dict[str, Any]) -> str:
    return json.dumps({"type": kind} | fields, ensure_ascii=False) + "\n"
