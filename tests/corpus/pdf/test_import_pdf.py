"""A formulary in PDF comes in whole: drugs, sections, pages and figures, whatever happened to its pages (spec 07)."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from duocthu_core.corpus.checking import check_corpus
from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.import_report import ImportReport
from duocthu_core.corpus.importing import import_files
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.corpus.model import SECTION_KEYS
from duocthu_core.corpus.pdf.import_pdf import PdfImport, import_pdf
from duocthu_core.corpus.reading.headings import heading_table
from tests.corpus.pdf.comparing import differences, kept_texts, sections_of, tokens_of, tokens_of_text_layer
from tests.corpus.pdf.conftest import EDITION
from tests.corpus.pdf.drawing import LEFT, RIGHT, Text, column, draw, heading
from tests.corpus.pdf_maker import MadeBook, make_book
from tests.corpus.pdf_typesetting import CLEAN

_BOOKS = ("damaged", "long_book")


@pytest.fixture(params=_BOOKS)
def made(request: pytest.FixtureRequest) -> tuple[MadeBook, PdfImport]:
    """A book, and what was read of it."""
    read = {"damaged": "damaged_read", "long_book": "long_read"}[request.param]
    return request.getfixturevalue(request.param), request.getfixturevalue(read)


def test_every_drug_comes_in_under_its_name(made: tuple[MadeBook, PdfImport]) -> None:
    book, read = made
    assert [monograph.drug_id for monograph in read.monographs] == [drug.drug_id for drug in book.drugs]
    assert read.report.status == "accepted"
    assert read.report.rejected == ()


def test_every_section_is_known_however_its_heading_is_written(damaged: MadeBook, damaged_read: PdfImport) -> None:
    printed: set[tuple[str, str]] = set()
    for drug in damaged.drugs:
        found = dict.fromkeys(block.section_key for block in damaged_read.blocks if block.drug_id == drug.drug_id)
        assert sorted(found, key=SECTION_KEYS.index) == sections_of(drug), drug.drug_id
        printed |= set(drug.headings)
    assert len({heading for _, heading in printed}) > 110
    wrong = [(key, text) for key, text in printed if key not in (heading_table().whole(text, None, marked=True) or ((),))[0]]
    assert wrong == []


def test_every_word_and_every_page_is_right(damaged: MadeBook, damaged_read: PdfImport) -> None:
    assert differences(damaged, damaged_read) == []


def test_every_word_and_every_page_of_justified_type_is_right(long_book: MadeBook, long_read: PdfImport) -> None:
    # A word broken at a line's end inside a table of stretched names is left in its two halves.
    halves = re.compile(r"words that (?:were not printed|are lost): .{0,60}\Z")
    assert [found for found in differences(long_book, long_read) if not halves.search(found)] == []


def test_every_running_head_is_out_of_the_text_and_in_the_report(made: tuple[MadeBook, PdfImport]) -> None:
    book, read = made
    assert {head.page: head.text for head in read.report.heads} == book.heads
    assert not [block.block_id for block in read.blocks if "DTQGVN" in block.shown_text]


def test_figures_are_conserved_to_the_token(demo: Corpus, tmp_path: Path) -> None:
    book = make_book(tmp_path / "book.pdf", demo, first_page=101)
    text = tokens_of_text_layer(book)
    result = import_files([book.path], EDITION, tmp_path / "corpus.jsonl")
    assert result.written
    read = import_pdf(book.path, EDITION, tmp_path / "other.jsonl")
    kept = tokens_of(kept_texts(read))
    # Two cells side by side read as one figure ("60" and "925": "60 925") until the recorded separator parts them; and a hyphen at the
    # head of a line is a bullet to the eye that sees the line alone.
    parted = Counter(part for token in (text - kept).elements() for part in re.findall(r"\d+", token))
    assert Counter(part for token in (kept - text).elements() for part in re.findall(r"\d+", token)) == parted
    assert all(re.fullmatch(r"\d{1,3} \d{3}|-\d+", token) for token in text - kept)
    assert sum((text - kept).values()) < 0.01 * sum(text.values())


def test_without_tables_figures_are_conserved_with_no_exception(demo: Corpus, tmp_path: Path) -> None:
    prose = Corpus.of(demo.monographs.values(), [block for block in demo.blocks if block.kind == "prose"], demo.edition)
    book = make_book(tmp_path / "book.pdf", prose, damage=CLEAN)
    read = import_pdf(book.path, EDITION, tmp_path / "corpus.jsonl")
    assert tokens_of(kept_texts(read)) == tokens_of_text_layer(book)


def test_no_digit_is_changed_on_any_page(damaged: MadeBook, damaged_read: PdfImport) -> None:
    source = Counter("".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(damaged.path)))
    kept = Counter("".join(kept_texts(damaged_read)))
    assert {digit: kept[digit] for digit in "0123456789"} == {digit: source[digit] for digit in "0123456789"}
    assert not [warning for warning in damaged_read.report.warnings if warning.reason == "numbers_changed"]


def test_every_row_of_every_table_is_in_quarantine(damaged: MadeBook, damaged_read: PdfImport) -> None:
    clean = [block.text for block in damaged_read.blocks if not block.quarantined]
    for drug in damaged.drugs:
        for paragraph in drug.paragraphs:
            if paragraph.kind == "table":
                for row in paragraph.text.split("\n"):
                    cells = [cell for cell in row.split(" | ") if any(map(str.isdigit, cell))]
                    joined = " ".join(cells)
                    assert not [text for text in clean if len(cells) > 1 and joined in text], row


def test_formulas_are_in_quarantine(damaged_read: PdfImport) -> None:
    formulas = [block for block in damaged_read.blocks if block.kind == "formula"]
    assert {block.drug_id for block in formulas} >= {"phenytoin", "vancomycin"}
    assert all(block.quarantined and block.quarantine_reason == "formula" for block in formulas)


def test_the_imported_corpus_passes_the_check(tmp_path: Path, damaged: MadeBook) -> None:
    target = tmp_path / "corpus.jsonl"
    report = import_files([damaged.path], EDITION, target)
    assert report.written
    corpus = load_corpus(target)
    assert corpus.corpus_id == report.corpus_id
    assert check_corpus(corpus) == []


def test_every_repair_is_on_its_block(damaged_read: PdfImport) -> None:
    kinds = Counter(repair.kind for block in damaged_read.blocks for repair in block.repairs)
    assert kinds["line_join"] > 1000
    assert kinds["hyphenation"] > 20
    assert kinds["page_header"] > 2
    assert kinds["separator"] > 20
    joined = [repair for block in damaged_read.blocks for repair in block.repairs if any(map(str.isdigit, repair.removed))]
    assert {repair.kind for repair in joined} == {"page_header"}


def test_labels_stay_with_the_doses_they_govern(damaged_read: PdfImport) -> None:
    doses = {block.text: block.label for block in damaged_read.blocks if block.drug_id == "azithromycin"}
    assert doses["Uống: 20 mg/kg (tới 1 g), 1 liều."] == "Người lớn:\nMắt hột:"


# The report


def _report(file: PdfImport) -> str:
    return "\n".join(file.report.lines())


def test_the_report_says_page_by_page_what_happened(damaged_read: PdfImport) -> None:
    said = _report(damaged_read)
    assert "35 chuyên luận" in said
    assert f"{len(damaged_read.blocks)} khối" in said
    assert re.search(r"trang 1\d\d: cách ly \d+ khối: bảng", said)
    assert "con số bị ngắt giữa hai dòng" in said
    assert "\n".join(damaged_read.report.lines()).count("\n") < 60


def test_text_outside_monographs_is_reported_by_page(tmp_path: Path) -> None:
    front = [heading(LEFT, 700, "Lời nói đầu"), *column(LEFT, 680, "Sách này dành cho cán bộ y tế.", "Xin đón nhận góp ý.")]
    report = import_files([draw(tmp_path / "a.pdf", front, _monograph("AMOXICILIN"))], EDITION, tmp_path / "c.jsonl")
    [file] = report.files
    assert {(text.file_page, text.reason) for text in file.rejected} == {(1, "before_first_monograph")}
    assert "trang 1 của tệp (trang in 1): không nhập" in report.readable()
    assert "đứng trước chuyên luận đầu tiên" in report.readable()


def _monograph(name: str, *extra: Text, dose: str = "Uống 500 mg mỗi 8 giờ.") -> list[Text]:
    return [
        heading(LEFT, 780, name),
        *column(LEFT, 760, "Tên chung quốc tế: Thuốc.", "Mã ATC: J01CA04.", "Loại thuốc: Kháng sinh."),
        heading(LEFT, 720, "Chỉ định"),
        *column(LEFT, 706, "Nhiễm khuẩn nhẹ và vừa do vi khuẩn nhạy cảm."),
        heading(LEFT, 686, "Liều lượng và cách dùng"),
        *column(LEFT, 672, dose),
        *extra,
    ]


def test_a_drug_given_twice_is_reported_and_kept_once(tmp_path: Path) -> None:
    pages = [_monograph("AMOXICILIN"), _monograph("CEFALEXIN"), _monograph("AMOXICILIN", dose="Uống 999 mg.")]
    report = import_files([draw(tmp_path / "a.pdf", *pages)], EDITION, tmp_path / "c.jsonl")
    [file] = report.files
    assert list(file.drugs) == ["amoxicilin", "cefalexin"]
    assert {text.reason for text in file.rejected} == {"repeated_drug"}
    assert any("999" in text.text for text in file.rejected)


def test_a_heading_in_bold_capitals_does_not_begin_a_drug(tmp_path: Path) -> None:
    more = (
        heading(RIGHT, 780, "TƯƠNG TÁC QUAN TRỌNG"),
        *column(RIGHT, 760, "Không dùng cùng rượu."),
        heading(RIGHT, 730, "Tương kỵ"),
        *column(RIGHT, 716, "Không trộn."),
    )
    report = import_files([draw(tmp_path / "a.pdf", _monograph("AMOXICILIN", *more))], EDITION, tmp_path / "c.jsonl")
    assert list(report.files[0].drugs) == ["amoxicilin"]


def _with_head(number: int, page: list[Text]) -> list[Text]:
    return [Text(LEFT, 815, f"{number} Amoxicilin DTQGVN 2"), *page]


_REST = [heading(LEFT, 780, "Tương tác thuốc"), *column(LEFT, 766, "Tăng độc tính của methotrexat 10 mg.")]


def test_text_behind_missing_pages_is_given_to_no_drug(tmp_path: Path) -> None:
    pages = [
        _with_head(12, _monograph("AMOXICILIN")),
        _with_head(13, [*column(LEFT, 760, "Trẻ em: 25 mg/kg.")]),
        _with_head(17, _REST),
        _with_head(18, _monograph("CEFALEXIN")),
    ]
    report = import_files([draw(tmp_path / "a.pdf", *pages)], EDITION, tmp_path / "c.jsonl")
    [file] = report.files
    assert list(file.drugs) == ["amoxicilin", "cefalexin"]
    assert {(text.page, text.reason) for text in file.rejected} == {(17, "pages_missing")}
    assert "thiếu trang ở giữa" in report.readable()


def test_text_behind_a_page_that_is_a_picture_is_given_to_no_drug(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    draw(path, _monograph("AMOXICILIN"))
    canvas = Canvas(str(tmp_path / "picture.pdf"))
    canvas.drawInlineImage(_grey_square(), 100, 100, 200, 200)
    canvas.save()
    joined = _joined(
        tmp_path / "joined.pdf",
        path,
        tmp_path / "picture.pdf",
        draw(tmp_path / "b.pdf", _REST),
        draw(tmp_path / "c.pdf", _monograph("CEFALEXIN")),
    )
    report = import_files([joined], EDITION, tmp_path / "c.jsonl")
    assert list(report.files[0].drugs) == ["amoxicilin", "cefalexin"]
    assert {text.reason for text in report.files[0].rejected} == {"pages_missing"}
    assert "trang chỉ có ảnh, không có lớp chữ: không nhập: trang 2 của tệp" in report.readable()


def _grey_square() -> Image.Image:
    return Image.new("L", (20, 20), 128)


def _joined(path: Path, *parts: Path) -> Path:
    whole = pypdfium2.PdfDocument.new()
    for part in parts:
        whole.import_pages(pypdfium2.PdfDocument(part))
    whole.save(path)
    return path


def test_pages_without_numbers_are_estimates(tmp_path: Path) -> None:
    report = import_files([draw(tmp_path / "a.pdf", _monograph("AMOXICILIN"), _REST)], EDITION, tmp_path / "c.jsonl")
    blocks = load_corpus(tmp_path / "c.jsonl").blocks
    assert {(block.page_start, block.page_estimated) for block in blocks} == {(1, True), (2, True)}
    assert "số trang ước lượng" in report.readable()


def test_text_on_its_side_is_reported(tmp_path: Path) -> None:
    page = [*_monograph("AMOXICILIN"), Text(20, 300, "Thư viện trường 12345", turned=90)]
    report = import_files([draw(tmp_path / "a.pdf", page)], EDITION, tmp_path / "c.jsonl")
    assert [(text.reason, text.text) for text in report.files[0].rejected] == [("turned_text", "Thư viện trường 12345")]
    assert not [block for block in load_corpus(tmp_path / "c.jsonl").blocks if "12345" in block.text]


def test_progress_is_told_page_by_page(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    path = draw(tmp_path / "a.pdf", _monograph("AMOXICILIN"), _REST, _monograph("CEFALEXIN"))
    import_files([path], EDITION, tmp_path / "c.jsonl", on_page=lambda _, done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_pdf_and_markdown_go_into_one_corpus(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text("# **CEFALEXIN**\n\n#### **Chỉ định**\n\nNhiễm khuẩn.\n", encoding="utf-8")
    report = import_files([draw(tmp_path / "a.pdf", _monograph("AMOXICILIN")), tmp_path / "b.md"], EDITION, tmp_path / "c.jsonl")
    assert isinstance(report, ImportReport)
    assert set(load_corpus(tmp_path / "c.jsonl").monographs) == {"amoxicilin", "cefalexin"}
