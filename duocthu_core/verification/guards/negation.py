"""Guard over polarity: the claim affirms what the block negates, or the reverse.

A negation is a cue with the content words it reaches, up to the end of its clause. The claim's sentence is laid beside the block's
sentence that shares most words with it; the claim is turned round when the words a cue on one side reaches stand on the other side
without any cue.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.lexicon import Lexicon
from duocthu_core.verification.guards.structure import Reading
from duocthu_core.verification.model import Finding

_HEAD_WORDS = 3
_REACH = 12
_ALIGNED_MIN = 0.5
_ANTONYM_MIN = 0.35


@dataclass(slots=True)
class Negation:
    """A cue ``start:end`` and the positions of the words it reaches, its own verb first."""

    start: int
    end: int
    category: str
    reach: list[int]


@dataclass(slots=True)
class Sentence:
    """A stretch with one polarity frame: its negations and which of its words are negated."""

    start: int
    end: int
    words: dict[str, list[int]]
    negations: list[Negation]
    negated: frozenset[int]


def negation_findings(comparison: Comparison) -> list[Finding]:
    """Sentences of the claim that are turned round against the block."""
    found = _against_heading(comparison)
    for sentence in polar_sentences(comparison.claim, comparison.lexicon):
        finding = _turned_round(sentence, comparison) or _antonym(sentence, comparison)
        if finding is not None:
            found.append(finding)
    return found


# --- reading


def polar_sentences(reading: Reading, lexicon: Lexicon) -> list[Sentence]:
    """The sentences and items of a text with their negations."""
    if "sentences" not in reading.derived:
        ranges = list(zip(sorted(reading.item_starts), sorted(reading.item_ends), strict=True))
        reading.derived["sentences"] = _read_ranges(ranges, reading, lexicon)
    return reading.derived["sentences"]


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


def _read_ranges(ranges: list[tuple[int, int]], reading: Reading, lexicon: Lexicon) -> list[Sentence]:
    negations = _negations(reading)
    starts = [negation.start for negation in negations]
    return [
        _sentence(start, end, negations[bisect_left(starts, start) : bisect_left(starts, end)], reading, lexicon) for start, end in ranges
    ]


def _sentence(start: int, end: int, inside: list[Negation], reading: Reading, lexicon: Lexicon) -> Sentence:
    words: dict[str, list[int]] = {}
    for place in range(start, end):
        word = reading.tokens.words[place]
        if word[0].isalpha() and word not in lexicon.empty_words:
            words.setdefault(lexicon.same_words.get(word, word), []).append(place)
        elif reading.tokens.numbers[place] is not None:
            words.setdefault(word, []).append(place)
    for negation in inside:
        negation.reach = _reach(negation, min(end, negation.end + 40), inside, reading, lexicon)
    negated = frozenset(place for negation in inside if negation.category != "stop" for place in negation.reach)
    return Sentence(start, end, words, inside, negated)


def _negations(reading: Reading) -> list[Negation]:
    bounds = [*reading.hits.get("bound", ()), *reading.hits.get("bound_after", ())]
    in_bounds = {place for bound in bounds for place in range(bound.start, bound.end)}
    limits = sorted(hit.start for hit in bounds if hit.value == "gt" and reading.tokens.words[hit.start] in ("quá", "vượt"))
    return [
        Negation(hit.start, hit.end, hit.value, [])
        for hit in reading.hits.get("negation", ())
        if hit.start not in in_bounds and not _leads_to_a_limit(hit.end, limits, reading)
    ]


def _leads_to_a_limit(place: int, limits: list[int], reading: Reading) -> bool:
    """ "Không nên dùng … quá 5 ngày" is a limit, no denial; the limit is compared as a bound."""
    next_limit = bisect_left(limits, place)
    if next_limit == len(limits) or limits[next_limit] > place + 14:
        return False
    return not any(word in ";.:" for word in reading.tokens.words[place : limits[next_limit]])


def _reach(negation: Negation, end: int, others: list[Negation], reading: Reading, lexicon: Lexicon) -> list[int]:
    words = reading.tokens.words
    if "scope_ends" not in reading.derived:
        reading.derived["scope_ends"] = frozenset(hit.start for hit in reading.hits.get("scope_end", ()))
    enders: frozenset[int] = reading.derived["scope_ends"]
    other_starts = {other.start for other in others if other is not negation and other.category != "stop"}
    reach = [place for place in range(negation.start, negation.end) if _is_content(words[place], lexicon) and words[place] != "chống"]
    for place in range(negation.end, end):
        if (
            place in other_starts
            or words[place] in ";.:!?"
            or (place in enders and place > negation.end and words[place] not in ("khi", "do", "còn", "nên", "thì"))
        ):
            break
        if words[place] == "," and len(reach) > 1 and not _list_goes_on(place, words):
            break
        if _is_content(words[place], lexicon):
            reach.append(place)
        if len(reach) >= _REACH:
            break
    return reach


def _list_goes_on(comma: int, words: list[str]) -> bool:
    """Whether a comma only parts members of a list ("nghiền nát, nhai hoặc hòa tan")."""
    following = words[comma + 1 : comma + 6]
    return any(word in ("hoặc", "hay", "và") for word in following) and not any(
        word in ("có", "cần", "nên", "phải", "được") for word in following
    )


def _is_content(word: str, lexicon: Lexicon) -> bool:
    return word[0].isalpha() and len(word) > 1 and word not in lexicon.empty_words


# --- comparing


def _turned_round(sentence: Sentence, comparison: Comparison) -> Finding | None:
    best, share = _best(sentence, comparison)
    if best is None or share < _ALIGNED_MIN:
        return None
    claim, block = comparison.claim, comparison.block
    stopped = any(negation.category == "stop" for negation in sentence.negations)
    for negation in best.negations:
        if negation.category == "stop" and (stopped or sentence.negations):
            continue
        if (places := _affirmed(negation, block, best, sentence, comparison.lexicon)) is not None:
            return comparison.finding(
                "negation_mismatch",
                "negation_dropped",
                (places[0], places[-1] + 1),
                (negation.start, max(negation.reach[:_HEAD_WORDS]) + 1),
            )
    for negation in sentence.negations:
        if negation.category == "stop" or forbidden_by_heading(negation.category, comparison):
            continue
        if (places := _affirmed(negation, claim, sentence, best, comparison.lexicon)) is not None:
            return comparison.finding(
                "negation_mismatch", "negation_added", (negation.start, max(negation.reach[:_HEAD_WORDS]) + 1), (places[0], places[-1] + 1)
            )
    return None


def forbidden_by_heading(category: str, comparison: Comparison) -> bool:
    """Whether a cue of the claim only says what the block's heading says ("Chống chỉ định" over "Suy gan nặng.")."""
    evidence = comparison.evidence
    return category in ("forbid", "advise_against") and is_negating_section(
        evidence.section_key, evidence.section_title, comparison.lexicon
    )


def _affirmed(negation: Negation, owner: Reading, own: Sentence, other: Sentence, lexicon: Lexicon) -> list[int] | None:
    """Places of the negated words on the other side, where all of them stand there without a cue."""
    heads = list(dict.fromkeys(lexicon.same_words.get(owner.tokens.words[place], owner.tokens.words[place]) for place in negation.reach))
    heads = heads[:_HEAD_WORDS]
    present = [head for head in heads if head in other.words]
    if not present or (len(present) < len(heads) and len(present) < 2):
        return None
    if heads[0] not in other.words and len(present) < _HEAD_WORDS - 1:
        return None
    places: list[int] = []
    for head in present:
        if any(place in other.negated for place in other.words[head]):
            return None
        if any(place not in own.negated for place in own.words.get(head, ())):
            continue  # said both ways on its own side: not clear enough
        places.append(other.words[head][0])
    return sorted(places) or None


def nearest(sentence: Sentence, candidates: list[Sentence]) -> list[tuple[Sentence, float]]:
    """The candidates by the share of the sentence's words they have, best first (three at most)."""
    wanted = sentence.words.keys()
    if not wanted:
        return []
    scored = [(len(wanted & candidate.words.keys()) / len(wanted), -place, candidate) for place, candidate in enumerate(candidates)]
    best = heapq.nlargest(3, (entry for entry in scored if entry[0] > 0), key=lambda entry: entry[:2])
    return [(candidate, share) for share, _, candidate in best]


def _best(sentence: Sentence, comparison: Comparison) -> tuple[Sentence | None, float]:
    best = nearest(sentence, polar_sentences(comparison.block, comparison.lexicon))
    return best[0] if best else (None, 0.0)


def _against_heading(comparison: Comparison) -> list[Finding]:
    """Under Chống chỉ định the heading negates every item: a claim that says to use the drug turns it round."""
    if not is_negating_section(comparison.evidence.section_key, comparison.evidence.section_title, comparison.lexicon):
        return []
    claim = comparison.claim
    found: list[Finding] = []
    for sentence in polar_sentences(claim, comparison.lexicon):
        if any(negation.category in ("forbid", "advise_against", "stop") for negation in sentence.negations):
            continue
        words = claim.tokens.words[sentence.start : sentence.end]
        place = _permission(words)
        if place is not None:
            at = sentence.start + place
            found.append(comparison.finding("negation_mismatch", "heading_negates", (at, min(at + 2, sentence.end))))
    return found


_PERMISSIONS = (
    ("được", "chỉ", "định"),
    ("chỉ", "định"),
    ("có", "thể"),
    ("được", "dùng"),
    ("dùng", "được"),
    ("được", "phép"),
    ("nên", "dùng"),
    ("dùng",),
    ("sử", "dụng"),
)


def _permission(words: list[str]) -> int | None:
    for phrase in _PERMISSIONS:
        for place in range(len(words) - len(phrase) + 1):
            if tuple(words[place : place + len(phrase)]) == phrase and words[max(0, place - 1) : place] not in (
                ["đang"],
                ["khi"],
                ["đã"],
                ["từng"],
                ["thời"],
            ):
                return place
    return None


@lru_cache(maxsize=256)
def _folded(title: str) -> str:
    return title.casefold()


def is_negating_section(key: str | None, title: str, lexicon: Lexicon) -> bool:
    """Whether the section's heading itself negates its items."""
    keys = lexicon.ruleset.tables["negations"]["negating_sections"]
    return (key or "") in keys or _folded(title).startswith("chống chỉ định")


def _antonym(sentence: Sentence, comparison: Comparison) -> Finding | None:
    """ "làm tăng tác dụng" against "làm giảm tác dụng": the same neighbours, the reverse word."""
    claim, block = comparison.claim.tokens.words, comparison.block.tokens.words
    best, share = _best(sentence, comparison)
    if best is None or share < _ANTONYM_MIN:
        return None
    theirs = block[best.start : best.end]
    mine = claim[sentence.start : sentence.end]
    for word, reverse in comparison.lexicon.antonyms:
        here, there = _phrase_places(word, mine), _phrase_places(reverse, theirs)
        if not here or not there or _phrase_places(reverse, mine):
            continue
        for beside in (_following, _preceding):
            for place in here:
                context = beside(mine, place, len(word), comparison.lexicon)
                if context is None or any(
                    beside(theirs, other, len(word), comparison.lexicon) == context for other in _phrase_places(word, theirs)
                ):
                    continue
                for other in there:
                    if beside(theirs, other, len(reverse), comparison.lexicon) == context:
                        at, at_block = sentence.start + place, best.start + other
                        return comparison.finding("negation_mismatch", "antonym", (at, at + len(word)), (at_block, at_block + len(reverse)))
    return None


def _phrase_places(phrase: tuple[str, ...], words: list[str]) -> list[int]:
    if phrase[0] not in words:
        return []
    return [place for place in range(len(words) - len(phrase) + 1) if tuple(words[place : place + len(phrase)]) == phrase]


def _following(words: list[str], place: int, length: int, lexicon: Lexicon) -> tuple[str, ...] | None:
    content = [word for word in words[place + length : place + length + 5] if _is_content(word, lexicon)][:2]
    return tuple(content) if content else None


def _preceding(words: list[str], place: int, _length: int, lexicon: Lexicon) -> tuple[str, ...] | None:
    content = [word for word in words[max(0, place - 4) : place] if _is_content(word, lexicon)][-2:]
    return tuple(content) if len(content) == 2 else None
