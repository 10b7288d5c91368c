"""The fence around the question (spec 03, "Generation"): no text from outside may hold one of the fence's markers.

Removing a marker can form another one, and a model reads a marker in many writings that a literal search misses: other case,
fullwidth or other angle brackets, spaces or hyphens for underscores, marks on the letters. So the text is read once as a
*skeleton* (one sign for each character that could be part of a marker), and a marker is taken off a stack the moment its
name is complete: what then stands next to what was before it is looked at again without a second pass. Time is linear.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from duocthu_core.text.folding import nfc, without_invisible

FENCE_OPEN = "<<<NGUOI_DUNG_HOI>>>"
FENCE_CLOSE = "<<</NGUOI_DUNG_HOI>>>"

_NAME = "nguoidunghoi"
_OPENING, _CLOSING, _SLASH = "<", ">", "/"
# Signs that a reader or a tokeniser takes for an angle bracket though no normal form makes them one.
_LOOK_ALIKES = {
    **dict.fromkeys("‹«〈《≪⋘❮❰⟨⟪˂≺", _OPENING),
    **dict.fromkeys("›»〉》≫⋙❯❱⟩⟫˃≻", _CLOSING),
    **dict.fromkeys("\\∕⁄╱⧸", _SLASH),
    # Letters of other scripts in the shape of those of the name.
    "Ν": "n",
    "Η": "h",
    "Н": "h",
    "н": "h",
    "ԍ": "g",
    "Ԍ": "g",
    "ɡ": "g",
    "υ": "u",
    "Ս": "u",
    "ս": "u",
    "о": "o",
    "О": "o",
    "ο": "o",
    "Ο": "o",
    "і": "i",
    "І": "i",
    "ι": "i",
    "Ι": "i",
    "ı": "i",
    "ԁ": "d",
    "đ": "d",
    "Đ": "d",
}
_SEPARATOR_CATEGORIES = ("Z", "Pc", "Pd", "Mn", "Me", "Cc", "Cf")
_SEPARATORS = ".·*`~"
# Without a bracket of any writing there is no marker: the common case costs one search.
_ANY_BRACKET = re.compile("[" + re.escape("<>＜＞﹤﹥≮≯" + "".join(k for k, v in _LOOK_ALIKES.items() if v in "<>")) + "]")


@lru_cache(maxsize=4096)
def fenced(text: str) -> str:
    """``text`` in NFC, without invisible characters and without any writing of either marker, however nested.

    Everything else stays as it is. Meant for every text that reaches a prompt from outside it: the question, corpus text, the
    summary, names, claims of a model.
    """
    clean = nfc(without_invisible(nfc(text)))
    if _ANY_BRACKET.search(clean) is None:
        return clean
    removed = _marker_positions(clean)
    if not removed:
        return clean
    return nfc("".join(character for position, character in enumerate(clean) if position not in removed))


@lru_cache(maxsize=4096)
def _skeleton(character: str) -> str:
    """What ``character`` may stand for inside a marker: letters, brackets and slashes; nothing for what may stand between them."""
    found = _LOOK_ALIKES.get(character)
    if found is not None:
        return found
    if character in _SEPARATORS or unicodedata.category(character).startswith(_SEPARATOR_CATEGORIES):
        return ""
    kept = ""
    for part in unicodedata.normalize("NFKD", character):
        if not unicodedata.category(part).startswith(_SEPARATOR_CATEGORIES):
            kept += _LOOK_ALIKES.get(part) or part.casefold()
    return kept


def _prefix_function(pattern: str) -> tuple[int, ...]:
    table = [0] * len(pattern)
    matched = 0
    for position in range(1, len(pattern)):
        while matched and pattern[position] != pattern[matched]:
            matched = table[matched - 1]
        if pattern[position] == pattern[matched]:
            matched += 1
        table[position] = matched
    return tuple(table)


_FALL_BACK = _prefix_function(_NAME)


def _next_state(state: int, sign: str) -> int:
    """How much of the name ends at ``sign`` when ``state`` letters of it ended before."""
    if state == len(_NAME):
        state = _FALL_BACK[state - 1]
    while state and _NAME[state] != sign:
        state = _FALL_BACK[state - 1]
    return state + 1 if _NAME[state] == sign else 0


def _marker_positions(text: str) -> set[int]:
    """Positions of ``text`` that belong to a marker, those that appear only once an inner marker is gone included."""
    signs = [(sign, position) for position, character in enumerate(text) for sign in _skeleton(character)]
    stack: list[tuple[str, int, int]] = []  # sign, position, letters of the name that end here
    removed: set[int] = set()
    at = 0
    while at < len(signs):
        sign, position = signs[at]
        state = _next_state(stack[-1][2] if stack else 0, sign)
        stack.append((sign, position, state))
        at += 1
        if state == len(_NAME):
            at = _take_marker(stack, signs, at, removed)
    return removed if not removed else _with_separators(text, removed)


def _take_marker(stack: list[tuple[str, int, int]], signs: list[tuple[str, int]], at: int, removed: set[int]) -> int:
    """Takes the marker whose name just ended off the stack, if its brackets make it one; returns where to read on."""
    before = len(stack) - len(_NAME)
    start = before
    while start and stack[start - 1][0] in (_OPENING, _SLASH):
        start -= 1
    while start < before and stack[start][0] == _SLASH:
        start += 1  # "mg/<<<…": the slash before the brackets is the text's own
    opening = sum(entry[0] == _OPENING for entry in stack[start:before])
    after, closing = at, at
    while after < len(signs) and signs[after][0] in (_CLOSING, _SLASH):
        after += 1
        if signs[after - 1][0] == _CLOSING:
            closing = after
    closings = sum(sign == _CLOSING for sign, _ in signs[at:closing])
    if not (opening >= 2 or closings >= 2 or (opening and closings)):
        return at
    removed.update(entry[1] for entry in stack[start:])
    removed.update(position for _, position in signs[at:closing])
    del stack[start:]
    return closing


def _with_separators(text: str, removed: set[int]) -> set[int]:
    """``removed`` with the separators that stood between two removed signs."""
    whole = set(removed)
    gap: list[int] = []
    inside = False
    for position, character in enumerate(text):
        if position in removed:
            if inside:
                whole.update(gap)
            gap, inside = [], True
        elif inside and not _skeleton(character):
            gap.append(position)
        else:
            gap, inside = [], False
    return whole
