"""Borders of sentences and items (spec 04, "Verbatim")."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duocthu_core.text.sentences import items, sentences
from duocthu_core.text.spans import Span

FORMULARY = st.text(alphabet='Aa S.;:,!?0 1\n-•()Trẻemtrv…"', max_size=60)


def words_of(spans: list[Span], text: str) -> list[str]:
    return [span.of(text) for span in spans]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Nhạy với S. aureus. Người lớn: 0,5 g.", ["Nhạy với S. aureus.", "Người lớn: 0,5 g."]),
        ("Uống 1.500 mg. 5 ngày sau ngừng.", ["Uống 1.500 mg.", "5 ngày sau ngừng."]),
        ("Xem tr. 5. Trẻ em không dùng.", ["Xem tr. 5.", "Trẻ em không dùng."]),
        ("Bổ sung vitamin C. Trẻ em dùng ít.", ["Bổ sung vitamin C.", "Trẻ em dùng ít."]),
        ("1. Người lớn: 5 mg.\n2. Trẻ em: 1 mg.", ["Người lớn: 5 mg.", "Trẻ em: 1 mg."]),
        ("Chống chỉ định:\n- Suy gan nặng\n• Mẫn cảm", ["Chống chỉ định:", "Suy gan nặng", "Mẫn cảm"]),
        ("S. Typhi nhạy cảm.", ["S. Typhi nhạy cảm."]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert words_of(sentences(text), text) == expected


def test_items_part_at_semicolons() -> None:
    text = "4 - 6 tuổi: 240 mg; 6 - 8 tuổi: 250 mg. Tối đa 4 liều."
    assert words_of(items(text), text) == ["4 - 6 tuổi: 240 mg;", "6 - 8 tuổi: 250 mg.", "Tối đa 4 liều."]


@given(st.one_of(st.text(max_size=60), FORMULARY))
@settings(max_examples=500, deadline=None)
@pytest.mark.parametrize("split", [sentences, items])
def test_splitting_again_changes_nothing(split, text: str) -> None:
    for span in split(text):
        part = span.of(text)
        assert words_of(split(part), part) == [part]
