"""Postal addresses: at least two parts side by side ("ấp 3, xã Tân Phú"), or one part after a label ("địa chỉ: …")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from duocthu_core.text.folding import fold, strip_marks
from duocthu_core.text.spans import Span

_TOKEN = re.compile(r"[^\W_]+(?:/[^\W_]+)*|[^\w\s]|_|\n")
_BETWEEN_PARTS = frozenset(",;-–.")
_LABEL_SIGNS = frozenset(":-–.,")
_GLUED_PART = re.compile(r"(?:q|p|kp|tp)\d{1,3}")
"""Q1, P12: district and ward with the number glued on. Never the first part: "H1, P2" are no address."""
_STREET_INSIDE = frozenset({"pho"})
_NAME_WORDS_MAX = 4
_SMALL_WORDS_MAX = 3


@dataclass(frozen=True, slots=True)
class _Token:
    bare: str
    typed: str
    span: Span

    @property
    def is_sign(self) -> bool:
        return not self.typed[0].isalnum()

    @property
    def has_digit(self) -> bool:
        return any(sign.isdigit() for sign in self.typed)

    @property
    def is_name_word(self) -> bool:
        return self.typed[0].isupper() and not self.has_digit


class AddressFinder:
    """Compiled once from ``safety.pii.kinds.dia_chi``."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        parts = table["parts"]
        self._named = _keys(parts["named"])
        self._numbered = _keys(parts["numbered"])
        self._sure = _keys(parts["sure"])
        self._labels = _keys(table["labels"])

    def find(self, text: str) -> Iterator[Span]:
        """Places of whole addresses."""
        folded = strip_marks(fold(text))
        tokens = [_Token(folded[m.start() : m.end()], m.group(), Span(m.start(), m.end())) for m in _TOKEN.finditer(text)]
        position = 0
        while position < len(tokens):
            label = self._key_at(tokens, position, self._labels)
            start = position + label
            while label and start < len(tokens) and tokens[start].typed in _LABEL_SIGNS:
                start += 1
            last, parts = self._cluster(tokens, start, after_label=bool(label))
            if parts >= 2 or (parts and label):
                yield Span(tokens[start].span.start, tokens[last - 1].span.end)
            position = max(last, position + 1) if parts else position + 1

    def _cluster(self, tokens: list[_Token], start: int, *, after_label: bool) -> tuple[int, int]:
        """Where the parts that begin at ``start`` end, and how many they are."""
        parts, position, last = 0, start, start
        while position < len(tokens):
            end = self._part(tokens, position, inside=parts > 0)
            if not end and (parts or after_label or "/" in tokens[position].typed):
                end = self._bare_street(tokens, position)
            if not end:
                break
            parts, last = parts + 1, end
            position = end
            while position < len(tokens) and tokens[position].typed in _BETWEEN_PARTS and position - end < 2:
                position += 1
        return last, parts

    def _part(self, tokens: list[_Token], position: int, *, inside: bool) -> int:
        """The end of an address part that begins here, 0 where none does; ``inside``: another part stands before it."""
        if inside and _GLUED_PART.fullmatch(tokens[position].bare):
            return position + 1
        named = self._key_at(tokens, position, self._named)
        numbered = self._key_at(tokens, position, self._numbered)
        length = max(named, numbered)
        if not length:
            return 0
        value = position + length
        if value < len(tokens) and tokens[value].typed == "." and len(tokens[position].typed) <= 2:
            value += 1
        if value >= len(tokens) or tokens[value].is_sign:
            return 0
        if tokens[value].has_digit:
            return value + 1
        if not named:
            return 0
        end = self._capital_words(tokens, value)
        if end == value and (self._key_at(tokens, position, self._sure) or (inside and tokens[position].bare in _STREET_INSIDE)):
            end = self._small_words(tokens, value)
        return end if end > value else 0

    def _bare_street(self, tokens: list[_Token], position: int) -> int:
        """The end of a number and a capitalised name without "đường" ("12/3 Lê Lợi"), or of a name alone inside an address."""
        start = position + 1 if tokens[position].has_digit else position
        end = self._capital_words(tokens, start)
        return end if end - start >= 2 else 0

    def _capital_words(self, tokens: list[_Token], position: int) -> int:
        end = position
        while end < len(tokens) and end - position < _NAME_WORDS_MAX and tokens[end].is_name_word:
            if end > position and self._key_at(tokens, end, self._named):
                break
            end += 1
        return end

    def _small_words(self, tokens: list[_Token], position: int) -> int:
        """A name in small letters, only where a comma, a point or the end closes it."""
        end = position
        while end < len(tokens) and end - position <= _SMALL_WORDS_MAX and not tokens[end].is_sign and not tokens[end].has_digit:
            end += 1
        closed = end >= len(tokens) or tokens[end].typed in ",.;\n"
        return end if closed and 0 < end - position <= _SMALL_WORDS_MAX else position

    @staticmethod
    def _key_at(tokens: list[_Token], position: int, keys: frozenset[tuple[str, ...]]) -> int:
        for length in (4, 3, 2, 1):
            if tuple(token.bare for token in tokens[position : position + length]) in keys:
                return length if position + length <= len(tokens) else 0
        return 0


def _keys(phrases: list[str]) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(strip_marks(fold(str(phrase))).split()) for phrase in phrases)
