"""The audit log over every store: in memory, SQLite, PostgreSQL."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from duocthu_core.audit.log import AuditLog, InMemoryAuditLog
from duocthu_core.audit.model import AuditFilters
from duocthu_core.storage.audit import SqlAuditLog
from duocthu_core.storage.database import Database

NOW = datetime(2026, 3, 1, 8, 30, tzinfo=UTC)


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def log(request: pytest.FixtureRequest) -> AuditLog:
    if request.param == "memory":
        return InMemoryAuditLog(lambda: NOW)
    return SqlAuditLog(request.getfixturevalue(f"{request.param}_database"), lambda: NOW)


def test_a_line_says_who_did_what_to_what_and_when(log: AuditLog) -> None:
    line = log.record("ds@bệnh-viện.vn", "cache.prune", detail={"pruned": 3, "why": "hết hạn"})
    assert (line.actor, line.action, line.target, line.at) == ("ds@bệnh-viện.vn", "cache.prune", "", NOW)
    assert line.detail == {"pruned": 3, "why": "hết hạn"}
    assert log.recent() == [line]


def test_the_newest_line_stands_first(log: AuditLog) -> None:
    ids = [log.record("local", "ruleset.save", f"sha256:{number}").id for number in range(5)]
    assert sorted(set(ids)) == ids
    assert [line.id for line in log.recent(limit=2, offset=1)] == ids[::-1][1:3]


def test_lines_are_found_by_person_action_room_and_target(log: AuditLog) -> None:
    log.record("a@x.vn", "cache.prune")
    log.record("a@x.vn", "cached.other", "t1")
    log.record("b@x.vn", "review.verdict", "t1")

    def found(**filters: str) -> list[str]:
        given = AuditFilters(**filters)
        lines = log.recent(filters=given)
        assert log.count(given) == len(lines)
        return [line.action for line in lines]

    assert found(actor="a@x.vn") == ["cached.other", "cache.prune"]
    assert found(action="cache.prune") == ["cache.prune"]
    assert found(action="cache.") == ["cache.prune"]
    assert found(target="t1", actor="b@x.vn") == ["review.verdict"]


@pytest.mark.parametrize("action", ["prune", "Cache.Prune", "cache.prune now", "cache.", ""])
def test_an_action_that_is_no_code_is_refused(log: AuditLog, action: str) -> None:
    with pytest.raises(ValueError, match=r"room\.verb"):
        log.record("local", action)
    assert log.count() == 0


def test_what_no_column_holds_is_written_so_that_the_line_is_kept(log: AuditLog) -> None:
    line = log.record("a\x00b", "cache.prune", "\ud800", {"text": "\x00 ≥ 10²"})
    assert log.recent() == [line]
    assert line.detail == {"text": "\x00 ≥ 10²"}


def test_writers_at_once_lose_no_line(log: AuditLog) -> None:
    with ThreadPoolExecutor(8) as pool:
        ids = {line.id for line in pool.map(lambda number: log.record("local", "review.verdict", str(number)), range(40))}
    assert len(ids) == 40
    assert {line.target for line in log.recent(limit=100)} == {str(number) for number in range(40)}


@pytest.mark.parametrize("change", ["UPDATE audit_log SET actor = 'another'", "DELETE FROM audit_log"])
def test_the_table_refuses_that_a_line_is_changed(database: Database, change: str) -> None:
    log = SqlAuditLog(database)
    kept = log.record("local", "cache.prune")
    with pytest.raises(DBAPIError, match="audit_log is append-only"), database.writing() as connection:
        connection.execute(text(change))
    assert log.recent() == [kept]
