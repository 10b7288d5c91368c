"""The tables of the job queue (Procrastinate) on PostgreSQL, applied with this product's own in one upgrade.

They are the library's, not this version's: it ships the whole schema for a fresh database and a script for each change since. Which
script came last is written down as a comment of its main table.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from procrastinate.schema import SchemaManager
from sqlalchemy import Connection, text

PREFIX = "procrastinate_"
_TABLE = "procrastinate_jobs"


def newest_change() -> str:
    """The last change to the queue's tables that the installed library knows."""
    return _changes()[-1]


def applied_change(connection: Connection) -> str | None:
    """The last change that the database has; None for a database without a queue."""
    if connection.execute(text(f"SELECT to_regclass('{_TABLE}')")).scalar() is None:
        return None
    return connection.execute(text(f"SELECT obj_description('{_TABLE}'::regclass)")).scalar()


def bring_up(connection: Connection) -> None:
    """Makes the queue's tables, or brings them to the installed library's version, within the transaction at work."""
    applied, changes = applied_change(connection), _changes()
    if applied is None:
        _run_script(connection, SchemaManager.get_schema())
    else:
        folder = Path(SchemaManager.get_migrations_path())
        for change in changes:
            if change > applied:
                _run_script(connection, (folder / change).read_text(encoding="utf-8"))
    if applied is None or changes[-1] > applied:
        _run_script(connection, f"COMMENT ON TABLE {_TABLE} IS '{changes[-1]}'")


def is_compared(name: str | None, kind: str, _parents: object) -> bool:
    """Alembic's ``include_name``: the queue's tables are not among those that this version describes."""
    return not (kind == "table" and name is not None and name.startswith(PREFIX))


def _changes() -> list[str]:
    """The library's scripts, in the order in which they are applied."""
    folder = resources.files("procrastinate") / "sql" / "migrations"
    return sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))


def _run_script(connection: Connection, script: str) -> None:
    # The driver takes several statements at once only without parameters, which SQLAlchemy always hands it.
    cursor = connection.connection.cursor()
    cursor.execute(script)
    cursor.close()
