"""A review set goes out and comes back without loss; a spreadsheet runs nothing of it."""

from __future__ import annotations

import csv
import io

import pytest

from duocthu_core.review.errors import ReviewError
from duocthu_core.review.exporting import CSV_COLUMNS, export_csv, export_jsonl, import_jsonl
from duocthu_core.review.in_memory import InMemoryReviewStore
from duocthu_core.review.model import Assessment, ClaimAssessment, VerdictFilters
from duocthu_core.storage.database import Database
from duocthu_core.storage.reviews import SqlReviewStore
from tests.review.turns import RESERVED_FOR, START, answered, item_of, queue_of, stopped

NOTE = '=HYPERLINK("http://example.com";"x") \x00 ≥ 10² 💊'


@pytest.fixture
def reviewed() -> InMemoryReviewStore:
    store = InMemoryReviewStore()
    store.add_queue(queue_of(), [item_of(answered()), item_of(stopped())])
    for who, judgement in (("ds.lan@bv.vn", "right"), ("ds.mai@bv.vn", "cannot_tell")):
        said = [ClaimAssessment(claim_index=n, assessment=Assessment(judgement=judgement, note=NOTE)) for n in range(4)]
        store.add_first_verdicts("q1.1", who, said, event_id=f"{who}/e", now=START, expires_at=START + RESERVED_FOR)
    change = ClaimAssessment(claim_index=0, assessment=Assessment(judgement="wrong", error_kind="unit", severity="F"))
    store.add_change("q1.1", "ds.lan@bv.vn", change, reason="Đọc lại.", event_id="change-1", now=START + RESERVED_FOR)
    return store


def test_export_import_export_is_byte_identical(reviewed: InMemoryReviewStore) -> None:
    exported = export_jsonl(reviewed, "q1")
    other = InMemoryReviewStore()
    assert import_jsonl(other, exported.splitlines()) == 9
    assert export_jsonl(other, "q1") == exported
    assert other.item("q1.1").dispute == "open"
    assert other.blind_verdicts(VerdictFilters()) == reviewed.blind_verdicts(VerdictFilters())


def test_it_comes_back_from_a_database_too(reviewed: InMemoryReviewStore, sqlite_database: Database) -> None:
    exported = export_jsonl(reviewed, "q1")
    store = SqlReviewStore(sqlite_database)
    assert import_jsonl(store, exported.splitlines()) == 9
    assert import_jsonl(store, exported.splitlines()) == 0
    assert export_jsonl(store, "q1") == exported
    assert store.progress("q1", "ds.lan@bv.vn", START) == reviewed.progress("q1", "ds.lan@bv.vn", START)


def test_a_broken_line_is_named_and_nothing_is_stored(reviewed: InMemoryReviewStore) -> None:
    lines = export_jsonl(reviewed, "q1").splitlines()
    store = InMemoryReviewStore()
    with pytest.raises(ReviewError, match="line 5"):
        import_jsonl(store, [*lines[:4], lines[4].replace('"kind":"first"', '"kind":"guess"')])
    with pytest.raises(ReviewError, match="does not begin with its queue"):
        import_jsonl(store, lines[1:])
    assert store.queues() == []


def test_the_spreadsheet_reads_it_and_runs_nothing(reviewed: InMemoryReviewStore) -> None:
    written = export_csv(reviewed, "q1").decode()
    assert written.startswith("\ufeffqueue,")
    rows = list(csv.DictReader(io.StringIO(written.removeprefix("\ufeff"), newline="")))
    assert len(rows) == 9
    assert tuple(rows[0]) == CSV_COLUMNS
    assert rows[0]["note"] == "'" + NOTE.replace("\x00", "\ufffd")
    assert rows[0]["judge_status"] == "supported"
    changed = next(row for row in rows if row["kind"] == "change")
    assert (changed["judgement"], changed["severity"], changed["reason"], changed["revealed"]) == ("wrong", "F", "Đọc lại.", "True")
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())
