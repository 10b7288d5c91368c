"""Files into a corpus, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from duocthu_core.corpus.importing import ImportStopped, import_files
from duocthu_core.corpus.jsonl import load_corpus, save_corpus
from tests.corpus.books import book
from tests.corpus.corpora import EDITION, sample_corpus


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """An existing corpus of two drugs."""
    path = tmp_path / "corpus.jsonl"
    save_corpus(sample_corpus(), path)
    return path


def _file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_files_become_the_corpus(tmp_path: Path, target: Path) -> None:
    files = [_file(tmp_path, "a.md", book(("Chỉ định", "Sốt."))), _file(tmp_path, "b.txt", book(("Chỉ định", "Ho."), name="THUỐC MỚI"))]
    report = import_files(files, "Bản mới", target)
    corpus = load_corpus(target)
    assert not report.failed
    assert report.corpus_id == corpus.corpus_id
    assert (list(corpus.monographs), corpus.edition, corpus.is_demo) == (["thuoc-thu", "thuoc-moi"], "Bản mới", False)
    assert {block.edition for block in corpus.blocks} == {"Bản mới"}


def test_a_merge_replaces_the_drugs_given_and_keeps_the_others(tmp_path: Path, target: Path) -> None:
    report = import_files([_file(tmp_path, "a.md", book(("Chỉ định", "Ho.")))], EDITION, target, merge=True)
    corpus = load_corpus(target)
    assert not report.failed
    assert sorted(corpus.monographs) == ["thuoc-kia", "thuoc-thu"]
    assert [block.text for block in corpus.blocks_of("thuoc-thu")] == ["Ho."]
    assert corpus.is_demo


def test_a_merge_into_another_edition_is_refused(tmp_path: Path, target: Path) -> None:
    before = target.read_bytes()
    report = import_files([_file(tmp_path, "a.md", book(("Chỉ định", "Ho.")))], "Bản khác", target, merge=True)
    assert report.failed
    assert EDITION in (report.problem or "")
    assert target.read_bytes() == before


def test_a_merge_without_a_corpus_begins_one(tmp_path: Path) -> None:
    assert not import_files([_file(tmp_path, "a.md", book(("Chỉ định", "Ho.")))], "e", tmp_path / "new" / "c.jsonl", merge=True).failed


def test_the_products_own_files_are_accepted(tmp_path: Path, target: Path) -> None:
    new = tmp_path / "new.jsonl"
    report = import_files([target], "Bản mới", new)
    assert not report.failed
    assert report.files[0].accepted == 5
    assert load_corpus(new).is_demo
    assert load_corpus(new).notice == sample_corpus().notice


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("none.md", None, "không đọc được"),
        ("b.md", "Một đoạn văn.".encode(), "dòng 1: không tìm thấy chuyên luận nào"),
        ("b.md", b"\xff\xfe\x00", "không phải UTF-8"),
        ("b.jsonl", b"{", "line 1: is no JSON"),
        ("b.docx", b"PK", "không biết cách đọc tệp .docx"),
        ("b", b"x", "không biết cách đọc tệp không có đuôi"),
    ],
)
def test_a_file_that_fails_is_reported_and_the_old_corpus_stays(
    tmp_path: Path, target: Path, name: str, content: bytes | None, said: str
) -> None:
    before = target.read_bytes()
    bad = tmp_path / name
    if content is not None:
        bad.write_bytes(content)
    report = import_files([_file(tmp_path, "a.md", book(("Chỉ định", "Sốt."))), bad], "Bản mới", target)
    assert report.failed
    assert (report.files[0].error, report.files[1].status) == (None, "rejected")
    assert said in (report.files[1].error or "")
    assert name in report.readable()
    assert target.read_bytes() == before


def test_one_drug_in_two_files_is_refused(tmp_path: Path, target: Path) -> None:
    before = target.read_bytes()
    files = [_file(tmp_path, name, book(("Chỉ định", "Sốt."))) for name in ("a.md", "b.md")]
    report = import_files(files, "Bản mới", target)
    assert report.failed
    assert "(thuoc-thu) có ở cả" in (report.problem or "")
    assert all(file.name in (report.problem or "") for file in files)
    assert target.read_bytes() == before


@pytest.mark.parametrize(("count", "edition"), [(0, "e"), (1, " ")])
def test_an_import_of_nothing_or_of_no_edition_is_refused(tmp_path: Path, target: Path, count: int, edition: str) -> None:
    before = target.read_bytes()
    report = import_files([_file(tmp_path, "a.md", book(("Chỉ định", "Sốt.")))] * count, edition, target)
    assert report.failed
    assert report.problem
    assert target.read_bytes() == before


def test_progress_is_told_before_each_file(tmp_path: Path, target: Path) -> None:
    told: list[tuple[str, int, int]] = []
    files = [_file(tmp_path, f"{n}.md", book(("Chỉ định", "Sốt."), name=f"THUỐC {n}")) for n in ("A", "B")]
    import_files(files, "e", target, lambda path, number, count: told.append((path.name, number, count)))
    assert told == [("A.md", 1, 2), ("B.md", 2, 2)]


def test_an_import_twice_gives_the_same_corpus(tmp_path: Path, target: Path) -> None:
    file = _file(tmp_path, "a.md", book(("Chỉ định", "Sốt."), ("Liều lượng và cách dùng", "*Người lớn:*\n\nUống 5 mg.")))
    first = import_files([file], "e", target).corpus_id
    assert import_files([file], "e", target).corpus_id == first


def test_a_reader_who_stops_leaves_the_old_corpus(tmp_path: Path, target: Path) -> None:
    before = target.read_bytes()
    files = [_file(tmp_path, f"{n}.md", book(("Chỉ định", "Sốt."), name=f"THUỐC {n}")) for n in ("A", "B")]

    def stop_at_the_second(_: Path, number: int, __: int) -> None:
        if number == 2:
            raise ImportStopped

    with pytest.raises(ImportStopped):
        import_files(files, "e", target, stop_at_the_second)
    assert target.read_bytes() == before
