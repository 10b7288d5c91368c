"""Words, signs and numbers of a text, as the guards read them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from duocthu_core.text.folding import fold
from duocthu_core.text.numbers import NumericToken, cached_numeric_tokens

_WORD = re.compile(r"[^\W_]+|[^\w\s]|_")
_DASHES = {"–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-"}


@dataclass(slots=True)
class Tokens:
    """Parallel lists: folded words (a number is one word), their borders in the text, and the numeric token where there is one."""

    words: list[str]
    starts: list[int]
    ends: list[int]
    numbers: list[NumericToken | None]
    line_starts: frozenset[int] = frozenset()
    """Tokens that begin a line."""


def read_tokens(text: str) -> Tokens:
    """The tokens of NFC ``text``. A unit glued to its number is a word of its own."""
    folded = fold(text)
    tokens = Tokens([], [], [], [])
    position = 0
    for number in cached_numeric_tokens(text):
        _read_words(folded, position, number.span.start, tokens)
        tokens.words.append(fold(number.text))
        tokens.starts.append(number.span.start)
        tokens.ends.append(number.span.end)
        tokens.numbers.append(number)
        position = number.span.end
    _read_words(folded, position, len(folded), tokens)
    if "\n" in text:
        ends = [0, *tokens.ends]
        tokens.line_starts = frozenset(place for place, start in enumerate(tokens.starts) if "\n" in text[ends[place] : start])
    return tokens


def _read_words(folded: str, start: int, end: int, tokens: Tokens) -> None:
    for match in _WORD.finditer(folded, start, end):
        word = match.group()
        tokens.words.append(_DASHES.get(word, word))
        tokens.starts.append(match.start())
        tokens.ends.append(match.end())
        tokens.numbers.append(None)
