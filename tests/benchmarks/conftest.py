"""The databases and pages that benchmarks work on: those of the other tests."""

from tests.app.conftest import built, open_page, services
from tests.servers.databases import (
    database,
    postgresql,
    postgresql_database,
    postgresql_database_of_the_session,
    postgresql_template,
    sqlite_database,
)

__all__ = [
    "built",
    "database",
    "open_page",
    "postgresql",
    "postgresql_database",
    "postgresql_database_of_the_session",
    "postgresql_template",
    "services",
    "sqlite_database",
]
