"""Bad files through both doors, the command line and the shelf that the page uses: one line with what to do, the old corpus stays."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from duocthu_core.cli import main
from duocthu_core.cli.errors import BAD_INPUT, DONE
from duocthu_core.corpus import importing
from duocthu_core.corpus.importing import import_files
from duocthu_core.corpus.jsonl import load_corpus, save_corpus
from duocthu_core.corpus.shelf import CorpusShelf
from tests.corpus.books import book
from tests.corpus.corpora import sample_corpus

BOOK = book(("Chỉ định", "Sốt ở người lớn."), ("Liều lượng và cách dùng", "Người lớn: 250 mg/lần."))


def _locked(path: Path) -> None:
    canvas = Canvas(str(path), encrypt=StandardEncryption("mat-khau", canPrint=0))
    canvas.drawString(100, 700, "Chi dinh")
    canvas.save()


def _scanned(path: Path) -> None:
    canvas = Canvas(str(path))
    canvas.drawInlineImage(Image.new("L", (20, 20), 128), 100, 100, 200, 200)
    canvas.save()


def _cut(path: Path) -> None:
    canvas = Canvas(str(path))
    for line in range(200):
        canvas.drawString(100, 700 - line, f"Chi dinh {line}")
    canvas.save()
    path.write_bytes(path.read_bytes()[:400])


def _bytes(content: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(content)

    return write


def _broken_lines(path: Path) -> None:
    save_corpus(sample_corpus(), path)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([*lines[:3], lines[3][:40] + "\n", *lines[4:]]), encoding="utf-8")


def _broken_leaflets(path: Path) -> None:
    leaflet = {"registration_number": "1", "drug_name": "A", "pages": [{"page": 1, "text": "CHỈ ĐỊNH\nSốt."}]}
    path.write_text(f"{json.dumps(leaflet)}\n{{\n", encoding="utf-8")


_BAD = {
    "locked.pdf": (_locked, "PDF có mật khẩu; gỡ mật khẩu rồi nhập lại"),
    "cut.pdf": (_cut, "PDF bị cắt cụt"),
    "empty.pdf": (_bytes(b""), "tệp trống; cần tệp PDF có lớp chữ"),
    "scan.pdf": (_scanned, "chạy nhận dạng chữ (OCR) rồi nhập lại"),
    "empty.md": (_bytes(b""), "tệp không có chữ nào"),
    "blank.txt": (_bytes(b"\xef\xbb\xbf\r\n \r\n"), "tệp không có chữ nào"),
    "latin.md": (_bytes(BOOK.encode().replace("ố".encode(), b"\xf4")), "không phải UTF-8; lưu lại tệp dạng UTF-8"),
    "utf16.md": (_bytes(BOOK.encode("utf-16")), "byte 0 không phải UTF-8; lưu lại tệp dạng UTF-8"),
    "empty.jsonl": (_bytes(b""), "tệp JSONL không đúng dạng (is empty"),
    "broken.jsonl": (_broken_lines, "tệp JSONL không đúng dạng (line 4: is no JSON"),
    "leaflets.jsonl": (_broken_leaflets, "tệp JSONL không đúng dạng (line 2: is no leaflet"),
    "nul.jsonl": (_bytes(b"\0\0\0"), "tệp JSONL không đúng dạng (line 1: is no JSON"),
    "words.docx": (_bytes(b"PK"), "không biết cách đọc tệp .docx"),
}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """The corpus that answers before."""
    path = tmp_path / "old" / "corpus.jsonl"
    save_corpus(sample_corpus(), path)
    return path


@pytest.mark.parametrize("name", _BAD)
def test_on_the_command_line(tmp_path: Path, old: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    make, said = _BAD[name]
    make(tmp_path / name)
    before = old.read_bytes()
    assert main(["corpus", "import", str(tmp_path / name), "--edition", "Bản thử", "--output", str(old)]) == BAD_INPUT
    [line] = [line for line in capsys.readouterr().err.splitlines() if "KHÔNG nhập" in line]
    assert said in line
    assert line.count(name) == 1
    assert old.read_bytes() == before
    assert [found.name for found in old.parent.iterdir()] == [old.name]


@pytest.mark.parametrize("name", _BAD)
def test_uploaded_on_the_page(tmp_path: Path, name: str) -> None:
    make, said = _BAD[name]
    make(tmp_path / name)
    shelf = CorpusShelf(tmp_path / "data")
    good = shelf.keep_upload("good.md", BOOK.encode())
    shelf.choose(_key(shelf, good))
    report = shelf.import_uploads([shelf.keep_upload(name, (tmp_path / name).read_bytes())], "Bản thử")
    assert report.failed
    assert said in (report.files[0].error or "")
    assert "\n" not in (report.files[0].error or "")
    assert str(tmp_path) not in report.model_dump_json()
    assert len(shelf.imported()) == 1
    assert shelf.load_chosen() is not None
    assert list((shelf.folder / "uploads").iterdir()) == [], "of a refused file nothing is left"
    assert not [path for path in shelf.folder.iterdir() if path.name.startswith(".")]


def _key(shelf: CorpusShelf, path: Path) -> str:
    assert shelf.import_uploads([path], "Bản trước").written
    return shelf.imported()[0].key


def test_a_text_that_is_no_book_by_its_size_is_refused_before_it_is_read(
    tmp_path: Path, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "huge.txt"
    with path.open("wb") as file:
        file.truncate(300 << 20)
    monkeypatch.setitem(importing._READERS, ".txt", lambda *_: pytest.fail("it was read"))  # pyright: ignore[reportArgumentType]
    before = old.read_bytes()
    report = import_files([path], "Bản thử", old)
    assert report.files[0].error == "tệp chữ quá lớn (300 MB, nhiều nhất 64 MB); chia thành nhiều tệp theo chuyên luận rồi nhập"
    assert old.read_bytes() == before


def test_line_ends_of_windows_and_a_mark_in_front_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbf" + BOOK.replace("\n", "\r\n").encode())
    (tmp_path / "b.md").write_bytes(BOOK.encode())
    made = [import_files([tmp_path / name], "Bản thử", tmp_path / f"{name}.jsonl").corpus_id for name in ("a.md", "b.md")]
    assert made[0] == made[1]


def test_a_nul_inside_a_figure_keeps_its_block_from_generation(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(BOOK.replace("250", "2\x0050").encode())
    assert import_files([tmp_path / "a.md"], "Bản thử", tmp_path / "c.jsonl").written
    [dose] = load_corpus(tmp_path / "c.jsonl").blocks_of("thuoc-thu", "lieu_luong_cach_dung")
    assert (dose.quarantined, dose.quarantine_reason) == (True, "noise_near_digits")


def test_a_drug_twice_in_one_file_comes_in_once_and_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.md").write_text(BOOK + "\n" + BOOK.replace("250 mg", "500 mg"), encoding="utf-8")
    assert main(["corpus", "import", str(tmp_path / "a.md"), "--edition", "Bản thử", "--output", str(tmp_path / "c.jsonl")]) == DONE
    assert "không nhập (thuốc đã có trong tệp này)" in capsys.readouterr().err
    assert "500 mg" not in (tmp_path / "c.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["../../x.md", "..\\..\\x.md", "x" * 400 + ".md", "ố" * 200 + ".md", "CON.md", "tệp\n.MD"])
def test_any_name_of_an_upload_stays_in_its_folder_and_comes_in(tmp_path: Path, name: str) -> None:
    shelf = CorpusShelf(tmp_path / "data")
    path = shelf.keep_upload(name, BOOK.encode())
    assert path.parent.parent == shelf.folder / "uploads"
    assert shelf.import_uploads([path], "Bản thử").written
    assert [found.name for found in tmp_path.iterdir()] == ["data"]
