"""Bounded numbers in a text: "từ 5 đến < 10 kg", "> 21 kg - dưới 30 kg", "< 30 - 5", "12 tuổi trở lên".

Numbers read here only choose blocks; none of them ever reaches an answer (spec 03, "Selecting decides what the generator is
shown; it never makes a number"). Bound words are the ruleset's ``comparators`` table, its "traps" are this reader's test cases.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Generic, NamedTuple, TypeVar

from duocthu_core.text.folding import fold
from duocthu_core.text.phrases import PhraseMatcher, Word
from duocthu_core.text.spans import Span

Value = TypeVar("Value")

_TOKEN = re.compile(r"(?P<number>[0-9]+(?:[.,][0-9]+)?)|[^\W\d_]+|[^\w\s]|_|[0-9²³]")
_DASHES = frozenset("-–—÷")
_TO_WORDS = frozenset({"đến", "tới"})
_FROM_WORD = "từ"
_BETWEEN_WORDS = frozenset({"giữa", "khoảng"})
_AND_WORD = "và"
_TWO_SIDED_REACH = 4
"""Words that may stand between the two signs of "10 < Clcr < 30"."""


class Interval(NamedTuple):
    """A stretch of numbers; an open end does not belong to it."""

    low: float = -inf
    high: float = inf
    low_open: bool = False
    high_open: bool = False

    def disjoint(self, other: Interval, tolerance: float = 0.0) -> bool:
        """Whether no number lies in both. Ends nearer than ``tolerance`` count as one number."""
        return self._ends_before(other, tolerance) or other._ends_before(self, tolerance)

    def covers(self, other: Interval, tolerance: float = 0.0) -> bool:
        """Whether all of ``other`` lies in this interval."""
        return self._reaches_low(other, tolerance) and self._reaches_high(other, tolerance)

    def _ends_before(self, other: Interval, tolerance: float) -> bool:
        if _near(self.high, other.low, tolerance):
            return self.high_open or other.low_open
        return self.high < other.low

    def _reaches_low(self, other: Interval, tolerance: float) -> bool:
        if _near(self.low, other.low, tolerance):
            return not self.low_open or other.low_open
        return self.low < other.low

    def _reaches_high(self, other: Interval, tolerance: float) -> bool:
        if _near(self.high, other.high, tolerance):
            return not self.high_open or other.high_open
        return self.high > other.high


def _near(one: float, other: float, tolerance: float) -> bool:
    return one == other or abs(one - other) <= tolerance


class Unit(NamedTuple):
    """What a unit word measures and how many base units one of it is."""

    name: str
    factor: float
    sure: bool = True
    """Whether the unit says by itself what is measured ("tuổi"), or only beside a word that does ("tháng")."""


class Bounded(NamedTuple):
    """A number or range with its bounds, in base units of ``unit``; ``first`` and ``last`` are its token positions, end excluded."""

    interval: Interval
    unit: Unit | None
    span: Span
    first: int
    last: int


class _LongestAt(Generic[Value]):
    """Longest phrase of a table that begins at one token."""

    def __init__(self, phrases: Mapping[str, Value]) -> None:
        self._table = {tuple(token.folded for token in tokens(phrase)): value for phrase, value in phrases.items()}
        self._lengths: dict[str, list[int]] = {}
        for key in sorted(self._table, key=len, reverse=True):
            if key and len(key) not in (known := self._lengths.setdefault(key[0], [])):
                known.append(len(key))

    def at(self, found: Sequence[Word], position: int) -> tuple[int, Value] | None:
        """Length and value of the longest phrase at ``position``."""
        if position >= len(found):
            return None
        for length in self._lengths.get(found[position].folded, ()):
            if position + length > len(found):
                continue
            key = tuple(token.folded for token in found[position : position + length])
            if (value := self._table.get(key)) is not None:
                return length, value
        return None


def tokens(text: str) -> list[Word]:
    """Numbers, words and signs of ``text``; a unit glued to its number is a token of its own ("10kg")."""
    return [Word._make((match.group(), Span._make(match.span()))) for match in _TOKEN.finditer(fold(text))]


@dataclass(frozen=True, slots=True)
class _Number:
    value: float
    length: int


class BoundedNumbers:
    """Reads every bounded number of a text. Compiled once from the ruleset's tables and a unit vocabulary (unit word -> :class:`Unit`)."""

    def __init__(self, comparators: Mapping[str, Any], number_words: Mapping[str, Any], units: Mapping[str, Unit]) -> None:
        bounds: Mapping[str, Any] = comparators["bounds"]
        one_sided = {kind: entry for kind, entry in bounds.items() if kind.startswith(("upper", "lower"))}
        before: dict[str, str | None] = dict.fromkeys(_flat(comparators.get("not_bound", {}).values()), None)
        for kind, entry in one_sided.items():
            before |= dict.fromkeys([*entry.get("signs", ()), *entry.get("before", ())], kind)
        self._before: PhraseMatcher[str | None] = PhraseMatcher(before)
        self._after = _LongestAt({phrase: kind for kind, entry in one_sided.items() for phrase in entry.get("after", ())})
        self._units = _LongestAt(units)
        self._number_words = _LongestAt(_cardinals(number_words))

    def read(self, text: str) -> list[Bounded]:
        """Every number and range of NFC ``text`` with its bounds, in order; denominators ("/1,73 m2") are passed over."""
        found = tokens(text)
        starts = {token.span.start: index for index, token in enumerate(found)}
        bound_at: dict[int, tuple[int, str]] = {}
        bound_before: dict[int, tuple[int, str]] = {}
        ends = {token.span.end: index + 1 for index, token in enumerate(found)}
        for hit in self._before.find(text, found):
            if hit.value is not None:
                first, last = starts[hit.span.start], ends[hit.span.end]
                bound_at[first] = (last, hit.value)
                bound_before[last] = (first, hit.value)
        scan = _Scan(self, found, bound_at, bound_before)
        return scan.run()

    def unit_at(self, found: Sequence[Word], position: int) -> tuple[int, Unit] | None:
        """Length and meaning of the unit at ``position``."""
        return self._units.at(found, position)

    def after_at(self, found: Sequence[Word], position: int) -> tuple[int, str] | None:
        """Length and kind of the bound that follows its number ("trở lên") at ``position``."""
        return self._after.at(found, position)

    def number_at(self, found: Sequence[Word], position: int) -> _Number | None:
        """The number at ``position``: digits, or a number word directly before a unit ("sáu tháng")."""
        if position >= len(found):
            return None
        word = found[position].folded
        if "0" <= word[0] <= "9":
            value = float(word.replace(",", ".")) if len(word) < 16 else inf
            return _Number(value, 1) if value != inf else None
        spelled = self._number_words.at(found, position)
        if spelled is not None and self.unit_at(found, position + spelled[0]) is not None:
            return _Number(float(spelled[1]), spelled[0])
        return None


class _Scan:
    """One pass over the tokens of one text."""

    def __init__(
        self,
        reader: BoundedNumbers,
        found: list[Word],
        bound_at: Mapping[int, tuple[int, str]],
        bound_before: Mapping[int, tuple[int, str]],
    ) -> None:
        self._reader = reader
        self._found = found
        self._bound_at = bound_at
        self._bound_before = bound_before

    def run(self) -> list[Bounded]:
        results: list[Bounded] = []
        position = 0
        while position < len(self._found):
            number = self._reader.number_at(self._found, position)
            if number is None:
                position += 1
                continue
            if self._belongs_to_unit(position):
                position += number.length
                continue
            bounded = self._expression(position, number)
            results.append(bounded)
            position = max(bounded.last, position + 1)
        return results

    def _belongs_to_unit(self, position: int) -> bool:
        """A denominator ("/1,73 m2") or an exponent ("m2")."""
        if position == 0:
            return False
        before = self._found[position - 1]
        return before.folded == "/" or (before.folded.isalpha() and before.span.end == self._found[position].span.start)

    def _word(self, position: int) -> str:
        return self._found[position].folded if 0 <= position < len(self._found) else ""

    def _expression(self, position: int, number: _Number) -> Bounded:
        first, kind = self._bound_in_front(position)
        value, unit, end = self._amount(position, number)
        second = self._second_end(position, end)
        if second is not None:
            bound, other_position, other_number = second
            other_value, other_unit, end = self._amount(other_position, other_number)
            unit, other_unit = unit or other_unit, other_unit or unit
            interval = _range(_scaled(value, unit), kind, _scaled(other_value, other_unit), bound)
            return self._bounded(interval, unit if unit is not None and unit.sure else other_unit, first, end)
        if unit is None and (two_sided := self._two_sided(value, end)) is not None:
            return two_sided._replace(first=first, span=Span(self._found[first].span.start, two_sided.span.end))
        if (after := self._reader.after_at(self._found, end)) is not None:
            kind, end = after[1], end + after[0]
        return self._bounded(_one_sided(_scaled(value, unit), kind), unit, first, end)

    def _bounded(self, interval: Interval, unit: Unit | None, first: int, end: int) -> Bounded:
        span = Span(self._found[first].span.start, self._found[end - 1].span.end)
        return Bounded(interval, unit, span, first, end)

    def _bound_in_front(self, position: int) -> tuple[int, str | None]:
        """Where the expression begins and which bound stands in front of its first number ("từ" and "đến" are bounds of their own)."""
        if (bound := self._bound_before.get(position)) is not None:
            start, kind = bound
            return (start - 1, kind) if self._word(start - 1) == _FROM_WORD else (start, kind)
        word = self._word(position - 1)
        if word == _FROM_WORD:
            return position - 1, "lower_inclusive"
        return (position - 1, "upper_inclusive") if word in _TO_WORDS else (position, None)

    def _amount(self, position: int, number: _Number) -> tuple[float, Unit | None, int]:
        """Number with its unit; "2 tuổi 3 tháng" is one amount."""
        end = position + number.length
        unit = self._reader.unit_at(self._found, end)
        if unit is None:
            return number.value, None, end
        end += unit[0]
        value, found_unit = number.value, unit[1]
        rest = self._reader.number_at(self._found, end)
        if rest is not None and found_unit.factor > 1:
            smaller = self._reader.unit_at(self._found, end + rest.length)
            if smaller is not None and smaller[1].name == found_unit.name and smaller[1].factor < found_unit.factor:
                value += rest.value * smaller[1].factor / found_unit.factor
                end += rest.length + smaller[0]
        return value, found_unit, end

    def _second_end(self, position: int, end: int) -> tuple[str | None, int, _Number] | None:
        """Bound, position and number of a range's other end, where a dash, "đến" or "giữa … và" joins one."""
        bound: str | None = None
        if (joined := self._bound_at.get(end)) is not None and self._word(end) in _TO_WORDS:
            other, bound = joined
        elif self._joins(position, end):
            other = end + 1
        else:
            return None
        if bound is None and (inner := self._bound_at.get(other)) is not None:
            other, bound = inner
        number = self._reader.number_at(self._found, other)
        return None if number is None else (bound, other, number)

    def _joins(self, position: int, end: int) -> bool:
        word = self._word(end)
        return word in _DASHES or word in _TO_WORDS or (word == _AND_WORD and self._word(position - 1) in _BETWEEN_WORDS)

    def _two_sided(self, value: float, end: int) -> Bounded | None:
        """ "10 < Clcr < 30": the number before a sign, the measured thing, and the number behind a second sign."""
        left = self._bound_at.get(end)
        if left is None or self._word(end).isalpha():
            return None
        for position in range(left[0] + 1, left[0] + 1 + _TWO_SIDED_REACH):
            right = self._bound_at.get(position)
            if right is None or self._word(position).isalpha():
                continue
            number = self._reader.number_at(self._found, right[0])
            if number is None or (left[1].startswith("upper") != right[1].startswith("upper")):
                return None
            other, unit, last = self._amount(right[0], number)
            rising = left[1].startswith("upper")
            (low, low_sign), (high, high_sign) = ((value, left[1]), (other, right[1])) if rising else ((other, right[1]), (value, left[1]))
            if low > high:
                return None
            interval = Interval(_scaled(low, unit), _scaled(high, unit), _is_strict(low_sign), _is_strict(high_sign))
            return self._bounded(interval, unit, end - 1, last)
        return None


def _scaled(value: float, unit: Unit | None) -> float:
    return value * unit.factor if unit else value


def _one_sided(value: float, kind: str | None) -> Interval:
    if kind is None:
        return Interval(value, value)
    if kind.startswith("upper"):
        return Interval(high=value, high_open=kind.endswith("strict"))
    return Interval(low=value, low_open=kind.endswith("strict"))


def _range(value: float, kind: str | None, other: float, other_kind: str | None) -> Interval:
    """A range as written; falling ranges ("< 30 - 5") are turned, each sign staying with its own number."""
    strict, other_strict = _is_strict(kind), _is_strict(other_kind)
    if value > other:
        return Interval(other, value, other_strict and _points_up(other_kind), strict and not _points_up(kind))
    return Interval(value, other, strict and _points_up(kind), other_strict and not _points_up(other_kind))


def _is_strict(kind: str | None) -> bool:
    return kind is not None and kind.endswith("strict")


def _points_up(kind: str | None) -> bool:
    return kind is not None and kind.startswith("lower")


def _flat(groups: Iterable[Iterable[str]]) -> list[str]:
    return [phrase for group in groups for phrase in group]


def _cardinals(number_words: Mapping[str, Any]) -> dict[str, float]:
    """Number words -> value; "không" is left out, it is nearly always a negation."""
    values: dict[str, float] = {}
    for entry in number_words["cardinals"]:
        value = float(str(entry["equals"]).replace(" ", "").replace(",", "."))
        if value:
            values |= dict.fromkeys(entry["words"], value)
    return values
