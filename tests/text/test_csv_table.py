"""Tables that a spreadsheet opens rightly and never runs."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.text.csv_table import csv_table


def read(table: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(table.decode("utf-8-sig"), newline="")))


def test_a_table_begins_with_a_byte_order_mark_and_keeps_vietnamese() -> None:
    table = csv_table(["thuốc", "liều"], [["Paracetamol", "0,5 - 1 g/lần"]])
    assert table.startswith(b"\xef\xbb\xbf")
    assert read(table) == [["thuốc", "liều"], ["Paracetamol", "0,5 - 1 g/lần"]]


@pytest.mark.parametrize("text", ["=1+1", "+84 912", "-20 °C", "@SUM(A1)", "\t=1", "\r=1", "  =1", "\n=1", '=HYPERLINK("http://x")'])
def test_a_text_that_would_run_is_neutralised_and_still_whole(text: str) -> None:
    assert read(csv_table(["a"], [[text]]))[1] == ["'" + text]


def test_numbers_stay_numbers_and_nothing_is_empty() -> None:
    assert read(csv_table(["a", "b", "c"], [[-5, 0.25, None]]))[1] == ["-5", "0.25", ""]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1), min_size=1, max_size=4))
def test_whatever_is_written_is_read_again(row: list[str]) -> None:
    back = read(csv_table(["x"] * len(row), [row]))[1]
    assert [there.removeprefix("'") for there in back] == [text.removeprefix("'") for text in row]
    assert not any(there.startswith(("=", "+", "-", "@")) for there in back)
