"""Bounded numbers: the traps of the comparators table, read as it says they read."""

from __future__ import annotations

import re
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.retrieval.intervals import BoundedNumbers, Interval, Unit
from duocthu_core.rulesets.loading import shipped_ruleset

_RULES = shipped_ruleset()
_UNITS = {"kg": Unit("weight", 1.0), "tuổi": Unit("age", 12.0), "tháng tuổi": Unit("age", 1.0), "tháng": Unit("age", 1.0, sure=False)}
_READER = BoundedNumbers(_RULES.tables["comparators"], _RULES.tables["number_words"], _UNITS)

# "read" of a trap that is one interval of plain numbers: "5 ≤ x < 10", "x ≥ 50". Fractions, two units, and prohibitions that a negation
# some words away turns round ("không được dùng quá 10 ngày") are other readers' concern.
_READING = re.compile(r"(?:(?P<low>[0-9,]+) (?P<low_sign>[<≤]) )?x(?: (?P<sign>[<≤>≥]) (?P<end>[0-9,]+))?")
_OTHER_CONCERN = {"1/1 000 < ADR < 1/100", "1/100 > ADR > 1/1 000", "trên 3 tháng tuổi đến 12 tuổi", "không được dùng quá 10 ngày"}


def _expected(reading: str) -> Interval | None:
    match = _READING.match(reading)
    if match is None or not (match["low"] or match["sign"]):
        return None
    low, high, low_open, high_open = -inf, inf, False, False
    if match["low"]:
        low, low_open = float(match["low"].replace(",", ".")), match["low_sign"] == "<"
    if match["sign"]:
        end = float(match["end"].replace(",", "."))
        if match["sign"] in "<≤":
            high, high_open = end, match["sign"] == "<"
        else:
            low, low_open = end, match["sign"] == ">"
    return Interval(low, high, low_open, high_open)


_TRAPS = [
    (trap["text"], expected)
    for trap in _RULES.tables["comparators"]["traps"]
    if trap["text"] not in _OTHER_CONCERN and (expected := _expected(trap["read"])) is not None
]


def test_there_are_traps_to_read() -> None:
    assert len(_TRAPS) >= 15


@pytest.mark.parametrize(("text", "expected"), _TRAPS, ids=[text for text, _ in _TRAPS])
def test_a_trap_reads_as_the_table_says(text: str, expected: Interval) -> None:
    unscaled: dict[str, Unit] = dict.fromkeys(("kg", "tuổi", "ngày", "giờ"), Unit("as written", 1.0))
    found = BoundedNumbers(_RULES.tables["comparators"], _RULES.tables["number_words"], unscaled).read(text)
    assert expected in [bounded.interval for bounded in found]


@pytest.mark.parametrize(
    ("text", "low", "high", "low_open", "high_open"),
    [
        ("từ 5 đến < 10 kg", 5, 10, False, True),
        ("> 21 kg - dưới 30 kg", 21, 30, True, True),
        ("< 30 - 5", 5, 30, False, True),
        ("dưới 25 đến 10", 10, 25, False, True),
        ("10 < Clcr < 30", 10, 30, True, True),
        ("30 ≥ Clcr > 10", 10, 30, True, False),
        ("trong khoảng 5 và 10 kg", 5, 10, False, False),
        ("12 kg trở xuống", -inf, 12, False, False),
        ("từ trên 3 kg", 3, inf, True, False),
    ],
)
def test_ranges_keep_each_sign_with_its_own_number(text: str, low: float, high: float, low_open: bool, high_open: bool) -> None:
    assert _READER.read(text)[0].interval == Interval(low, high, low_open, high_open)


def test_two_units_are_one_scale() -> None:
    assert _READER.read("trên 3 tháng tuổi đến 12 tuổi")[0].interval == Interval(3, 144, True, False)


def test_years_and_months_are_one_amount() -> None:
    assert _READER.read("2 tuổi 3 tháng")[0].interval == Interval(27, 27)


def test_a_number_word_counts_only_before_a_unit() -> None:
    assert _READER.read("từ sáu tháng tuổi")[0].interval == Interval(6, inf)
    assert _READER.read("ba lần mỗi ngày") == []


def test_a_denominator_is_no_number_of_its_own() -> None:
    assert [bounded.interval.low for bounded in _READER.read("30 ml/phút/1,73 m2")] == [30]


def test_little_words_without_a_number_bound_nothing() -> None:
    assert _READER.read("tiêm dưới da, trên lâm sàng, quá liều") == []


@given(st.text(alphabet="0123456789,.<>≤≥-–/ đếntừdướikgtuổitháng()", max_size=80))
def test_reading_never_fails_and_spans_lie_in_the_text(text: str) -> None:
    for bounded in _READER.read(text):
        assert 0 <= bounded.span.start < bounded.span.end <= len(text)
        assert bounded.interval.low <= bounded.interval.high


@given(st.floats(0, 200), st.floats(0, 200), st.floats(0, 200), st.floats(0, 200))
def test_disjoint_is_symmetric_and_excludes_covering(a: float, b: float, c: float, d: float) -> None:
    one, other = Interval(min(a, b), max(a, b)), Interval(min(c, d), max(c, d))
    assert one.disjoint(other) == other.disjoint(one)
    assert not (one.disjoint(other) and one.covers(other))
