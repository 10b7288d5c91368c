"""Jobs and their parts in the database. On PostgreSQL a job and its tasks in the queue are kept in one transaction, or neither is."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, exists, func, select, text, update

from duocthu_core.jobs.model import ENDED, Job, JobStatus, NewJob, Part
from duocthu_core.storage.database import Database
from duocthu_core.storage.tables import job_parts, jobs

HandOver = Callable[[Connection, str, int], None]
"""Puts the parts of a job into the queue, within the transaction: connection, job id, how many parts."""
_UNENDED = ("queued", "running")
_NEWEST = (jobs.c.submitted_at.desc(), jobs.c.job_id.desc())


class SqlJobStore:
    """A :class:`duocthu_core.jobs.store.JobStore` on SQLite or PostgreSQL."""

    def __init__(
        self, database: Database, hand_over: HandOver | None = None, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._database = database
        self._hand_over = hand_over
        self._clock = clock

    @property
    def is_queued(self) -> bool:
        """Whether a queue hands the parts to workers."""
        return self._hand_over is not None

    def add(self, new: NewJob) -> Job:
        plan = new.plan
        with self._database.writing() as connection:
            if self._database.is_postgresql:  # SQLite has one writer at a time anyhow
                connection.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:subject, 0))"), {"subject": plan.subject})
            same = select(jobs.c.job_id).where(jobs.c.subject == plan.subject, jobs.c.status.in_(_UNENDED)).limit(1)
            job_id = connection.execute(same).scalar_one_or_none()
            if job_id is None:
                job_id = new.job_id
                connection.execute(jobs.insert().values(_row_of(new)))
                rows = [
                    {"job_id": job_id, "number": number, "arguments": _json(part.arguments), "size": part.size}
                    for number, part in enumerate(plan.parts)
                ]
                if rows:
                    connection.execute(job_parts.insert(), rows)
                    if self._hand_over is not None:
                        self._hand_over(connection, job_id, len(rows))
            return _jobs_of(connection, [job_id])[0]

    def job(self, job_id: str) -> Job | None:
        with self._database.reading() as connection:
            return next(iter(_jobs_of(connection, [job_id])), None)

    def status(self, job_id: str) -> JobStatus | None:
        with self._database.reading() as connection:
            return connection.execute(select(jobs.c.status).where(jobs.c.job_id == job_id)).scalar_one_or_none()

    def recent(self, limit: int = 20, offset: int = 0, kind: str | None = None) -> list[Job]:
        newest = select(jobs.c.job_id).order_by(*_NEWEST).limit(limit).offset(offset)
        if kind is not None:
            newest = newest.where(jobs.c.kind == kind)
        with self._database.reading() as connection:
            return _jobs_of(connection, connection.execute(newest).scalars().all())

    def newest_of(self, subject: str) -> Job | None:
        newest = select(jobs.c.job_id).where(jobs.c.subject == subject).order_by(*_NEWEST).limit(1)
        with self._database.reading() as connection:
            return next(iter(_jobs_of(connection, connection.execute(newest).scalars().all())), None)

    def waiting(self) -> list[tuple[str, int]]:
        query = (
            select(job_parts.c.job_id, job_parts.c.number)
            .join(jobs, jobs.c.job_id == job_parts.c.job_id)
            .where(jobs.c.status.in_(_UNENDED), job_parts.c.finished.is_(False))
            .order_by(jobs.c.submitted_at, jobs.c.job_id, job_parts.c.number)
        )
        with self._database.reading() as connection:
            return [(row.job_id, row.number) for row in connection.execute(query)]

    def begin(self, job_id: str, number: int) -> Part | None:
        with self._database.writing() as connection:
            # Two workers that begin two parts at once both want this row changed: the second one waits, and finds it changed.
            connection.execute(update(jobs).where(jobs.c.job_id == job_id, jobs.c.status == "queued").values(status="running"))
            unended = exists().where(jobs.c.job_id == job_id, jobs.c.status.in_(_UNENDED))
            begun = (
                update(job_parts)
                .where(_is(job_id, number), job_parts.c.finished.is_(False), unended)
                .values(attempts=job_parts.c.attempts + 1)
                .returning(job_parts)
            )
            row = connection.execute(begun).mappings().one_or_none()
        if row is None:
            return None
        return Part(number=row["number"], arguments=json.loads(row["arguments"]), size=row["size"], attempts=row["attempts"])

    def advance(self, job_id: str, number: int, done: int) -> None:
        self._change_part(job_id, number, done=done)

    def finish(self, job_id: str, number: int, counts: Mapping[str, int]) -> None:
        self._change_part(job_id, number, finished=True, done=job_parts.c.size, counts=_json(dict(counts)))

    def give_back(self, job_id: str, number: int) -> None:
        with self._database.writing() as connection:
            begun = job_parts.c.attempts > 0
            connection.execute(update(job_parts).where(_is(job_id, number), begun).values(attempts=job_parts.c.attempts - 1))

    def complete(self, job_id: str) -> bool:
        with self._database.writing() as connection:
            if self._database.is_postgresql:
                connection.execute(select(jobs.c.job_id).where(jobs.c.job_id == job_id).with_for_update())
            return not _unfinished(connection, job_id) and self._end(connection, job_id, "done", None)

    def all_finished(self, job_id: str) -> bool:
        with self._database.reading() as connection:
            status = connection.execute(select(jobs.c.status).where(jobs.c.job_id == job_id)).scalar_one_or_none()
            return status is not None and status not in ENDED and not _unfinished(connection, job_id)

    def fail(self, job_id: str, error: str) -> bool:
        with self._database.writing() as connection:
            return self._end(connection, job_id, "failed", error.replace("\x00", "\ufffd"))

    def cancel(self, job_id: str) -> bool:
        with self._database.writing() as connection:
            return self._end(connection, job_id, "cancelled", None)

    def _change_part(self, job_id: str, number: int, **values: Any) -> None:
        with self._database.writing() as connection:
            connection.execute(update(job_parts).where(_is(job_id, number), job_parts.c.finished.is_(False)).values(**values))

    def _end(self, connection: Connection, job_id: str, status: JobStatus, error: str | None) -> bool:
        ended = (
            update(jobs)
            .where(jobs.c.job_id == job_id, jobs.c.status.in_(_UNENDED))
            .values(status=status, error=error, ended_at=self._clock())
            .returning(jobs.c.job_id)
        )
        return connection.execute(ended).scalar_one_or_none() is not None


def _is(job_id: str, number: int) -> Any:
    return (job_parts.c.job_id == job_id) & (job_parts.c.number == number)


def _unfinished(connection: Connection, job_id: str) -> int:
    left = select(func.count()).select_from(job_parts).where(job_parts.c.job_id == job_id, job_parts.c.finished.is_(False))
    return connection.execute(left).scalar_one()


def _row_of(new: NewJob) -> dict[str, Any]:
    return {
        "job_id": new.job_id,
        "kind": new.kind,
        "subject": new.plan.subject,
        "status": "queued",
        "arguments": _json(new.arguments),
        "about": _json(new.plan.about),
        "submitted_by": new.submitted_by,
        "submitted_at": new.submitted_at,
    }


def _jobs_of(connection: Connection, job_ids: Sequence[str]) -> list[Job]:
    """The jobs of these ids that there are, in their order, each with the progress of its parts summed up."""
    if not job_ids:
        return []
    rows = {row["job_id"]: row for row in connection.execute(select(jobs).where(jobs.c.job_id.in_(job_ids))).mappings()}
    done, total, counts = Counter[str](), Counter[str](), {job_id: Counter[str]() for job_id in rows}
    c = job_parts.c
    for part in connection.execute(select(c.job_id, c.done, c.size, c.counts).where(c.job_id.in_(job_ids))):
        done[part.job_id] += min(part.done, part.size)
        total[part.job_id] += part.size
        counts[part.job_id].update(json.loads(part.counts))
    return [_job_of(rows[each], done[each], total[each], dict(counts[each])) for each in job_ids if each in rows]


def _job_of(row: RowMapping, done: int, total: int, counts: dict[str, int]) -> Job:
    return Job(
        job_id=row["job_id"],
        kind=row["kind"],
        arguments=json.loads(row["arguments"]),
        about=json.loads(row["about"]),
        status=row["status"],
        done=done,
        total=total,
        counts=counts,
        error=row["error"],
        submitted_by=row["submitted_by"],
        submitted_at=row["submitted_at"],
        ended_at=row["ended_at"],
    )


def _json(document: object) -> str:
    return json.dumps(document, allow_nan=False, separators=(",", ":"))
