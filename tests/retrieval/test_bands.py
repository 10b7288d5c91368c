"""Bands of age, weight, gestational age and clearance: what the tables' label forms say, and what a stated value selects."""

from __future__ import annotations

import re
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.retrieval.bands import Band, BandReader
from duocthu_core.retrieval.intervals import Interval
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.text.spans import Span
from duocthu_core.understanding.model import Stated, StatedKind
from tests.retrieval.questions import clearance, kilograms, stated, years

_RULES = shipped_ruleset()
_READER = BandReader(_RULES)
_POPULATIONS = _RULES.tables["populations"]
_KINDS: dict[str, StatedKind] = {"tuổi": "age", "cân nặng": "weight", "Clcr": "clcr", "tuổi hiệu chỉnh": "gestational_age"}
_MONTHS = {"năm": 12.0, "tháng": 1.0, "ngày": 1 / 30.4375, "tuần": 7 / 30.4375}

# The table's own notation of a band: "6 tháng ≤ tuổi ≤ 2 năm", "cân nặng > 5 kg", "tuổi hiệu chỉnh 28 - 32 tuần".
_NOTATION = re.compile(
    r"(?:(?P<low>[0-9]+)(?: (?P<low_unit>năm|tháng|ngày))? (?P<low_sign>[<≤]) )?"
    r"(?P<kind>tuổi hiệu chỉnh|tuổi|cân nặng|Clcr)"
    r"(?: (?P<sign>[<≤>≥]) (?P<end>[0-9]+)| (?P<from>[0-9]+) - (?P<to>[0-9]+))"
    r"(?: (?P<unit>năm|tháng|ngày|tuần|kg|ml/phút))?"
)


def _written(notation: str) -> list[tuple[StatedKind, Interval]]:
    found: list[tuple[StatedKind, Interval]] = []
    for match in _NOTATION.finditer(notation):
        kind = _KINDS[match["kind"]]
        unit = match["unit"] or ""
        factor = _MONTHS.get(unit, 1.0) if kind == "age" else 1.0
        low_factor = _MONTHS.get(match["low_unit"] or unit, 1.0) if kind == "age" else 1.0
        if match["from"]:
            found.append((kind, Interval(float(match["from"]) * factor, float(match["to"]) * factor)))
            continue
        end = float(match["end"]) * factor
        interval = (
            Interval(high=end, high_open=match["sign"] == "<")
            if match["sign"] in "<≤"
            else Interval(low=end, low_open=match["sign"] == ">")
        )
        if match["low"]:
            interval = interval._replace(low=float(match["low"]) * low_factor, low_open=match["low_sign"] == "<")
        found.append((kind, interval))
    return found


_FORMS = [
    (row["text"], written)
    for row in (*_POPULATIONS["label_forms"], *_POPULATIONS["union_labels"])
    if (written := _written(row.get("band", "")))
]


def test_the_table_has_bands_to_read() -> None:
    assert len(_FORMS) >= 30


@pytest.mark.parametrize(("text", "written"), _FORMS, ids=[text for text, _ in _FORMS])
def test_a_label_form_reads_as_the_table_says(text: str, written: list[tuple[StatedKind, Interval]]) -> None:
    read = [(band.kind, band.interval) for band in _READER.read(text, about_patients=True)]
    assert sorted(kind for kind, _ in read) == sorted(kind for kind, _ in written)
    for kind, interval in written:
        same = next(found for found_kind, found in read if found_kind == kind)
        assert same.low == pytest.approx(interval.low, abs=0.01)
        assert same.high == pytest.approx(interval.high, abs=0.01)
        assert (same.low_open, same.high_open) == (interval.low_open, interval.high_open)


# Chat writing ("bé 9t", "thôi nôi") is the concern of understanding; here only ages written out, as labels write them.
_WRITTEN_OUT = [
    row
    for row in _POPULATIONS["age_examples"]
    if re.search(r"[0-9] ?(?:tuổi|tháng|ngày|tuần)", row["text"]) and row["value"].isdigit() and row["op"] in ("eq", "gt", "ge")
]


@pytest.mark.parametrize("row", _WRITTEN_OUT, ids=lambda row: row["text"])
def test_an_age_written_out_is_read(row: dict[str, str]) -> None:
    bands = [band for band in _READER.read(row["text"], about_patients=True) if band.kind == "age"]
    months = float(row["value"]) * _MONTHS[row["unit"]]
    assert [band.interval.low for band in bands] == [pytest.approx(months, abs=0.01)]
    assert bands[0].interval.low_open == (row["op"] == "gt")


@pytest.mark.parametrize("row", _POPULATIONS["age_not"], ids=lambda row: row["text"])
def test_what_is_no_age_is_no_age_band(row: dict[str, str]) -> None:
    assert [band for band in _READER.read(row["text"], about_patients=True) if band.kind == "age"] == []


@pytest.mark.parametrize("row", _POPULATIONS["weight_not"], ids=lambda row: row["text"])
def test_what_is_no_weight_is_no_weight_band(row: dict[str, str]) -> None:
    assert [band for band in _READER.read(row["text"]) if band.kind == "weight"] == []


@pytest.mark.parametrize(
    "text",
    [
        "Trẻ em, điều trị trong 7 ngày:",
        "Người lớn: 1 g",
        "dùng trong 6 tháng",
        "truyền 2 ml/phút",
        "0,5 - 1 g/lần, 4 - 6 giờ một lần",
        "Clcr (ml/phút/1,73m2)",
        "creatinin huyết thanh 1,5 mg/decilít",
        "ba tháng cuối thai kỳ",
    ],
)
def test_doses_durations_and_rates_are_no_bands(text: str) -> None:
    assert _READER.read(text, about_patients=True) == ()


@pytest.mark.parametrize(
    ("label", "value", "selection"),
    [
        # Shared borders are shown from both sides; strict signs exclude (spec 03).
        ("6 - 8 tuổi:", years(8), "inside"),
        ("8 - 10 tuổi:", years(8), "inside"),
        ("4 - 6 tuổi:", years(8), "outside"),
        ("dưới 8 tuổi", years(8), "outside"),
        ("trên 8 tuổi", years(8), "outside"),
        ("từ 8 tuổi trở lên", years(8), "inside"),
        ("Trẻ em 6 tháng - 2 tuổi:", years(2), "inside"),
        ("dưới 12 tuổi", years(12), "outside"),
        ("từ 5 đến < 10 kg", kilograms(10), "outside"),
        ("từ 5 đến < 10 kg", kilograms(5), "inside"),
        ("> 21 kg - dưới 30 kg", kilograms(21), "outside"),
        ("> 21 kg - dưới 30 kg", kilograms(21.5), "inside"),
        ("trên 40 kg", kilograms(40), "outside"),
        ("Clcr 10 - 30 ml/phút", clearance(30), "inside"),
        ("≤ 30 ml/phút", clearance(30), "inside"),
        ("Clcr < 10 ml/phút", clearance(10), "outside"),
        ("28 - 32 tuần", stated("gestational_age", "32 tuần", 32), "inside"),
        ("Sơ sinh > 32 tuần chỉnh theo tuổi thai:", stated("gestational_age", "32 tuần", 32), "outside"),
        ("từ 3 tháng - 18 tuổi", stated("age", "3 tháng", 3), "inside"),
        ("6 - 8 tuổi:", kilograms(20), "unknown"),
    ],
)
def test_a_stated_value_selects_its_bands(label: str, value: Stated, selection: str) -> None:
    (band,) = _READER.read(label, about_patients=True)
    assert _READER.selects(band, value) == selection


def test_days_turned_into_months_in_two_ways_meet_at_the_border() -> None:
    (band,) = _READER.read("(7 - 30 ngày):")
    assert _READER.selects(band, stated("age", "7 ngày", 7 / 30)) == "inside"
    assert _READER.selects(band, stated("age", "5 ngày", 5 / 30.4375)) == "outside"


def test_the_words_of_an_open_statement_keep_its_end_open() -> None:
    (band,) = _READER.read("1 - 5 tuổi:", about_patients=True)
    assert _READER.selects(band, stated("age", "dưới 1 tuổi", 0, 12)) == "outside"
    assert _READER.selects(band, stated("age", "1 tuổi", 12)) == "inside"


def test_a_stated_range_across_a_border_stays_open() -> None:
    (band,) = _READER.read("6 - 8 tuổi:")
    assert _READER.selects(band, stated("age", "2-12 tuổi", 24, 144)) == "unknown"


_LABEL_TEXT = st.text(alphabet="0123456789 ,.-–<>≤≥:()/ TrẻemNgườilớntuổithángtuầnngàykgClcrml/phúttừđếndướitrên", max_size=120)


@given(_LABEL_TEXT, st.booleans())
def test_reading_never_fails_and_is_stable(text: str, about_patients: bool) -> None:
    first = _READER.read(text, about_patients)
    assert first == _READER.read(text, about_patients)
    for band in first:
        assert band.span.of(text)
        assert band.interval.low <= band.interval.high


@given(st.floats(0, 200), st.floats(0, 200), st.floats(0, 200), st.booleans(), st.booleans())
def test_a_value_lies_inside_a_band_or_outside_it(low: float, width: float, value: float, low_open: bool, high_open: bool) -> None:
    band = Band("weight", Interval(low, low + width, low_open, high_open), Span(0, 0))
    inside = (low < value or (value == low and not low_open)) and (value < low + width or (value == low + width and not high_open))
    assert _READER.selects(band, stated("weight", "", value)) == ("inside" if inside else "outside")


@given(st.floats(0, 100), st.floats(0, 100))
def test_two_neighbouring_ranges_leave_no_gap(border: float, value: float) -> None:
    below, above = Band("weight", Interval(0, border), Span(0, 0)), Band("weight", Interval(border, inf), Span(0, 0))
    assert "inside" in {_READER.selects(below, kilograms(value)), _READER.selects(above, kilograms(value))}
