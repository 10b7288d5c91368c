"""Files that are no book: one clear line each, and the corpus that stood before stands on."""

from __future__ import annotations

import signal
import subprocess
import sys
import zlib
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from duocthu_core.corpus.importing import import_files
from tests.conftest import ROOT
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


_OLD = {
    "TCVN3": "ChØ ®Þnh: NhiÔm khuÈn do c¸c vi khuÈn nh¹y c¶m g©y ra ë ng­êi lín.",
    "VNI": "Chæ ñònh: Nhieãm khuaån do caùc vi khuaån nhaïy caûm gaây ra ôû ngöôøi lôùn.",
    "a broken text layer": "ChӍ ÿӏnh: NhiӉm khuҭn do các vi khuҭn nhҥy cҧm gây ra ӣ ngѭӡi lӟn.",
}


@pytest.mark.parametrize("line", _OLD.values(), ids=_OLD)
def test_an_old_encoding_is_named(tmp_path: Path, old_corpus: Path, line: str) -> None:
    lines = [Text(LEFT, 760 - 11 * number, line) for number in range(20)]
    assert "không phải tiếng Việt Unicode" in _refused(draw(tmp_path / "old.pdf", lines), old_corpus)


@pytest.mark.parametrize("line", _OLD.values(), ids=_OLD)
def test_an_old_encoding_is_named_in_a_text_too(tmp_path: Path, old_corpus: Path, line: str) -> None:
    (tmp_path / "old.txt").write_text(f"AMOXICILIN\n\n{line}\n" * 5, encoding="utf-8")
    assert "không phải tiếng Việt Unicode" in _refused(tmp_path / "old.txt", old_corpus)


def _one_page(path: Path, stream: bytes, filters: bytes) -> Path:
    """A PDF of one page with this packed content."""
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d/Filter[%s]>>stream\n" % (len(stream), filters) + stream + b"\nendstream",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    whole, places = b"%PDF-1.7\n", []
    for number, part in enumerate(parts, start=1):
        places.append(len(whole))
        whole += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    path.write_bytes(whole + table + b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % len(whole))
    return path


def _packed(unit: bytes, times: int) -> bytes:
    """``unit`` so many times over, packed once: a block of packed data may be repeated, only the checksum at the end is missing."""
    packer = zlib.compressobj(9)
    head = packer.compress(b"") + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(unit) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + block * times + b"\x03\x00"


def test_a_few_kilobytes_that_unpack_to_gigabytes(tmp_path: Path, old_corpus: Path) -> None:
    path = _one_page(tmp_path / "book.pdf", zlib.compress(_packed(b" " * (1 << 20), 1200)), b"/FlateDecode/FlateDecode")
    assert path.stat().st_size < 20_000
    assert "bung ra quá lớn" in _refused(path, old_corpus)


@pytest.mark.skipif(not hasattr(signal, "ITIMER_PROF"), reason="the system has no such timer")
def test_a_page_that_takes_too_long_ends_its_reader(tmp_path: Path) -> None:
    path = _one_page(tmp_path / "book.pdf", _packed(b"BT /F1 9 Tf 50 700 Td (500 mg) Tj ET\n" * 1000, 300), b"/FlateDecode")
    code = (
        "import sys\nfrom duocthu_core.corpus.pdf import page_process\n"
        f"page_process.SECONDS_A_PAGE = 0.05\npage_process.main({str(path)!r}, 0, sys.stdout)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=ROOT, capture_output=True).returncode == -signal.SIGPROF


def test_no_edition_is_said_before_anything_is_read(tmp_path: Path, old_corpus: Path, damaged: MadeBook) -> None:
    report = import_files([damaged.path], " ", old_corpus)
    assert not report.written
    assert "ấn bản" in report.readable()
