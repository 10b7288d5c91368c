"""Figures that say how much, as against numbers that are part of a name (spec 03, "Numeric suppression").

"Đái tháo đường typ 2", "blốc nhĩ thất độ 1" and "3 tháng cuối thai kỳ" name something; leaving the number out would change what. Only
amounts are kept out of an answer to a question that is not about amounts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from duocthu_core.text.folding import fold
from duocthu_core.text.numbers import NumericToken, cached_numeric_tokens

_REACH = 16


class FigureWords:
    """Words that make a number next to them part of a name, from a ruleset's ``answering`` table."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.before = tuple(map(str, table["figure_names"]["before"]))
        """Right in front of the number: typ, độ, giai đoạn."""
        self.measures = tuple(map(str, table["figure_names"]["measures"]))
        """Words that end like one of ``before`` and measure: nhiệt độ, tốc độ."""
        self.after = tuple(map(str, table["figure_names"]["after"]))
        """Right behind it: tháng đầu, tháng cuối."""


def amounts(text: str, names: FigureWords) -> tuple[NumericToken, ...]:
    """The numeric tokens of NFC ``text`` that are amounts: no words with digits (CYP3A4), no list numbers, and no numbers that ``names``
    make part of a name. A number that hides something is an amount."""
    tokens = [token for token in cached_numeric_tokens(text) if token.is_quantity or token.kind == "suspicious"]
    if not tokens:
        return ()
    folded = fold(text)
    return tuple(token for token in tokens if token.kind == "suspicious" or not _is_in_name(folded, token, names))


def _is_in_name(folded: str, token: NumericToken, names: FigureWords) -> bool:
    behind = folded[token.span.end : token.span.end + _REACH].lstrip()
    if any(behind.startswith(word) and not behind[len(word) : len(word) + 1].isalnum() for word in names.after):
        return True
    before = folded[max(0, token.span.start - _REACH) : token.span.start]
    if not before or not before[-1].isspace():
        return False
    before = before.rstrip()
    if before.endswith(names.measures):
        return False
    return any(before.endswith(word) and not before[: -len(word)][-1:].isalnum() for word in names.before)
