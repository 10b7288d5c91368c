"""A page's text layer: what pdfium gives, parted at gaps, with damage marked and nothing mended."""

from __future__ import annotations

from pathlib import Path

from duocthu_core.corpus.pdf.lines import BOLD, ITALIC
from tests.corpus.pdf.drawing import Stroke, Text, column, draw, page_text, words_apart
from tests.corpus.pdf_typesetting import BOLD as BOLD_TYPE
from tests.corpus.pdf_typesetting import ITALIC as ITALIC_TYPE
from tests.corpus.pdf_typesetting import REGULAR, register_fonts, width_of


def _width(text: str, font: str = REGULAR, size: float = 9.0) -> float:
    register_fonts()
    return width_of(text, font, size)


def test_lines_come_with_their_place_and_size(tmp_path: Path) -> None:
    [first, second] = page_text(draw(tmp_path / "a.pdf", column(40, 700, "Uống 0,5 - 1 g/lần.", "Cách 4 - 6 giờ."))).pieces
    assert (first.text, second.text) == ("Uống 0,5 - 1 g/lần.", "Cách 4 - 6 giờ.")
    assert (round(first.x0), round(first.y), first.size, first.line, second.line) == (40, 700, 9.0, 1, 2)


def test_a_raised_figure_is_marked_and_stays(tmp_path: Path) -> None:
    x = 40 + _width("Vi khuẩn 10")
    page = [Text(40, 700, "Vi khuẩn 10"), Text(x, 704, "6", size=6.0), Text(x + 5, 700, "CFU/ml")]
    [piece] = page_text(draw(tmp_path / "a.pdf", page)).pieces
    assert piece.text == "Vi khuẩn 106CFU/ml"
    assert piece.signs == ((11, "noise_near_digits"),)


def test_figures_set_alike_are_not_marked(tmp_path: Path) -> None:
    page = [Text(40, 700, "Uống 10"), Text(40 + _width("Uống 10"), 700, "00 mg")]
    [piece] = page_text(draw(tmp_path / "a.pdf", page)).pieces
    assert (piece.text, piece.signs) == ("Uống 1000 mg", ())


def test_a_sign_that_the_type_lost_is_marked_as_lost(tmp_path: Path) -> None:
    [piece] = page_text(draw(tmp_path / "a.pdf", [Text(40, 700, "Thuốc ức chế α-glucosidase 50 mg")])).pieces
    assert piece.text == "Thuốc ức chế \ufffd-glucosidase 50 mg"


def test_two_columns_on_one_baseline_are_two_pieces(tmp_path: Path) -> None:
    page = [Text(40, 700, "Người lớn: 500 mg mỗi 6 giờ."), Text(305, 700, "Bảo quản dưới 30 °C.")]
    assert [piece.text for piece in page_text(draw(tmp_path / "a.pdf", page)).pieces] == [
        "Người lớn: 500 mg mỗi 6 giờ.",
        "Bảo quản dưới 30 °C.",
    ]


def test_cells_with_a_space_at_their_end_are_pieces_too(tmp_path: Path) -> None:
    page = [Text(40, 700, "> 50 "), Text(120, 700, "250 mg "), Text(200, 700, "6 giờ")]
    assert [piece.text for piece in page_text(draw(tmp_path / "a.pdf", page)).pieces] == ["> 50", "250 mg", "6 giờ"]


def test_a_figure_beside_another_cells_figure_is_not_joined_to_it(tmp_path: Path) -> None:
    page = [Text(40, 700, "60"), Text(100, 700, "925")]
    assert [piece.text for piece in page_text(draw(tmp_path / "a.pdf", page)).pieces] == ["60", "925"]


def test_a_stretched_line_is_one_piece(tmp_path: Path) -> None:
    page = words_apart(40, 700, "Thuốc hấp thu nhanh sau khi uống và thải qua thận", 300)
    [piece] = page_text(draw(tmp_path / "a.pdf", page)).pieces
    assert piece.text == "Thuốc hấp thu nhanh sau khi uống và thải qua thận"


def test_a_hyphen_at_the_end_of_a_line_comes_back(tmp_path: Path) -> None:
    pieces = page_text(draw(tmp_path / "a.pdf", column(40, 700, "Dùng paraceta-", "mol 500 mg, nghỉ 10-", "20 ngày."))).pieces
    assert [(piece.text, piece.hyphen) for piece in pieces] == [
        ("Dùng paraceta-", True),
        ("mol 500 mg, nghỉ 10-", False),
        ("20 ngày.", False),
    ]


def test_a_bold_label_at_the_head_of_a_line_is_known(tmp_path: Path) -> None:
    page = [Text(40, 700, "Mã ATC:", BOLD_TYPE), Text(40 + _width("Mã ATC: ", BOLD_TYPE), 700, "N02BE01.")]
    [piece] = page_text(draw(tmp_path / "a.pdf", page)).pieces
    assert (piece.text, piece.style, piece.emphasis) == ("Mã ATC: N02BE01.", 0, ((0, 7, BOLD),))


def test_a_line_all_in_italics_is_known(tmp_path: Path) -> None:
    [piece] = page_text(draw(tmp_path / "a.pdf", [Text(40, 700, "Người lớn:", ITALIC_TYPE)])).pieces
    assert (piece.style, piece.emphasis) == (ITALIC, ())


def test_lines_that_run_up_the_page_or_lean_over_it_are_kept_apart(tmp_path: Path) -> None:
    page = [
        *column(60, 700, *(f"Dòng chữ thường số {number} của trang này." for number in range(12))),
        Text(20, 300, "Thư viện trường 12345", turned=90),
        Text(150, 300, "BẢN DÙNG THỬ", size=40.0, turned=45),
    ]
    read = page_text(draw(tmp_path / "a.pdf", page))
    assert sorted(piece.text for piece in read.turned) == ["BẢN DÙNG THỬ", "Thư viện trường 12345"]
    assert len(read.pieces) == 12


def test_a_page_shown_turned_is_read_as_it_is_seen(tmp_path: Path) -> None:
    page = [Text(95 + 12 * number, 50, f"Dòng {number} của trang ngang.", turned=90) for number in range(3)]
    read = page_text(draw(tmp_path / "a.pdf", page, rotation=90))
    assert [(piece.text, round(piece.x0)) for piece in sorted(read.pieces, key=lambda piece: -piece.y)] == [
        ("Dòng 0 của trang ngang.", 50),
        ("Dòng 1 của trang ngang.", 50),
        ("Dòng 2 của trang ngang.", 50),
    ]
    assert round(read.height - read.pieces[0].y) == 95


def test_drawn_lines_are_found(tmp_path: Path) -> None:
    read = page_text(draw(tmp_path / "a.pdf", [Text(40, 700, "250 mg"), Stroke(40, 690, 280, 690)]))
    [rule] = read.rules
    assert (round(rule.x0), round(rule.x1), round(rule.y0)) in {(39, 281, 689), (40, 280, 690), (40, 280, 689)}


def test_an_empty_page_is_empty(tmp_path: Path) -> None:
    read = page_text(draw(tmp_path / "a.pdf", []))
    assert (read.text, read.pieces, read.pictures) == ("", [], 0)
