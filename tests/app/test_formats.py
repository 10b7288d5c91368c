"""Figures as Vietnamese writes them."""

from __future__ import annotations

import pytest

from pages.frame import formats


@pytest.mark.parametrize(
    ("milliseconds", "written"), [(0.2, "< 0,01 s"), (12, "0,01 s"), (620, "0,62 s"), (3100, "3,1 s"), (42_400, "42 s")]
)
def test_durations(milliseconds: float, written: str) -> None:
    assert formats.seconds(milliseconds) == written


def test_pages_of_the_book() -> None:
    assert formats.pages(1120, 1120) == "tr. 1120"
    assert formats.pages(1120, 1121) == "tr. 1120-1121"
    assert formats.pages(1120, None, estimated=True) == "khoảng tr. 1120"
    assert formats.pages(None, None) == "không rõ trang"


def test_figures_use_a_decimal_comma() -> None:
    assert formats.number(1234.5, 2) == "1.234,5"
    assert formats.number(0.93, 2) == "0,93"


def test_an_unknown_price_is_no_zero() -> None:
    assert formats.money(None) == "chưa biết giá"
    assert formats.money(0.0123) == "0,0123 USD"
