"""Files that are no book: one clear line each, and the corpus that stood before stands on."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
import pytest
from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from duocthu_core.corpus.importing import import_files
from tests.corpus.pdf.drawing import LEFT, Text, column, draw
from tests.corpus.pdf_maker import MadeBook


def _refused(path: Path, corpus: Path) -> str:
    """Why a file was refused; the corpus is held to be untouched, and nothing left beside it."""
    before = corpus.read_bytes()
    report = import_files([path], "Bản thử", corpus)
    assert (report.written, report.files[0].status) == (False, "rejected")
    assert corpus.read_bytes() == before
    assert [found.name for found in corpus.parent.iterdir() if found.name.endswith((".reading", ".tmp"))] == []
    why = report.files[0].error or ""
    assert "\n" not in why
    assert why in report.readable()
    return why


def test_a_renamed_picture(tmp_path: Path, old_corpus: Path) -> None:
    path = tmp_path / "book.pdf"
    Image.new("L", (20, 20), 128).save(path, format="PNG")
    assert "đuôi .pdf nhưng nội dung là ảnh PNG" in _refused(path, old_corpus)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "tệp trống"),
        (b"xin ch\xc3\xa0o", "không phải tệp PDF"),
        (b"PK\x03\x04 docx", "tệp nén (docx, zip)"),
        (b"%PDF-1.7\nnot a book\n%%EOF", "PDF hỏng, không mở được"),
    ],
)
def test_what_is_no_pdf(tmp_path: Path, old_corpus: Path, content: bytes, said: str) -> None:
    path = tmp_path / "book.pdf"
    path.write_bytes(content)
    assert said in _refused(path, old_corpus)


def test_a_file_that_is_not_there(tmp_path: Path, old_corpus: Path) -> None:
    assert "không đọc được" in _refused(tmp_path / "none.pdf", old_corpus)


def test_a_file_cut_off_while_it_was_copied(tmp_path: Path, old_corpus: Path, damaged: MadeBook) -> None:
    path = tmp_path / "book.pdf"
    path.write_bytes(damaged.path.read_bytes()[:-60_000])
    assert "PDF bị cắt cụt" in _refused(path, old_corpus)


def test_a_file_with_a_hole_in_it(tmp_path: Path, old_corpus: Path, damaged: MadeBook) -> None:
    whole = damaged.path.read_bytes()
    path = tmp_path / "book.pdf"
    path.write_bytes(whole[:20_000] + whole[120_000:])
    why = _refused(path, old_corpus)
    assert "PDF hỏng" in why or "không tìm thấy chuyên luận nào" in why or "không có lớp chữ" in why


def test_a_file_locked_with_a_password(tmp_path: Path, old_corpus: Path) -> None:
    path = tmp_path / "book.pdf"
    canvas = Canvas(str(path), encrypt=StandardEncryption("mat-khau", canPrint=0))
    canvas.drawString(100, 700, "Chi dinh")
    canvas.save()
    assert "PDF có mật khẩu" in _refused(path, old_corpus)


def test_a_scan_without_a_text_layer(tmp_path: Path, old_corpus: Path) -> None:
    path = tmp_path / "scan.pdf"
    canvas = Canvas(str(path))
    for _ in range(3):
        canvas.drawInlineImage(Image.new("L", (20, 20), 128), 100, 100, 200, 200)
        canvas.showPage()
    canvas.save()
    assert "không có lớp chữ" in _refused(path, old_corpus)


def test_blank_pages(tmp_path: Path, old_corpus: Path) -> None:
    whole = pypdfium2.PdfDocument.new()
    whole.new_page(595, 842)
    whole.save(tmp_path / "blank.pdf")
    assert "không có lớp chữ" in _refused(tmp_path / "blank.pdf", old_corpus)


def test_a_pdf_that_is_no_formulary(tmp_path: Path, old_corpus: Path) -> None:
    path = draw(tmp_path / "letter.pdf", column(LEFT, 700, "Kính gửi quý bệnh viện,", "xin gửi lịch họp tuần tới."))
    assert "không tìm thấy chuyên luận nào" in _refused(path, old_corpus)


def test_an_old_encoding_is_named(tmp_path: Path, old_corpus: Path) -> None:
    lines = [Text(LEFT, 760 - 11 * number, "ChØ ®Þnh: NhiÔm khuÈn do c¸c vi khuÈn nh¹y c¶m g©y ra ë ng­êi lín.") for number in range(20)]
    assert "không phải tiếng Việt Unicode" in _refused(draw(tmp_path / "old.pdf", lines), old_corpus)


def test_no_edition_is_said_before_anything_is_read(tmp_path: Path, old_corpus: Path, damaged: MadeBook) -> None:
    report = import_files([damaged.path], " ", old_corpus)
    assert not report.written
    assert "ấn bản" in report.readable()
