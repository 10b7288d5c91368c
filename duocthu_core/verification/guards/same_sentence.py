"""Which sentence of the block a sentence of the claim tells again, and what it names in another's place there.

The claim's sentence is laid beside all sentences of the block without the words in question: the one that then has most of its words is
what it tells again. If that one names something else of the kind, and the claim's thing stands only where much less of the claim does,
the two were exchanged.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import TypeVar

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.polarity import Sentence, compared_words, polar_sentences
from duocthu_core.verification.guards.structure import Clause, Reading

_SAME_SENTENCE = 0.6
_MUCH_LESS = 0.2
_WORDS_MIN = 2
_DENIED = "¬"
_Named = TypeVar("_Named")


def exchanged_for(
    sentence: Sentence,
    own: Iterable[str],
    stands_in: Callable[[Sentence], bool],
    rivals_in: Callable[[Sentence], list[_Named]],
    comparison: Comparison,
    *,
    dosing: bool = False,
) -> _Named | None:
    """What the block's sentence names where ``sentence`` of the claim has the words ``own``; None where nothing was exchanged.

    Words of dosing ("tăng", "liều") count only with ``dosing``.
    ``stands_in`` says whether a sentence of the block has the claim's thing, ``rivals_in`` what else of its kind it names.
    """
    empty = comparison.drug_words if dosing else comparison.drug_words | comparison.lexicon.dosing_words
    wanted = sentence.words.keys() - set(own) - empty
    if len(wanted) < _WORDS_MIN:  # few words tell a sentence only with what it denies: "không cần chỉnh"
        wanted = frozenset(word for word in _polar_words(sentence) - set(own) - empty if word.startswith(_DENIED))
    originals = polar_sentences(comparison.block, comparison.lexicon)
    if not wanted or not originals:
        return None
    shares = [(len(wanted & _all_words(other, comparison)) / len(wanted), other) for other in originals]
    best = max(share for share, _ in shares)
    if best < _SAME_SENTENCE:
        return None
    nearest = [other for share, other in shares if share == best]
    known = frozenset[str]().union(*(_all_words(other, comparison) for other in nearest))
    if not (wanted & known) - _words_of_labels(sentence, comparison):
        return None  # only the labels of the claim are said there
    for share, other in shares:
        if stands_in(other) and (share >= best - _MUCH_LESS or bool((wanted & _all_words(other, comparison)) - known)):
            return None  # said there, or in a sentence of which the claim tells as well
    rivals = rivals_in(nearest[0])
    return rivals[0] if rivals else None


def _polar_words(sentence: Sentence) -> frozenset[str]:
    """The words of a sentence, those that it denies with a mark: "không cần chỉnh" is not said where "chỉnh" is."""
    denied = sentence.negated | sentence.shadowed
    words = {_DENIED + word for word, places in sentence.words.items() if all(place in denied for place in places)}
    return frozenset(words | sentence.words.keys())


def _all_words(sentence: Sentence, comparison: Comparison) -> frozenset[str]:
    """The words and figures of a sentence of the block and of the labels over it, kept with the block."""
    kept: dict[int, frozenset[str]] = comparison.block.derived.setdefault("words_with_labels", {})
    if sentence.start not in kept:
        found = set(_polar_words(sentence))
        for start, end in ranges_of(sentence, comparison.block)[1:]:
            found |= set(compared_words(comparison.block, comparison.lexicon)[start:end])
        kept[sentence.start] = frozenset(found)
    return kept[sentence.start]


def _words_of_labels(sentence: Sentence, comparison: Comparison) -> frozenset[str]:
    """The words of the labels inside a sentence of the claim, where something stands behind them."""
    inside = [label for label in comparison.claim.labels if sentence.start <= label.start and label.end < sentence.end]
    words = compared_words(comparison.claim, comparison.lexicon)
    return frozenset(word for label in inside for word in words[label.start : label.end])


def ranges_of(sentence: Sentence, reading: Reading) -> list[tuple[int, int]]:
    """The tokens of a sentence and of the labels that govern it from outside."""
    clause = _first_clause(sentence, reading)
    labels = clause.labels if clause is not None else ()
    return [(sentence.start, sentence.end), *((label.start, label.end) for label in labels)]


def whole_sentence(sentence: Sentence, reading: Reading) -> tuple[int, int]:
    """The tokens of all items of the sentence that an item belongs to ("10 mg/kg cách 6 giờ; tối đa 60 mg/kg")."""
    clause = _first_clause(sentence, reading)
    if clause is None:
        return sentence.start, sentence.end
    if "sentence_ranges" not in reading.derived:
        ranges: dict[int, tuple[int, int]] = {}
        for each in reading.clauses:
            start, end = ranges.get(each.sentence, (each.start, each.end))
            ranges[each.sentence] = (min(start, each.start), max(end, each.end))
        reading.derived["sentence_ranges"] = ranges
    return reading.derived["sentence_ranges"][clause.sentence]


def _first_clause(sentence: Sentence, reading: Reading) -> Clause | None:
    if "clause_starts" not in reading.derived:
        reading.derived["clause_starts"] = [clause.start for clause in reading.clauses]
    place = bisect_left(reading.derived["clause_starts"], sentence.start)
    if place < len(reading.clauses) and reading.clauses[place].start < sentence.end:
        return reading.clauses[place]
    return None
