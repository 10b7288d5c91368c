"""Where audit lines are kept: the port, and its twin in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Protocol

from pydantic import JsonValue

from duocthu_core.audit.model import NO_FILTERS, AuditFilters, AuditLine, entry_of


class AuditLog(Protocol):
    """Keeps who wrote what. Lines are added, and never changed or taken away."""

    def record(self, actor: str, action: str, target: str = "", detail: Mapping[str, JsonValue] | None = None) -> AuditLine:
        """Adds a line and returns it with its number and time; raises ValueError for an action that is no code (``room.verb``)."""
        ...

    def recent(self, limit: int = 50, offset: int = 0, filters: AuditFilters = NO_FILTERS) -> list[AuditLine]:
        """Lines, newest first."""
        ...

    def count(self, filters: AuditFilters = NO_FILTERS) -> int:
        """How many lines :meth:`recent` would list without a limit."""
        ...


class InMemoryAuditLog:
    """An :class:`AuditLog` that lasts as long as the process. Safe to share between threads."""

    def __init__(self, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._clock = clock
        self._lines: list[AuditLine] = []
        self._lock = threading.Lock()

    def record(self, actor: str, action: str, target: str = "", detail: Mapping[str, JsonValue] | None = None) -> AuditLine:
        entry = entry_of(actor, action, target, detail)
        with self._lock:
            line = AuditLine(**entry.model_dump(), id=len(self._lines) + 1, at=self._clock())
            self._lines.append(line)
        return line

    def recent(self, limit: int = 50, offset: int = 0, filters: AuditFilters = NO_FILTERS) -> list[AuditLine]:
        return self._meeting(filters)[::-1][offset : offset + limit]

    def count(self, filters: AuditFilters = NO_FILTERS) -> int:
        return len(self._meeting(filters))

    def _meeting(self, filters: AuditFilters) -> list[AuditLine]:
        with self._lock:
            lines = list(self._lines)
        return [line for line in lines if _meets(line, filters)]


def _meets(line: AuditLine, filters: AuditFilters) -> bool:
    wanted = filters.action
    action = wanted is None or (line.action.startswith(wanted) if wanted.endswith(".") else line.action == wanted)
    return action and filters.actor in (None, line.actor) and filters.target in (None, line.target)
