"""Search by wording: BM25 over Vietnamese syllables and pairs of syllables, with and without marks (spec 03).

A syllable is indexed as written and without its marks (đ as d), and every pair of neighbours without: "huyết áp" is a word of two
syllables, and a pair finds it where two loose syllables would not. A query typed with marks is scored by both forms, so the spelling
with the same marks wins; one typed without marks is scored by the bare forms alone. Built once per corpus, in one pass over its text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count, pairwise
from typing import Any, NamedTuple

import bm25s
import numpy as np
from numpy.typing import NDArray

from duocthu_core.corpus.model import Block
from duocthu_core.retrieval.source import BlockSource
from duocthu_core.retrieval.wording import Wording
from duocthu_core.text.folding import fold, strip_marks, tones_placed

_SYLLABLE = re.compile(r"[^\W_]+")
Ints = NDArray[np.int64]
Scores = NDArray[np.float32]


class SearchHit(NamedTuple):
    """A block that holds words of the query."""

    block: Block
    score: float


class _Postings(NamedTuple):
    """Which terms stand in which blocks, and how often: one entry per (term, block), terms ascending."""

    terms: Ints
    """The key of each term, once."""
    holding: Ints
    """In how many blocks each term stands."""
    blocks: Ints
    frequencies: Ints

    @classmethod
    def of(cls, keys: Ints, documents: Ints, document_count: int) -> _Postings:
        """From one key per occurrence. Sorting once is all the work: it is what lets a corpus be indexed while it loads."""
        ordered = np.sort(keys * document_count + documents)
        first = np.flatnonzero(np.diff(ordered, prepend=-1))
        terms, blocks = np.divmod(ordered[first], document_count)
        of_term = np.flatnonzero(np.diff(terms, prepend=-1))
        return cls(
            terms[of_term],
            np.diff(of_term, append=len(terms)),
            blocks,
            np.diff(first, append=len(ordered)),
        )


class _Bm25(bm25s.BM25):
    """bm25s with its scores computed in one vectorised pass: its own loop over documents takes longer than a corpus may take to load."""

    def fit(self, postings: Sequence[_Postings], lengths: Ints) -> None:
        """Scores by bm25s' default method ("lucene") of the terms of ``postings``, numbered on from one to the next."""
        holding = np.concatenate([part.holding for part in postings])
        blocks = np.concatenate([part.blocks for part in postings])
        frequencies = np.concatenate([part.frequencies for part in postings])
        idf = np.log1p((len(lengths) - holding + 0.5) / (holding + 0.5))
        norms = self.k1 * (1 - self.b + self.b * lengths / max(lengths.sum() / max(len(lengths), 1), 1.0))
        scores = np.repeat(idf, holding) * frequencies / (norms[blocks] + frequencies)
        self.idf: NDArray[np.float64] = idf
        self.nonoccurrence_array = None
        self.scores: dict[str, Any] = {
            "data": scores.astype(self.dtype),
            "indices": blocks.astype(self.int_dtype),
            "indptr": np.concatenate(([0], np.cumsum(holding))),
            "num_docs": len(lengths),
        }


class SearchIndex:
    """A searchable corpus. Immutable after it is built; safe to share between threads."""

    def __init__(self, source: BlockSource) -> None:
        self._blocks: tuple[Block, ...] = tuple(source.blocks)
        self._position = {block.block_id: index for index, block in enumerate(self._blocks)}
        self._marked: dict[str, int] = {}
        lengths, syllables = self._read(source)
        self._bare, bare_of_marked = _bare_vocabulary(self._marked)
        documents = np.repeat(np.arange(len(lengths)), lengths)
        bare = bare_of_marked[syllables] if len(syllables) else syllables
        joined = np.flatnonzero(documents[1:] == documents[:-1]) if len(documents) else documents
        block_count = max(len(lengths), 1)
        pairs = _Postings.of(bare[joined] * max(len(self._bare), 1) + bare[joined + 1], documents[joined], block_count)
        self._pair_keys = pairs.terms
        self._bare_from = len(self._marked)
        self._pairs_from = self._bare_from + len(self._bare)
        self._bm25 = _Bm25()
        self._bm25.fit([_Postings.of(syllables, documents, block_count), _Postings.of(bare, documents, block_count), pairs], lengths)
        self._of_drug = _rows_by(block.drug_id for block in self._blocks)
        self._of_section = _rows_by(block.section_key for block in self._blocks)

    def _read(self, source: BlockSource) -> tuple[Ints, Ints]:
        """Number of syllables of each block, and all syllables as ids, block after block."""
        vocabulary: defaultdict[str, int] = defaultdict(count().__next__)
        lengths: list[int] = []
        flat: list[int] = []
        names: dict[str, str] = {}
        for block in self._blocks:
            name = names.get(block.drug_id)
            if name is None:
                name = names[block.drug_id] = source.name_of(block.drug_id)
            found = _SYLLABLE.findall(tones_placed(f"{name}\n{block.label or ''}\n{block.text}".lower()))
            lengths.append(len(found))
            flat += map(vocabulary.__getitem__, found)
        self._marked = dict(vocabulary)
        return np.array(lengths, dtype=np.int64), np.array(flat, dtype=np.int64)

    def search(self, wording: Wording, limit: int, *, section_key: str | None = None, drug_id: str | None = None) -> list[SearchHit]:
        """The best ``limit`` blocks for a wording (no pair bridges two of its stretches), best first.

        ``section_key`` and ``drug_id`` narrow the search; blocks that hold none of the words are not returned.
        """
        terms = self._terms(wording)
        if not terms or not self._blocks:
            return []
        scores = self._bm25.get_scores_from_ids(terms)
        rows = self._rows(section_key, drug_id)
        if rows is not None:
            narrowed = scores[rows]
            best = rows[_best(narrowed, limit)]
        else:
            best = _best(scores, limit)
        return [SearchHit(self._blocks[row], float(scores[row])) for row in best if scores[row] > 0]

    def relevance(self, wording: Wording, blocks: Iterable[Block]) -> dict[str, float]:
        """Block id -> score in 0..1, the best of ``blocks`` having 1; empty where none holds a word of it."""
        terms = self._terms(wording)
        if not terms:
            return {}
        scores = self._bm25.get_scores_from_ids(terms)
        rows = {block.block_id: self._position[block.block_id] for block in blocks if block.block_id in self._position}
        best = max((float(scores[row]) for row in rows.values()), default=0.0)
        return {block_id: float(scores[row]) / best for block_id, row in rows.items()} if best > 0 else {}

    def share(self, wording: Wording, text: str) -> float:
        """How much of a wording stands in ``text``, each syllable and (twice) each pair weighted by its rarity, 0..1."""
        held = 0.0
        wanted = 0.0
        own_marked, own_bare = _own_terms(text)
        for run in wording.runs:
            syllables = _SYLLABLE.findall(tones_placed(fold(run)))
            for term in (*((one,) for one in syllables), *pairwise(syllables)):
                bare = tuple(strip_marks(syllable) for syllable in term)
                weight = self._rarity(bare) * len(term)
                wanted += weight
                held += weight * (term in own_marked if wording.with_marks else bare in own_bare)
        return held / wanted if wanted else 0.0

    def _rarity(self, bare: tuple[str, ...]) -> float:
        """Inverse document frequency of a bare syllable or pair; that of an unseen word where the corpus lacks it."""
        ids = [self._bare.get(syllable) for syllable in bare]
        term = self._pair(ids[0], ids[1]) if len(ids) == 2 else None if ids[0] is None else ids[0] + self._bare_from
        return float(self._bm25.idf[term]) if term is not None else float(np.log1p(2 * len(self._blocks) + 1))

    def _terms(self, wording: Wording) -> list[int]:
        """Ids of the terms of a wording: its syllables as written where marks were typed, every syllable and pair of neighbours without."""
        terms: list[int] = []
        for run in wording.runs:
            syllables = _SYLLABLE.findall(tones_placed(fold(run)))
            bare = [strip_marks(syllable) for syllable in syllables]
            plain = [self._bare.get(syllable) for syllable in bare]
            if wording.with_marks:
                terms += [found for one in syllables if (found := self._marked.get(one)) is not None]
            terms += [found + self._bare_from for found in plain if found is not None]
            terms += [pair for left, right in pairwise(plain) if (pair := self._pair(left, right)) is not None]
        return terms

    def _pair(self, first: int | None, second: int | None) -> int | None:
        """The term of two bare syllables, or None where the corpus has no such neighbours."""
        if first is None or second is None:
            return None
        key = first * len(self._bare) + second
        position = int(np.searchsorted(self._pair_keys, key))
        found = position < len(self._pair_keys) and self._pair_keys[position] == key
        return position + self._pairs_from if found else None

    def _rows(self, section_key: str | None, drug_id: str | None) -> Ints | None:
        nothing = np.array([], dtype=np.int64)
        rows = None if section_key is None else self._of_section.get(section_key, nothing)
        if drug_id is None:
            return rows
        of_drug = self._of_drug.get(drug_id, nothing)
        return of_drug if rows is None else np.intersect1d(rows, of_drug, assume_unique=True)


def _bare_vocabulary(marked: dict[str, int]) -> tuple[dict[str, int], Ints]:
    """Ids of the syllables without marks, and for each syllable as written the id of its bare form."""
    bare: dict[str, int] = {}
    return bare, np.array([bare.setdefault(strip_marks(syllable), len(bare)) for syllable in marked], dtype=np.int64)


def _own_terms(text: str) -> tuple[set[tuple[str, ...]], set[tuple[str, ...]]]:
    """Syllables and pairs of a text, as written and without marks."""
    syllables = _SYLLABLE.findall(tones_placed(fold(text)))
    bare = [strip_marks(syllable) for syllable in syllables]
    marked_terms: set[tuple[str, ...]] = {(one,) for one in syllables} | set(pairwise(syllables))
    bare_terms: set[tuple[str, ...]] = {(one,) for one in bare} | set(pairwise(bare))
    return marked_terms, bare_terms


def _best(scores: Scores, limit: int) -> Ints:
    """Positions of the highest scores, best first; equal scores keep the book's order."""
    if len(scores) > limit:
        floor = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        candidates = np.flatnonzero(scores >= floor)
    else:
        candidates = np.arange(len(scores))
    order = np.argsort(-scores[candidates], kind="stable")
    return candidates[order[:limit]]


def _rows_by(keys: Iterable[str]) -> dict[str, Ints]:
    rows: dict[str, list[int]] = {}
    for row, key in enumerate(keys):
        rows.setdefault(key, []).append(row)
    return {key: np.array(found, dtype=np.int64) for key, found in rows.items()}
