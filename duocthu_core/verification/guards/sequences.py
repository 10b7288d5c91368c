"""What comes first: "500 mg ngày đầu, sau đó 250 mg" told as "250 mg ngày đầu, sau đó 500 mg"."""

from __future__ import annotations

from duocthu_core.verification.guards.antonyms import phrase_places
from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.polarity import polar_sentences
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Reading
from duocthu_core.verification.model import Finding

_STEP_MAX = 2
_Step = tuple[Quantity, Quantity]
"""A dose and the one that follows it."""


def sequence_findings(comparison: Comparison) -> list[Finding]:
    """Two doses of the claim, one after the other, that follow each other the other way round in the block."""
    told = _steps(comparison.claim, comparison)
    stands = _steps(comparison.block, comparison) if told else []
    for first, then in told:
        turned = next((step for step in stands if _alike(first, step[1]) and _alike(then, step[0])), None)
        if turned is not None and not any(_alike(first, step[0]) and _alike(then, step[1]) for step in stands):
            here, there = (first.start, then.end), (turned[0].start, turned[1].end)
            return [comparison.finding("other_item", "role_conflict", here, there)]
    return []


def _alike(mine: Quantity, other: Quantity) -> bool:
    return mine.value == other.value and mine.same_unit(other)


def _steps(reading: Reading, comparison: Comparison) -> list[_Step]:
    found: list[_Step] = []
    for sentence in polar_sentences(reading, comparison.lexicon):
        doses = [quantity for quantity in reading.quantities if quantity.is_dose and sentence.start <= quantity.start < sentence.end]
        for at, first in enumerate(doses):
            for then in doses[at + 1 : at + 1 + _STEP_MAX]:
                between = reading.tokens.words[first.end : then.start]
                leads = any(phrase_places(phrase, between) for phrase in comparison.lexicon.following_phrases)
                if leads and not _alike(first, then) and "." not in between and "\n" not in between:
                    found.append((first, then))
    return found
