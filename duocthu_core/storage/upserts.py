"""INSERT … ON CONFLICT, which SQLite and PostgreSQL share and SQLAlchemy keeps in their dialects."""

from __future__ import annotations

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def insert_or(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """An INSERT into ``table`` of the connection's dialect, for ``.on_conflict_do_nothing`` or ``.on_conflict_do_update``."""
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)
