"""The stored form of a corpus."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.jsonl import CorpusError, load_corpus, save_corpus
from duocthu_core.settings import DEMO_CORPUS
from tests.corpus.corpora import EDITION, large_corpus, sample_corpus

HEAD = {"type": "corpus", "format": 1, "edition": EDITION, "demo": False, "notice": ""}
DRUG = {"type": "monograph", "drug_id": "thuoc-thu", "name": "Thuốc thử"}
BLOCK = {
    "type": "block",
    "block_id": "thuoc-thu/chi_dinh/1",
    "drug_id": "thuoc-thu",
    "section_key": "chi_dinh",
    "heading": "Chỉ định",
    "text": "Đau.",
}


def _write(path: Path, *lines: object) -> Path:
    path.write_text(
        "".join((line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)) + "\n" for line in lines), encoding="utf-8"
    )
    return path


def test_a_round_trip_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    save_corpus(sample_corpus(), first)
    save_corpus(load_corpus(first), second)
    assert first.read_bytes() == second.read_bytes()


def test_a_round_trip_loses_nothing(tmp_path: Path) -> None:
    save_corpus(sample_corpus(), tmp_path / "a.jsonl")
    loaded = load_corpus(tmp_path / "a.jsonl")
    assert loaded.blocks == sample_corpus().blocks
    assert dict(loaded.monographs) == dict(sample_corpus().monographs)
    assert (loaded.edition, loaded.is_demo, loaded.notice) == (EDITION, True, "Bộ thử, không dùng để điều trị.")
    assert loaded.corpus_id == sample_corpus().corpus_id


def test_the_shipped_corpus_is_stored_as_the_product_stores_it(tmp_path: Path) -> None:
    save_corpus(load_corpus(DEMO_CORPUS), tmp_path / "demo.jsonl")
    assert (tmp_path / "demo.jsonl").read_bytes() == DEMO_CORPUS.read_bytes()


def test_a_content_hash_is_optional_and_checked(tmp_path: Path) -> None:
    right = load_corpus(_write(tmp_path / "a.jsonl", HEAD, DRUG, BLOCK)).blocks[0].content_hash
    assert load_corpus(_write(tmp_path / "b.jsonl", HEAD, DRUG, BLOCK | {"content_hash": right})).blocks[0].text == "Đau."
    with pytest.raises(CorpusError, match=r"c\.jsonl, line 3: content_hash of block 'thuoc-thu/chi_dinh/1'"):
        load_corpus(_write(tmp_path / "c.jsonl", HEAD, DRUG, BLOCK | {"content_hash": right, "text": "Đau 5 mg."}))


def test_blocks_may_stand_before_their_monograph(tmp_path: Path) -> None:
    assert len(load_corpus(_write(tmp_path / "a.jsonl", HEAD, BLOCK, DRUG)).blocks) == 1


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], r"a\.jsonl: is empty"),
        (["{"], r"a\.jsonl, line 1: is no JSON"),
        (["7"], r"line 1: is no \{\"type\": \"corpus\""),
        ([DRUG], r"line 1: is no \{\"type\": \"corpus\""),
        ([HEAD | {"format": 2}], r"line 1: is of format 2"),
        ([HEAD | {"edition": " "}], r"line 1: names no edition"),
        ([HEAD | {"demo": "no"}], r"line 1: \"demo\""),
        ([HEAD, DRUG, {"type": "blok"}], r"line 3: has \"type\" 'blok'"),
        ([HEAD, DRUG, DRUG], r"line 3: gives drug 'thuoc-thu' a second time"),
        ([HEAD, DRUG, BLOCK, "", BLOCK], r"line 5: gives block 'thuoc-thu/chi_dinh/1' a second time, first on line 3"),
        ([HEAD, DRUG, BLOCK | {"drug_id": "khac"}], r"line 3: block 'thuoc-thu/chi_dinh/1' is of drug 'khac'"),
        ([HEAD, DRUG, BLOCK | {"section_key": "muc_la"}], r"line 3: block .* is of section 'muc_la', which is unknown; use one of"),
        ([HEAD, DRUG, {k: v for k, v in BLOCK.items() if k != "text"}], r"line 3: block 'thuoc-thu/chi_dinh/1': text: field required"),
        ([HEAD, DRUG, BLOCK | {"txt": "x"}], r"line 3: block .*: txt: extra inputs"),
        ([HEAD, DRUG, BLOCK | {"text": unicodedata.normalize("NFD", "Đau dạ dày.")}], r"line 3: is not in Unicode form NFC"),
        ([HEAD, {"type": "monograph", "drug_id": "x"}], r"line 2: monograph 'x': name: field required"),
    ],
)
def test_a_broken_file_is_named_with_its_line(tmp_path: Path, lines: list, message: str) -> None:
    with pytest.raises(CorpusError, match=message) as caught:
        load_corpus(_write(tmp_path / "a.jsonl", *lines))
    assert "\n" not in str(caught.value)


def test_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"none\.jsonl: cannot be read .*check CORPUS_PATH"):
        load_corpus(tmp_path / "none.jsonl")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"type": "corpus"\xff}')
    with pytest.raises(CorpusError, match="is not UTF-8"):
        load_corpus(tmp_path / "a.jsonl")


def test_a_save_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.jsonl"
    save_corpus(sample_corpus(), target)
    before = target.read_bytes()

    def broken(_corpus: Corpus) -> Iterator[str]:
        yield "half a line"
        raise OSError("disk full")

    monkeypatch.setattr(Corpus, "stored_lines", broken)
    with pytest.raises(OSError, match="disk full"):
        save_corpus(sample_corpus(), target)
    assert target.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]


def test_thousands_of_blocks_load_as_they_were_saved(tmp_path: Path) -> None:
    saved = large_corpus(3_000)
    save_corpus(saved, tmp_path / "big.jsonl")
    loaded = load_corpus(tmp_path / "big.jsonl")
    assert len(loaded.monographs) == 150
    assert loaded.blocks == saved.blocks
