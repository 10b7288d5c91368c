"""Bands of age, weight, clearance and gestational age in a line of the book, and whether a stated value lies in them.

Numbers read here only choose lines; none of them is ever written (spec 03, "it never makes a number").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Literal

from duocthu_core.text.folding import fold

BandKind = Literal["age", "weight", "clcr", "gestational_age"]

_MONTHS = {"tuổi": 12.0, "năm": 12.0, "tháng": 1.0, "tuần": 7 / 30.4375, "ngày": 1 / 30.4375}
_NUMBER = r"[0-9]+(?:[.,][0-9]+)?"
_UNIT = r"(?:(?:năm|tháng|tuần|ngày)(?: tuổi)?|tuổi|kg|ml/ ?phút)"
_LOW = r"(?:từ |trên |lớn hơn |hơn |≥ ?|>= ?|> ?)"
_HIGH = r"(?:đến |tới )?(?:dưới |nhỏ hơn |không quá |≤ ?|<= ?|< ?)"
# One end or two: "6 - 8 tuổi", "6 tháng - 2 tuổi", "> 21 kg - dưới 30 kg", "từ 5 đến < 10 kg", "dưới 8 tuổi", "≥ 40 kg", "12 tuổi trở lên".
_BAND = re.compile(
    rf"(?:(?P<two>(?P<b1>{_LOW}|{_HIGH})?(?P<n1>{_NUMBER}) ?(?P<u1>{_UNIT})? ?(?:-|–|—|đến|tới) ?(?P<b2>{_HIGH}|{_LOW})?"
    rf"(?P<n2>{_NUMBER}) ?(?P<u2>{_UNIT}))"
    rf"|(?P<one>(?P<b>{_LOW}|{_HIGH})?(?P<n>{_NUMBER}) ?(?P<u>{_UNIT})(?P<after> trở lên| trở đi| trở xuống)?))(?![^\W\d_])"
)
_PER_BODY = re.compile(r"[/^]\s?$|(?:mg|g|ml|microgam|mcg|đvqt|mmol)\s?/\s?$")
_DURATION = re.compile(
    r"(?:trong|sau|mỗi|cứ|cách|nhau|trị|dùng|uống|thời gian|đợt|kéo dài|thêm|vòng|lại|giảm|tăng|suốt)\s(?:khoảng |ít nhất |vòng )?$"
)
_CHILD = re.compile(r"\b(?:trẻ|sơ sinh|bé|nhũ nhi|thiếu niên|tuổi)\b")
_GESTATION = re.compile(r"tuổi thai|hiệu chỉnh|thai kỳ|thiếu tháng")
_CLEARANCE = re.compile(r"clcr|cl cr|thanh thải|crcl|egfr|mức lọc|độ lọc")


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch of values; an open end does not belong to it. Ages in months, weights in kg, clearance in ml/phút, gestation in weeks."""

    kind: BandKind
    low: float = -inf
    high: float = inf
    low_open: bool = False
    high_open: bool = False

    def meets(self, low: float, high: float) -> bool:
        """Whether any value from ``low`` to ``high`` lies in the band; a shared border belongs to both bands."""
        above = high > self.low or (high == self.low and not self.low_open)
        below = low < self.high or (low == self.high and not self.high_open)
        return above and below


@lru_cache(maxsize=8192)
def bands_of(text: str, *, about_children: bool = False) -> tuple[Band, ...]:
    """The bands of NFC ``text``. ``about_children``: what governs it names children, so that "6 tháng" is an age."""
    folded = fold(text).replace("\u00a0", " ").replace("\u2009", " ").replace("\u202f", " ")
    if not any(character.isdigit() for character in folded):
        return ()
    children = about_children or _CHILD.search(folded) is not None
    found: list[Band] = []
    for match in _BAND.finditer(folded):
        before = folded[max(0, match.start() - 24) : match.start()]
        if (
            folded.startswith(" thể trọng", match.end())
            or _PER_BODY.search(before)
            or (_DURATION.search(before) and "tuổi" not in match.group())
        ):
            continue
        band = _band(match, folded, children)
        if band is not None:
            found.append(band)
    return tuple(found)


def _band(match: re.Match[str], text: str, children: bool) -> Band | None:
    unit = match.group("u2") or match.group("u") or ""
    kind = _kind(unit, match, text, children)
    if kind is None:
        return None
    if match.group("two"):
        return _two_ends(match, kind)
    bound, value = match.group("b") or "", _value(match.group("n"), unit, kind)
    after = (match.group("after") or "").strip()
    if after in ("trở lên", "trở đi"):
        return Band(kind, low=value)
    if after == "trở xuống":
        return Band(kind, high=value)
    if not bound:
        return Band(kind, value, value)
    if _points_down(bound):
        return Band(kind, high=value, high_open=_is_strict(bound))
    return Band(kind, low=value, low_open=_is_strict(bound))


def _two_ends(match: re.Match[str], kind: BandKind) -> Band:
    unit1, unit2 = match.group("u1") or match.group("u2"), match.group("u2")
    bound1, bound2 = match.group("b1") or "", match.group("b2") or ""
    ends = [(_value(match.group("n1"), unit1, kind), bound1), (_value(match.group("n2"), unit2, kind), bound2)]
    ends.sort(key=lambda end: end[0])  # a falling row, "< 30 - 5": each sign stays with its own number
    (low, low_bound), (high, high_bound) = ends
    return Band(kind, low, high, _is_strict(low_bound) and not _points_down(low_bound), _is_strict(high_bound) and _points_down(high_bound))


def _kind(unit: str, match: re.Match[str], text: str, children: bool) -> BandKind | None:
    if unit == "kg":
        return "weight"
    if unit.startswith("ml/"):
        return "clcr" if _CLEARANCE.search(text) else None
    if unit.startswith("tuần") and "tuổi" not in unit and _GESTATION.search(text, match.start(), min(len(text), match.end() + 40)):
        return "gestational_age"
    if "tuổi" in match.group():
        return "age"
    return "age" if children and (match.group("two") or match.group("b") or match.group("after") or "ngày" not in unit) else None


def _value(number: str, unit: str, kind: BandKind) -> float:
    value = float(number.replace(",", "."))
    if kind != "age":
        return value
    return value * _MONTHS["tuổi" if unit == "tuổi" else unit.split(" ", maxsplit=1)[0]]


def _points_down(bound: str) -> bool:
    return any(sign in bound for sign in ("dưới", "nhỏ hơn", "không quá", "≤", "<"))


def _is_strict(bound: str) -> bool:
    return not any(sign in bound for sign in ("≥", ">=", "≤", "<=", "từ", "không quá")) and bool(bound.strip())
