"""What only a database can get wrong."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from sqlalchemy import event, text

from duocthu_core.cache.verification_cache import VerificationCache
from duocthu_core.storage.database import Database
from duocthu_core.storage.verification_cache import SqlCacheStore
from tests.cache.verdicts import query, verdict


def statements(database: Database, work: Callable[[], object]) -> list[str]:
    """The statements that ``work`` sends, without those that begin and end a transaction."""
    sent: list[str] = []

    def keep(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if not statement.startswith("BEGIN"):
            sent.append(statement)

    event.listen(database.engine, "before_cursor_execute", keep)
    try:
        work()
    finally:
        event.remove(database.engine, "before_cursor_execute", keep)
    return sent


def test_all_claims_of_a_turn_are_read_with_one_statement(database: Database) -> None:
    cache = VerificationCache(SqlCacheStore(database))
    claims = [f"Liều {number} mg." for number in range(40)]
    cache.put_all([verdict(claim=claim) for claim in claims])
    sent = statements(database, lambda: cache.get_all([query(claim=claim) for claim in claims]))
    assert len(sent) == 1
    assert sent[0].startswith("SELECT")


def test_a_write_is_one_statement_and_no_look_before(database: Database) -> None:
    cache = VerificationCache(SqlCacheStore(database))
    sent = statements(database, lambda: cache.put_all([verdict(), verdict(tier="premium")]))
    assert len(sent) == 1
    assert "ON CONFLICT" in sent[0]


def test_a_row_that_cannot_be_read_is_passed_over_and_written_over(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    cache = VerificationCache(SqlCacheStore(database))
    cache.put_all([verdict(), verdict(claim="Dừng thuốc.")])
    with database.writing() as connection:
        connection.execute(text("UPDATE verification_cache SET verification_processed = '{\"half' WHERE claim <> 'Dừng thuốc.'"))
    assert [answer.staleness for answer in cache.get_all([query(), query(claim="Dừng thuốc.")])] == ["miss", "fresh"]
    assert "cannot be read and is passed over" in caplog.text
    cache.put(verdict())
    assert cache.get(query()).staleness == "fresh"


def test_a_row_with_its_own_offset_and_from_the_future_is_read(postgresql_database: Database) -> None:
    cache = VerificationCache(SqlCacheStore(postgresql_database))
    cache.put(verdict())
    with postgresql_database.writing() as connection:
        connection.execute(
            text("UPDATE verification_cache SET created_at = '2999-01-01T00:00:00+07:00', expires_at = '2999-01-01T00:00:00+07:00'")
        )
    entry = cache.get(query()).entry
    assert entry is not None
    assert entry.created_at == datetime(2998, 12, 31, 17, tzinfo=UTC)


def test_each_of_thousands_of_entries_is_read_with_one_statement_by_its_key(database: Database) -> None:
    cache = VerificationCache(SqlCacheStore(database))
    claims = [f"Liều {number} mg." for number in range(2_000)]
    for start in range(0, len(claims), 500):
        cache.put_all([verdict(claim=claim) for claim in claims[start : start + 500]])
    some = [query(claim=claim) for claim in claims[::97]]
    answers = []
    sent = statements(database, lambda: answers.extend(cache.get(each) for each in some))
    assert [answer.staleness for answer in answers] == ["fresh"] * len(some)
    assert [answer.entry and answer.entry.claim for answer in answers] == claims[::97]
    assert len(sent) == len(some)
    assert all("claim_hash" in statement.partition("WHERE")[2] for statement in sent)
