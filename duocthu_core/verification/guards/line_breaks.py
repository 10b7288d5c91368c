"""Lines that a narrow page has broken inside a sentence: the guards read on over the break."""

from __future__ import annotations

import re

_BREAK = re.compile(r"[^\S\n]*\n[\s\n]*")
_SENTENCE_ENDS = frozenset(".:;!?…|")
_PARAGRAPH_MIN = 60
"""Characters of a line that a page border may have cut; a shorter one before an empty line is a list item."""
_LIST_NUMBER = re.compile(r"[0-9]{1,2}[.)]\s")


def without_soft_breaks(text: str) -> str:
    """``text`` with each line break inside a sentence turned into spaces; every place stays where it is.

    A break is inside a sentence when nothing ended before it and the next line goes on with a small letter, or with a figure or a
    bracket behind a small letter or a comma ("hai liều\\n2,5 ml trong 24 giờ").
    """
    if "\n" not in text:
        return text
    pieces: list[str] = []
    done = 0
    for found in _BREAK.finditer(text):
        if found.start() == 0 or found.end() >= len(text) or not _goes_on(text, found.start() - 1, found.end()):
            continue
        if found.group().count("\n") > 1 and found.start() - text.rfind("\n", 0, found.start()) < _PARAGRAPH_MIN:
            continue
        pieces += [text[done : found.start()], " " * (found.end() - found.start())]
        done = found.end()
    pieces.append(text[done:])
    return "".join(pieces)


def _goes_on(text: str, last: int, following: int) -> bool:
    before, behind = text[last], text[following]
    if before in _SENTENCE_ENDS:
        return False
    if behind.islower():
        return True
    if not behind.isdigit() and behind != "(":
        return False
    return (before == "," or before.islower()) and not _LIST_NUMBER.match(text, following)
