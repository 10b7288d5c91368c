"""Paragraphs put together again where a line, a column or a page broke them."""

from __future__ import annotations

import pytest

from duocthu_core.corpus.reading.page_headers import take_out_headers
from duocthu_core.corpus.reading.paragraphs import read_passages
from duocthu_core.corpus.reading.passages import Passage
from tests.corpus.books import doses


def _passages(text: str) -> list[Passage]:
    return read_passages(take_out_headers(text, ("DTQGVN 2",), ()))[0]


def _texts(text: str) -> list[str]:
    return [passage.text for passage in _passages(text)]


def test_a_list_that_goes_on_in_the_next_column_is_one_paragraph() -> None:
    assert _texts("Siro: 10 mg/ml, 20 mg/ml,\n\n50 mg/ml.") == ["Siro: 10 mg/ml, 20 mg/ml, 50 mg/ml."]


def test_a_figure_and_its_unit_in_the_next_column_are_one_paragraph() -> None:
    assert _texts("75 đvqt FSH + 75\n\nđvqt LH/ống.") == ["75 đvqt FSH + 75 đvqt LH/ống."]


def test_a_figure_is_never_put_together_from_two_lines() -> None:
    first, second = _passages("Liều là 1\n\n000 mg mỗi ngày.")
    assert (first.text, second.text) == ("Liều là 1", "000 mg mỗi ngày.")
    assert [sign.reason for sign in (*first.signs, *second.signs)] == ["split_number", "split_number"]


def test_a_page_inside_a_sentence_leaves_the_sentence_whole() -> None:
    [passage] = _passages("Thể tích phân 12 **Thuốc thử** DTQGVN 2\n\nbố là 0,2 lít/kg.")
    assert passage.text == "Thể tích phân bố là 0,2 lít/kg."
    assert passage.printed_pages == (11, 12)
    assert [placed.repair.kind for placed in passage.repairs] == ["page_header", "line_join"]


def test_a_page_between_two_paragraphs_joins_nothing() -> None:
    first, second = _passages("Uống sau ăn.\n\n12 **Thuốc thử** DTQGVN 2\n\nKhông nhai.")
    assert (first.printed_pages, second.printed_pages) == ((11, 11), (12, 12))


def test_wrapped_lines_are_one_paragraph_and_labels_open_another() -> None:
    text = "Thuốc được hấp thu nhanh qua đường tiêu hóa và phân bố vào phần\nlớn các mô của cơ thể.\nNgười lớn: 5 mg.\nTrẻ em: 2 mg."
    assert _texts(text) == [
        "Thuốc được hấp thu nhanh qua đường tiêu hóa và phân bố vào phần lớn các mô của cơ thể.",
        "Người lớn: 5 mg.",
        "Trẻ em: 2 mg.",
    ]


def test_bullets_are_items_and_lose_their_sign() -> None:
    found = _passages("- Hen.\n- Sốt.\n• Ho.")
    assert [(p.text, p.kind) for p in found] == [("Hen.", "item"), ("Sốt.", "item"), ("Ho.", "item")]
    assert [p.repairs[0].repair.removed for p in found] == ["- ", "- ", "• "]


def test_a_hyphen_goes_only_where_the_whole_word_is_known() -> None:
    assert _texts("Amoxicilin tốt. Dùng amoxi-\ncilin.") == ["Amoxicilin tốt. Dùng amoxicilin."]
    assert _texts("Dùng N-acetyl-\ncystein.") == ["Dùng N-acetyl-cystein."]


def test_a_paragraph_that_starts_inside_a_sentence_is_marked() -> None:
    _, orphan = _passages("Uống sau ăn.\n\nvà không quá 4 lần mỗi ngày cho người lớn.")
    assert [sign.reason for sign in orphan.signs] == ["scrambled_columns"]


def test_capital_letters_with_vietnamese_marks_start_a_sentence() -> None:
    assert _texts("Dùng cho người bệnh\n\nĐau nhiều") == ["Dùng cho người bệnh", "Đau nhiều"]
    assert not _passages("Uống sau ăn.\n\nỞ người suy thận cần giảm liều 2 lần mỗi ngày.")[1].signs


def test_rows_of_a_table_are_one_passage() -> None:
    [table, after] = _passages("| Clcr | Liều |\n|---|---|\n| < 10 | 5 mg<br>mỗi ngày |\nSau bảng.")
    assert (table.kind, table.text) == ("table", "| Clcr | Liều |\n| < 10 | 5 mg mỗi ngày |")
    assert after.text == "Sau bảng."


@pytest.mark.parametrize("rule", ["---", "***", "```"])
def test_rules_are_left_out_and_reported(rule: str) -> None:
    passages, dropped = read_passages(take_out_headers(f"a.\n\n{rule}\n\nb.", (), ()))
    assert [p.text for p in passages] == ["a.", "b."]
    assert dropped == [(3, rule)]


@pytest.mark.parametrize("end", ["tối đa", "không quá", "mỗi lần không vượt quá", "cách nhau", "dưới"])
def test_a_line_that_wants_a_figure_goes_on_in_the_next(end: str) -> None:
    [block] = doses(f"Trẻ em: 2 mg/kg/lần, {end}\n120 mg/ngày.")
    assert block.text == f"Trẻ em: 2 mg/kg/lần, {end} 120 mg/ngày."
    assert not block.quarantined


def test_a_bare_figure_that_may_be_a_page_never_joins_a_dose() -> None:
    blocks = doses("Trẻ em: 2 mg/kg/lần, tối đa\n120\nmg/ngày.")
    assert all(block.quarantine_reason == "split_number" for block in blocks)
    assert not [block.text for block in blocks if "tối đa 120" in block.text]
