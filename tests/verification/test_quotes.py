"""Where a quote stands (spec 04, "Check 2")."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.verification.quotes import find_quote
from tests.conftest import case_ids, cases

CASES = cases("quotes")


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_case(case: dict[str, Any]) -> None:
    assert any(find_quote(case["quote"], block) is not None for block in case["blocks"]) is case["valid"], case["why"]


def test_the_span_points_into_the_block() -> None:
    block = "Người lớn:\nTối  đa 4 g/ngày."
    span = find_quote("Người lớn: Tối đa 4 g", block)
    assert span is not None
    assert span.of(block) == "Người lớn:\nTối  đa 4 g"


@pytest.mark.parametrize(
    ("quote", "block"),
    [("5 mg", "0,5 mg"), ("500 mg", "1 500 mg"), ("1", "1/2 viên"), ("ho", "cho trẻ"), ("50", "50\u200b0 mg"), ("  ", "a b"), (".", "a.")],
)
def test_a_quote_may_not_begin_or_end_inside_a_number_or_a_word(quote: str, block: str) -> None:
    assert find_quote(quote, block) is None


def test_a_later_occurrence_counts() -> None:
    assert find_quote("5 mg", "0,5 mg rồi 5 mg") == (11, 15)


@given(st.text(max_size=80))
def test_a_whole_text_is_a_quote_of_itself_or_blank(text: str) -> None:
    stored = unicodedata.normalize("NFC", text)
    assert (find_quote(stored, stored) is not None) is any(character.isalnum() for character in stored)
