"""Opposite words: "làm tăng" told as "làm giảm", "giảm liều" as "giữ nguyên liều", "tủ lạnh" as "nhiệt độ phòng"."""

from __future__ import annotations

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.foreign_terms import is_foreign
from duocthu_core.verification.guards.lexicon import Lexicon
from duocthu_core.verification.guards.polarity import Sentence, is_content
from duocthu_core.verification.model import Finding

_ALIGNED_MIN = 0.35
_CONTRARY_MIN = 0.5
_BESIDE = 7


def antonym_finding(sentence: Sentence, near: list[tuple[Sentence, float]], comparison: Comparison) -> Finding | None:
    """An opposite in the same surroundings, or a phrase that excludes the block's in a sentence that is otherwise the same."""
    if not near or near[0][1] < _ALIGNED_MIN:
        return None
    mine = comparison.claim.tokens.words[sentence.start : sentence.end]
    best, share = near[0]
    places = None
    for place, (other, nearness) in enumerate(near):
        theirs = comparison.block.tokens.words[other.start : other.end]
        places = _opposite(mine, theirs, comparison.lexicon) if nearness >= _ALIGNED_MIN else None
        if places is None and not place and share >= _CONTRARY_MIN:
            places = _contrary(mine, theirs, comparison.lexicon)
        if places is not None and not (place and _said_nearer(mine, places[0], near[:place], comparison)):
            best = other
            break
        places = None
    if places is None or _stands_so(mine, places[0], near, comparison):
        return None
    (at, length), (there, other_length) = places
    here = sentence.start + at, sentence.start + at + length
    return comparison.finding("negation_mismatch", "antonym", here, (best.start + there, best.start + there + other_length))


def _said_nearer(mine: list[str], said: tuple[int, int], nearer: list[tuple[Sentence, float]], comparison: Comparison) -> bool:
    """Whether a nearer sentence, or a label over it, has the claim's word: then the further one speaks of something else."""
    phrase = tuple(mine[said[0] : sum(said)])
    alike = comparison.lexicon.same_side.get(phrase, (phrase,))
    return any(
        bool(phrase_places(each, comparison.block.tokens.words[other.start : other.end])) or other.label_words.issuperset(each)
        for other, _ in nearer
        for each in alike
    )


def _stands_so(mine: list[str], said: tuple[int, int], near: list[tuple[Sentence, float]], comparison: Comparison) -> bool:
    """Whether another sentence of the block says the claim's word before the same word."""
    at, length = said
    context = _following(mine, at, length, comparison.lexicon)
    names = {word for word in mine if is_foreign(word, comparison.lexicon)} - comparison.drug_words
    named = names & _all_of(near[0][0], comparison)
    for other, _ in near:
        if not named <= _all_of(other, comparison):
            continue  # it is said there of another drug
        theirs = comparison.block.tokens.words[other.start : other.end]
        for place in phrase_places(tuple(mine[at : at + length]), theirs):
            if context is not None and _same_context(context, _following(theirs, place, length, comparison.lexicon)):
                return True
    return False


def _all_of(sentence: Sentence, comparison: Comparison) -> set[str]:
    return set(comparison.block.tokens.words[sentence.start : sentence.end]) | sentence.label_words


_Places = tuple[tuple[int, int], tuple[int, int]]
"""Where a phrase begins and how long it is, in the claim's sentence and in the block's."""


def _opposite(mine: list[str], theirs: list[str], lexicon: Lexicon) -> _Places | None:
    for word, reverse in antonyms_in(mine, lexicon):
        here, there = phrase_places(word, mine), phrase_places(reverse, theirs)
        if not here or not there or phrase_places(reverse, mine):
            continue
        for beside, beside_there in _SURROUNDINGS:
            for place in here:
                context = beside(mine, place, len(word), lexicon)
                if context is None or any(
                    _same_context(context, each(theirs, other, len(word), lexicon))
                    for other in phrase_places(word, theirs)
                    for each in {beside, beside_there}
                ):
                    continue
                for other in there:
                    if _same_context(context, beside_there(theirs, other, len(reverse), lexicon)):
                        return (place, len(word)), (other, len(reverse))
    return None


def _same_context(mine: tuple[str, ...], theirs: tuple[str, ...] | None) -> bool:
    """The same words beside; the claim may end one word earlier."""
    return theirs is not None and theirs[: len(mine)] == mine


def _contrary(mine: list[str], theirs: list[str], lexicon: Lexicon) -> _Places | None:
    """Phrases of one set exclude each other whatever stands beside them."""
    there_are = set(mine)
    for first_words, group in lexicon.contraries:
        if not first_words & there_are:
            continue
        said = [(phrase, phrase_places(phrase, mine)) for phrase in group]
        stand = [(phrase, phrase_places(phrase, theirs)) for phrase in group]
        there = [(phrase, places[0]) for phrase, places in stand if places]
        known = {phrase for phrase, _ in there}
        for phrase, places in said:
            if places and there and phrase not in known:
                return (places[0], len(phrase)), (there[0][1], len(there[0][0]))
    return None


def antonyms_in(words: list[str], lexicon: Lexicon) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The pairs of opposites whose first word stands among ``words``."""
    by_first = lexicon.antonyms_by_first
    return [pair for word in dict.fromkeys(words) if word in by_first for pair in by_first[word]]


def phrase_places(phrase: tuple[str, ...], words: list[str]) -> list[int]:
    """Where a phrase begins among words."""
    if phrase[0] not in words:
        return []
    return [place for place in range(len(words) - len(phrase) + 1) if tuple(words[place : place + len(phrase)]) == phrase]


def _following(words: list[str], place: int, length: int, lexicon: Lexicon) -> tuple[str, ...] | None:
    content = [word for word in words[place + length : place + length + _BESIDE] if is_content(word, lexicon)][:2]
    return tuple(content) if content else None


def _following_closely(words: list[str], place: int, length: int, lexicon: Lexicon) -> tuple[str, ...] | None:
    """What follows without words that change nothing ("giảm tác dụng hạ áp" as "giảm hạ áp")."""
    behind = words[place + length : place + length + _BESIDE]
    content = [word for word in behind if is_content(word, lexicon) and word not in lexicon.context_fillers][:2]
    return tuple(content) if len(content) == 2 else None


def _preceding(words: list[str], place: int, _length: int, lexicon: Lexicon) -> tuple[str, ...] | None:
    before = words[max(0, place - _BESIDE + 1) : place]
    floor = max((at + 1 for at, word in enumerate(before) if word in ",;:"), default=0)
    content = [word for word in before[floor:] if is_content(word, lexicon)][-2:]
    return tuple(content) if len(content) == 2 else None


_SURROUNDINGS = (
    (_following, _following),
    (_preceding, _preceding),
    (_following_closely, _following_closely),
    (_preceding, _following),  # "làm đào thải nhanh hơn" against "làm chậm đào thải"
)
"""Which words beside the claim's word are compared with which beside the block's."""
