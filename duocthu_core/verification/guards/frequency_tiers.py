"""How often: an adverse reaction told under another frequency ("thường gặp") than the one it stands under in the block ("hiếm gặp")."""

from __future__ import annotations

from itertools import pairwise

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.foreign_terms import is_foreign
from duocthu_core.verification.guards.labels import label_text, label_words
from duocthu_core.verification.guards.polarity import Sentence, is_content, polar_sentences
from duocthu_core.verification.guards.structure import Reading
from duocthu_core.verification.model import Finding

_Pair = tuple[str, str]


def tier_findings(comparison: Comparison) -> list[Finding]:
    """Clauses of the claim whose words stand in the block only under another frequency."""
    if not any(clause.scope.tiers for clause in comparison.block.clauses):
        return []
    claim = comparison.claim
    told = [(clause.start, clause.end, clause.scope.tiers) for clause in claim.clauses] or [
        (sentence.start, sentence.end, _named_tiers(sentence, claim)) for sentence in polar_sentences(claim, comparison.lexicon)
    ]
    for start, end, tiers in told:
        finding = _elsewhere(start, end, tiers, comparison) if len(tiers) == 1 else None
        if finding is not None:
            return [finding]
    return []


def _named_tiers(sentence: Sentence, claim: Reading) -> frozenset[str]:
    return frozenset(hit.value for hit in claim.hits.get("tier", ()) if sentence.start <= hit.start < sentence.end)


def _elsewhere(start: int, end: int, mine: frozenset[str], comparison: Comparison) -> Finding | None:
    block = comparison.block
    own = [other for other in block.clauses if not other.scope.tiers or other.scope.tiers & mine]
    foreign = [other for other in block.clauses if other.scope.tiers and not other.scope.tiers & mine]
    pairs, words = _pairs(start, end, comparison.claim, comparison), _named(start, end, comparison.claim, comparison)
    stretches = [(each.start, each.end) for other in own for each in (other, *other.labels)]
    own_pairs = {pair for stretch in stretches for pair in _pairs(*stretch, block, comparison)}
    own_words = {word for other in own for word in (*_named(other.start, other.end, block, comparison), *label_words(other))}
    for other in foreign:
        there = set(_pairs(other.start, other.end, block, comparison))
        misplaced = any(pair in there and pair not in own_pairs for pair in pairs)
        if misplaced or (words & _named(other.start, other.end, block, comparison) and not words & own_words):
            return comparison.finding(
                "other_item", "tier_conflict", (start, end), (other.start, other.end), label=label_text(other, comparison)
            )
    return None


def _named(start: int, end: int, reading: Reading, comparison: Comparison) -> frozenset[str]:
    """What a stretch says besides doses, drugs and how often."""
    return frozenset(word for word in _words(start, end, reading) if _counts(word, comparison))


def _pairs(start: int, end: int, reading: Reading, comparison: Comparison) -> list[_Pair]:
    """Its names of two syllables and more, as pairs of neighbours."""
    words = _words(start, end, reading)
    return [(word, after) for word, after in pairwise(words) if _counts(word, comparison) and _counts(after, comparison)]


def _words(start: int, end: int, reading: Reading) -> list[str]:
    """The words of a stretch; what says how often is a border between two of them."""
    hits = [hit for hit in reading.hits.get("tier", ()) if start <= hit.start < end]
    often = {place for hit in hits for place in range(hit.start, hit.end)}
    return ["" if place in often else reading.tokens.words[place] for place in range(start, end)]


def _counts(word: str, comparison: Comparison) -> bool:
    lexicon = comparison.lexicon
    if not word or not word[0].isalpha() or word in comparison.drug_words or word in lexicon.dosing_words or word == "adr":
        return False
    return is_content(word, lexicon) and not is_foreign(word, lexicon)
