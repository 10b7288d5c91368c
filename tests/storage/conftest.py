"""Each storage test runs on SQLite and on PostgreSQL."""

from __future__ import annotations

from tests.servers.databases import (
    database,
    empty_database_url,
    postgresql,
    postgresql_database,
    postgresql_database_of_the_session,
    postgresql_template,
    sqlite_database,
)

__all__ = [
    "database",
    "empty_database_url",
    "postgresql",
    "postgresql_database",
    "postgresql_database_of_the_session",
    "postgresql_template",
    "sqlite_database",
]
