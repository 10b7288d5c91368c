"""Which way: a drug of a list "Tăng nồng độ: …" told as lowering it, and a share that rises told as falling."""

from __future__ import annotations

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.foreign_terms import is_foreign
from duocthu_core.verification.guards.polarity import Sentence, polar_sentences
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Clause, Reading
from duocthu_core.verification.model import Finding

_PERCENT = "phan_tram"
_BESIDE = 3
_REACH = 25


def direction_findings(comparison: Comparison) -> list[Finding]:
    """What the claim tells with the other direction than the block."""
    for sentence in polar_sentences(comparison.claim, comparison.lexicon):
        for axis in comparison.lexicon.directions if not sentence.negations else ():
            finding = _listed_otherwise(sentence, axis, comparison)
            if finding is not None:
                return [finding]
    return _shares(comparison)


def _listed_otherwise(sentence: Sentence, axis: frozenset[str], comparison: Comparison) -> Finding | None:
    block, lexicon = comparison.block, comparison.lexicon
    words = comparison.claim.tokens.words[sentence.start : sentence.end]
    told = axis.intersection(words)
    if len(told) != 1:
        return None
    at = sentence.start + words.index(next(iter(told)))
    names = {word for word in words if is_foreign(word, lexicon)} - comparison.drug_words - comparison.heading.content
    for name in sorted(names):
        listed = [clause for clause in block.clauses if name in block.tokens.words[clause.start : clause.end]]
        if listed and all(_listed_under(clause, axis, block) == axis - told for clause in listed):
            shown = listed[0].labels[-1]
            return comparison.finding("negation_mismatch", "antonym", (at, at + 1), (shown.start, shown.end))
    return None


def _listed_under(clause: Clause, axis: frozenset[str], block: Reading) -> frozenset[str]:
    """The direction that the innermost label with one gives a list; nothing where the clause names one itself."""
    if axis.intersection(block.tokens.words[clause.start : clause.end]):
        return frozenset()
    for label in reversed(clause.labels):
        ways = axis.intersection(block.tokens.words[label.start : label.end])
        if ways:
            return ways
    return frozenset()


def _shares(comparison: Comparison) -> list[Finding]:
    claim, block = comparison.claim, comparison.block
    for quantity in claim.quantities:
        at = _way_before(quantity, claim, _BESIDE, comparison)
        places = [place for _, place in block.values.get(quantity.value, ()) if quantity.same_unit(place)]
        if quantity.unit != _PERCENT or at is None or not places:
            continue
        ways = [_way_before(place, block, _REACH, comparison) for place in places]
        if all(way is not None and block.tokens.words[way] != claim.tokens.words[at] for way in ways):
            there = next(way for way in ways if way is not None)
            return [comparison.finding("negation_mismatch", "antonym", (at, at + 1), (there, there + 1))]
    return []


def _way_before(quantity: Quantity, reading: Reading, reach: int, comparison: Comparison) -> int | None:
    words, up_or_down = reading.tokens.words, comparison.lexicon.directions[0]
    for place in range(quantity.start - 1, max(-1, quantity.start - 1 - reach), -1):
        if words[place] in up_or_down:
            return place
        if words[place] in ".;\n":
            return None
    return None
