"""What is one numeric token (spec 04, "Check 1")."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.numbers import GLUED_UNITS, numeric_tokens

NUMBERISH = st.text(alphabet=" 0123456789.,/-–~½²⁹xmgO\u200b\u00a0О５()°C\nNgườlớn[]^", max_size=60)


def writings(text: str) -> list[str]:
    return [token.text for token in numeric_tokens(text)]


def kinds(text: str) -> list[str]:
    return [token.kind for token in numeric_tokens(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0,5 - 1 g/lần", ["0,5", "1"]),
        ("1.500 mg", ["1.500"]),
        ("1 500 mg", ["1 500"]),
        ("1\u00a0500 mg", ["1 500"]),
        ("1\u2009500 000 đvqt", ["1 500 000"]),
        ("1 5000 mg", ["1", "5000"]),
        ("1\n500 mg", ["1", "500"]),
        ("uống 1/2 viên", ["1/2"]),
        ("uống ½ viên", ["½"]),
        ("uống 1½ viên", ["1½"]),
        ("1/1~000 < ADR < 1/100", ["1/1 000", "1/100"]),
        ("100 × 10⁹/L", ["100", "10⁹"]),
        ("10^6 tế bào", ["10^6"]),
        ("bảo quản ở -20 °C", ["-20"]),
        ("80 -100 mg/kg/ngày", ["80", "100"]),
        ("500 mg -1 g", ["500", "1"]),
        ("mỗi 4-6giờ", ["4", "6"]),
        ("500mg", ["500"]),
        ("Truyền trong 30phút", ["30"]),
        ("3x500mg", ["3", "500"]),
        ("250 mg/125 mg", ["250", "125"]),
        ("20o C", ["20"]),
    ],
)
def test_numbers_are_read_whole(text: str, expected: list[str]) -> None:
    assert writings(text) == expected


@pytest.mark.parametrize("word", ["CYP3A4", "B12", "H2", "5-FU", "SARS-CoV-2", "2D6", "β2"])
def test_a_word_with_digits_is_one_token(word: str) -> None:
    assert [(token.text, token.kind) for token in numeric_tokens(f"dùng {word} nhé")] == [(word, "word")]


@pytest.mark.parametrize(
    "text",
    [
        "5O mg",
        "5О mg",
        "５００ mg",
        "٥٠٠ mg",
        "1O0 mg",
        "50\u200b0 mg",
        "5\u00ad00 mg",
        "0\u200b,5 mg",
        "\u202e005\u202c mg",
        "5\u03360 mg",
    ],
)
def test_what_only_looks_like_a_number_is_suspicious(text: str) -> None:
    assert numeric_tokens(text)[0].kind == "suspicious"


def test_a_list_number_is_no_fact() -> None:
    assert kinds("1. Người lớn: 500 mg\n2) Trẻ em") == ["enumerator", "number", "enumerator"]


@pytest.mark.parametrize("text", ["8. g mỗi ngày", "10. 5 mg", "0,5 g"])
def test_an_amount_is_no_list_number(text: str) -> None:
    assert "enumerator" not in kinds(text)


def test_the_two_of_a_square_metre_is_part_of_the_unit() -> None:
    assert kinds("100 mg/m2 hay mg/m²") == ["number", "unit", "unit"]


def test_every_one_word_unit_of_the_table_may_be_glued(ruleset: Ruleset) -> None:
    aliases = {alias for unit in ruleset.tables["units"]["units"].values() for alias in unit["aliases"]}
    glued = {alias.lower() for alias in aliases if alias.isalnum() and not alias[0].isdigit()}
    assert {unit for unit in glued if numeric_tokens(f"7{unit}")[0].text != "7"} == set()
    assert glued - GLUED_UNITS == set()


@given(st.one_of(st.text(max_size=80), NUMBERISH))
@settings(max_examples=400, deadline=None)
def test_any_text_is_read_and_tokens_stand_in_order(text: str) -> None:
    tokens = numeric_tokens(text)
    assert all(0 <= token.span.start < token.span.end <= len(text) for token in tokens)
    assert all(left.span.end <= right.span.start for left, right in itertools.pairwise(tokens))
    covered = {i for token in tokens for i in range(*token.span)}
    assert all(i in covered for i, character in enumerate(text) if character in "0123456789")


@given(st.from_regex(r"[0-9]{1,6}([.,][0-9]{1,3})?", fullmatch=True), st.sampled_from(["mg", "g", "giờ", "viên", "%"]))
def test_a_number_with_its_unit_is_that_number(number: str, unit: str) -> None:
    assert writings(f"dùng {number} {unit} mỗi ngày") == [number]
    assert writings(f"dùng {number}{unit} mỗi ngày") == [number]
