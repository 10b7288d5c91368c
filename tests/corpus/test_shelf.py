"""Imported corpora on their shelf, and which one answers (spec 06, page 8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from duocthu_core.bootstrap import answering_from, bootstrap
from duocthu_core.cache.store import InMemoryCacheStore
from duocthu_core.conversation.store import InMemoryConversationStore
from duocthu_core.corpus.collection import CorpusError
from duocthu_core.corpus.shelf import CorpusShelf
from duocthu_core.pipeline.trace_store import InMemoryTraceStore, InMemoryTurnStore
from duocthu_core.settings import Settings, load_settings

EDITION = "Bản thử 2026"
BOOK = """# THUOCTHU

**Tên chung quốc tế:** Thuocthu.

## Chỉ định

Dùng thử khi kiểm tra việc nhập sách.

## Liều lượng và cách dùng

Người lớn: 250 mg/lần, ngày 2 lần.
"""


def imported(shelf: CorpusShelf, text: str = BOOK) -> str:
    """Imports a small book and gives its key."""
    path = shelf.keep_upload("thuoc thu.md", f"<!-- trang 12 -->\n12 **Thuocthu** DTQGVN 2\n\n{text}".encode())
    report = shelf.import_uploads([path], EDITION)
    assert report.written, report.readable()
    return shelf.imported()[0].key


@pytest.fixture
def shelf(tmp_path: Path) -> CorpusShelf:
    return CorpusShelf(tmp_path)


def test_a_fresh_shelf_is_empty_and_leaves_the_choice_to_the_settings(shelf: CorpusShelf) -> None:
    assert shelf.imported() == []
    assert shelf.chosen() is None
    assert shelf.load_chosen() is None


def test_an_import_stands_on_the_shelf_with_its_report_and_answers_only_when_chosen(shelf: CorpusShelf) -> None:
    key = imported(shelf)
    book = shelf.book(key)
    assert book is not None
    assert (book.edition, book.monographs) == (EDITION, 1)
    assert book.blocks == len(shelf.choose(key).blocks) > 0
    assert book.report.files[0].path == "thuoc thu.md"
    assert str(shelf.folder) not in book.report.model_dump_json()
    loaded = CorpusShelf(shelf.folder.parent).load_chosen()
    assert loaded is not None
    assert loaded.corpus_id == book.corpus_id


def test_importing_leaves_the_choice_as_it_is(shelf: CorpusShelf) -> None:
    imported(shelf)
    assert shelf.chosen() is None


def test_a_file_that_fails_leaves_nothing_on_the_shelf(shelf: CorpusShelf) -> None:
    report = shelf.import_uploads([shelf.keep_upload("a.docx", b"PK")], EDITION)
    assert report.failed
    assert report.files[0].error is not None
    assert shelf.imported() == []


def test_a_stopped_import_leaves_nothing_on_the_shelf(shelf: CorpusShelf) -> None:
    class Stopped(Exception):
        pass

    def stop(_path: Path, _number: int, _count: int) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        shelf.import_uploads([shelf.keep_upload("a.md", BOOK.encode())], EDITION, stop)
    assert shelf.imported() == []


@pytest.mark.parametrize("name", ["../../etc/passwd", "..", "a/b.md", "x\x00y.md", "thuốc.md"])
def test_an_upload_never_leaves_its_folder(shelf: CorpusShelf, name: str) -> None:
    path = shelf.keep_upload(name, b"1")
    assert path.resolve().parent.parent == (shelf.folder / "uploads").resolve()
    assert path.read_bytes() == b"1"


def test_the_same_bytes_come_to_the_same_path(shelf: CorpusShelf) -> None:
    assert shelf.keep_upload("a.pdf", b"book") == shelf.keep_upload("a.pdf", b"book")


def test_the_configured_corpus_answers_again_once_the_choice_is_taken_back(shelf: CorpusShelf) -> None:
    shelf.choose(imported(shelf))
    shelf.choose_configured()
    assert shelf.load_chosen() is None


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"key": "../x", "corpus_id": "y"}', b'{"key": "0123456789abcdef", "corpus_id": "y"}']
)
def test_a_pointer_to_nothing_is_one_line_that_says_what_to_do(shelf: CorpusShelf, content: bytes) -> None:
    shelf.folder.mkdir(parents=True)
    shelf.pointer.write_bytes(content)
    with pytest.raises(CorpusError) as error:
        shelf.load_chosen()
    assert "\n" not in str(error.value)
    assert "delete active.json to answer from CORPUS_PATH again" in str(error.value)


def test_a_chosen_corpus_that_was_changed_by_hand_does_not_answer(shelf: CorpusShelf) -> None:
    key = imported(shelf)
    shelf.choose(key)
    path = shelf.folder / f"{key}.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("250 mg", "2500 mg"), encoding="utf-8")
    with pytest.raises(CorpusError, match="another id"):
        shelf.load_chosen()
    with pytest.raises(CorpusError, match="another id"):
        shelf.choose(key)


def test_choosing_what_cannot_be_used_leaves_the_old_choice(shelf: CorpusShelf) -> None:
    key = imported(shelf)
    shelf.choose(key)
    with pytest.raises(CorpusError):
        shelf.choose("0123456789abcdef")
    assert shelf.chosen() == key


def test_services_answer_from_the_chosen_corpus_after_a_restart(tmp_path: Path) -> None:
    shelf = CorpusShelf(tmp_path)
    shelf.choose(imported(shelf))
    settings = load_settings(_env_file=None, DUOCTHU_DATA_DIR=tmp_path)
    assert bootstrap(settings, **_stores()).corpus.edition == EDITION


def test_a_bad_pointer_stops_the_start(tmp_path: Path) -> None:
    shelf = CorpusShelf(tmp_path)
    shelf.folder.mkdir()
    shelf.pointer.write_text("?", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"active\.json"):
        bootstrap(load_settings(_env_file=None, DUOCTHU_DATA_DIR=tmp_path), **_stores())


def test_other_services_over_the_same_stores_answer_from_another_corpus(tmp_path: Path) -> None:
    settings: Settings = load_settings(_env_file=None, DUOCTHU_DATA_DIR=tmp_path)
    old = bootstrap(settings, **_stores())
    shelf = CorpusShelf(tmp_path)
    new = answering_from(old, shelf.choose(imported(shelf)))
    assert (new.traces, new.turns, new.conversations, new.ruleset) == (old.traces, old.turns, old.conversations, old.ruleset)
    assert new.pipeline.parts.corpus.edition == EDITION
    assert old.pipeline.parts.corpus.edition != EDITION
    assert "250 mg/lần" in new.ask("Liều thuocthu cho người lớn?", new.new_conversation_id()).answer.model_dump_json()


def _stores() -> dict[str, object]:
    conversations, traces = InMemoryConversationStore(), InMemoryTraceStore()
    return {
        "conversations": conversations,
        "traces": traces,
        "turns": InMemoryTurnStore(conversations, traces),
        "cache_store": InMemoryCacheStore(),
    }
