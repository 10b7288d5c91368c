"""Bounds: which limit the words around a figure put on it."""

from __future__ import annotations

from duocthu_core.verification.guards.lexicon import Hit, Lexicon
from duocthu_core.verification.guards.quantity import Quantity, Side
from duocthu_core.verification.guards.tokens import Tokens

_CLAUSE_MAX = 40
_FORBIDS_WITHIN = 4


def with_bounds(found: list[Quantity], tokens: Tokens, hits: dict[str, list[Hit]], lexicon: Lexicon) -> list[Quantity]:
    """The quantities of a text with their bounds; two bounds that make one band become one quantity."""
    ends = {hit.end: hit for hit in hits.get("bound", ())}
    afters = {hit.start: hit for hit in hits.get("bound_after", ())}
    negators = frozenset(hit.end for hit in hits.get("negation", ()))
    previous_end = 0
    for quantity in found:
        after = next((afters[place] for place in range(quantity.end, quantity.end + 3) if place in afters), None)
        if after is not None and not any(word in ",;." for word in tokens.words[quantity.end : after.start]):
            quantity.bound = after.value  # pyright: ignore[reportAttributeAccessIssue] - the lexicon's sides are Side
            quantity.bound_at = (after.start, after.end)
        else:
            quantity.bound = _bound_before(quantity, previous_end, ends, negators, tokens=tokens, lexicon=lexicon)
        previous_end = quantity.end
    return _joined_bands(found, tokens)


def _bound_before(
    quantity: Quantity, floor: int, ends: dict[int, Hit], negators: frozenset[int], *, tokens: Tokens, lexicon: Lexicon
) -> Side | None:
    words = tokens.words
    place = quantity.start
    distance = 0
    while place > floor and distance < 16:
        hit = ends.get(place)
        if hit is not None and (distance <= 4 or _reaches(words, hit, quantity.start)):
            if words[hit.start] == "ngoài" and quantity.band is None:
                break  # "Ngoài 1 g trước mổ": besides
            if ":" in words[hit.end : quantity.start] and not _is_limit(words, hit):
                break  # "Khởi đầu thấp hơn: 2,5 mg": a heading, no limit on the figure
            quantity.bound_at = (hit.start, hit.end)
            return _side(hit, negators, words, quantity, lexicon)
        word = words[place - 1]
        if word in ".;\n" or (word == "," and distance > 0) or (distance >= 1 and word in (")",)):
            break
        if word not in lexicon.bound_fillers and words[quantity.start - 1] not in ("là", ":"):
            break
        place -= 1
        distance += 1
    if quantity.band is not None and quantity.high is None and words[quantity.start - 1 : quantity.start] == ["từ"]:
        return "min"
    return None


def _reaches(words: list[str], hit: Hit, number: int) -> bool:
    """Whether a bound some words away still is the number's ("liều tối đa một ngày cho người lớn là 4 g")."""
    return words[number - 1] in ("là", ":") and _is_limit(words, hit)


def _is_limit(words: list[str], hit: Hit) -> bool:
    return any(word in ("đa", "thiểu", "vượt", "quá") for word in words[hit.start : hit.end])


def _side(hit: Hit, negator_ends: frozenset[int], words: list[str], quantity: Quantity, lexicon: Lexicon) -> Side:
    """ "quá", "vượt" and "nhiều hơn" are limits from above where the clause forbids going there; "trẻ trên 2 tuổi" stays who it is."""
    side: Side = hit.value  # pyright: ignore[reportAssignmentType] - the lexicon's sides are Side
    if side != "gt" or words[hit.start] not in lexicon.limits_when_forbidden or quantity.band is not None:
        return side
    for place in range(hit.start, max(-1, hit.start - _CLAUSE_MAX), -1):
        if place in negator_ends or (_opens_a_moment(place - 1, words, lexicon) and _forbids_behind(quantity, negator_ends, words)):
            return "max"
        if words[place - 1] in ";.:" or words[place - 1] in ("nhưng", "nếu") or _opens_a_case(place - 1, words, lexicon):
            break
    return side


def _opens_a_case(place: int, words: list[str], lexicon: Lexicon) -> bool:
    """ "Không dùng khi sốt kéo dài hơn 3 ngày": the bound says in which case; "sau khi" and "trước khi" only say from when on."""
    return words[place] == "khi" and (place == 0 or words[place - 1] not in lexicon.moment_words)


def _opens_a_moment(place: int, words: list[str], lexicon: Lexicon) -> bool:
    """ "Sau khi pha …" at the beginning of a sentence."""
    return place >= 1 and words[place] == "khi" and words[place - 1] in lexicon.moment_words and (place == 1 or words[place - 2] in ".;:\n")


def _forbids_behind(quantity: Quantity, negator_ends: frozenset[int], words: list[str]) -> bool:
    """ "Sau khi pha quá 24 giờ, không truyền": what is forbidden stands right behind the comma."""
    behind = range(quantity.end, min(quantity.end + _FORBIDS_WITHIN, len(words)))
    comma = next((place for place in behind if words[place] == ","), None)
    return comma is not None and any(comma < end <= comma + _FORBIDS_WITHIN for end in negator_ends)


def _joined_bands(found: list[Quantity], tokens: Tokens) -> list[Quantity]:
    """ "trên 21 kg và dưới 30 kg" is one band with two ends."""
    joined: list[Quantity] = []
    for quantity in found:
        last = joined[-1] if joined else None
        if (
            last is not None
            and last.band is not None
            and last.band == quantity.band
            and last.unit == quantity.unit
            and last.high is None
            and quantity.high is None
            and last.lower
            and quantity.upper
            and quantity.start - last.end <= 4
            and not any(word in ";.:" for word in tokens.words[last.end : quantity.start])
        ):
            last.high, last.high_bound, last.end, last.number_end = quantity.low, quantity.bound, quantity.end, quantity.number_end
            continue
        joined.append(quantity)
    return joined
