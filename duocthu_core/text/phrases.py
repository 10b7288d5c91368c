"""Phrase tables: whole words, longest phrase first (spec 02, "Phrase tables").

A :class:`PhraseMatcher` is compiled once from ``phrase -> value`` and finds every leftmost-longest whole-word occurrence in
time linear in the text times the longest phrase in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

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


class Word(NamedTuple):
    """A word or sign of a text with its span; ``folded`` is what is compared."""

    folded: str
    span: Span


def words(text: str) -> list[Word]:
    """The words and signs of ``text``, folded, with their spans."""
    return list(_words(text))


@lru_cache(maxsize=1024)
def _words(text: str) -> tuple[Word, ...]:
    # The same sentences of the book are read again and again; tuples are made as the interpreter makes them fastest.
    return tuple([Word._make((match.group(), Span._make(match.span()))) for match in _WORD.finditer(fold(text))])


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
        self._first_words = frozenset(self._marked_lengths) | frozenset(self._bare_lengths)

    def find(self, text: str, text_words: Sequence[Word] | None = None) -> list[PhraseHit[Value]]:
        """Every leftmost-longest hit in NFC ``text``, in order, none overlapping another."""
        folded = fold(text) if text_words is None else ""
        tokens = _WORD.findall(folded) if text_words is None else [word.folded for word in text_words]
        if self._first_words.isdisjoint(tokens):
            return []
        spans = [match.span() for match in _WORD.finditer(folded)] if text_words is None else [word.span for word in text_words]
        found: list[PhraseHit[Value]] = []
        position = 0
        while position < len(tokens):
            hit = self._at(tokens, position) if tokens[position] in self._first_words else None
            if hit is None:
                position += 1
                continue
            length, phrase, value, with_marks = hit
            found.append(PhraseHit(Span(spans[position][0], spans[position + length - 1][1]), phrase, value, with_marks))
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
        found = list(islice(_WORD.finditer(folded, position), most))
        hit = self._at([match.group() for match in found], 0)
        if hit is None:
            return None
        length, phrase, value, with_marks = hit
        return PhraseHit(Span(position, found[length - 1].end()), phrase, value, with_marks)

    def _at(self, tokens: list[str], position: int) -> tuple[int, str, Value, bool] | None:
        first = tokens[position]
        for table, lengths, with_marks in ((self._marked, self._marked_lengths, True), (self._bare, self._bare_lengths, False)):
            for length in lengths.get(first, ()):
                if position + length > len(tokens):
                    continue
                if (entry := table.get(tuple(tokens[position : position + length]))) is not None:
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
