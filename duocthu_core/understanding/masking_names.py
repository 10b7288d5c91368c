"""Names of persons: a title or a label, then capitalised Vietnamese syllables (``safety.pii.kinds.ho_ten``).

Capitals only mean something in a text that also has small letters. In a text all in capitals, or all in small letters, a name is taken
only where a family name or a label ("họ tên:") makes it sure, and ends at the first everyday word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from duocthu_core.text.folding import fold
from duocthu_core.text.spans import Span
from duocthu_core.understanding.lexicon import Places, phrase_key
from duocthu_core.understanding.syllables import is_vietnamese_syllable

_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]*)*|\d+|[^\w\s]|_|\n")
_NAME_WORDS_MAX = 5
_SMALL_NAME_WORDS_MAX = 3
_UNTITLED_WORDS_MIN = 3
_TITLES_MAX = 4
_CAPITAL_SHARE = 0.6
_CAPITAL_WORDS_MIN = 4


@dataclass(frozen=True, slots=True)
class _Token:
    folded: str
    typed: str
    span: Span

    @property
    def is_word(self) -> bool:
        return self.typed[0].isalpha()

    @property
    def is_capital(self) -> bool:
        return self.typed[0].isupper()

    @property
    def all_capital(self) -> bool:
        return len(self.typed) > 1 and self.typed.isupper()


class PersonNameFinder:
    """Compiled once from the table; ``drug_names`` finds what must stay."""

    def __init__(self, table: Mapping[str, Any], lookalikes: Mapping[str, Any], drug_names: Callable[[str], Iterable[Span]]) -> None:
        self._titles = {phrase_key(str(title)) for title in table["titles"]}
        self._labels = {phrase_key(str(label)) for label in table["labels"]}
        self._foreign_titles = {phrase_key(str(title)) for title in table["foreign_titles"]} | self._labels
        self._family = {fold(str(name)) for name in table["family_names"]}
        self._sure_family = self._family - {fold(str(name)) for name in table["ambiguous_family_names"]}
        self._middle = {fold(str(name)) for name in table["middle_names"]}
        self._never = {fold(str(word)) for word in table["not_names"]}
        self._things = {fold(str(word)) for word in table["things"]}
        self._places = {fold(str(word)) for word in table["places"]}
        self._not_foreign = {fold(part) for phrase in table["not"] for part in re.split(r"[\s-]+", str(phrase))}
        self._known_drugs = _single_words(lookalikes)
        self._drug_names = drug_names

    def find(self, text: str) -> Iterator[Span]:
        """Places of names, without their titles."""
        tokens = [_Token(fold(m.group()), m.group(), Span(m.start(), m.end())) for m in _TOKEN.finditer(text)]
        words = [token for token in tokens if token.is_word]
        capitals = sum(token.is_capital for token in words)
        cased = not (len(words) >= _CAPITAL_WORDS_MIN and capitals > _CAPITAL_SHARE * len(words))
        found = list(self._candidates(tokens, cased))
        if not found:
            return
        drugs = Places(self._drug_names(text))
        yield from (span for span in found if not drugs.overlap(span))

    def _candidates(self, tokens: list[_Token], cased: bool) -> Iterator[Span]:
        position = 0
        while position < len(tokens):
            start, end = self._titled(tokens, position, cased)
            if end == start:
                start, end = position, self._untitled(tokens, position, cased)
            if end > start:
                yield Span(tokens[start].span.start, tokens[end - 1].span.end)
            position = max(end, position + 1)

    def _titled(self, tokens: list[_Token], position: int, cased: bool) -> tuple[int, int]:
        """First and last token of the name after the title or label that begins here; equal where there is none."""
        label = _longest(tokens, position, self._labels)
        if label and position and tokens[position - 1].folded in self._things:
            return position, position
        title = max(label, _longest(tokens, position, self._titles))
        if not title:
            return position, position
        key = tuple(token.folded for token in tokens[position : position + title])
        start, links = position + title, 0
        while (
            links < _TITLES_MAX
            and start < len(tokens)
            and (length := 1 if tokens[start].typed in (":", ".") else _longest(tokens, start, self._titles))
        ):
            start, links = start + length, links + 1
        if start >= len(tokens) or not tokens[start].is_word:
            return start, start
        return start, self._end_of_name(tokens, start, cased, labelled=bool(label), foreign=key in self._foreign_titles)

    def _end_of_name(self, tokens: list[_Token], start: int, cased: bool, *, labelled: bool, foreign: bool) -> int:
        first = tokens[start]
        if cased and first.is_capital and not first.all_capital:
            end = self._capitalised(tokens, start)
            if end > start:
                return end
            return self._foreign(tokens, start, least=1 if labelled else 2) if foreign else start
        if self._begins_sure(tokens, start) or (labelled and self._may_be_name(first)):
            return self._uncased(tokens, start)
        return start

    def _untitled(self, tokens: list[_Token], position: int, cased: bool) -> int:
        """A full name without a title ("Nguyễn Văn A, 54 tuổi")."""
        first = tokens[position]
        if not first.is_word or first.folded not in self._family:
            return position
        if position and tokens[position - 1].folded in self._places:
            return position
        if not cased:
            sure = self._begins_sure(tokens, position) and self._has_middle_name(tokens, position)
            return self._uncased(tokens, position) if sure else position
        if not first.is_capital or (first.all_capital and not self._has_middle_name(tokens, position)):
            return position
        end = self._capitalised(tokens, position)
        long_enough = end - position >= _UNTITLED_WORDS_MIN or (end - position >= 2 and self._has_middle_name(tokens, position))
        return end if long_enough and (first.folded in self._sure_family or self._has_middle_name(tokens, position)) else position

    def _begins_sure(self, tokens: list[_Token], start: int) -> bool:
        return tokens[start].folded in self._sure_family or (tokens[start].folded in self._family and self._has_middle_name(tokens, start))

    def _has_middle_name(self, tokens: list[_Token], start: int) -> bool:
        return start + 2 < len(tokens) and tokens[start + 1].folded in self._middle and tokens[start + 2].is_word

    def _capitalised(self, tokens: list[_Token], start: int) -> int:
        end = start + 1 if self._begins_sure(tokens, start) else start
        while end < len(tokens) and end - start < _NAME_WORDS_MAX and self._may_be_name(tokens[end]) and tokens[end].is_capital:
            if tokens[end].all_capital and not tokens[start].all_capital:
                break
            end += 1
        return end

    def _uncased(self, tokens: list[_Token], start: int) -> int:
        limit = _SMALL_NAME_WORDS_MAX + (tokens[start].folded in self._family)
        end = start
        while end < len(tokens) and end - start < limit and (end == start or self._may_be_name(tokens[end])):
            end += 1
        return end

    def _foreign(self, tokens: list[_Token], start: int, *, least: int) -> int:
        end = start
        while end < len(tokens) and end - start < _NAME_WORDS_MAX and self._may_be_foreign_name(tokens[end]):
            end += 1
        return end if end - start >= least else start

    def _may_be_name(self, token: _Token) -> bool:
        if not token.is_word or token.folded in self._never:
            return False
        if len(token.typed) == 1:
            return token.is_capital
        plain = token.folded.replace("'", "").replace("’", "")
        return is_vietnamese_syllable(plain) and token.folded not in self._known_drugs

    def _may_be_foreign_name(self, token: _Token) -> bool:
        return (
            token.is_word
            and token.is_capital
            and not token.all_capital
            and token.folded not in self._not_foreign | self._known_drugs | self._never
        )


def _longest(tokens: list[_Token], position: int, keys: set[tuple[str, ...]]) -> int:
    """How many tokens the longest phrase of ``keys`` that begins here has, 0 where none does."""
    for length in (4, 3, 2, 1):
        if position + length <= len(tokens) and tuple(token.folded for token in tokens[position : position + length]) in keys:
            return length
    return 0


def _single_words(lookalikes: Mapping[str, Any]) -> set[str]:
    """Words of drug and brand names of the table, so that none is taken for a person even without an index."""
    names = [str(name) for entry in lookalikes.get("groups", ()) for name in entry["drugs"]]
    for entry in (*lookalikes.get("combinations", ()), *lookalikes.get("single_brands", ())):
        names += [str(name) for name in (*entry["brand"], *entry["generics"])]
    return {fold(word) for name in names for word in re.split(r"[\s/&()+-]+", name) if len(word) > 3}
