"""How sure, for whom, how strictly: "có thể" told as "chắc chắn", some told as all, what is forbidden told as a case for caution."""

from __future__ import annotations

from duocthu_core.verification.guards.antonyms import phrase_places
from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.foreign_terms import is_foreign
from duocthu_core.verification.guards.lexicon import Lexicon
from duocthu_core.verification.guards.negation import is_forbidding, is_negating_section
from duocthu_core.verification.guards.polarity import Sentence, nearest, polar_sentences
from duocthu_core.verification.model import Finding

_ALIGNED_MIN = 0.5
_FORBIDDING = ("forbid", "advise_against", "stop")


def emphasis_findings(comparison: Comparison) -> list[Finding]:
    """Sentences of the claim that are surer or wider than the block's, or milder than its prohibition."""
    originals = polar_sentences(comparison.block, comparison.lexicon)
    for sentence in polar_sentences(comparison.claim, comparison.lexicon):
        finding = _surer(sentence, originals, comparison) or _widened(sentence, originals, comparison) or _milder(sentence, comparison)
        if finding is not None:
            return [finding]
    return []


def _surer(sentence: Sentence, originals: list[Sentence], comparison: Comparison) -> Finding | None:
    lexicon, words = comparison.lexicon, comparison.block.tokens.words
    said = _first(lexicon.certain_phrases, comparison.claim.tokens.words, sentence.start, sentence.end, lexicon)
    if said is None or sentence.negations:
        return None
    if _first(lexicon.certain_phrases, words, 0, len(words), lexicon) is not None:
        return None
    near = nearest(sentence, originals, comparison.drug_words)
    if not near or near[0][1] < _ALIGNED_MIN:
        return None
    hedge = _first(lexicon.hedging_phrases, words, near[0][0].start, near[0][0].end, lexicon)
    return comparison.finding("negation_mismatch", "antonym", said, hedge) if hedge is not None else None


def _widened(sentence: Sentence, originals: list[Sentence], comparison: Comparison) -> Finding | None:
    """ "Cho mọi người mang thai" of what the block says of some."""
    lexicon, words = comparison.lexicon, comparison.block.tokens.words
    said = _first(lexicon.universal_phrases, comparison.claim.tokens.words, sentence.start, sentence.end, lexicon)
    if said is None or sentence.negations or _first(lexicon.universal_phrases, words, 0, len(words), lexicon) is not None:
        return None
    near = nearest(sentence, originals, comparison.drug_words)
    if not near or near[0][1] < _ALIGNED_MIN:
        return None
    return comparison.finding("dropped_label", "universal_added", said, (near[0][0].start, near[0][0].end))


def _milder(sentence: Sentence, comparison: Comparison) -> Finding | None:
    """ "Cần thận trọng khi dùng …" of what stands under Chống chỉ định."""
    lexicon, words = comparison.lexicon, comparison.claim.tokens.words
    said = _first(lexicon.cautious_phrases, words, sentence.start, sentence.end, lexicon)
    block = comparison.block.tokens.words
    if said is None or _first(lexicon.cautious_phrases, block, 0, len(block), lexicon) is not None:
        return None
    if any(negation.category in _FORBIDDING for negation in sentence.negations):
        return None
    evidence = comparison.evidence
    if is_negating_section(evidence.section_key, evidence.section_title, lexicon):
        return comparison.finding("negation_mismatch", "heading_negates", said)
    names = {word for word in words[sentence.start : sentence.end] if is_foreign(word, lexicon)} - comparison.drug_words
    named = [clause for clause in comparison.block.clauses if names.intersection(block[clause.start : clause.end])]
    if named and all(any(is_forbidding(label, block, lexicon) for label in clause.labels) for clause in named):
        label = named[0].labels[-1]
        return comparison.finding("negation_mismatch", "antonym", said, (label.start, label.end))
    return None


def _first(phrases: tuple[tuple[str, ...], ...], words: list[str], start: int, end: int, lexicon: Lexicon) -> tuple[int, int] | None:
    """Where one of ``phrases`` stands unnegated, and not as "thấp nhất có thể"."""
    part = words[start:end]
    for phrase in phrases:
        for place in phrase_places(phrase, part):
            if not (place and (part[place - 1] in lexicon.plain_negators or part[place - 1] == "nhất")):
                return start + place, start + place + len(phrase)
    return None
