"""Phrase tables: whole words, longest phrase first (spec 02, "Phrase tables").

A :class:`PhraseMatcher` is compiled once from ``phrase -> value`` and finds every leftmost-longest whole-word occurrence in
time linear in the text times the longest phrase in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from duocthu_core.text.folding import collapse_spaces, fold, nfc, strip_marks
from duocthu_core.text.spans import Span

Value = TypeVar("Value")

# A word: letters and digits of any script, or one sign that is neither white space nor part of a word.
_WORD = re.compile(r"[^\W_]+|[^\w\s]|_")


@dataclass(frozen=True, slots=True)
class PhraseHit(Generic[Value]):
    """One occurrence of a phrase: its span in the text that was searched, the phrase as listed, and its value."""

    span: Span
    phrase: str
    value: Value
    with_marks: bool = True


@dataclass(frozen=True, slots=True)
class Word:
    """A word or sign of a text with its span; ``folded`` is what is compared."""

    folded: str
    span: Span


def words(text: str) -> list[Word]:
    """The words and signs of ``text``, folded, with their spans."""
    folded = fold(text)
    return [Word(match.group(), Span(match.start(), match.end())) for match in _WORD.finditer(folded)]


class PhraseMatcher(Generic[Value]):
    """Finds the phrases of one table in a text.

    ``phrases`` are matched with their marks; ``accentless`` are forms that can mean nothing else when typed without marks, matched
    only against text typed without marks. Where two phrases begin at one word the longer wins; a hit consumes its words.
    """

    def __init__(self, phrases: Mapping[str, Value], accentless: Mapping[str, Value] | None = None) -> None:
        self._marked: dict[tuple[str, ...], tuple[str, Value]] = {}
        self._bare: dict[tuple[str, ...], tuple[str, Value]] = {}
        for phrase, value in phrases.items():
            self._marked.setdefault(_key(phrase), (phrase, value))
        for phrase, value in (accentless or {}).items():
            self._bare.setdefault(_key(strip_marks(phrase)), (phrase, value))
        self._marked_lengths = _lengths_by_first_word(self._marked)
        self._bare_lengths = _lengths_by_first_word(self._bare)

    def find(self, text: str, text_words: list[Word] | None = None) -> list[PhraseHit[Value]]:
        """Every leftmost-longest hit in NFC ``text``, in order, none overlapping another."""
        found: list[PhraseHit[Value]] = []
        tokens = words(text) if text_words is None else text_words
        position = 0
        while position < len(tokens):
            hit = self._at(tokens, position)
            if hit is None:
                position += 1
                continue
            length, phrase, value, with_marks = hit
            span = Span(tokens[position].span.start, tokens[position + length - 1].span.end)
            found.append(PhraseHit(span, phrase, value, with_marks))
            position += length
        return found

    def match_at(self, text: str, position: int) -> PhraseHit[Value] | None:
        """The longest phrase that begins at ``position`` of NFC ``text``: the hit that :meth:`find` has there, if it gets there."""
        folded = fold(text)
        first = _WORD.match(folded, position)
        if first is None:
            return None
        most = max((*self._marked_lengths.get(first.group(), ()), *self._bare_lengths.get(first.group(), ())), default=0)
        if not most:
            return None
        found = islice(_WORD.finditer(folded, position), most)
        tokens = [Word(match.group(), Span(match.start(), match.end())) for match in found]
        hit = self._at(tokens, 0)
        if hit is None:
            return None
        length, phrase, value, with_marks = hit
        return PhraseHit(Span(position, tokens[length - 1].span.end), phrase, value, with_marks)

    def _at(self, tokens: list[Word], position: int) -> tuple[int, str, Value, bool] | None:
        first = tokens[position].folded
        for table, lengths, with_marks in ((self._marked, self._marked_lengths, True), (self._bare, self._bare_lengths, False)):
            for length in lengths.get(first, ()):
                if position + length > len(tokens):
                    continue
                key = tuple(token.folded for token in tokens[position : position + length])
                if (entry := table.get(key)) is not None:
                    return length, entry[0], entry[1], with_marks
        return None


def _key(phrase: str) -> tuple[str, ...]:
    return tuple(word.folded for word in words(collapse_spaces(nfc(phrase))))


def _lengths_by_first_word(table: Iterable[tuple[str, ...]]) -> dict[str, tuple[int, ...]]:
    lengths: dict[str, set[int]] = {}
    for key in table:
        if key:
            lengths.setdefault(key[0], set()).add(len(key))
    return {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()}
