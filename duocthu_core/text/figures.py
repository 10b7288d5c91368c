"""Figures that say how much, as against numbers that are part of a name (spec 03, "Numeric suppression").

"Đái tháo đường typ 2", "blốc nhĩ thất độ 1" and "suy tim độ III" name a disease; leaving the number out would change which one. Only
amounts are kept out of an answer to a question that is not about amounts.
"""

from __future__ import annotations

from collections.abc import Collection

from duocthu_core.text.folding import fold
from duocthu_core.text.numbers import NumericToken, cached_numeric_tokens

_REACH = 16


def amounts(text: str, name_words: Collection[str]) -> tuple[NumericToken, ...]:
    """The numeric tokens of NFC ``text`` that are amounts: no names with digits (CYP3A4), and no numbers right behind one of
    ``name_words`` ("typ", "độ", "giai đoạn"). A number that hides something is an amount."""
    tokens = [token for token in cached_numeric_tokens(text) if token.is_quantity or token.kind == "suspicious"]
    if not tokens:
        return ()
    folded = fold(text)
    return tuple(token for token in tokens if not _follows_name(folded, token.span.start, name_words))


def _follows_name(folded: str, position: int, name_words: Collection[str]) -> bool:
    before = folded[max(0, position - _REACH) : position]
    if not before or not before[-1].isspace():
        return False
    before = before.rstrip()
    return any(before.endswith(word) and not before[: -len(word)][-1:].isalnum() for word in name_words)
