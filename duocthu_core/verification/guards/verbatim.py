"""Verbatim copies: from border to border of sentences or items, with their own label (spec 04, "Verbatim")."""

from __future__ import annotations

from duocthu_core.verification.guards.structure import Reading

_EDGE = frozenset('.,;:!?…•*-+"“”()')
_CLOSING = frozenset(".,;:!?…")


def is_verbatim(claim: Reading, block: Reading) -> bool:
    """Whether the claim's words stand in the block in one piece that begins and ends at item borders.

    A colon is no border, so an item keeps its label. Final punctuation, bullets, kinds of dash and white space make no difference.
    """
    words = claim.tokens.words
    start, end = 0, len(words)
    while start < end and words[start] in _EDGE and words[start] != "(":
        start += 1
    while end > start and words[end - 1] in _CLOSING:
        end -= 1
    wanted = words[start:end]
    if not wanted:
        return False
    places = _places(wanted, block.tokens.words)
    return any(_begins_item(place, block) and _ends_item(place + len(wanted), block) for place in places)


def _places(wanted: list[str], words: list[str]) -> list[int]:
    first, length = wanted[0], len(wanted)
    found: list[int] = []
    place = -1
    try:
        while True:
            place = words.index(first, place + 1)
            if words[place : place + length] == wanted:
                found.append(place)
    except ValueError:
        return found


def _begins_item(place: int, block: Reading) -> bool:
    while place not in block.item_starts:
        if place == 0:
            return True
        if block.tokens.words[place - 1] not in _EDGE:
            return False
        place -= 1
    return True


def _ends_item(place: int, block: Reading) -> bool:
    words = block.tokens.words
    while place not in block.item_ends:
        if place >= len(words):
            return True
        if words[place] not in _CLOSING:
            return False
        place += 1
    return True
