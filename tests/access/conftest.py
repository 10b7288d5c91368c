"""The databases that accounts are kept in."""

from tests.servers.databases import (
    database,
    postgresql,
    postgresql_database,
    postgresql_database_of_the_session,
    postgresql_template,
    sqlite_database,
)

__all__ = [
    "database",
    "postgresql",
    "postgresql_database",
    "postgresql_database_of_the_session",
    "postgresql_template",
    "sqlite_database",
]
