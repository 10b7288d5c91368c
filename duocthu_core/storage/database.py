"""The database: one engine, reading and writing transactions, and errors that a person can act on."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from duocthu_core.settings import SettingsError
from duocthu_core.storage import schema
from duocthu_core.storage.errors import SchemaOutdated, StorageUnavailable

_VARIABLE = "DUOCTHU_DATABASE_URL"
_CONNECT_TIMEOUT_S = 5
_STATEMENT_TIMEOUT_S = 15
_SQLITE_BUSY_TIMEOUT_S = 15
_SQLITE_MIGRATION_TIMEOUT_S = 60
_SQLITE_TRY_AGAIN_S = 0.02
_LONG_SECRET = 6
_POOL_SIZE = 5
_POOL_OVERFLOW = 10
_POOL_TIMEOUT_S = 15
_POOL_RECYCLE_S = 1800
_MISSING_TABLE_STATES = ("42P01", "42703")
"""PostgreSQL: undefined_table, undefined_column."""


class Database:
    """An open database. Its methods raise :class:`StorageUnavailable` with one line while it cannot be used, and work again once it can."""

    def __init__(self, url: URL) -> None:
        self._url = url
        self.is_postgresql = url.get_backend_name() == "postgresql"
        self.place = _place(url)
        """Where it is, for a reader: without user, password and options."""
        self.engine = _engine(url)
        # A SQLite transaction that begins to write only after it has read fails at once where another writer came between; it begins as a
        # writer instead and waits for its turn.
        self._writer = self.engine.execution_options(sqlite_begin="IMMEDIATE")

    def __repr__(self) -> str:
        return f"Database({self.place!r})"

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection for reading; nothing done on it is kept."""
        with self.plain_errors(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection in one transaction: kept at the end of the block, undone where the block raises."""
        with self.plain_errors(), self._writer.begin() as connection:
            yield connection

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        """A connection of its own in one transaction, for migrations.

        Foreign keys are off on SQLite, which alters a table by copying it and dropping the old one.
        """
        engine = _engine(self._url, foreign_keys=False, patience_s=_SQLITE_MIGRATION_TIMEOUT_S, poolclass=NullPool)
        with self.plain_errors(), engine.execution_options(sqlite_begin="IMMEDIATE").begin() as connection:
            yield connection

    def close(self) -> None:
        """Closes every connection of the pool."""
        self.engine.dispose()

    @contextmanager
    def plain_errors(self) -> Iterator[None]:
        """Turns the driver's errors about the database itself into :class:`StorageUnavailable`; others pass."""
        problem: StorageUnavailable | None = None
        try:
            yield
        except PoolTimeout:
            problem = StorageUnavailable(
                f"the database {self.place} is busy: no connection became free within {_POOL_TIMEOUT_S} s; try again"
            )
        except DBAPIError as error:
            problem = self._problem(error)
            if problem is None:
                raise
        if problem is not None:
            # The driver's error is not shown below it: its frames hold the password, its text the host's own words.
            raise problem from None

    def _problem(self, error: DBAPIError) -> StorageUnavailable | None:
        said = self._without_credentials(str(error.orig).strip().split("\n")[0])
        missing = getattr(error.orig, "sqlstate", None) in _MISSING_TABLE_STATES or said.startswith(("no such table", "no such column"))
        if missing:
            return SchemaOutdated(
                f"the database {self.place} lacks tables of this version ({said}); run: python -m duocthu_core db upgrade"
            )
        if getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_READONLY:
            # A file that could not be written when a connection opened it stays so for that connection: the next try gets a new one.
            self.engine.dispose()
        damaged = type(error.orig) is sqlite3.DatabaseError
        if damaged or error.connection_invalidated or isinstance(error, (OperationalError, InterfaceError)):
            return StorageUnavailable(f"the database {self.place} cannot be used ({said}); check that it runs, or correct {_VARIABLE}")
        return None

    def _without_credentials(self, said: str) -> str:
        """What the driver said, without the user and the password; a short one is taken out as a word, not out of the middle of others."""
        for secret in (str(secret) for secret in (self._url.password, self._url.username) if secret):
            border = "" if len(secret) >= _LONG_SECRET else r"\b"
            said = re.sub(border + re.escape(secret) + border, "[hidden]", said)
        return said


def open_database(url: str, *, prepare: bool = True) -> Database:
    """The database at a SQLAlchemy URL (``sqlite:///path`` or ``postgresql://…``).

    With ``prepare``, a SQLite file is created or upgraded, and a PostgreSQL database whose tables are not this version's raises
    :class:`SchemaOutdated` (it is upgraded by ``db upgrade`` only). Raises SettingsError for an URL that cannot be used and
    :class:`StorageUnavailable` for a database that does not answer.
    """
    database = Database(_usable(url))
    if not database.is_postgresql:
        _create_folder(database)
    if prepare:
        schema.prepare(database)
    return database


def _usable(text: str) -> URL:
    try:
        url = make_url(text)
        backend = url.get_backend_name()
    except (ArgumentError, ValueError):
        raise SettingsError(f"{_VARIABLE}: no database URL; give sqlite:///path/to/file or postgresql://user:password@host/name") from None
    if backend in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise SettingsError(f"{_VARIABLE}: {backend} is not supported; give sqlite:///path/to/file or postgresql://user:password@host/name")
    if url.database in (None, "", ":memory:") or "mode=memory" in text:
        raise SettingsError(f"{_VARIABLE}: a SQLite database needs a file, since several threads use it; give sqlite:///path/to/file")
    return url


def _place(url: URL) -> str:
    if url.get_backend_name() == "sqlite":
        return f"sqlite:///{url.database}"
    query_host = url.query.get("host")
    host = url.host or (query_host if isinstance(query_host, str) else "") or "localhost"
    return f"postgresql://{host}{f':{url.port}' if url.port else ''}/{url.database or ''}"


def _create_folder(database: Database) -> None:
    file = Path(str(database.engine.url.database).removeprefix("file:"))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageUnavailable(
            f"the folder {file.parent} of the database cannot be made ({error.strerror}); correct {_VARIABLE} or DUOCTHU_DATA_DIR"
        ) from None


def _engine(url: URL, *, foreign_keys: bool = True, patience_s: float = _SQLITE_BUSY_TIMEOUT_S, **how: Any) -> Engine:
    # Statements are shown in errors, their parameters (questions, answers) are not.
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, hide_parameters=True, connect_args={"timeout": patience_s}, **how)
        _make_sqlite_transactional(engine, foreign_keys, patience_s)
        return engine
    if "poolclass" not in how:
        how |= {
            "pool_size": _POOL_SIZE,
            "max_overflow": _POOL_OVERFLOW,
            "pool_timeout": _POOL_TIMEOUT_S,
            "pool_recycle": _POOL_RECYCLE_S,
            "pool_pre_ping": True,
        }
    options = f"-c statement_timeout={_STATEMENT_TIMEOUT_S}s -c lock_timeout={_STATEMENT_TIMEOUT_S}s -c timezone=UTC"
    connect_args = {"connect_timeout": _CONNECT_TIMEOUT_S, "options": options, "application_name": "duocthu"}
    return create_engine(
        url, hide_parameters=True, connect_args={name: how_ for name, how_ in connect_args.items() if name not in url.query}, **how
    )


def _make_sqlite_transactional(engine: Engine, foreign_keys: bool, patience_s: float) -> None:
    """Lets SQLAlchemy begin transactions, not Python's driver (which begins too late and not before DDL), and sets what a file needs."""

    @event.listens_for(engine, "connect")
    def _set_up(connection: sqlite3.Connection, _record: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        _once_unlocked(lambda: cursor.execute("PRAGMA journal_mode = WAL"), patience_s)
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        how = connection.get_execution_options().get("sqlite_begin", "DEFERRED")
        _once_unlocked(lambda: connection.exec_driver_sql(f"BEGIN {how}"), patience_s)


def _once_unlocked(work: Callable[[], object], patience_s: float) -> None:
    """Does ``work`` as soon as no other connection stands in its way, for at most ``patience_s`` seconds.

    SQLite's own time-out does not cover a change of the journal mode, nor the moment in which a last connection tidies up its log: it says
    "locked" at once there.
    """
    deadline = time.monotonic() + patience_s
    while True:
        try:
            work()
            return
        except (sqlite3.OperationalError, OperationalError) as error:
            said = error.orig if isinstance(error, OperationalError) else error
            code = said.sqlite_errorcode if isinstance(said, sqlite3.OperationalError) else 0
            if code & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) or time.monotonic() >= deadline:
                raise
            time.sleep(_SQLITE_TRY_AGAIN_S)
