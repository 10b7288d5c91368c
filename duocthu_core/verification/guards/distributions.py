"""Two lists told side by side: "liều 500 mg và 1 g … lần lượt 2 mg/ml và 4 mg/ml" puts each figure of one to one of the other."""

from __future__ import annotations

from itertools import pairwise

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.polarity import Sentence, polar_sentences
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Reading
from duocthu_core.verification.model import Finding

_JOINERS = (["và"], ["hoặc"], ["hay"], [","], [",", "và"])
_Pair = tuple[Quantity, Quantity]


def distribution_findings(comparison: Comparison) -> list[Finding]:
    """A figure of the second list that the claim puts to another figure of the first."""
    lists = _pairs_of(comparison.block, comparison)
    if not lists:
        return []
    found: list[Finding] = []
    for sentence in polar_sentences(comparison.claim, comparison.lexicon):
        said = _within(sentence, comparison.claim)
        for pairs in lists:
            first = [place for place, (left, _) in enumerate(pairs) if any(_same(left, quantity) for quantity in said)]
            second = [(place, quantity) for quantity in said for place, (_, right) in enumerate(pairs) if _same(right, quantity)]
            if len(first) == 1 and len(second) == 1 and second[0][0] != first[0]:
                place, quantity = second[0]
                right = pairs[place][1]
                label = comparison.block.words_of(pairs[place][0].start, pairs[place][0].end)
                here, there = (quantity.start, quantity.end), (right.start, right.end)
                found.append(comparison.finding("other_item", "other_item", here, there, label=label))
    return found


def _same(quantity: Quantity, other: Quantity) -> bool:
    return quantity.value == other.value and quantity.same_unit(other)


def _within(sentence: Sentence, reading: Reading) -> list[Quantity]:
    return [quantity for quantity in reading.quantities if sentence.start <= quantity.start < sentence.end and not quantity.implied]


def _pairs_of(reading: Reading, comparison: Comparison) -> list[list[_Pair]]:
    """The lists of a block that a word such as "lần lượt" puts side by side, kept with it."""
    if "distributions" not in reading.derived:
        found: list[list[_Pair]] = []
        marks = reading.hits.get("distributive", ())
        for sentence in polar_sentences(reading, comparison.lexicon) if marks else ():
            groups = _groups(_within(sentence, reading), reading)
            for mark in marks:
                if not sentence.start <= mark.start < sentence.end or reading.tokens.words[mark.end : mark.end + 1] == ["với"]:
                    continue
                after = next((group for group in groups if group[0].start >= mark.end), [])
                before = [group for group in groups if group[-1].end <= mark.start and len(group) == len(after)]
                if before and len(after) > 1:
                    found.append(list(zip(before[-1], after, strict=True)))
        reading.derived["distributions"] = found
    return reading.derived["distributions"]


def _groups(quantities: list[Quantity], reading: Reading) -> list[list[Quantity]]:
    groups: list[list[Quantity]] = [[quantity] for quantity in quantities[:1]]
    for left, right in pairwise(quantities):
        if reading.tokens.words[left.end : right.start] in _JOINERS and (left.kind == right.kind or left.unit is None):
            groups[-1].append(right)
        else:
            groups.append([right])
    return groups
