"""An import that is killed: the old corpus answers on, and the next run goes on where the first one stopped."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.importing import ImportStopped, import_files
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.corpus.pdf.import_pdf import import_pdf
from duocthu_core.corpus.pdf.journal import Journal
from duocthu_core.corpus.pdf.page_reader import PdfError
from duocthu_core.rulesets.loading import RULESETS_FOLDER
from tests.conftest import ROOT
from tests.corpus.pdf.conftest import EDITION
from tests.corpus.pdf.memory import peak_memory_of_import
from tests.corpus.pdf_maker import MadeBook


def _start(book: MadeBook, corpus: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "duocthu_core", "corpus", "import", str(book.path), "--edition", EDITION, "--output", str(corpus)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _journals(corpus: Path) -> list[Path]:
    return sorted(corpus.parent.glob(f".{corpus.name}.*.reading"))


def _kill_after(book: MadeBook, corpus: Path, slabs: int) -> None:
    """Starts an import and kills it, as a lost current does, once so many slabs are in its journal."""
    process = _start(book, corpus)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = _journals(corpus)
        if found and found[0].read_bytes().count(b"\n") >= slabs:
            break
        if process.poll() is not None:
            pytest.fail("the import was done before it could be killed")
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def test_killed_in_the_middle_the_old_corpus_answers_and_the_second_run_completes(
    tmp_path: Path, long_book: MadeBook, demo: Corpus, old_corpus: Path
) -> None:
    before = old_corpus.read_bytes()
    _kill_after(long_book, old_corpus, 8)
    assert old_corpus.read_bytes() == before
    assert load_corpus(old_corpus).corpus_id == demo.corpus_id
    told: list[int] = []
    report = import_files([long_book.path], EDITION, old_corpus, on_page=lambda _, done, total: told.append(done))
    assert report.written
    assert told[0] > 1, "the second run must go on, not begin anew"
    alone = import_files([long_book.path], EDITION, tmp_path / "alone.jsonl")
    assert (report.corpus_id, report.files) == (alone.corpus_id, alone.files)
    assert _journals(old_corpus) == []


def test_killed_twice(tmp_path: Path, long_book: MadeBook, old_corpus: Path) -> None:
    _kill_after(long_book, old_corpus, 2)
    _kill_after(long_book, old_corpus, 6)
    report = import_files([long_book.path], EDITION, old_corpus)
    assert report.corpus_id == import_files([long_book.path], EDITION, tmp_path / "alone.jsonl").corpus_id


def test_a_journal_line_that_was_cut_off_is_left_out(tmp_path: Path, long_book: MadeBook, old_corpus: Path) -> None:
    _kill_after(long_book, old_corpus, 3)
    [journal] = _journals(old_corpus)
    with journal.open("ab") as file:
        file.write(b'{"resume": [3, 3, 4')
    report = import_files([long_book.path], EDITION, old_corpus)
    assert report.corpus_id == import_files([long_book.path], EDITION, tmp_path / "alone.jsonl").corpus_id


def test_every_place_to_go_on_from_gives_the_same_book(tmp_path: Path, damaged: MadeBook) -> None:
    target = tmp_path / "corpus.jsonl"
    whole = import_pdf(damaged.path, EDITION, target)
    with Journal.of(damaged.path, EDITION, target) as journal:
        path, slabs = journal.path, len(journal.done)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    assert slabs == len(lines) == len(damaged.drugs) - 1
    for kept in (1, 7, 15, 24, slabs):
        path.write_text("".join(lines[:kept]), encoding="utf-8")
        again = import_pdf(damaged.path, EDITION, target)
        assert (again.monographs, again.blocks) == (whole.monographs, whole.blocks), kept
        assert again.report == whole.report, kept


def test_another_edition_or_file_does_not_use_the_journal(tmp_path: Path, damaged: MadeBook) -> None:
    target = tmp_path / "corpus.jsonl"
    one, other = Journal.of(damaged.path, EDITION, target), Journal.of(damaged.path, "Bản khác", target)
    changed = tmp_path / "changed.pdf"
    changed.write_bytes(damaged.path.read_bytes() + b"\n")
    assert len({one.path, other.path, Journal.of(changed, EDITION, target).path}) == 3


def test_rules_changed_while_a_book_is_read_leave_no_journal_behind(
    tmp_path: Path, damaged: MadeBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = tmp_path / "rules"
    shutil.copytree(RULESETS_FOLDER / "default", rules / "default")
    monkeypatch.setattr("duocthu_core.corpus.pdf.journal.RULESETS_FOLDER", rules)

    def change(_: Path, done: int, __: int) -> None:
        if done == 3:
            (rules / "default" / "zzz.yaml").write_text("# changed\n", encoding="utf-8")

    target = tmp_path / "corpus.jsonl"
    assert import_files([damaged.path], EDITION, target, on_page=change).written
    assert _journals(target) == []


def test_two_imports_of_one_file_at_a_time_are_refused(tmp_path: Path, damaged: MadeBook) -> None:
    target = tmp_path / "corpus.jsonl"
    with Journal.of(damaged.path, EDITION, target):
        report = import_files([damaged.path], EDITION, target)
    assert "đang được nhập ở một cửa sổ khác" in report.readable()
    assert import_files([damaged.path], EDITION, target).written


def test_a_corpus_that_cannot_be_written_is_said(tmp_path: Path, damaged: MadeBook) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x")
    report = import_files([damaged.path], EDITION, blocked / "corpus.jsonl")
    assert not report.written
    assert report.files[0].error


def test_what_is_read_before_a_page_that_fails_is_not_kept(tmp_path: Path, damaged: MadeBook, old_corpus: Path) -> None:
    path = tmp_path / "book.pdf"
    path.write_bytes(damaged.path.read_bytes()[:-60_000] + b"%%EOF")
    before = old_corpus.read_bytes()
    with pytest.raises(PdfError):
        import_pdf(path, EDITION, old_corpus)
    assert old_corpus.read_bytes() == before
    assert _journals(old_corpus) == []


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell the peak of a process")
def test_memory_stays_bounded(tmp_path: Path, long_book: MadeBook) -> None:
    assert peak_memory_of_import(long_book.path, tmp_path / "c.jsonl") < 200


def test_stopped_by_the_reader_the_next_run_goes_on(tmp_path: Path, long_book: MadeBook, demo: Corpus, old_corpus: Path) -> None:
    def stop(_: Path, done: int, __: int) -> None:
        if done == 40:
            raise ImportStopped

    with pytest.raises(ImportStopped):
        import_files([long_book.path], EDITION, old_corpus, on_page=stop)
    assert load_corpus(old_corpus).corpus_id == demo.corpus_id
    told: list[int] = []
    report = import_files([long_book.path], EDITION, old_corpus, on_page=lambda _, done, total: told.append(done))
    assert told[0] > 1
    assert report.corpus_id == import_files([long_book.path], EDITION, tmp_path / "alone.jsonl").corpus_id
