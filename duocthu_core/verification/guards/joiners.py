"""Guard over "và" and "hoặc": two drugs together are not one of them, two conditions not either of them."""

from __future__ import annotations

from itertools import pairwise

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.foreign_terms import is_foreign
from duocthu_core.verification.guards.lexicon import TIME_UNITS, Hit
from duocthu_core.verification.guards.polarity import is_content, polar_sentences
from duocthu_core.verification.guards.structure import Reading
from duocthu_core.verification.guards.units import unit_at
from duocthu_core.verification.model import Finding

_BESIDE = 2
_LIST_WITHIN = 6
_SIDES = {"và": "all", "+": "all", "rồi": "all", "hoặc": "one", "hay": "one"}
_Beside = tuple[tuple[str, ...], tuple[str, ...]]


def joiner_findings(comparison: Comparison) -> list[Finding]:
    """``other_item`` where the claim joins with the other word what the block joins, the same words on both sides.

    Not in a list of more than two, not among groups, routes and degrees, and not under a negation: there both words say the same.
    """
    return (
        _both_told(comparison)
        or _other_joiner(comparison)
        or _beside_a_name(comparison)
        or _groups_together(comparison)
        or _period_findings(comparison)
    )


def _both_told(comparison: Comparison) -> list[Finding]:
    """ "Vừa sốt cao vừa phát ban" where the block has "sốt cao … hoặc phát ban": either is enough there."""
    claim, lexicon = comparison.claim, comparison.lexicon
    words = claim.tokens.words
    graded = {hit.start for hit in claim.hits.get("severity", ()) if _is_grade(hit, words)}
    openers = [place for place, word in enumerate(words) if word in lexicon.both_words and place not in graded]
    for first, second in pairwise(openers):
        end = next((place for place in range(second + 1, len(words)) if words[place] in _BORDERS), len(words))
        if words[first] != words[second] or any(word in _BORDERS - {","} for word in words[first:second]):
            continue
        here = [{word for word in words[start + 1 : stop] if is_content(word, lexicon)} for start, stop in ((first, second), (second, end))]
        place = _either_between(here[0] - here[1], here[1] - here[0], comparison)
        if place is not None:
            return [comparison.finding("other_item", "thing_exchanged", (first, second + 1), (place, place + 1))]
    return []


_BORDERS = frozenset(",;.:")


def _is_grade(hit: Hit, words: list[str]) -> bool:
    """ "Suy thận vừa" names a degree: nothing of its own stands behind it."""
    return hit.end - hit.start > 1 or hit.end >= len(words) or not words[hit.end][:1].isalpha()


def _either_between(one: set[str], other: set[str], comparison: Comparison) -> int | None:
    """The "hoặc" in a sentence of the block between most of the words of the one and most of those of the other."""
    words = comparison.block.tokens.words
    for sentence in polar_sentences(comparison.block, comparison.lexicon):
        for place in range(sentence.start, sentence.end):
            if _SIDES.get(words[place]) != "one":
                continue
            for before, behind in ((one, other), (other, one)):
                left, right = set(words[sentence.start : place]), set(words[place + 1 : sentence.end])
                if before and behind and 2 * len(before & left) > len(before) and 2 * len(behind & right) > len(behind):
                    return place
    return None


def _groups_together(comparison: Comparison) -> list[Finding]:
    """ "Suy thận hoặc suy gan" where the block speaks of those who have both ("suy thận kèm suy gan")."""
    lexicon = comparison.lexicon
    theirs = _paired_groups(comparison.block)
    for pair, joiner, place in _paired_groups(comparison.claim):
        if _SIDES.get(joiner) != "one":
            continue
        joined = [(other, at) for names, other, at in theirs if set(names) == set(pair)]
        if joined and all(other in lexicon.joining_words for other, _ in joined):
            return [comparison.finding("other_item", "thing_exchanged", (place, place + 1), (joined[0][1], joined[0][1] + 1))]
    return []


def _paired_groups(reading: Reading) -> list[tuple[tuple[str, str], str, int]]:
    """Two groups with one or two words between them: both, the first of these words, and where it stands."""
    hits = reading.hits.get("population", [])
    return [
        ((left.value, right.value), reading.tokens.words[left.end], left.end)
        for left, right in pairwise(hits)
        if 1 <= right.start - left.end <= _BESIDE
    ]


def _other_joiner(comparison: Comparison) -> list[Finding]:
    claim = comparison.claim
    mine = _joined(claim)
    theirs: dict[_Beside, list[int]] = {}
    for beside, place in _joined(comparison.block):
        theirs.setdefault(beside, []).append(place)
        if _has_figure(beside[1]):
            theirs.setdefault(((), beside[1]), []).append(place)
    denied = [
        (sentence.start, sentence.end)
        for sentence in polar_sentences(claim, comparison.lexicon)
        if any(negation.category != "stop" for negation in sentence.negations)
    ]
    for beside, place in mine:
        others = theirs.get(beside, []) or theirs.get(((), beside[1]), [])
        words = comparison.block.tokens.words
        side = _SIDES[claim.tokens.words[place]]
        if not others or any(_SIDES[words[other]] == side for other in others) or any(start <= place < end for start, end in denied):
            continue
        here, there = (place - 1, place + 2), (others[0] - 1, others[0] + 2)
        return [comparison.finding("other_item", "thing_exchanged", here, there)]
    return []


def _period_findings(comparison: Comparison) -> list[Finding]:
    """ "Mỗi ngày thêm một viên" where the block has "mỗi tuần thêm một viên": another period before the very same words."""
    mine, theirs = _periods(comparison.claim, comparison), _periods(comparison.block, comparison)
    if not mine or not theirs:
        return []
    units = {beside: {unit for other, unit, _ in theirs if other == beside} for beside, _, _ in mine}
    for beside, unit, place in mine:
        if units[beside] and unit not in units[beside]:
            there = next(at for other, _, at in theirs if other == beside)
            return [comparison.finding("unit_mismatch", "unit_mismatch", (place - 1, place + 1), (there - 1, there + 1))]
    return []


def _periods(reading: Reading, comparison: Comparison) -> list[tuple[tuple[str, ...], str, int]]:
    """Each "mỗi ngày", "hàng tuần" with the two words behind it, its unit and its place."""
    if "periods" not in reading.derived:
        words, lexicon = reading.tokens.words, comparison.lexicon
        found: list[tuple[tuple[str, ...], str, int]] = []
        for place in range(1, len(words) - 1):
            unit = unit_at(reading.tokens, place, lexicon) if words[place - 1] in lexicon.period_openers else None
            if unit is None or unit[0] not in TIME_UNITS:
                continue
            if words[unit[1]][:1].isalnum():
                found.append((tuple(words[unit[1] : unit[1] + _BESIDE]), unit[0], place))
            elif place > _BESIDE:
                found.append((tuple(words[place - 1 - _BESIDE : place - 1]), unit[0], place))
        reading.derived["periods"] = found
    return reading.derived["periods"]


def _beside_a_name(comparison: Comparison) -> list[Finding]:
    """ "hoặc ethambutol" where the block says "+ ethambutol" wherever it names it."""
    mine, theirs = comparison.claim.tokens.words, comparison.block.tokens.words
    for place in range(1, len(mine) - 1):
        name = mine[place + 1]
        if (
            _SIDES.get(mine[place]) != "one"
            or not is_foreign(name, comparison.lexicon)
            or "," in mine[max(0, place - _LIST_WITHIN) : place]
        ):
            continue
        before = [at - 1 for at in range(1, len(theirs)) if theirs[at] == name]
        if before and all(_SIDES.get(theirs[at]) == "all" or theirs[at] in comparison.lexicon.joining_words for at in before):
            there = (before[0], before[0] + 2)
            return [comparison.finding("other_item", "thing_exchanged", (place, place + 2), there)]
    return []


def _has_figure(words: tuple[str, ...]) -> bool:
    return not words[0][0].isdigit() and any(word[0].isdigit() for word in words)


def _joined(reading: Reading) -> list[tuple[_Beside, int]]:
    """Each "và" or "hoặc" with the two words before and behind it."""
    if "joined" not in reading.derived:
        words = reading.tokens.words
        named = {
            place
            for category in ("population", "severity", "tier")
            for hit in reading.hits.get(category, ())
            for place in range(hit.start, hit.end)
        }
        routes = {place for hit in reading.hits.get("route", ()) for place in range(hit.start, hit.end)}
        found: list[tuple[_Beside, int]] = []
        for place in range(_BESIDE, len(words) - _BESIDE):
            if words[place] not in _SIDES or "," in words[max(0, place - _LIST_WITHIN) : place] or {place - 1, place + 1} & named:
                continue
            if {place - 1, place + 1} & routes and not words[place + _BESIDE][0].isdigit():
                continue  # "tiêm bắp hoặc tĩnh mạch"
            found.append(((tuple(words[place - _BESIDE : place]), tuple(words[place + 1 : place + 1 + _BESIDE])), place))
        reading.derived["joined"] = found
    return reading.derived["joined"]
