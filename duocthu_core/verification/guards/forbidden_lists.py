"""Guard over lists of what must not be done: "không được nghiền nát, nhai hoặc hòa tan" told as "có thể nhai"."""

from __future__ import annotations

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.polarity import Negation, Sentence, nearest, polar_sentences
from duocthu_core.verification.guards.structure import Reading
from duocthu_core.verification.model import Finding

_ALIGNED_MIN = 0.5
_MEMBER_WORDS = 2
_FORBIDDING = ("forbid", "advise_against")


def forbidden_list_findings(comparison: Comparison) -> list[Finding]:
    """``negation_mismatch`` where the claim allows what stands in the middle of a list that the block forbids."""
    lexicon, claim = comparison.lexicon, comparison.claim
    originals = polar_sentences(comparison.block, lexicon)
    for sentence in polar_sentences(claim, lexicon):
        allowed = _allowed(sentence, claim, comparison)
        if not allowed:
            continue
        for other, share in nearest(sentence, originals, comparison.drug_words):
            if share < _ALIGNED_MIN:
                break
            for negation in other.negations:
                members = _members(negation, other, comparison) if negation.category in _FORBIDDING and not negation.conditional else []
                for member, at in members:
                    place = next((place for place in allowed if tuple(claim.tokens.words[place : place + len(member)]) == member), None)
                    if place is not None and not _says_nothing(member, comparison) and not _allowed_there(member, originals, comparison):
                        here, there = (place - 1, place + len(member)), (at, at + len(member))
                        return [comparison.finding("negation_mismatch", "negation_dropped", here, there)]
    return []


def _says_nothing(member: tuple[str, ...], comparison: Comparison) -> bool:
    """A word of dosing alone ("giảm") may be said of anything."""
    return all(word in comparison.lexicon.dosing_words for word in member)


def _allowed_there(member: tuple[str, ...], originals: list[Sentence], comparison: Comparison) -> bool:
    """Whether another sentence of the block allows the very same."""
    words = comparison.block.tokens.words
    return any(
        tuple(words[place : place + len(member)]) == member
        for sentence in originals
        for place in _allowed(sentence, comparison.block, comparison)
    )


def _allowed(sentence: Sentence, reading: Reading, comparison: Comparison) -> list[int]:
    """Where what a sentence allows begins: behind "có thể", "được phép" that nothing negates."""
    words = reading.tokens.words
    places: list[int] = []
    for phrase in comparison.lexicon.allowances:
        for place in range(sentence.start, sentence.end - len(phrase)):
            behind = place + len(phrase)
            if tuple(words[place:behind]) == phrase and behind not in sentence.negated | sentence.shadowed:
                places.append(behind)
    return places


def _members(negation: Negation, sentence: Sentence, comparison: Comparison) -> list[tuple[tuple[str, ...], int]]:
    """The first words of each member of the list behind a cue, with their place; none where there is no list.

    A member of one act ("nhai") has one word; of a longer one the first two are enough ("hòa tan trong nước").
    """
    words, joiners = comparison.block.tokens.words, comparison.lexicon.list_joiners
    reached = set(negation.reach)
    starts = [negation.end]
    end = max([negation.end, *reached]) + 1
    for place in range(negation.end, min(end, sentence.end)):
        if (words[place] == "," or words[place] in joiners) and place + 1 in reached:
            starts.append(place + 1)
    if len(starts) < _MEMBER_WORDS:
        return []
    members: list[tuple[tuple[str, ...], int]] = []
    for start in starts:
        member: list[str] = []
        for place in range(start, min(end, start + _MEMBER_WORDS)):
            if place not in reached:
                break
            member.append(words[place])
        if member:
            members.append((tuple(member), start))
    return members
