"""Markup out of a line, figures untouched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.corpus.reading.markup import read_line
from duocthu_core.corpus.reading.passages import Pages, Passage


def _line(raw: str) -> Passage:
    return read_line(raw, 1, Pages(), iter(()))


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("*Người lớn:* uống **1 g**", "Người lớn: uống 1 g"),
        ("do *S. aureus*, *E. coli* và *Candida* spp*., Proteus* spp.", "do S. aureus, E. coli và Candida spp., Proteus spp."),
        ("Tiêm bắp*:* tiêm sâu", "Tiêm bắp: tiêm sâu"),
        ("dưới 30 <sup>o</sup> C", "dưới 30 o C"),
        ("cytochrom P<sub>450</sub>", "cytochrom P450"),
        ("10<sup>6</sup> tế bào", "10^6 tế bào"),
        ("10<sup>-3</sup> mol", "10^-3 mol"),
        ("mg/m<sup>2</sup>", "mg/m2"),
        ("Lượng<br>dung môi", "Lượng dung môi"),
        ("MIC $\\leq 4$ microgam/ml", "MIC ≤ 4 microgam/ml"),
        ("$10^{6}$ đơn vị", "10^6 đơn vị"),
        ("ở $30^{\\circ}$C", "ở 30°C"),
        ("<sup>\\*</sup> Lọ 1 g", "* Lọ 1 g"),
        ("Clcr &lt; 10 ml/phút", "Clcr < 10 ml/phút"),
        ('<span id="page-3-1"></span>Chỉ định', "Chỉ định"),
        ("xem [chuyên luận](#page-7)", "xem chuyên luận"),
        ("Clcr < 10 và > 5", "Clcr < 10 và > 5"),
        ("1/1~000 < ADR < 1/100", "1/1~000 < ADR < 1/100"),
        ("1 g * và 5 * 3", "1 g * và 5 * 3"),
        ("uống\u200b thuốc", "uống thuốc"),
        ("amoxi\u00adcilin", "amoxicilin"),
    ],
)
def test_markup_is_removed_and_figures_stay(raw: str, text: str) -> None:
    assert _line(raw).text == text


def test_every_removal_is_recorded() -> None:
    removed = [(placed.repair.removed, placed.repair.inserted) for placed in _line("**Mã:** 30 <sup>o</sup> C $\\leq 4$").repairs]
    assert removed == [("**", ""), ("**", ""), ("<sup>o</sup>", "o"), ("$\\leq 4$", "≤ 4")]


def test_emphasis_is_known_with_its_place() -> None:
    line = _line("*Trẻ em* (sốt): **5 mg**")
    assert [(e.span.of(line.text), e.strong) for e in line.emphasis] == [("Trẻ em", False), ("5 mg", True)]


@pytest.mark.parametrize("raw", ["uống 5**00** mg", "uống 5\u200b00 mg", "H12<sub>3</sub>"])
def test_markup_inside_a_figure_is_a_sign_of_damage(raw: str) -> None:
    assert "noise_near_digits" in [sign.reason for sign in _line(raw).signs]


@pytest.mark.parametrize("raw", ["$\\frac{140 - a}{72}$", "$Clcr = x \\times y$"])
def test_a_formula_stays_as_it_stands(raw: str) -> None:
    line = _line(raw)
    assert line.text == raw
    assert [sign.reason for sign in line.signs] == ["formula"]


def test_wide_gaps_are_a_sign_of_mixed_columns() -> None:
    assert [sign.reason for sign in _line("uống 5 mg      sau ăn        mỗi ngày").signs] == ["scrambled_columns"]


@given(st.text(alphabet="0123456789,. mg*_<>/subp\\$^{}|&;\u200b\u00ad", max_size=60))
def test_no_digit_is_lost_or_made(raw: str) -> None:
    def digits(text: str) -> list[str]:
        return sorted(character for character in text if character.isdigit())

    line = _line(raw)
    taken = "".join(placed.repair.removed for placed in line.repairs)
    put = "".join(placed.repair.inserted for placed in line.repairs)
    assert sorted(digits(raw) + digits(put)) == sorted(digits(line.text) + digits(taken))
