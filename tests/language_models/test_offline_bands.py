"""Bands in lines of the book, in the writings that real text has."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.language_models.offline.bands import Band, bands_of

YEAR = 12.0
DAY = 1 / 30.4375


def approx(band: Band) -> tuple[str, float, float, bool, bool]:
    return (band.kind, round(band.low, 3), round(band.high, 3), band.low_open, band.high_open)


@pytest.mark.parametrize(
    ("text", "kind", "low", "high", "low_open", "high_open"),
    [
        ("6 - 8 tuổi: 240 mg", "age", 6 * YEAR, 8 * YEAR, False, False),
        ("Trẻ em 6 tháng - 2 tuổi: 120 mg", "age", 6, 2 * YEAR, False, False),
        ("Trẻ 1 - 3 tháng tuổi", "age", 1, 3, False, False),
        ("Trẻ em dưới 8 tuổi", "age", -inf, 8 * YEAR, False, True),
        ("Trẻ > 16 tuổi", "age", 16 * YEAR, inf, True, False),
        ("Trẻ em ≥ 6 tuổi", "age", 6 * YEAR, inf, False, False),
        ("Trẻ em từ 1 tuổi trở lên", "age", YEAR, inf, False, False),
        ("trẻ trên 12 tuần tuổi", "age", 12 * 7 * DAY, inf, True, False),
        ("Sơ sinh đủ tháng (0 - 7 ngày)", "age", 0, 7 * DAY, False, False),
        ("Trẻ từ 3 tháng - 18 tuổi", "age", 3, 18 * YEAR, False, False),
        ("Trẻ trên 3 tháng tuổi đến 12 tuổi", "age", 3, 12 * YEAR, True, False),
        ("Trẻ em cân nặng < 10 kg", "weight", -inf, 10, False, True),
        ("Trẻ em cân nặng 10 - 50 kg", "weight", 10, 50, False, False),
        ("Với trẻ cân nặng ≥ 14 kg - 21 kg", "weight", 14, 21, False, False),
        ("Với trẻ cân nặng > 21 kg - dưới 30 kg", "weight", 21, 30, True, True),
        ("từ 5 đến < 10 kg", "weight", 5, 10, False, True),
        ("Trên 50 kg:", "weight", 50, inf, True, False),
        ("Người lớn ≥ 40 kg", "weight", 40, inf, False, False),
        ("Clcr 10 - 30 ml/phút", "clcr", 10, 30, False, False),
        ("Clcr < 10 ml/ phút", "clcr", -inf, 10, False, True),
        ("Độ thanh thải creatinin 30 - 60 ml/phút", "clcr", 30, 60, False, False),
        ("Sơ sinh 28 - 32 tuần chỉnh theo tuổi thai", "gestational_age", 28, 32, False, False),
        ("bé 8,5 kg", "weight", 8.5, 8.5, False, False),
    ],
)
def test_a_band_as_the_book_writes_it(text, kind, low, high, low_open, high_open):
    (band,) = bands_of(text)
    assert approx(band) == (kind, round(low, 3), round(high, 3), low_open, high_open)


@pytest.mark.parametrize(
    "text",
    [
        "15 mg/kg cách 6 giờ",
        "4 - 10 mg cho 1 kg thể trọng",
        "trong 14 - 21 ngày",
        "điều trị 6 tháng",
        "Truyền 5 ml/phút",
        "50 mg/kg/ngày chia 3 lần",
        "quá 10 ngày ở người lớn hoặc quá 5 ngày ở trẻ em",
        "sau 2 tuần",
        "năm 2015",
        "",
    ],
)
def test_what_is_no_band(text):
    assert bands_of(text) == ()


def test_what_governs_a_line_can_make_months_an_age():
    assert bands_of("6 tháng: 60 mg") == ()
    assert [band.kind for band in bands_of("6 tháng: 60 mg", about_children=True)] == ["age"]


def test_a_shared_border_belongs_to_both_bands_and_a_strict_one_to_neither():
    (lower,), (upper,) = bands_of("6 - 8 tuổi"), bands_of("8 - 10 tuổi")
    assert lower.meets(96, 96)
    assert upper.meets(96, 96)
    (strict,) = bands_of("dưới 8 tuổi")
    assert not strict.meets(96, 96)
    assert strict.meets(95, 95)


@given(st.text(alphabet="0123456789 ,.-–<>≤≥kgtuổitháng/ngàydưới trên từ đến", max_size=120))
def test_any_text_gives_bands_with_ordered_ends(text):
    assert all(band.low <= band.high for band in bands_of(text))


def test_a_long_run_of_figures_is_read_in_linear_time():
    assert len(bands_of("6 - 8 tuổi, " * 8000)) == 8000
