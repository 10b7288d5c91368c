"""Names that a question may have meant: offered, never assumed (spec 03, "Close misspellings are *offered*")."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rapidfuzz import fuzz, process

from duocthu_core.rulesets.model import RetrievalRules
from duocthu_core.text.folding import fold, strip_marks
from duocthu_core.understanding.model import DrugOffer
from duocthu_core.understanding.names import Meaning, NameHit, NameIndex
from duocthu_core.understanding.spelling import NameKey, sound, spelling
from duocthu_core.understanding.syllables import is_vietnamese_syllable

_SHORTEST = 5
_SHORTEST_PREFIX = 4
_BRAND_SHARE = 0.7
# Short words reach a high ratio by chance: up to this length they must be nearer than the ruleset's threshold.
_SHORT = 6
_SHORT_SCORE_MIN = 88.0
_SPACED_SCORE_MIN = 84.0
_SPACED_SHORTEST = 8
_START = 3
# A member of the same look-alike group is offered beside the nearest one even when it is this much farther away.
_SIBLING_MARGIN = 14.0
# Words of one question that are compared with all names; more is no question, and the time has to stay bounded.
_LOOKED_UP_MAX = 24


@dataclass(frozen=True, slots=True)
class Guess:
    """What one unknown word may stand for."""

    offers: tuple[DrugOffer, ...] = ()
    known: bool = False
    """The nearest name is a known drug without a monograph here."""


class NameOffers:
    """Finds near names. Compiled once from a :class:`NameIndex`."""

    def __init__(self, index: NameIndex, lookalikes: Mapping[str, Any], rules: RetrievalRules) -> None:
        self._index = index
        self._rules = rules
        self._keys: list[NameKey] = [key for key in index.meanings if len("".join(key)) >= _SHORTEST - 1]
        self._written = ["".join(spelling(word) for word in key) for key in self._keys]
        self._heard = ["".join(sound(word) for word in key) for key in self._keys]
        self._by_start: dict[str, list[int]] = defaultdict(list)
        for position, heard in enumerate(self._heard):
            self._by_start[heard[:_START]].append(position)
        self._starting: dict[str, list[int]] = defaultdict(list)
        for position, written in enumerate(self._written):
            self._starting[written[:_SHORTEST_PREFIX]].append(position)
        self._concepts = {key: index.concept(index.meanings[key][0].name) for key in self._keys}
        self._groups_of: dict[NameKey, set[int]] = defaultdict(set)
        for number, entry in enumerate(lookalikes.get("groups", ())):
            for name in entry["drugs"]:
                self._groups_of[index.concept(str(name))].add(number)
        asked = lookalikes.get("asked_when_missing", {})
        self._asked_types, self._asked_score_min = frozenset(asked.get("types", ())), float(asked.get("score_min", 100.0))
        self._asked_groups = [
            [str(name) for name in entry["drugs"]] for entry in lookalikes.get("groups", ()) if entry["type"] in self._asked_types
        ]
        self._abbreviations = {fold(short): str(name) for short, name in lookalikes.get("abbreviations", {}).items()}

    def guess(self, words: str) -> Guess:
        """What one word that is in no list may stand for: a short form, a misspelling, the beginning of a name."""
        if (full := self._abbreviations.get(fold(words))) is not None:
            return self._abbreviation(words, full)
        bare = strip_marks(fold(words))
        if len(bare) < _SHORTEST_PREFIX:
            return Guess()
        near = self._near(bare) if len(spelling(bare)) >= _SHORTEST else []
        prefixed = self._prefixed(bare) if len(spelling(bare)) >= _SHORTEST_PREFIX else []
        if near and not prefixed and not self._has_monograph(near[0][0]):
            return Guess(known=True)
        offers = self._offers(words, [*near, *prefixed])
        return Guess(offers, known=bool(near or prefixed) and not offers)

    def _has_monograph(self, key: NameKey) -> bool:
        return any(meaning.kind != "known" for meaning in self._index.meanings[key])

    def is_abbreviation(self, word: str) -> bool:
        """Whether ``word`` is a listed short form of a drug name."""
        return fold(word) in self._abbreviations

    def spaced(self, words: Sequence[str]) -> tuple[int, Guess] | None:
        """A name typed in pieces at the start of ``words`` ("pa ra xê ta môn", "amoxi cilin"): how many pieces, and what it may be."""
        for count in range(min(6, len(words)), 1, -1):
            pieces = words[:count]
            joined = "".join(pieces)
            if len(joined) < _SPACED_SHORTEST or any(any(sign.isdigit() for sign in piece) for piece in pieces):
                continue
            heard = "".join(sound(piece) for piece in pieces)
            positions = self._by_start.get(heard[:_START], [])
            candidates = {position: self._heard[position] for position in positions if abs(len(self._heard[position]) - len(heard)) <= 2}
            found = process.extract(heard, candidates, scorer=fuzz.ratio, score_cutoff=_SPACED_SCORE_MIN, limit=8)
            near = [(self._keys[position], score) for _, score, position in found]
            if near and not self._has_monograph(near[0][0]):
                return count, Guess(known=True)
            offers = self._offers(" ".join(pieces), near)
            if offers:
                return count, Guess(offers)
        return None

    def shared(self, hit: NameHit) -> tuple[DrugOffer, ...]:
        """The monographs that share a name, or the parts of a combination that has no monograph of its own."""
        offers: list[DrugOffer] = []
        for meaning in hit.meanings:
            if meaning.kind == "monograph":
                offers.append(_offer(hit.words, meaning, "look_alike", 100.0))
            elif meaning.kind == "combination":
                offers.extend(self.parts(hit.words, meaning.substances))
        return tuple(_distinct(offers))

    def mistaken_for(self, hit: NameHit) -> tuple[DrugOffer, ...]:
        """Monographs that a known name without one is listed as easily confused with ("prednison" for prednisolon), nearest first.

        A trade name is none: it was not mistyped for a substance.
        """
        if hit.brand:
            return ()
        typed = self._index.concept(hit.meanings[0].name)
        own = "".join(spelling(word) for word in typed)
        found: list[DrugOffer] = []
        for names in self._asked_groups:
            concepts = [self._index.concept(name) for name in names]
            if typed not in concepts:
                continue
            for name, concept in zip(names, concepts, strict=True):
                monograph = self._index.monograph_of(name) if concept != typed else None
                score = fuzz.ratio(own, "".join(spelling(word) for word in concept))
                if monograph is not None and score >= self._asked_score_min:
                    found.append(_offer(hit.words, Meaning("monograph", monograph.name, drug_id=monograph.drug_id), "look_alike", score))
        return tuple(_distinct(sorted(found, key=lambda offer: -offer.score)))[: self._rules.offers_max]

    def parts(self, words: str, substances: Iterable[str]) -> tuple[DrugOffer, ...]:
        """The substances of a combination (names or drug ids) that have a monograph, each to be asked about."""
        found = [self._index.monographs.get(substance) or self._index.monograph_of(substance) for substance in substances]
        return tuple(
            DrugOffer(words=words, drug_id=monograph.drug_id, drug_name=monograph.name, why="combination", score=100.0)
            for monograph in found
            if monograph is not None
        )

    def _abbreviation(self, words: str, full: str) -> Guess:
        monograph = self._index.monograph_of(full)
        if monograph is None:
            return Guess(known=True)
        offer = DrugOffer(words=words, drug_id=monograph.drug_id, drug_name=monograph.name, why="misspelling", score=100.0)
        return Guess((offer,))

    def _near(self, bare: str) -> list[tuple[NameKey, float]]:
        """Names near enough to offer, best first; none where the nearest are all drugs that this corpus lacks."""
        minimum = self._rules.offer_score_min if len(bare) > _SHORT else max(self._rules.offer_score_min, _SHORT_SCORE_MIN)
        scores = np.maximum(
            process.cdist([spelling(bare)], self._written, scorer=fuzz.ratio)[0],
            process.cdist([sound(bare)], self._heard, scorer=fuzz.ratio)[0],
        )
        near = [int(position) for position in np.flatnonzero(scores >= minimum - _SIBLING_MARGIN)]
        ranked = sorted(((self._keys[position], float(scores[position])) for position in near), key=lambda found: -found[1])
        best = [found for found in ranked if found[1] >= minimum]
        return best + [found for found in ranked if found[1] < minimum and self._is_sibling(found[0], best)]

    def _is_sibling(self, key: NameKey, best: Sequence[tuple[NameKey, float]]) -> bool:
        return any(self._confusable(key, found) for found, _ in best)

    def _confusable(self, one: NameKey, other: NameKey) -> bool:
        """Whether the two names are of different substances of one look-alike group."""
        first, second = self._concepts[one], self._concepts[other]
        return first != second and not self._groups_of.get(first, set()).isdisjoint(self._groups_of.get(second, set()))

    def _prefixed(self, bare: str) -> list[tuple[NameKey, float]]:
        """Names that begin so: substances from four letters on, brands only where most of the name was typed."""
        start = spelling(bare)
        found: list[tuple[NameKey, float]] = []
        for position in self._starting.get(start[:_SHORTEST_PREFIX], ()):
            written, share = self._written[position], len(start) / len(self._written[position])
            if share < 1 and written.startswith(start) and (share >= _BRAND_SHARE or not self._is_brand(self._keys[position])):
                found.append((self._keys[position], 100.0 * share))
        return sorted(found, key=lambda candidate: -candidate[1])

    def _is_brand(self, key: NameKey) -> bool:
        return all(meaning.brand for meaning in self._index.meanings[key])

    def _offers(self, words: str, near: Sequence[tuple[NameKey, float]]) -> tuple[DrugOffer, ...]:
        found = [(meaning, key, score) for key, score in near for meaning in self._index.meanings[key]]
        offers: list[DrugOffer] = []
        for meaning, key, score in found:
            if meaning.kind == "combination":
                offers.extend(self.parts(meaning.name, meaning.substances))
            elif meaning.kind == "monograph":
                confused = any(self._confusable(key, other) for other, _ in near)
                offers.append(_offer(words, meaning, "look_alike" if confused else "misspelling", score))
        return tuple(_distinct(offers))[: self._rules.offers_max]


def looks_foreign(word: str) -> bool:
    """Whether a word may be a drug name at all: letters only, four or more, and no Vietnamese syllable."""
    return len(word) >= _SHORTEST_PREFIX and word.isalpha() and not is_vietnamese_syllable(word)


def bounded(words: Iterable[str]) -> list[str]:
    """The first words worth looking up, each once."""
    return list(dict.fromkeys(words))[:_LOOKED_UP_MAX]


def _offer(words: str, meaning: Meaning, why: str, score: float) -> DrugOffer:
    return DrugOffer.model_validate(
        {"words": words, "drug_id": meaning.drug_id, "drug_name": meaning.name, "why": why, "score": round(score, 1)}
    )


def _distinct(offers: Iterable[DrugOffer]) -> list[DrugOffer]:
    best: dict[str, DrugOffer] = {}
    for offer in offers:
        if offer.drug_id and offer.drug_id not in best:
            best[offer.drug_id] = offer
    return list(best.values())
