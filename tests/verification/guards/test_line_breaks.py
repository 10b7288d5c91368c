"""Lines broken inside a sentence, and lines that stand for themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.verification.guards.line_breaks import without_soft_breaks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Trẻ cân nặng từ 8 kg\ntrở lên: 12 mg/kg", "Trẻ cân nặng từ 8 kg trở lên: 12 mg/kg"),
        ("không quá hai liều\n4 ml trong 24 giờ", "không quá hai liều 4 ml trong 24 giờ"),
        ("Người lớn:\nuống 250 mg", "Người lớn:\nuống 250 mg"),
        ("Uống thuốc.\nsau bữa ăn", "Uống thuốc.\nsau bữa ăn"),
        ("Lưu ý\nKhông nhai viên", "Lưu ý\nKhông nhai viên"),
        ("các bước\n1. lắc kỹ", "các bước\n1. lắc kỹ"),
        ("mất nước\n\nnghiện rượu", "mất nước\n\nnghiện rượu"),
    ],
)
def test_only_a_break_inside_a_sentence_is_read_over(text: str, expected: str) -> None:
    assert without_soft_breaks(text) == expected


@given(st.text(alphabet="aB1 .,:;(|\n\r\t-", max_size=60))
def test_every_place_stays_where_it_is(text: str) -> None:
    read = without_soft_breaks(text)
    assert len(read) == len(text)
    assert all(now == before or (now == " " and before.isspace()) for now, before in zip(read, text, strict=True))
    assert without_soft_breaks(read) == read
