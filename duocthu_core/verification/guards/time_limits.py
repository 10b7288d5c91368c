"""Guard over limits of time: "trong vòng 4 giờ" told as "sau 4 giờ", or the reverse.

The claim's sentence is laid beside the block's sentences with the same time. What happens of itself ("đạt nồng độ đỉnh sau 2 giờ") may
be told either way, and so may what ends or is thrown away when the time is over.
"""

from __future__ import annotations

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.polarity import Sentence, sentence_at
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Reading
from duocthu_core.verification.model import Finding

_SAME_SENTENCE = 0.7
_WORDS_MIN = 2
_AFTER = "sau"


def time_limit_findings(comparison: Comparison) -> list[Finding]:
    """``comparator_mismatch`` where a time is the end of what is done on one side and its beginning on the other."""
    found: list[Finding] = []
    for quantity in comparison.claim.quantities:
        side = _side(quantity, comparison.claim, comparison)
        rival = _other_side(quantity, side, comparison) if side is not None else None
        if rival is not None:
            here, there = (quantity.start, quantity.end), (rival.start, rival.end)
            found.append(comparison.finding("comparator_mismatch", "comparator_mismatch", here, there))
    return found


def _other_side(quantity: Quantity, side: str, comparison: Comparison) -> Quantity | None:
    lexicon = comparison.lexicon
    sentence = _sentence_of(quantity, comparison.claim, comparison)
    if sentence is None or sentence.negations or lexicon.own_course_words & sentence.words.keys():
        return None
    numbers = {word for word in sentence.words if not word[0].isalpha()}
    wanted = sentence.words.keys() - comparison.drug_words - lexicon.dosing_words - numbers
    if len(wanted) < _WORDS_MIN:
        return None
    best, rivals, held = _SAME_SENTENCE, list[Quantity](), False
    for place in comparison.block.quantities:
        if place.value != quantity.value or not quantity.same_unit(place):
            continue
        other = _sentence_of(place, comparison.block, comparison)
        share = len(wanted & other.words.keys()) / len(wanted) if other is not None else 0.0
        if share < best:
            continue
        if share > best:
            best, rivals, held = share, [], False
        theirs = _side(place, comparison.block, comparison)
        held = held or theirs is None or theirs == side
        rivals.append(place)
    return rivals[0] if rivals and not held else None


def _sentence_of(quantity: Quantity, reading: Reading, comparison: Comparison) -> Sentence | None:
    return sentence_at(quantity.start, reading, comparison.lexicon)


def _side(quantity: Quantity, reading: Reading, comparison: Comparison) -> str | None:
    """ "within" behind "trong vòng", "after" behind "sau"; a range, an age or a time between doses has no side."""
    if quantity.kind != "time" or quantity.high is not None or quantity.band is not None or quantity.per_time is not None:
        return None
    words = reading.tokens.words
    if quantity.start and words[quantity.start - 1] == _AFTER:
        return "after"
    start = quantity.start
    led_in = any(tuple(words[max(0, start - len(bound)) : start]) == bound for bound in comparison.lexicon.soft_bounds)
    return "within" if led_in else None
