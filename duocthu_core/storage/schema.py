"""Bringing a database's tables to this version (Alembic)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from duocthu_core.storage import queue_schema
from duocthu_core.storage.errors import SchemaOutdated

if TYPE_CHECKING:
    from duocthu_core.storage.database import Database

MIGRATIONS = Path(__file__).parent / "migrations"
_UPGRADE = "python -m duocthu_core db upgrade"
_LOCK = 0x6475_6F63_7468_7500
"""Key of the advisory lock that migrations on PostgreSQL take ("duocthu" in ASCII)."""


def newest_revision() -> str:
    """The revision whose tables this version uses."""
    return str(ScriptDirectory.from_config(_config()).get_current_head())


def revision_of(database: Database) -> str | None:
    """The revision that a database is at; None for one without tables."""
    with database.reading() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def prepare(database: Database) -> None:
    """Makes sure that the tables are this version's: SQLite is upgraded, PostgreSQL is only looked at (:class:`SchemaOutdated`)."""
    revision, newest = revision_of(database), newest_revision()
    if revision == newest:
        _check_queue(database)
        return
    if revision is not None and revision not in _known_revisions():
        raise SchemaOutdated(
            f"the database {database.place} is at revision {revision}, which this version does not know; "
            "use the version that wrote it, or another database"
        )
    if database.is_postgresql:
        state = "has no tables yet" if revision is None else f"is at revision {revision}, this version needs {newest}"
        raise SchemaOutdated(f"the database {database.place} {state}; run: {_UPGRADE}")
    upgrade(database)


def upgrade(database: Database, revision: str = "head") -> str:
    """Brings the tables to ``revision`` in one transaction and returns it; of several callers at once one does it and the others wait."""
    with _migrating(database) as connection:
        command.upgrade(_config(connection), revision)
        if database.is_postgresql and revision == "head":
            queue_schema.bring_up(connection)
    return str(revision_of(database))


def downgrade(database: Database, revision: str) -> None:
    """Takes the tables back to ``revision`` (``base``: none), in one transaction."""
    with _migrating(database) as connection:
        command.downgrade(_config(connection), revision)


def _check_queue(database: Database) -> None:
    """Makes sure that the job queue's tables are those of the installed library, where the database has a queue."""
    if not database.is_postgresql:
        return
    with database.reading() as connection:
        applied = queue_schema.applied_change(connection)
    if applied is None or applied < queue_schema.newest_change():
        raise SchemaOutdated(f"the database {database.place} lacks the tables of the job queue of this version; run: {_UPGRADE}")


@contextmanager
def _migrating(database: Database) -> Iterator[Connection]:
    with database.migrating() as connection:
        if database.is_postgresql:
            connection.execute(text("SET LOCAL statement_timeout = 0"))
            connection.execute(text("SET LOCAL lock_timeout = '60s'"))
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        yield connection


def _known_revisions() -> set[str]:
    return {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
