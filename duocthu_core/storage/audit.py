"""The audit log in the database (spec 06, "Access"). The table itself refuses that a line is changed or deleted."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from pydantic import JsonValue
from sqlalchemy import ColumnElement, Connection, RowMapping, func, select

from duocthu_core.audit.model import NO_FILTERS, AuditEntry, AuditFilters, AuditLine, entry_of
from duocthu_core.storage.database import Database
from duocthu_core.storage.tables import audit_log


class SqlAuditLog:
    """An :class:`duocthu_core.audit.log.AuditLog` on SQLite or PostgreSQL."""

    def __init__(self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._database = database
        self._clock = clock

    def record(self, actor: str, action: str, target: str = "", detail: Mapping[str, JsonValue] | None = None) -> AuditLine:
        with self._database.writing() as connection:
            return record_in(connection, entry_of(actor, action, target, detail), self._clock())

    def recent(self, limit: int = 50, offset: int = 0, filters: AuditFilters = NO_FILTERS) -> list[AuditLine]:
        query = select(audit_log).where(*_conditions(filters)).order_by(audit_log.c.id.desc()).limit(limit).offset(offset)
        with self._database.reading() as connection:
            return [_line_of(row) for row in connection.execute(query).mappings()]

    def count(self, filters: AuditFilters = NO_FILTERS) -> int:
        with self._database.reading() as connection:
            return connection.execute(select(func.count()).select_from(audit_log).where(*_conditions(filters))).scalar_one()


def record_in(connection: Connection, entry: AuditEntry, at: datetime) -> AuditLine:
    """Adds a line within a transaction at work, so that a write and its line are kept together or not at all."""
    row = entry.model_dump() | {"at": at, "detail": json.dumps(entry.detail, allow_nan=False, separators=(",", ":"))}
    return _line_of(connection.execute(audit_log.insert().values(row).returning(audit_log)).mappings().one())


def _line_of(row: RowMapping) -> AuditLine:
    return AuditLine.model_validate(dict(row) | {"detail": json.loads(row["detail"])})


def _conditions(filters: AuditFilters) -> list[ColumnElement[bool]]:
    c = audit_log.c
    conditions: list[ColumnElement[bool]] = []
    if filters.action is not None:
        of_room = filters.action.endswith(".")
        conditions.append(c.action.startswith(filters.action, autoescape=True) if of_room else c.action == filters.action)
    conditions += [c[name] == value for name in ("actor", "target") if (value := getattr(filters, name)) is not None]
    return conditions
