"""Running heads out of the text, and the page of every place."""

from __future__ import annotations

import pytest

from duocthu_core.corpus.reading.page_headers import TURN, take_out_headers
from duocthu_core.corpus.reading.passages import Pages

MARKS, WORDS = ("DTQGVN 2",), ("Trang", "Page")


def _pages(text: str) -> tuple[int | None, list[int | None], str]:
    paged = take_out_headers(text, MARKS, WORDS)
    return paged.before.first, [pages.first for _, pages in paged.turns], paged.text


@pytest.mark.parametrize(
    ("line", "page", "left"),
    [
        ("Thức ăn giàu DTQGVN 2 Thuốc thử 1119", 1119, "Thức ăn giàu "),
        ("1120 **Thuốc thử (tên khác)** DTQGVN 2", 1120, ""),
        ("DTQGVN 2 **Thuốc kia lỏng** 1121", 1121, ""),
        ("Thể tích phân 1132 **Thuốc thử** DTQGVN 2", 1132, "Thể tích phân "),
        ("79,2 % chủng đã kháng, 1350 **Thuốc thử** DTQGVN 2", 1350, "79,2 % chủng đã kháng, "),
        ("758 **Thuốc kia** DTQGVN 2 **Thuốc thử**", 758, ""),
        ("198 **Thuốc b** DTQGVN 2 DTQGVN 2 **Thuốc c** 199 **B**", 198, ""),
        ("346 **Thuốc kia** DTQGVN 2 DTQGVN 2 **Thuốc kia** 347 **Thuốc thử**", 346, ""),
        ("DTQGVN 2 **Vitamin B12** 1400", 1400, ""),
        ("Trang 15", 15, ""),
        ("<!-- page 15 -->", 15, ""),
        ("— Trang 15 —", 15, ""),
    ],
)
def test_a_running_head_is_taken_out_and_becomes_the_page(line: str, page: int, left: str) -> None:
    _, pages, text = _pages(line + "\ntiếp theo")
    assert pages == [page]
    assert text == f"{left}{TURN}\ntiếp theo"


def test_the_text_before_the_first_head_stands_on_the_page_before_it() -> None:
    before, pages, _ = _pages("Mở đầu.\nDTQGVN 2 **Thuốc thử** 189\nTiếp.")
    assert (before, pages) == (188, [189])


def test_a_spread_that_stands_twice_opens_the_left_page_and_then_the_right_one() -> None:
    spread = "190 **Thuốc thử** DTQGVN 2 DTQGVN 2 **Thuốc thử** 191"
    before, pages, _ = _pages(f"DTQGVN 2 **Thuốc thử** 189\na\n{spread}\nb\n{spread}\nc\n192 **Thuốc kia** DTQGVN 2")
    assert (before, pages) == (188, [189, 190, 191, 192])


def test_a_spread_that_stands_once_before_a_later_page_gives_both_pages() -> None:
    text = "190 **Thuốc thử** DTQGVN 2 DTQGVN 2 **Thuốc thử** 191\nb\n192 **Thuốc thử** DTQGVN 2 DTQGVN 2 **Thuốc thử** 193\nc"
    paged = take_out_headers(text, MARKS, WORDS)
    assert [pages for _, pages in paged.turns] == [Pages(190, 191), Pages(192, 192)]


def test_a_name_that_is_a_sentence_keeps_its_figures() -> None:
    _, pages, text = _pages("1120 **Thuốc thử** DTQGVN 2 Người lớn uống 500 mg mỗi lần.")
    assert pages == [1120]
    assert text == f"{TURN} Người lớn uống 500 mg mỗi lần."


def test_a_dose_before_the_mark_is_no_page() -> None:
    _, pages, text = _pages("Uống 500 mg DTQGVN 2 **Thuốc thử** 1119")
    assert pages == [1119]
    assert text == f"Uống 500 mg {TURN}"


def test_the_mark_alone_turns_no_page() -> None:
    _, pages, text = _pages("DTQGVN 2 **Thuốc thử** 12\na\nDTQGVN 2\nb")
    assert pages == [12, 12]
    assert "DTQGVN" not in text


def test_a_page_number_that_goes_back_is_not_used_and_is_reported() -> None:
    paged = take_out_headers("DTQGVN 2 **A** 120\na\nDTQGVN 2 **A** 12\nb", MARKS, WORDS)
    assert [pages.first for _, pages in paged.turns] == [120, 120]
    assert paged.problems == ((3, "page 12 after page 120: the page number is not used"),)


def test_missing_pages_are_reported() -> None:
    paged = take_out_headers("DTQGVN 2 **A** 12\na\nDTQGVN 2 **A** 15\nb", MARKS, WORDS)
    assert paged.problems == ((3, "page 15 after page 12: pages are missing between them"),)


def test_lines_of_one_number_are_pages_where_they_go_on_the_sequence() -> None:
    before, pages, text = _pages("a\n12\nb\n13\nc\n500\nd")
    assert (before, pages) == (11, [12, 13])
    assert "500" in text


def test_a_lone_number_on_a_line_is_a_dose_and_no_page() -> None:
    before, pages, text = _pages("Menotropin 150\n150\nđvqt")
    assert (before, pages) == (None, [])
    assert text == "Menotropin 150\n150\nđvqt"


def test_a_number_between_two_heads_is_a_page_only_between_their_pages() -> None:
    _, pages, text = _pages("DTQGVN 2 **A** 12\na\n13\nb\n14\nc\nDTQGVN 2 **A** 14")
    assert pages == [12, 13, 14]
    assert "\n14\nc" in text


def test_heads_keep_their_characters() -> None:
    paged = take_out_headers("phân 1132 **Thuốc** DTQGVN 2\nbố", MARKS, WORDS)
    assert paged.turns[0][0].raw == "1132 **Thuốc** DTQGVN 2"
