"""What only a database can get wrong."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from sqlalchemy import event, text

from duocthu_core.cache.verification_cache import VerificationCache
from duocthu_core.storage.database import Database
from duocthu_core.storage.verification_cache import SqlCacheStore
from tests.cache.verdicts import query, verdict

ENTRIES = 10_000


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


def test_a_read_costs_at_most_twice_the_bare_statement(database: Database) -> None:
    """Spec 05: 10,000 entries, "at most 2 × the bare SQL statement by primary key", which is sent over a connection of the same pool."""
    cache = VerificationCache(SqlCacheStore(database))
    for start in range(0, ENTRIES, 500):
        cache.put_all([verdict(claim=f"Liều {number} mg.") for number in range(start, start + 500)])
    queries = [query(claim=f"Liều {number} mg.") for number in range(0, ENTRIES, 17)]
    keys = [{"claim_hash": cache.get(each).claim_hash, "tier": "free"} for each in queries]
    by_key = text("SELECT * FROM verification_cache WHERE claim_hash = :claim_hash AND tier = :tier")

    def bare(number: int) -> None:
        with database.engine.connect() as connection:
            connection.execute(by_key, keys[number]).one()

    # Turn about, so that whatever else the machine does falls on both; the middle of each.
    seconds: dict[str, list[float]] = {"bare": [], "read": []}
    for number in range(len(queries)):
        for name, work in (("bare", bare), ("read", lambda number: cache.get(queries[number]))):
            started = time.perf_counter()
            work(number)
            seconds[name].append(time.perf_counter() - started)
    ratio = statistics.median(seconds["read"]) / statistics.median(seconds["bare"])
    assert ratio <= 2, f"{ratio:.2f} × the bare statement"
