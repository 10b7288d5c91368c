"""Comparisons told the other way round: "trẻ em dễ hơn người lớn" as "người lớn dễ hơn trẻ em"."""

from __future__ import annotations

from dataclasses import dataclass

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.polarity import Sentence, compared_words, is_content, nearest, polar_sentences
from duocthu_core.verification.guards.structure import Reading
from duocthu_core.verification.model import Finding

_ALIGNED_MIN = 0.5
_SECOND_MAX = 3


@dataclass(frozen=True, slots=True)
class _Compared:
    """What is more (``first``, everything before the word) than what (``second``), in which respect (``head``)."""

    place: int
    head: str
    first: frozenset[str]
    second: frozenset[str]


def comparative_findings(comparison: Comparison) -> list[Finding]:
    """Comparisons of the claim whose two sides are exchanged against the block's."""
    lexicon = comparison.lexicon
    marks = lexicon.comparing_words
    if not marks & set(comparison.claim.tokens.words):
        return []
    found: list[Finding] = []
    originals = polar_sentences(comparison.block, lexicon)
    for sentence in polar_sentences(comparison.claim, lexicon):
        mine = _compared(sentence, comparison.claim, comparison)
        if not mine:
            continue
        for other, share in nearest(sentence, originals):
            theirs = _compared(other, comparison.block, comparison) if share >= _ALIGNED_MIN else []
            for said in mine:
                turned = next((stands for stands in theirs if _exchanged(said, stands, lexicon.compared_qualities)), None)
                if turned is not None and not any(_alike(said, stands) for stands in theirs):
                    here, there = (said.place - 1, said.place + 1), (turned.place - 1, turned.place + 1)
                    found.append(comparison.finding("negation_mismatch", "antonym", here, there))
    return found[:1]


def _exchanged(said: _Compared, stands: _Compared, qualities: frozenset[str]) -> bool:
    return (
        (said.head == stands.head or bool(qualities & {said.head, *said.first} & {stands.head, *stands.first}))
        and said.second <= stands.first
        and stands.second <= said.first
        and not said.second & stands.second
        and not said.second & said.first
    )


def _alike(said: _Compared, stands: _Compared) -> bool:
    return said.head == stands.head and bool(said.second & stands.second)


def _compared(sentence: Sentence, reading: Reading, comparison: Comparison) -> list[_Compared]:
    lexicon = comparison.lexicon
    words = compared_words(reading, lexicon)
    found: list[_Compared] = []
    for place in range(sentence.start + 1, sentence.end - 1):
        if words[place] not in lexicon.comparing_words:
            continue
        if "so" in words[sentence.start : place]:  # "so với người lớn, trẻ em … hơn": what it is compared with stands before
            continue
        head = words[place - 1]
        first = frozenset(word for word in words[sentence.start : place - 1] if is_content(word, lexicon))
        second: list[str] = []
        for word in words[_second_starts(words, place, sentence.end) : sentence.end]:
            if word in lexicon.comparison_borders or len(second) == _SECOND_MAX:
                break
            if is_content(word, lexicon) and word not in lexicon.dosing_words:
                second.append(word)
            elif second:
                break
        if first and second:
            found.append(_Compared(place, head, first, frozenset(second)))
    return found


def _second_starts(words: list[str], place: int, end: int) -> int:
    """Right behind the word, or behind "so với" in the same clause ("hấp thu nhiều hơn qua đường tiêu hóa so với ampicilin")."""
    for at in range(place + 1, end - 1):
        if words[at] in ",;:.":
            break
        if (words[at], words[at + 1]) == ("so", "với"):
            return at + 2
    return place + 1
