"""The words of a question as drug names are matched over them: signs left out, strengths cut off the name they are glued to."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from duocthu_core.text.spans import Span
from duocthu_core.understanding.spelling import word_key

_WORD = re.compile(r"[^\W_]+")
# "paracetamol500mg": a name of four letters or more with its strength glued on. "B12", "K1", "3B" stay whole.
_GLUED = re.compile(r"([^\W\d_]{4,})(\d[^\W_]*)")
# Signs that may stand inside a name. Anything else between two words parts them.
_INSIDE_NAMES = frozenset(" \t\u00a0\u202f-‐‑–/+&'’®™()")


def _plain(typed: str) -> str:
    """Full-width and styled letters as plain ones: to a reader they are the same name."""
    return typed if typed.isascii() else unicodedata.normalize("NFKC", typed)


@dataclass(frozen=True, slots=True)
class NameWord:
    """A word with its comparison key."""

    key: str
    typed: str
    span: Span
    starts_clause: bool
    """A comma, point or the like stands before it: no name reaches over that."""


def name_words(text: str, translations: Mapping[str, str]) -> list[NameWord]:
    """The words of ``text`` in order."""
    found: list[NameWord] = []
    end = 0
    for match in _WORD.finditer(text):
        gap = text[end : match.start()]
        starts_clause = bool(found) and any(sign not in _INSIDE_NAMES for sign in gap)
        end = match.end()
        glued = _GLUED.fullmatch(match.group())
        cuts = [(match.start(), match.end())]
        if glued is not None:
            cuts = [(match.start(), match.start() + glued.end(1)), (match.start() + glued.start(2), match.end())]
        for start, stop in cuts:
            typed = text[start:stop]
            found.append(NameWord(word_key(_plain(typed), translations), typed, Span(start, stop), starts_clause))
            starts_clause = False
    return found
