"""Numbers as people type them beside ages, weights and clearances: digits with a comma or a point, or Vietnamese number words."""

from __future__ import annotations

import re

from duocthu_core.text.folding import strip_marks

_UNITS = {
    "khong": 0, "mot": 1, "hai": 2, "ba": 3, "bon": 4, "tu": 4, "nam": 5, "lam": 5, "nham": 5, "sau": 6, "bay": 7, "tam": 8, "chin": 9,
}  # fmt: skip
_ONES = "mot|hai|ba|bon|nam|sau|bay|tam|chin"
_WORD_NUMBER = rf"(?:(?:{_ONES}) (?:muoi|chuc)(?: (?:{_ONES}|tu|lam|nham))?|muoi(?: (?:{_ONES}|lam))?|{_ONES})"
NUMBER = rf"(?:\d{{1,3}}(?:[.,]\d{{1,2}})?|{_WORD_NUMBER}(?![^\W_]))"
"""A number in folded text without marks."""
RANGE_SIGN = r"\s{0,2}(?:-|–|—|~|den|toi)\s{0,2}(?:duoi\s{1,2}|<\s?)?"
BOUND = (
    r"(?:chua day|chua toi|chua den|khong qua|lon hon|nho hon|be hon|it hon|it nhat|toi da|toi thieu|duoi|tren|ngoai|hon|gan|khoang|tam|"
    r"chung|tu|<=|>=|<|>|≤|≥)\s{0,2}"
)
"""Words and signs before a number that make it a bound or an estimate."""
BOUNDS = frozenset(
    {
        "chưa đầy", "chưa tới", "chưa đến", "không quá", "lớn hơn", "nhỏ hơn", "bé hơn", "ít hơn", "ít nhất", "tối đa", "tối thiểu", "dưới",
        "trên", "ngoài", "hơn", "gần", "khoảng", "tầm", "chừng", "từ", "<=", ">=", "<", ">", "≤", "≥",
    }
)  # fmt: skip
"""The same, as they are written with marks."""
_MARKED = frozenset(
    {"một", "mốt", "hai", "ba", "bốn", "tư", "năm", "lăm", "nhăm", "sáu", "bảy", "bẩy", "tám", "chín", "mười", "mươi", "chục"}
)
_DIGITS = re.compile(r"\d{1,3}(?:[.,]\d{1,2})?")


def value_of(number: str, *, unmarked: bool) -> float | None:
    """The value of a match of :data:`NUMBER`, for choosing bands only; None where it is no number.

    ``number`` is folded, with its marks: in a text that carries marks "sau" is "after" and only "sáu" is six. ``unmarked`` says that
    the text was typed without any.
    """
    number = number.strip()
    if _DIGITS.fullmatch(number):
        return float(number.replace(",", "."))
    parts = number.split()
    if not parts or (not unmarked and any(part not in _MARKED for part in parts)):
        return None
    bare = [strip_marks(part) for part in parts]
    if bare[0] == "muoi":
        return 10.0 + (_UNITS.get(bare[1], 0) if len(bare) > 1 else 0)
    if bare[0] not in _UNITS:
        return None
    first = float(_UNITS[bare[0]])
    if len(bare) > 1 and bare[1] in ("muoi", "chuc"):
        return 10.0 * first + (_UNITS.get(bare[2], 0) if len(bare) > 2 else 0)
    return first if len(bare) == 1 else None
