"""Printed pages and running heads: what goes on the sequence is a page, what only looks like one stays text."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from duocthu_core.corpus.pdf.page_numbers import NumberedSheet, PageNumbers, prints_numbers
from duocthu_core.corpus.pdf.page_reader import ReadPage
from duocthu_core.corpus.reading.passages import Pages
from tests.corpus.pdf.lines import bottom, line, numbered, read_page, top

BODY = line("Dùng cho người bệnh suy thận khi cần.")


def _book(*heads: Sequence[str]) -> list[ReadPage]:
    """Pages with these pieces in their first row."""
    return [read_page(index, *map(top, head), BODY) for index, head in enumerate(heads)]


def _pages(sheets: list[NumberedSheet]) -> list[int | None]:
    return [sheet.pages.first for sheet in sheets]


def test_heads_with_the_books_mark_become_the_page() -> None:
    sheets = numbered(_book(("1118", "Paracetamol", "DTQGVN 2"), ("DTQGVN 2", "Paracetamol", "1119"), ("1120", "Paracetamol", "DTQGVN 2")))
    assert _pages(sheets) == [1118, 1119, 1120]
    assert [sheet.lines for sheet in sheets] == [(BODY,)] * 3
    assert sheets[0].heads[0].text == "1118 Paracetamol DTQGVN 2"


def test_the_mark_is_known_without_its_space_and_beside_a_thumb_letter() -> None:
    assert _pages(numbered(_book(("DTQGVN2", "Paracetamol", "1119", "P"), ("1120", "Parafin", "DTQGVN2")))) == [1119, 1120]


def test_the_name_in_a_head_may_be_the_next_drugs() -> None:
    sheets = numbered(_book(("344", "Cefepim", "DTQGVN 2"), ("DTQGVN 2", "Cefepim", "345")))
    assert (_pages(sheets), sheets[0].lines) == ([344, 345], (BODY,))


def test_two_heads_in_one_line_are_the_page_of_the_sequence() -> None:
    twice = ("344", "Cefazolin", "DTQGVN 2", "DTQGVN 2", "Cefazolin", "345")
    assert _pages(numbered(_book(("343", "Cefazolin", "DTQGVN 2"), twice, twice, ("346", "Cefalexin", "DTQGVN 2")))) == [343, 344, 345, 346]


def test_two_heads_in_the_only_line_leave_the_page_open() -> None:
    [sheet] = numbered(_book(("344", "Cefazolin", "DTQGVN 2", "DTQGVN 2", "Cefazolin", "345")))
    assert sheet.pages == Pages(344, 345)


def test_a_page_without_a_head_goes_on_the_sequence() -> None:
    assert _pages(numbered(_book(("12", "A", "DTQGVN 2"), (), ("14", "A", "DTQGVN 2")))) == [12, 13, 14]


def test_the_first_pages_are_counted_back_from_the_first_number() -> None:
    assert _pages(numbered(_book((), (), ("14", "A", "DTQGVN 2"), ("15", "A", "DTQGVN 2")))) == [12, 13, 14, 15]


def test_bare_numbers_that_follow_one_another_are_pages() -> None:
    sheets = numbered(_book(("500",), ("501",), ("502",)))
    assert (_pages(sheets), sheets[1].lines) == ([500, 501, 502], (BODY,))


def test_a_bare_number_out_of_sequence_is_text() -> None:
    pages = [*_book(("500",), ("501",)), read_page(2, top("250"), BODY), read_page(3, top("503"), BODY)]
    sheets = numbered(pages)
    assert _pages(sheets) == [500, 501, 502, 503]
    assert [found.text for found in sheets[2].lines] == ["250", BODY.text]


def test_a_number_that_ends_a_line_of_text_is_no_page() -> None:
    pages = [read_page(index, line("Uống"), BODY, bottom("mỗi ngày tối đa 500;", isolated=False)) for index in range(3)]
    sheets = numbered(pages)
    assert _pages(sheets) == [None, None, None]
    assert all(found.lines[-1].text == "mỗi ngày tối đa 500;" for found in sheets)


def test_the_pages_own_number_inside_the_text_is_neither_taken_out_nor_trusted() -> None:
    pages = [*_book(("500",), ("501",)), read_page(2, BODY, bottom("502", isolated=False))]
    last = numbered(pages)[2].lines[-1]
    assert last.text == "502"
    assert last.signs == ((0, "noise_near_digits"),)


def test_a_number_at_the_foot_is_a_page_too() -> None:
    sheets = numbered([read_page(index, BODY, bottom(f"- {index + 7} -")) for index in range(3)])
    assert (_pages(sheets), sheets[0].heads[0].text) == ([7, 8, 9], "- 7 -")


def test_a_line_that_stands_on_every_page_is_a_head() -> None:
    sheets = numbered([read_page(index, top("Dược thư Quốc gia Việt Nam"), BODY, bottom(str(index + 7))) for index in range(4)])
    assert all(sheet.lines == (BODY,) for sheet in sheets)


def test_a_line_that_stands_alone_at_the_top_of_one_page_is_text() -> None:
    pages = [read_page(0, top("Suy thận:"), BODY, bottom("7")), *(read_page(index, BODY, bottom(str(index + 7))) for index in (1, 2))]
    assert numbered(pages)[0].lines[0].text == "Suy thận:"


def test_missing_pages_are_seen_and_said() -> None:
    sheets = numbered(_book(("12", "A", "DTQGVN 2"), ("13", "A", "DTQGVN 2"), ("17", "B", "DTQGVN 2"), ("18", "B", "DTQGVN 2")))
    assert _pages(sheets) == [12, 13, 17, 18]
    assert [sheet.after_gap for sheet in sheets] == [False, False, True, False]
    assert sheets[2].problem == "trang 17 đứng sau trang 13: thiếu trang ở giữa"


def test_a_page_of_a_missing_stretch_is_one_of_those_between() -> None:
    sheets = numbered(_book(("12", "A", "DTQGVN 2"), (), ("16", "B", "DTQGVN 2"), ("17", "B", "DTQGVN 2")))
    assert sheets[1].pages == Pages(13, 15)


def test_a_misprinted_number_is_not_used() -> None:
    sheets = numbered(_book(("12", "A", "DTQGVN 2"), ("31", "A", "DTQGVN 2"), ("14", "A", "DTQGVN 2"), ("15", "A", "DTQGVN 2")))
    assert _pages(sheets) == [12, 13, 14, 15]
    assert "31" in (sheets[1].problem or "")


def test_a_page_that_is_only_a_picture_leaves_a_gap() -> None:
    pages = [*_book(("12", "A", "DTQGVN 2")), read_page(1, pictures=1), read_page(2, top("14 A DTQGVN 2"), BODY)]
    assert [sheet.after_gap for sheet in numbered(pages)] == [False, False, True]


def test_a_book_without_numbers_is_counted_by_its_file() -> None:
    assert _pages(numbered([read_page(index, BODY) for index in range(3)], numbered=False)) == [1, 2, 3]


def test_a_run_that_is_gone_on_with_knows_its_pages() -> None:
    pages = [read_page(index, BODY) for index in (40, 41)]
    sheets = list(PageNumbers(known=(40, 100)).numbered(pages, 40))
    assert _pages(sheets) == [140, 141]


@pytest.mark.parametrize(
    ("heads", "found"),
    [
        ([["12 A DTQGVN 2"], ["13 A DTQGVN 2"]], True),
        ([["7"], ["8"], ["9"]], True),
        ([["Chương 1"], ["Chương 2"], ["Kết luận"]], False),
        ([["250"], ["36"], ["1000"]], False),
        ([[], [], []], False),
    ],
)
def test_whether_a_book_prints_page_numbers(heads: list[list[str]], found: bool) -> None:
    assert prints_numbers([[[*map(top, head)] for head in heads]]) is found
