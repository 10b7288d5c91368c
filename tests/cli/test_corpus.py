"""``corpus import`` and ``corpus check`` as a person at a terminal uses them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from duocthu_core.cli import main
from duocthu_core.cli.import_bar import ImportBar
from duocthu_core.corpus.import_report import ImportReport
from duocthu_core.corpus.shelf import CorpusShelf

_BOOK = "# **THUỐC THỬ**\n\n12 **Thuốc thử** DTQGVN 2\n\n## Chỉ định\n\nSốt trên 39,5 ºC.\n"


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A book of one drug; the configured corpus is beside it."""
    monkeypatch.setenv("DUOCTHU_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("DUOCTHU_CORPUS_PATH", str(tmp_path / "corpus.jsonl"))
    path = tmp_path / "sach.md"
    path.write_text(_BOOK, encoding="utf-8")
    return path


def _import(source: Path, *more: str) -> int:
    return main(["corpus", "import", str(source), "--edition", "Bản thử", *more])


def test_the_whole_report_goes_to_a_file_as_text(source: Path, tmp_path: Path) -> None:
    assert _import(source, "--report", str(tmp_path / "bao-cao.txt")) == 0
    assert "trang 12: vào 1 khối" in (tmp_path / "bao-cao.txt").read_text(encoding="utf-8")


def test_the_whole_report_goes_to_a_file_as_json(source: Path, tmp_path: Path) -> None:
    assert _import(source, "--report", str(tmp_path / "report.json")) == 0
    report = ImportReport.model_validate_json((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert (report.written, report.files[0].accepted) == (True, 1)


def test_a_refused_import_has_a_report_too(source: Path, tmp_path: Path) -> None:
    source.write_text("x", encoding="utf-8")
    assert _import(source, "--report", str(tmp_path / "report.json")) == 2
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["written"] is False


def test_a_report_that_cannot_be_written_is_said_in_one_line(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _import(source, "--report", str(tmp_path / "none" / "report.txt")) == 1
    assert "Không ghi được báo cáo" in capsys.readouterr().err


def test_numbers_are_checked_against_a_source(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _import(source) == 0
    assert main(["corpus", "check", "--source", str(source)]) == 0
    source.write_text(_BOOK.replace("39,5", "35,9"), encoding="utf-8")
    assert main(["corpus", "check", "--source", str(source)]) == 1
    assert "mất 35,9" in capsys.readouterr().err
    assert main(["corpus", "check", "--source", str(source.with_name("none.md"))]) == 2


def test_names_without_a_monograph_are_named(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _import(source) == 0
    names = tmp_path / "names.csv"
    names.write_text("vi_name,inn,brands,combination_of,look_alikes\nThuốc thử,,,,\nThuốc lạ,,,,\n", encoding="utf-8")
    assert main(["corpus", "check", "--names", str(names)]) == 1
    assert "Thuốc lạ: trỏ tới 'thuoc-la'" in capsys.readouterr().err


def test_an_import_that_is_interrupted_says_how_to_go_on(
    source: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("duocthu_core.cli.corpus.import_files", interrupted)
    assert _import(source) == 1
    assert "chạy lại lệnh này để đi tiếp" in capsys.readouterr().err


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_of_a_terminal_is_one_line_drawn_anew() -> None:
    screen = _Terminal()
    bar = ImportBar(screen)
    bar.begin(Path("sach.pdf"), 1, 1)
    for done in range(1, 1601):
        bar(Path("sach.pdf"), done, 1600)
    drawn = screen.getvalue()
    assert drawn.count("\n") == 1
    assert drawn.endswith(f"sach.pdf [{'█' * 32}] 1600/1600 trang\n")
    assert drawn.count("\r") <= 201


def test_elsewhere_the_bar_is_a_line_for_every_tenth_part() -> None:
    log = io.StringIO()
    bar = ImportBar(log)
    bar.begin(Path("sach.pdf"), 2, 3)
    for done in range(1, 1601):
        bar(Path("sach.pdf"), done, 1600)
    lines = log.getvalue().splitlines()
    assert lines[0] == "[2/3] sach.pdf"
    assert len(lines) == 12
    assert lines[-1] == "[2/3] sach.pdf: 1600/1600 trang"


def test_a_bar_that_was_left_open_is_ended() -> None:
    screen = _Terminal()
    bar = ImportBar(screen)
    bar(Path("sach.pdf"), 1, 10)
    bar.end()
    bar.end()
    assert screen.getvalue().count("\n") == 1


def test_check_and_stats_look_at_the_corpus_that_answers_and_say_which(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _import(source) == 0
    capsys.readouterr()
    assert main(["corpus", "stats"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["monographs"] == 1
    assert f"Bộ sách đang trả lời: Bản thử ({tmp_path / 'corpus.jsonl'})" in err
    shelf = CorpusShelf(tmp_path / "data")
    shelf.choose(_imported(shelf, _BOOK + _BOOK.replace("THUỐC THỬ", "THUỐC KHÁC").replace("Thuốc thử", "Thuốc khác"), "Bản khác"))
    assert main(["corpus", "stats"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["monographs"] == 2
    assert "Bộ sách đang trả lời: Bản khác (đã chọn ở trang Dược thư" in err
    assert main(["corpus", "check"]) == 0
    assert "Bản khác" in capsys.readouterr().err


def _imported(shelf: CorpusShelf, text: str, edition: str) -> str:
    """Key of a book that was uploaded and imported."""
    shelf.import_uploads([shelf.keep_upload("sach.md", text.encode())], edition)
    (book,) = shelf.imported()
    return book.key
