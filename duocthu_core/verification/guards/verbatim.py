"""Verbatim copies: from border to border of sentences or items, with their own label (spec 04, "Verbatim")."""

from __future__ import annotations

from duocthu_core.verification.guards.structure import Reading

_EDGE = frozenset('.,;:!?…•*-+"“”()')
_CLOSING = frozenset(".,;:!?…")


def is_verbatim(claim: Reading, block: Reading) -> bool:
    """Whether the claim's words stand in the block in one piece that begins and ends at item borders.

    A colon is no border, so an item keeps its label. In front of the copy may stand labels of earlier lines that govern it in the
    block, in their order, as an answer prints them. Final punctuation, bullets, kinds of dash and white space make no difference.
    """
    words = claim.tokens.words
    start, end = 0, len(words)
    while start < end and words[start] in _EDGE and words[start] != "(":
        start += 1
    while end > start and words[end - 1] in _CLOSING:
        end -= 1
    if start == end:
        return False
    if copies(words[start:end], block):
        return True
    colons = [place for place in range(start, end) if words[place] == ":"][:_LABELS_MAX]
    for colon in colons:
        printed = _labels_of(words[start:colon])
        if any(_govern(printed, place, block) for place in copies(words[colon + 1 : end], block)):
            return True
    return False


_LABELS_MAX = 4


def copies(wanted: list[str], block: Reading) -> list[int]:
    """Where the words ``wanted`` stand in the block from border to border; final punctuation makes no difference."""
    wanted = list(wanted)
    while wanted and wanted[-1] in _CLOSING:
        wanted.pop()
    if not wanted:
        return []
    return [place for place in _places(wanted, block.tokens.words) if _begins_item(place, block) and _ends_item(place + len(wanted), block)]


def _labels_of(words: list[str]) -> list[tuple[str, ...]]:
    labels: list[list[str]] = [[]]
    for word in words:
        if word == ":":
            labels.append([])
        else:
            labels[-1].append(word)
    return [tuple(label) for label in labels]


def _govern(printed: list[tuple[str, ...]], place: int, block: Reading) -> bool:
    """Whether the printed labels are labels of earlier lines over the clause at ``place``, outer to inner."""
    clause = next((clause for clause in block.clauses if clause.start <= place < clause.end or place < clause.start), None)
    if clause is None:
        return False
    governing = iter(tuple(block.tokens.words[label.start : label.end]) for label in clause.labels if label.header and label.end < place)
    return all(any(label == wanted for label in governing) for wanted in printed)


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
    while place not in block.item_starts and place not in block.tokens.line_starts:
        if place == 0:
            return True
        if block.tokens.words[place - 1] not in _EDGE:
            return False
        place -= 1
    return True


def _ends_item(place: int, block: Reading) -> bool:
    words = block.tokens.words
    while place not in block.item_ends and place not in block.tokens.line_starts:
        if place >= len(words):
            return True
        if words[place] not in _CLOSING:
            return False
        place += 1
    return True
