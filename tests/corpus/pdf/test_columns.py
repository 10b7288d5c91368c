"""The lines of a page in reading order: two columns, lines across both, spreads, tables, the first and last row."""

from __future__ import annotations

from pathlib import Path

import pytest

from duocthu_core.corpus.pdf.columns import sheets_of
from tests.corpus.pdf.drawing import LEFT, RIGHT, Stroke, Text, column, draw, heading, lines_of, page_text, texts_of, words_apart

LONG = "Thuốc được hấp thu nhanh và gần như hết"


def _long(count: int, word: str) -> list[str]:
    return [f"{word} {number}: {LONG}" for number in range(count)]


def test_the_left_column_is_read_before_the_right_one(tmp_path: Path) -> None:
    page = [*column(LEFT, 700, *_long(4, "trái")), *column(RIGHT, 700, *_long(4, "phải"))]
    assert texts_of(draw(tmp_path / "a.pdf", page)) == [*_long(4, "trái"), *_long(4, "phải")]


def test_columns_written_row_by_row_are_read_column_by_column(tmp_path: Path) -> None:
    rows = zip(column(LEFT, 700, *_long(4, "trái")), column(RIGHT, 700, *_long(4, "phải")), strict=True)
    assert texts_of(draw(tmp_path / "a.pdf", [text for row in rows for text in row])) == [*_long(4, "trái"), *_long(4, "phải")]


def test_stretched_lines_of_two_columns_written_as_one_are_parted_at_the_gutter(tmp_path: Path) -> None:
    page = [
        *column(LEFT, 700, *_long(4, "trái")),
        *column(RIGHT, 700, *_long(4, "phải")),
        *words_apart(LEFT, 640, "Haetamox; Hagimox; Halacimox; Hanproxy", 245),
        *words_apart(RIGHT, 640, "Nồng độ đỉnh đạt sau một giờ", 245),
    ]
    found = texts_of(draw(tmp_path / "a.pdf", page))
    assert found[4] == "Haetamox; Hagimox; Halacimox; Hanproxy"
    assert found[9] == "Nồng độ đỉnh đạt sau một giờ"


def test_a_line_across_both_columns_parts_them(tmp_path: Path) -> None:
    across = "Bảng này và những dòng như nó chạy ngang cả hai cột của trang sách, từ lề trái sang đến lề phải của trang"
    page = [
        *column(LEFT, 700, *_long(2, "trái trên")),
        *column(RIGHT, 700, *_long(2, "phải trên")),
        Text(LEFT, 660, across),
        *column(LEFT, 640, *_long(2, "trái dưới")),
        *column(RIGHT, 640, *_long(2, "phải dưới")),
    ]
    assert texts_of(draw(tmp_path / "a.pdf", page)) == [
        *_long(2, "trái trên"),
        *_long(2, "phải trên"),
        across,
        *_long(2, "trái dưới"),
        *_long(2, "phải dưới"),
    ]


def test_one_column_stays_one(tmp_path: Path) -> None:
    lines = [
        f"Dòng {number} của một trang chỉ có một cột, chạy từ lề trái sang tận lề phải của trang giấy khổ rộng." for number in range(6)
    ]
    assert texts_of(draw(tmp_path / "a.pdf", column(LEFT, 700, *lines))) == lines


def test_a_spread_is_two_printed_pages(tmp_path: Path) -> None:
    page = [
        Text(40, 560, "344"),
        Text(150, 560, "Cefazolin DTQGVN 2"),
        *column(40, 530, "Trang trái, cột một, dòng một", "Trang trái, cột một, dòng hai"),
        *column(230, 530, "Trang trái, cột hai, dòng một", "Trang trái, cột hai, dòng hai"),
        Text(500, 560, "DTQGVN 2 Cefazolin"),
        Text(780, 560, "345"),
        *column(440, 530, "Trang phải, cột một, dòng một", "Trang phải, cột một, dòng hai"),
        *column(630, 530, "Trang phải, cột hai, dòng một", "Trang phải, cột hai, dòng hai"),
    ]
    left, right = sheets_of(page_text(draw(tmp_path / "a.pdf", page, size=(842, 595))))
    assert [line.text for line in left.lines if line.edge != "top"] == [
        "Trang trái, cột một, dòng một",
        "Trang trái, cột một, dòng hai",
        "Trang trái, cột hai, dòng một",
        "Trang trái, cột hai, dòng hai",
    ]
    assert [line.text for line in right.lines if line.edge == "top"] == ["DTQGVN 2 Cefazolin", "345"]
    assert (left.half, right.half) == (0, 1)


def test_a_wide_page_without_two_numbers_is_one_page(tmp_path: Path) -> None:
    page = [*column(40, 530, *_long(3, "trái")), *column(440, 530, *_long(3, "phải"))]
    assert len(sheets_of(page_text(draw(tmp_path / "a.pdf", page, size=(842, 595))))) == 1


def test_the_rows_of_a_table_keep_their_cells_apart(tmp_path: Path) -> None:
    rows = [("Clcr (ml/phút)", "Liều", "Cách"), ("> 50", "250 mg", "6 giờ"), ("10 - 50", "250 mg", "12 giờ"), ("10", "125 mg", "24 giờ")]
    page = [
        *column(LEFT, 700, *_long(4, "trái")),
        *(Text(LEFT + 85 * cell, 640 - 11 * row, text) for row, cells in enumerate(rows) for cell, text in enumerate(cells)),
        *column(RIGHT, 700, *_long(10, "phải")),
    ]
    table = [line for line in lines_of(draw(tmp_path / "a.pdf", page)) if line.kind == "table"]
    assert [line.text for line in table] == [" | ".join(cells) for cells in rows]
    assert table[1].repairs == ((4, "separator", " ", " | "), (13, "separator", " ", " | "))


def test_rows_far_apart_are_a_table_down_to_the_last_row_of_the_page(tmp_path: Path) -> None:
    page = [
        *column(LEFT, 700, *_long(4, "trái")),
        *(Text(LEFT + 85 * cell, 640 - 19 * row, f"{row}{cell} mg") for row in range(4) for cell in range(3)),
        *column(RIGHT, 700, *_long(4, "phải")),
    ]
    found = lines_of(draw(tmp_path / "a.pdf", page))
    assert [line.kind for line in found if "mg" in line.text] == ["table"] * 4


def test_a_header_over_several_columns_of_a_table_belongs_to_it(tmp_path: Path) -> None:
    page = [
        *column(LEFT, 700, *_long(3, "trái")),
        heading(LEFT + 90, 650, "Liều duy trì khuyên dùng"),
        *(Text(LEFT + 80 * cell, 638 - 11 * row, f"{row}{cell} mg") for row in range(3) for cell in range(3)),
        *column(RIGHT, 700, *_long(9, "phải")),
    ]
    assert next(line.text for line in lines_of(draw(tmp_path / "a.pdf", page)) if line.kind == "table") == "Liều duy trì khuyên dùng"


def test_what_stands_in_a_frame_with_cells_is_the_table(tmp_path: Path) -> None:
    frame = [
        Stroke(LEFT - 4, 652, 280, 652),
        Stroke(LEFT - 4, 615, 280, 615),
        Stroke(LEFT - 4, 615, LEFT - 4, 652),
        Stroke(280, 615, 280, 652),
    ]
    page = [
        *column(LEFT, 700, *_long(3, "trái")),
        *frame,
        Text(LEFT, 642, "Suy thận nặng"),
        Text(LEFT + 120, 642, "250 mg"),
        Text(LEFT, 631, "(Clcr dưới 10)"),
        Text(LEFT, 620, "và thẩm tách"),
        *column(RIGHT, 700, *_long(9, "phải")),
    ]
    table = [line.text for line in lines_of(draw(tmp_path / "a.pdf", page)) if line.kind == "table"]
    assert table == ["Suy thận nặng | 250 mg", "(Clcr dưới 10)", "và thẩm tách"]


def test_one_row_of_cells_alone_is_a_sign_of_mixed_columns(tmp_path: Path) -> None:
    page = [
        *column(LEFT, 700, *_long(4, "trái")),
        Text(LEFT, 640, "Clcr 10"),
        Text(LEFT + 120, 640, "250 mg"),
        *column(RIGHT, 700, *_long(7, "phải")),
    ]
    [row] = [line for line in lines_of(draw(tmp_path / "a.pdf", page)) if "Clcr" in line.text]
    assert (row.text, row.kind, row.signs) == ("Clcr 10 250 mg", "text", ((0, "scrambled_columns"),))


def test_stretched_lines_of_few_words_are_no_table(tmp_path: Path) -> None:
    page = [
        *column(LEFT, 700, *_long(3, "trái")),
        *words_apart(LEFT, 660, "Staphylococcus epidermidis tiết penicilinase", 240),
        *words_apart(LEFT, 649, "Streptococcus pneumoniae kháng methicilin", 240),
        *words_apart(LEFT, 638, "và Haemophilus influenzae cùng những", 240),
        *column(RIGHT, 700, *_long(9, "phải")),
    ]
    kinds = {line.kind for line in lines_of(draw(tmp_path / "a.pdf", page))}
    assert kinds == {"text"}


def test_a_fraction_is_a_formula(tmp_path: Path) -> None:
    page = [
        *column(LEFT, 700, *_long(3, "trái")),
        Text(LEFT + 60, 655, "(140 - tuổi) x cân nặng"),
        Text(LEFT, 650, "Clcr ="),
        Text(LEFT + 80, 645, "72 x creatinin"),
        *column(RIGHT, 700, *_long(9, "phải")),
    ]
    formula = [line.text for line in lines_of(draw(tmp_path / "a.pdf", page)) if line.kind == "formula"]
    assert sorted(formula) == ["(140 - tuổi) x cân nặng", "72 x creatinin", "Clcr ="]


def test_a_raised_figure_on_a_line_of_its_own_is_marked(tmp_path: Path) -> None:
    page = [
        *column(LEFT, 700, *_long(3, "trái")),
        Text(LEFT + 100, 656, "6", size=6.0),
        Text(LEFT, 651, "Nồng độ vi khuẩn trên 10"),
        *column(RIGHT, 700, *_long(9, "phải")),
    ]
    marked = [
        line.text for line in lines_of(draw(tmp_path / "a.pdf", page)) if any(reason == "noise_near_digits" for _, reason in line.signs)
    ]
    assert "Nồng độ vi khuẩn trên 10" in " ".join(marked)


@pytest.mark.parametrize(("gap", "isolated"), [(30.0, True), (11.0, False)])
def test_the_first_row_is_known_and_whether_it_stands_away(tmp_path: Path, gap: float, isolated: bool) -> None:
    page = [Text(LEFT, 700 + gap, "345"), *column(LEFT, 700, *_long(4, "trái")), *column(RIGHT, 700, *_long(4, "phải"))]
    [first] = [line for line in lines_of(draw(tmp_path / "a.pdf", page)) if line.edge == "top"]
    assert (first.text, first.isolated) == ("345", isolated)


def test_a_last_row_that_stands_away_is_read_in_its_column(tmp_path: Path) -> None:
    page = [
        *column(LEFT, 700, *_long(4, "trái")),
        Text(LEFT, 645, "Đoạn cuối của cột trái."),
        *column(RIGHT, 700, *_long(4, "phải")),
        Text(RIGHT, 645, "Đoạn cuối của cột phải."),
    ]
    found = texts_of(draw(tmp_path / "a.pdf", page))
    assert found == [*_long(4, "trái"), "Đoạn cuối của cột trái.", *_long(4, "phải"), "Đoạn cuối của cột phải."]


def test_a_gap_and_an_indent_set_a_line_apart(tmp_path: Path) -> None:
    page = [
        *column(LEFT, 700, *_long(4, "trái")),
        Text(LEFT, 700 - 4 * 11 - 9, "Đoạn sau một khoảng trống"),
        Text(LEFT, 700 - 5 * 11 - 9, "dòng hai của đoạn ấy"),
        Text(LEFT + 12, 700 - 6 * 11 - 9, "Đoạn thụt vào đầu dòng"),
        *column(RIGHT, 700, *_long(9, "phải")),
    ]
    apart = [line.text for line in lines_of(draw(tmp_path / "a.pdf", page)) if line.apart]
    assert apart == ["Đoạn sau một khoảng trống", "Đoạn thụt vào đầu dòng"]


def test_room_behind_a_line_is_counted_in_its_characters(tmp_path: Path) -> None:
    page = [*column(LEFT, 700, *_long(3, "trái"), "Ngắn."), *column(RIGHT, 700, *_long(4, "phải"))]
    [short] = [line for line in lines_of(draw(tmp_path / "a.pdf", page)) if line.text == "Ngắn."]
    full = lines_of(tmp_path / "a.pdf")[0]
    assert full.room < 2
    assert short.room > 30


def test_invisible_characters_are_taken_out_and_recorded(tmp_path: Path) -> None:
    page = [Text(LEFT, 700, "Uống\u200b 5 mg"), Text(LEFT, 689, "mỗi 6 giờ."), Text(LEFT, 678, "Tối đa 20 mg.")]
    [first, *_] = lines_of(draw(tmp_path / "a.pdf", page))
    assert first.text in {"Uống 5 mg", "Uống\ufffd 5 mg"}
    assert first.repairs or first.signs


def test_the_line_below_a_running_head_opens_its_column(tmp_path: Path) -> None:
    heads = [Text(LEFT, 815, "298"), Text(RIGHT + 180, 815, "DTQGVN 2")]
    filled = "Thuốc qua nhau thai và dùng trong ba tháng đầu thì làm"
    columns = [*column(LEFT, 780, *[filled] * 20), *column(RIGHT, 780, *[filled] * 20)]
    lines = lines_of(draw(tmp_path / "a.pdf", [*heads, *columns]))
    first = next(line for line in lines[22:] if line.text == filled)
    assert (first.opens, first.apart) == (True, False)


_ITEMS = (
    "Quá mẫn với thuốc hoặc với thành phần của thuốc.",
    "Suy gan nặng, suy thận nặng có Clcr dưới 30 ml/phút.",
    "Loét dạ dày tiến triển, xuất huyết tiêu hóa gần đây.",
)


@pytest.mark.parametrize("mark", ["•", "-", "–", "a)", "2."])
def test_items_of_a_list_behind_a_tab_are_no_table(tmp_path: Path, mark: str) -> None:
    page = [text for row, item in enumerate(_ITEMS) for text in (Text(LEFT, 700 - 11 * row, mark), Text(LEFT + 18, 700 - 11 * row, item))]
    lines = lines_of(draw(tmp_path / "a.pdf", page))
    assert [(line.kind, line.text, line.signs) for line in lines] == [("text", f"{mark} {item}", ()) for item in _ITEMS]


def test_a_dash_in_a_table_stays_a_cell(tmp_path: Path) -> None:
    rows = [("Clcr (ml/phút)", "-", "500 mg"), ("10 - 30", "+", "250 mg"), ("< 10", "-", "125 mg")]
    page = [Text(LEFT + 90 * place, 700 - 11 * row, cell) for row, cells in enumerate(rows) for place, cell in enumerate(cells)]
    assert [line.text for line in lines_of(draw(tmp_path / "a.pdf", page))] == [" | ".join(cells) for cells in rows]
