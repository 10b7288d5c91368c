"""Polarity of a text: its sentences with the cues that negate, and the words each cue reaches."""

from __future__ import annotations

import heapq
import itertools
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from duocthu_core.verification.guards.lexicon import Lexicon
from duocthu_core.verification.guards.structure import Reading

_REACH = 12
_SHADOW = 40
_LIMIT_WITHIN = 14
_CONDITION_WITHIN = 8


@dataclass(slots=True)
class Negation:
    """A cue ``start:end`` and the positions of the words it reaches, its own verb first."""

    start: int
    end: int
    category: str
    reach: list[int]
    conditional: bool = False
    """It stands behind "nếu": an exception ("nếu thầy thuốc không hướng dẫn"), no denial."""


@dataclass(slots=True)
class Sentence:
    """A stretch with one polarity frame: its negations and which of its words are negated."""

    start: int
    end: int
    words: dict[str, list[int]]
    negations: list[Negation]
    negated: frozenset[int]
    shadowed: frozenset[int]
    """Words that stand behind a cue in its clause, beyond what it reaches: "Không dùng … để tiêm tĩnh mạch"."""
    label_words: frozenset[str] = field(default_factory=frozenset)
    """Words of the labels that govern it from outside."""


def polar_sentences(reading: Reading, lexicon: Lexicon) -> list[Sentence]:
    """The sentences and items of a text with their negations."""
    if "sentences" not in reading.derived:
        ranges = list(zip(sorted(reading.item_starts), sorted(reading.item_ends), strict=True))
        found = _read_ranges(ranges, reading, lexicon)
        starts = [clause.start for clause in reading.clauses]
        for sentence in found:
            place = bisect_left(starts, sentence.start)
            if place < len(starts) and starts[place] < sentence.end:
                sentence.label_words = frozenset(word for label in reading.clauses[place].labels for word in label.words)
        reading.derived["sentences"] = found
    return reading.derived["sentences"]


def sentence_at(place: int, reading: Reading, lexicon: Lexicon) -> Sentence | None:
    """The sentence or item that the token at ``place`` stands in."""
    sentences = polar_sentences(reading, lexicon)
    at = bisect_right(sentences, place, key=lambda sentence: sentence.start) - 1
    return sentences[at] if at >= 0 and place < sentences[at].end else None


def polar_pieces(reading: Reading, lexicon: Lexicon) -> list[Sentence]:
    """Labels and what stands behind them, each for itself; items without a label whole."""
    if "pieces" not in reading.derived:
        ranges: list[tuple[int, int]] = []
        colons = sorted(label.end for label in reading.labels)
        for start, end in zip(sorted(reading.item_starts), sorted(reading.item_ends), strict=True):
            begin = start
            for colon in colons[bisect_left(colons, start) : bisect_left(colons, end)]:
                ranges.append((begin, colon))
                begin = colon + 1
            ranges.append((begin, end))
        reading.derived["pieces"] = _read_ranges([piece for piece in ranges if piece[0] < piece[1]], reading, lexicon)
    return reading.derived["pieces"]


def nearest(sentence: Sentence, candidates: list[Sentence], shared: frozenset[str] = frozenset()) -> list[tuple[Sentence, float]]:
    """The candidates by the share of the sentence's words they have, best first (three at most).

    ``shared`` words are everybody's (the name of the drug): they count for no candidate.
    """
    wanted = sentence.words.keys() - shared
    if not wanted:
        return []
    scored = [
        (len(wanted & candidate.words.keys()) + len((wanted - candidate.words.keys()) & candidate.label_words), -place, candidate)
        for place, candidate in enumerate(candidates)
    ]
    best = heapq.nlargest(3, (entry for entry in scored if entry[0] > 0), key=lambda entry: entry[:2])
    return [(candidate, found / len(wanted)) for found, _, candidate in best]


def compared_words(reading: Reading, lexicon: Lexicon) -> list[str]:
    """Each token in the writing it is compared in; "" where a longer phrase of one meaning has taken it in ("sử dụng" is "dùng")."""
    if "compared" not in reading.derived:
        words = [lexicon.same_words.get(word, word) for word in reading.tokens.words]
        for phrase, meaning in lexicon.same_phrases:
            place = -1
            while phrase[0] in words[place + 1 :]:
                place = words.index(phrase[0], place + 1)
                if tuple(words[place : place + len(phrase)]) == phrase:
                    words[place : place + len(phrase)] = ["", *[""] * (len(phrase) - 2), meaning]
        reading.derived["compared"] = words
    return reading.derived["compared"]


def is_content(word: str, lexicon: Lexicon) -> bool:
    """Whether a word says something."""
    return len(word) > 1 and word[0].isalpha() and word not in lexicon.empty_words


# --- reading


def _read_ranges(ranges: list[tuple[int, int]], reading: Reading, lexicon: Lexicon) -> list[Sentence]:
    negations = _negations(reading)
    starts = [negation.start for negation in negations]
    return [
        _sentence(start, end, negations[bisect_left(starts, start) : bisect_left(starts, end)], reading, lexicon) for start, end in ranges
    ]


def _sentence(start: int, end: int, inside: list[Negation], reading: Reading, lexicon: Lexicon) -> Sentence:
    words: dict[str, list[int]] = {}
    compared = compared_words(reading, lexicon)
    for place in range(start, end):
        word = compared[place]
        if (word[:1].isalpha() and word not in lexicon.empty_words) or reading.tokens.numbers[place] is not None:
            words.setdefault(word, []).append(place)
    for negation in inside:
        negation.reach = _reach(negation, min(end, negation.end + _SHADOW), inside, reading, lexicon)
        negation.conditional = _is_conditional(negation, start, reading, lexicon)
    denying = [negation for negation in inside if negation.category != "stop"]
    negated = {place for negation in denying for place in negation.reach}
    shadowed = {
        place
        for negation in denying
        if not negation.conditional
        for place in _shadow(negation, min(end, negation.end + _SHADOW), reading, lexicon)
    }
    for place in range(start, end):
        if reading.tokens.words[place] in lexicon.quiet_negators:
            negated |= set(_next_content(place + 1, min(end, place + 5), reading, lexicon))
        elif reading.tokens.words[place] in lexicon.plain_negators:  # "không dung nạp" denies nothing, but does not affirm it either
            shadowed |= set(_next_content(place + 1, min(end, place + 5), reading, lexicon))
    return Sentence(start, end, words, inside, frozenset(negated), frozenset(shadowed))


def _next_content(start: int, end: int, reading: Reading, lexicon: Lexicon) -> list[int]:
    return [place for place in range(start, end) if is_content(reading.tokens.words[place], lexicon)][:2]


def _negations(reading: Reading) -> list[Negation]:
    bounds = [*reading.hits.get("bound", ()), *reading.hits.get("bound_after", ())]
    in_bounds = {place for bound in bounds for place in range(bound.start, bound.end)}
    forbidden = {quantity.bound_at for quantity in reading.quantities if quantity.bound == "max" and quantity.bound_at is not None}
    limits = sorted(hit.start for hit in bounds if hit.value == "gt" and (hit.start, hit.end) in forbidden)
    hits = reading.hits.get("negation", [])
    return [
        Negation(hit.start, hit.end, hit.value, [])
        for hit, following in itertools.zip_longest(hits, hits[1:])
        if hit.start not in in_bounds and not _leads_to_a_limit(hit.end, following.start if following else None, limits, reading)
    ]


def _leads_to_a_limit(place: int, next_negation: int | None, limits: list[int], reading: Reading) -> bool:
    """ "Không nên dùng … quá 5 ngày" is a limit, no denial; the limit is compared as a bound. It belongs to the negation before it."""
    next_limit = bisect_left(limits, place)
    if next_limit == len(limits) or limits[next_limit] > place + _LIMIT_WITHIN:
        return False
    if next_negation is not None and next_negation < limits[next_limit]:
        return False
    return not any(word in ";.:" for word in reading.tokens.words[place : limits[next_limit]])


def _is_conditional(negation: Negation, start: int, reading: Reading, lexicon: Lexicon) -> bool:
    words = reading.tokens.words
    for place in range(negation.start - 1, max(start, negation.start - _CONDITION_WITHIN) - 1, -1):
        if words[place] in ",;.:":
            return False
        if words[place] in lexicon.condition_words:
            return True
    return False


def _reach(negation: Negation, end: int, others: list[Negation], reading: Reading, lexicon: Lexicon) -> list[int]:
    words, compared = reading.tokens.words, compared_words(reading, lexicon)
    if "scope_ends" not in reading.derived:
        reading.derived["scope_ends"] = frozenset(hit.start for hit in reading.hits.get("scope_end", ()))
    enders: frozenset[int] = reading.derived["scope_ends"]
    other_starts = {other.start for other in others if other is not negation and other.category != "stop"}
    reach = [
        place
        for place in range(negation.start, negation.end)
        if is_content(compared[place], lexicon) and words[place] not in lexicon.cue_only_words
    ]
    for place in range(negation.end, end):
        ends_here = place in enders and place > negation.end and words[place] not in lexicon.soft_enders
        if place in other_starts or words[place] in ";.:!?" or ends_here or _affirms_again(place, words, lexicon):
            break
        if words[place] == "," and len(reach) > 1 and not _list_goes_on(place, words, lexicon):
            break
        if is_content(compared[place], lexicon):
            reach.append(place)
        if len(reach) >= _REACH:
            break
    return reach


def _shadow(negation: Negation, end: int, reading: Reading, lexicon: Lexicon) -> list[int]:
    words = reading.tokens.words
    shadow: list[int] = []
    for place in range(negation.end, end):
        if words[place] in ";.:!?" or words[place] in lexicon.contrast_words or _affirms_again(place, words, lexicon):
            break
        if words[place] == "," and not _list_goes_on(place, words, lexicon):
            break
        shadow.append(place)
    return shadow


def _affirms_again(place: int, words: list[str], lexicon: Lexicon) -> bool:
    """ "không tác động vào bệnh gốc và có thể che mất diễn biến": what is possible behind "và" is not denied."""
    return words[place] in lexicon.list_joiners and words[place + 1 : place + 3] == ["có", "thể"]


_MEMBER_WORDS = 5


def _is_plain_member(words: list[str], comma: int, lexicon: Lexicon) -> bool:
    """Whether between a comma and the next border stands a bare name ("Herpes ở mắt, sốt rét thể não, viêm gan virus;")."""
    member: list[str] = []
    for word in words[comma + 1 : comma + 2 + _MEMBER_WORDS]:
        if word in ",;.":
            break
        member.append(word)
    else:
        return False
    return bool(member) and not any(
        word in lexicon.list_breakers or word in lexicon.contrast_words or word[0].isdigit() or word == ":" for word in member
    )


def _list_goes_on(comma: int, words: list[str], lexicon: Lexicon) -> bool:
    """Whether a comma only parts members of a list ("nghiền nát, nhai hoặc hòa tan")."""
    following = words[comma + 1 : comma + 6]
    if _is_plain_member(words, comma, lexicon):
        return True
    return any(word in lexicon.list_joiners for word in following) and not any(word in lexicon.list_breakers for word in following)
