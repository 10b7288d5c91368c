"""Traces in the database: each whole, as JSON, beside the columns that lists are made of."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from pydantic import ValidationError
from sqlalchemy import ColumnElement, Connection, Interval, func, literal, select

from duocthu_core.pipeline.trace import Trace
from duocthu_core.pipeline.trace_store import (
    EVALUATION_CONVERSATIONS,
    NO_FILTERS,
    DayOutcome,
    StoredTraceError,
    TraceFilters,
    TraceHeading,
    cited_blocks,
    heading_of,
    searchable,
)
from duocthu_core.pipeline.usage import DayUsage, Usage, usage_of
from duocthu_core.storage.database import Database
from duocthu_core.storage.tables import storable, trace_blocks, traces, turn_usage
from duocthu_core.storage.upserts import insert_or

_HEADING_COLUMNS = [traces.c[name] for name in TraceHeading.model_fields]


class SqlTraceStore:
    """A :class:`duocthu_core.pipeline.trace_store.TraceStore` on SQLite or PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, trace: Trace) -> None:
        with self._database.writing() as connection:
            save_trace(connection, trace)

    def save_all(self, traces: Sequence[Trace]) -> None:
        with self._database.writing() as connection:
            save_traces(connection, traces)

    def load(self, trace_id: str) -> Trace | None:
        with self._database.reading() as connection:
            document = connection.execute(select(traces.c.document).where(traces.c.trace_id == trace_id)).scalar_one_or_none()
        return None if document is None else _trace_of(trace_id, document)

    def of_conversation(self, conversation_id: str) -> list[Trace]:
        query = (
            select(traces.c.trace_id, traces.c.document)
            .where(traces.c.conversation_id == conversation_id)
            .order_by(traces.c.turn_index, traces.c.created_at, traces.c.trace_id)
        )
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [_trace_of(row.trace_id, row.document) for row in rows]

    def recent(self, limit: int = 50, offset: int = 0, filters: TraceFilters = NO_FILTERS) -> list[TraceHeading]:
        query = select(*_HEADING_COLUMNS).where(*_conditions(filters))
        query = query.order_by(traces.c.created_at.desc(), traces.c.trace_id.desc()).limit(limit).offset(offset)
        with self._database.reading() as connection:
            return [TraceHeading.model_validate(dict(row)) for row in connection.execute(query).mappings()]

    def count(self, filters: TraceFilters = NO_FILTERS) -> int:
        with self._database.reading() as connection:
            return connection.execute(select(func.count()).select_from(traces).where(*_conditions(filters))).scalar_one()

    def citing(self, block_id: str, limit: int = 50, offset: int = 0) -> list[TraceHeading]:
        return self.recent(limit, offset, TraceFilters(cites_block=block_id))

    def usage_by_day(self, since: datetime | None = None, utc_offset: timedelta = timedelta(0)) -> list[DayUsage]:
        c = turn_usage.c
        with self._database.reading() as connection:
            day = _day_of(connection, c.created_at, utc_offset)
            sums = [func.sum(c[name]).label(name) for name in Usage.model_fields]
            query = select(day.label("day"), func.count().label("turns"), *sums).group_by(day).order_by(day)
            if since is not None:
                query = query.where(c.created_at >= since)
            return [DayUsage.model_validate(dict(row)) for row in connection.execute(query).mappings()]

    def outcomes_by_day(self, since: datetime | None = None, utc_offset: timedelta = timedelta(0)) -> list[DayOutcome]:
        c = traces.c
        with self._database.reading() as connection:
            day = _day_of(connection, c.created_at, utc_offset).label("day")
            query = (
                select(day, c.outcome, c.reject_reason, func.count().label("turns"))
                .where(c.parent_trace_id.is_(None), c.conversation_id.not_like(f"{EVALUATION_CONVERSATIONS}%"))
                .group_by(day, c.outcome, c.reject_reason)
            )
            if since is not None:
                query = query.where(c.created_at >= since)
            found = [DayOutcome.model_validate(dict(row)) for row in connection.execute(query).mappings()]
        return sorted(found, key=lambda line: (line.day, line.outcome, line.reject_reason or ""))


def _day_of(connection: Connection, moment: ColumnElement[Any], utc_offset: timedelta) -> ColumnElement[Any]:
    """The day of ``moment`` on a clock that is ``utc_offset`` ahead of UTC."""
    if connection.dialect.name == "sqlite":
        return func.date(moment, f"{utc_offset.total_seconds():+.0f} seconds")
    return func.date(moment + literal(utc_offset, Interval))


def save_trace(connection: Connection, trace: Trace) -> None:
    """Stores ``trace`` and its links; raises :class:`StoredTraceError` where another trace has its id."""
    row = _row_of(trace)
    new = insert_or(connection, traces).values(row).on_conflict_do_nothing().returning(traces.c.trace_id)
    if connection.execute(new).first() is None:
        if connection.execute(select(traces.c.document).where(traces.c.trace_id == trace.trace_id)).scalar_one() != row["document"]:
            raise StoredTraceError(f"trace {trace.trace_id} is stored already with other content")
        return
    _save_links(connection, [trace])


def save_traces(connection: Connection, given: Sequence[Trace]) -> None:
    """The same for several: new ones in few statements. Raises :class:`StoredTraceError` likewise."""
    ids = [trace.trace_id for trace in given]
    known = set(connection.execute(select(traces.c.trace_id).where(traces.c.trace_id.in_(ids))).scalars())
    if known or len(set(ids)) < len(ids):
        for trace in given:
            save_trace(connection, trace)
    elif given:
        connection.execute(traces.insert(), [_row_of(trace) for trace in given])
        _save_links(connection, given)


def _row_of(trace: Trace) -> dict[str, Any]:
    return heading_of(trace).model_dump() | {
        "question": storable(trace.question),
        "searchable": storable(searchable(trace.question)),
        "document": _document_of(trace),
    }


def _save_links(connection: Connection, given: Sequence[Trace]) -> None:
    """Which blocks new traces cite, and what they used; a turn run again is not counted."""
    links = [{"block_id": block_id, "trace_id": trace.trace_id} for trace in given for block_id in sorted(cited_blocks(trace))]
    if links:
        connection.execute(trace_blocks.insert(), links)
    own = [trace for trace in given if trace.parent_trace_id is None]
    if own:
        used = [{"trace_id": trace.trace_id, "created_at": trace.created_at} | usage_of(trace).model_dump() for trace in own]
        connection.execute(turn_usage.insert(), used)


def _document_of(trace: Trace) -> str:
    try:
        return trace.model_dump_json()
    except ValueError as error:
        raise StoredTraceError(f"trace {trace.trace_id} holds text that cannot be stored: {error}") from None


def _trace_of(trace_id: str, document: str) -> Trace:
    try:
        return Trace.model_validate_json(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the document"
        raise StoredTraceError(f"trace {trace_id} was stored in a form that this version cannot read ({place}: {first['msg']})") from None


def _conditions(filters: TraceFilters) -> list[ColumnElement[bool]]:
    c = traces.c
    conditions: list[ColumnElement[bool]] = []
    if filters.outcomes:
        conditions.append(c.outcome.in_(filters.outcomes))
    if filters.reject_reasons:
        conditions.append(c.reject_reason.in_(filters.reject_reasons))
    for name in ("conversation_id", "ruleset_id", "corpus_id", "generator", "judge"):
        if (value := getattr(filters, name)) is not None:
            conditions.append(c[name] == value)
    if words := searchable(filters.words):
        conditions.append(c.searchable.contains(words, autoescape=True))
    if filters.created_from is not None:
        conditions.append(c.created_at >= filters.created_from)
    if filters.created_before is not None:
        conditions.append(c.created_at < filters.created_before)
    if filters.cites_block is not None:
        cites = select(trace_blocks.c.trace_id).where(trace_blocks.c.block_id == filters.cites_block)
        conditions.append(c.trace_id.in_(cites))
    if filters.asked:
        conditions.append(c.conversation_id.not_like(f"{EVALUATION_CONVERSATIONS}%"))
    return conditions
