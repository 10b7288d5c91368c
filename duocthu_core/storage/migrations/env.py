"""Alembic's entry: migrates over the connection that it is handed, or, from Alembic's own command line, over the configured database."""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection

from duocthu_core.storage.queue_schema import is_compared
from duocthu_core.storage.tables import metadata


def _run(connection: Connection) -> None:
    # SQLite alters a table by copying it: "batch" writes such migrations.
    context.configure(
        connection=connection,
        target_metadata=metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        include_name=is_compared,
    )
    with context.begin_transaction():
        context.run_migrations()


_given = context.config.attributes.get("connection")
if _given is not None:
    _run(_given)
else:
    from duocthu_core.settings import load_settings
    from duocthu_core.storage.database import open_database

    with open_database(load_settings().effective_database_url, prepare=False).migrating() as _own:
        _run(_own)
