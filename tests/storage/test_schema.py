"""Migrations."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, text

from duocthu_core.pipeline.trace import Totals
from duocthu_core.storage.database import open_database
from duocthu_core.storage.errors import SchemaOutdated
from duocthu_core.storage.queue_schema import is_compared
from duocthu_core.storage.schema import downgrade, newest_revision, prepare, revision_of, upgrade
from duocthu_core.storage.tables import metadata
from duocthu_core.storage.traces import SqlTraceStore
from tests.servers.databases import new_database, url_text
from tests.storage.traces import trace


def test_migrations_from_nothing_make_the_tables_of_this_version(empty_database_url: str) -> None:
    database = open_database(empty_database_url, prepare=False)
    assert revision_of(database) is None
    assert upgrade(database) == newest_revision()
    with database.reading() as connection:
        assert (
            compare_metadata(
                MigrationContext.configure(connection, opts={"compare_server_default": True, "include_name": is_compared}), metadata
            )
            == []
        )
    database.close()


def test_migrations_can_be_taken_back_and_done_again(empty_database_url: str) -> None:
    database = open_database(empty_database_url, prepare=False)
    upgrade(database)
    downgrade(database, "base")
    with database.reading() as connection:
        assert inspect(connection).get_table_names() == ["alembic_version"]
    upgrade(database)
    SqlTraceStore(database).save(trace())
    assert revision_of(database) == newest_revision()
    database.close()


def test_turns_of_an_older_version_are_summed_too(empty_database_url: str) -> None:
    database = open_database(empty_database_url, prepare=False)
    upgrade(database)
    store = SqlTraceStore(database)
    kept = trace(totals=Totals(judge_calls=2, input_tokens=812, cost_usd=0.5))
    store.save(kept)
    store.save(trace("trace-2", parent_trace_id="trace-1"))
    expected = store.usage_by_day()
    downgrade(database, "0002")
    upgrade(database)
    assert store.usage_by_day() == expected
    assert [(usage.turns, usage.judge_calls, usage.cost_usd) for usage in expected] == [(1, 2, 0.5)]
    database.close()


def test_a_fresh_sqlite_file_upgrades_itself_and_its_folder_is_made(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'new' / 'folder' / 'workbench.sqlite3'}")
    SqlTraceStore(database).save(trace())
    assert revision_of(database) == newest_revision()
    database.close()


def test_an_open_sqlite_file_is_in_wal_mode_with_foreign_keys_and_patience(sqlite_database) -> None:
    with sqlite_database.reading() as connection:
        pragmas = {name: connection.execute(text(f"PRAGMA {name}")).scalar() for name in ("journal_mode", "foreign_keys", "busy_timeout")}
    assert pragmas["journal_mode"] == "wal"
    assert pragmas["foreign_keys"] == 1
    assert pragmas["busy_timeout"] >= 5000


def test_a_postgresql_database_is_upgraded_on_command_only(postgresql) -> None:
    with new_database(postgresql) as url:
        with pytest.raises(SchemaOutdated, match=r"has no tables yet; run: python -m duocthu_core db upgrade"):
            open_database(url_text(url))
        database = open_database(url_text(url), prepare=False)
        with database.reading() as connection:
            assert inspect(connection).get_table_names() == []
        with pytest.raises(SchemaOutdated, match=r"lacks tables of this version .*db upgrade"):
            SqlTraceStore(database).count()
        upgrade(database)
        prepare(database)
        assert SqlTraceStore(database).count() == 0
        database.close()


def test_a_database_of_a_newer_version_is_left_alone(empty_database_url: str) -> None:
    database = open_database(empty_database_url, prepare=False)
    upgrade(database)
    with database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'of-tomorrow'"))
    database.close()
    with pytest.raises(SchemaOutdated, match="revision of-tomorrow, which this version does not know"):
        open_database(empty_database_url)


def test_upgrades_at_once_wait_for_each_other(empty_database_url: str) -> None:
    databases = [open_database(empty_database_url, prepare=False) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(upgrade, databases)) == [newest_revision()] * 4
    for database in databases:
        database.close()


def test_an_upgrade_waits_for_a_writer_that_sqlite_does_not_wait_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "workbench.sqlite3"
    writer = sqlite3.connect(path, isolation_level=None)  # as a file that another process is about to turn to WAL mode
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("CREATE TABLE of_another (mine)")
    waited: list[float] = []

    def until_it_is_done(seconds: float) -> None:
        waited.append(seconds)
        if writer.in_transaction:
            writer.execute("COMMIT")

    monkeypatch.setattr("duocthu_core.storage.database.time.sleep", until_it_is_done)
    database = open_database(f"sqlite:///{path}")
    assert waited
    assert revision_of(database) == newest_revision()
    database.close()
    writer.close()


def test_an_upgrade_that_fails_half_way_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "workbench.sqlite3"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE trace_blocks (mine)")
    database = open_database(f"sqlite:///{path}", prepare=False)
    with pytest.raises(Exception, match="trace_blocks already exists"):
        upgrade(database)
    with database.reading() as reading:
        assert inspect(reading).get_table_names() == ["trace_blocks"]
    database.close()
