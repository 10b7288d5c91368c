"""Which drugs a question names, which it may mean, and which it names without this corpus having them (spec 03, "Understanding").

A drug counts as named only under a listed name with one meaning. Everything else is offered or reported, so that no answer is ever
about a drug that the reader did not name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from duocthu_core.text.folding import fold, strip_marks
from duocthu_core.text.spans import Span
from duocthu_core.understanding.lexicon import Places
from duocthu_core.understanding.model import DrugOffer, Mention
from duocthu_core.understanding.name_words import NameWord
from duocthu_core.understanding.names import NameHit, NameIndex
from duocthu_core.understanding.offers import NameOffers, bounded, looks_foreign
from duocthu_core.understanding.syllables import is_vietnamese_syllable

# Strengths and joining signs between two substances of one product ("amoxicilin 875 mg/clavulanat 125 mg").
_STRENGTHS = re.compile(r"(?:\s|\d+(?:[.,]\d+)*+|[,/+&()–-]|mg|mcg|µg|ml|g|iu|ui|đvqt|đv|và|va)*")
_PRODUCT_SIGNS = re.compile(r"[/+&]")
_WORDS_FOR_SPACED_MAX = 400
# Initials in a text that also has small letters are short forms of diseases and tests (COPD, NTTN), no names of drugs.
_INITIALS_MAX = 5


@dataclass
class NamesRead:
    """What was found, in order of place."""

    drug_ids: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    unrecognised: list[str] = field(default_factory=list)
    offers: list[DrugOffer] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    """Every place that is a name of some kind."""

    @property
    def things(self) -> int:
        """How many different drugs the question speaks of, with or without a monograph here."""
        return len(self.drug_ids) + len({fold(name) for name in self.unknown} | {fold(offer.words) for offer in self.offers})

    def add_drug(self, hit: NameHit, drug_id: str, span: Span, words: str) -> None:
        """A drug named outright."""
        if drug_id not in self.drug_ids:
            self.drug_ids.append(drug_id)
        kind = "brand" if hit.brand else "drug"
        with_marks = strip_marks(words) != words or words.isascii()
        self.mentions.append(Mention(kind=kind, value=drug_id, words=words, span=span, with_marks=with_marks))
        self.spans.append(span)

    def add_offers(self, offers: Sequence[DrugOffer], span: Span) -> None:
        """Drugs that one place may mean."""
        self.offers.extend(offer for offer in offers if offer.drug_id not in {known.drug_id for known in self.offers})
        self.spans.append(span)

    def add_unknown(self, words: str, span: Span) -> None:
        """A known name that this corpus has no monograph for."""
        if words not in self.unknown:
            self.unknown.append(words)
        self.spans.append(span)


class NameReader:
    """Compiled once; ``ordinary`` are words that are no drug names although they are no Vietnamese syllables."""

    def __init__(self, index: NameIndex, offers: NameOffers, ordinary: frozenset[str]) -> None:
        self._index = index
        self._offers = offers
        self._ordinary = ordinary

    def read(self, text: str, hidden: Sequence[Span] = ()) -> NamesRead:
        """The names of NFC ``text``; ``hidden`` are places of masks, which hold no names."""
        tokens = self._index.words_of(text)
        masks = Places(hidden)
        hits = [hit for hit in self._index.find(text, tokens) if not masks.overlap(hit.span)]
        read = NamesRead()
        position = 0
        while position < len(hits):
            position += self._take(text, tokens, hits, position, read)
        self._take_unlisted(tokens, hits, masks, read)
        read.mentions.sort(key=lambda mention: mention.span)
        read.spans.sort()
        return read

    def _take(self, text: str, tokens: Sequence[NameWord], hits: Sequence[NameHit], position: int, read: NamesRead) -> int:
        """Takes the hit at ``position`` (with the next one where both are one product) and returns how many were taken."""
        hit = hits[position]
        following = hits[position + 1] if position + 1 < len(hits) else None
        if following is not None and self._is_one_product(text, hit, following):
            span = Span(hit.span.start, following.span.end)
            combination = self._index.combination_of(hit, following)
            if combination is not None:
                read.add_drug(hit, combination.drug_id, span, span.of(text))
                return 2
            named = [one.drug_id for one in (hit, following) if one.drug_id is not None]
            if (
                len(named) == 1
                and self._index.is_listed_combination(hit, following)
                and _PRODUCT_SIGNS.search(text[hit.span.end : following.span.start])
            ):
                read.add_offers(self._offers.parts(span.of(text), named), span)
                read.add_unknown(span.of(text), span)
                return 2
        modifier = tokens[hit.last] if hit.last < len(tokens) and not tokens[hit.last].starts_clause else None
        if hit.brand and modifier is not None and fold(modifier.typed) in self._index.modifiers:
            span = Span(hit.span.start, modifier.span.end)
            read.add_offers(self._offers.parts(span.of(text), [d for m in hit.meanings if (d := m.drug_id)]), span)
            read.add_unknown(span.of(text), span)
        elif hit.drug_id is not None:
            read.add_drug(hit, hit.drug_id, hit.span, hit.words)
        elif offers := self._offers.shared(hit):
            read.add_offers(offers, hit.span)
            if all(meaning.kind == "combination" for meaning in hit.meanings):
                read.add_unknown(hit.words, hit.span)  # its substances are offered, and it is none of them
        else:
            read.add_unknown(hit.words, hit.span)
            read.offers.extend(self._offers.mistaken_for(hit))
        return 1

    def _is_one_product(self, text: str, one: NameHit, two: NameHit) -> bool:
        gap = text[one.span.end : two.span.start]
        return len(gap) <= 24 and _STRENGTHS.fullmatch(fold(gap)) is not None

    def _take_unlisted(self, tokens: Sequence[NameWord], hits: Sequence[NameHit], masks: Places, read: NamesRead) -> None:
        """Words that are no listed name: short forms, misspellings, beginnings, names typed in pieces, and names nobody knows."""
        mixed_case = any(token.typed.islower() for token in tokens)
        listed = {place for hit in hits for place in range(hit.first, hit.last)}
        free = [place for place, token in enumerate(tokens) if place not in listed and not masks.overlap(token.span)]
        in_pieces = self._take_pieces(tokens, free, read)
        candidates = [place for place in free if place not in in_pieces and self._may_be_name(tokens[place].typed, mixed_case=mixed_case)]
        worth = set(bounded(tokens[place].typed for place in candidates))
        for place in candidates:
            token = tokens[place]
            if token.typed not in worth:
                continue
            guess = self._offers.guess(token.typed)
            if guess.offers:
                read.add_offers(guess.offers, token.span)
            elif guess.known:
                read.add_unknown(token.typed, token.span)
            elif token.typed not in read.unrecognised:
                read.unrecognised.append(token.typed)
                read.spans.append(token.span)

    def _take_pieces(self, tokens: Sequence[NameWord], free: Sequence[int], read: NamesRead) -> set[int]:
        """Names typed in pieces ("pa ra xê ta môn"); the places they take."""
        taken: set[int] = set()
        available = set(free[:_WORDS_FOR_SPACED_MAX])
        for place in free[:_WORDS_FOR_SPACED_MAX]:
            if place in taken:
                continue
            run = [place]
            while len(run) < 6 and run[-1] + 1 in available and not tokens[run[-1] + 1].starts_clause:
                run.append(run[-1] + 1)
            found = self._offers.spaced([tokens[other].typed for other in run])
            if found is not None:
                count, guess = found
                taken.update(run[:count])
                span = Span(tokens[place].span.start, tokens[run[count - 1]].span.end)
                if guess.offers:
                    read.add_offers(guess.offers, span)
                else:
                    read.add_unknown(" ".join(tokens[other].typed for other in run[:count]), span)
        return taken

    def _may_be_name(self, word: str, *, mixed_case: bool) -> bool:
        folded = fold(word)
        if word.isupper() and len(word) <= _INITIALS_MAX and mixed_case and not self._offers.is_abbreviation(word):
            return False
        if self._offers.is_abbreviation(word):
            return word.isupper() or not is_vietnamese_syllable(word)
        return looks_foreign(word) and strip_marks(folded) not in self._ordinary
