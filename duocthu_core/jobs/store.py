"""Where jobs are kept: the port, and its twin in memory. What is kept here is the truth; a queue only says who works next."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from duocthu_core.jobs.model import ENDED, Job, JobStatus, NewJob, Part


class JobStore(Protocol):
    """Keeps jobs and their parts. No method begins or ends anything twice, whoever calls it how often."""

    def add(self, new: NewJob) -> Job:
        """Keeps a new job and hands its parts to the queue, both or neither. Where a job of the same subject has not ended, that one is
        returned and nothing is kept."""
        ...

    def job(self, job_id: str) -> Job | None:
        """The job of this id."""
        ...

    def status(self, job_id: str) -> JobStatus | None:
        """Its status alone, which costs little."""
        ...

    def recent(self, limit: int = 20, offset: int = 0, kind: str | None = None) -> list[Job]:
        """Jobs (of a kind), newest first."""
        ...

    def newest_of(self, subject: str) -> Job | None:
        """The job on ``subject`` that was submitted last, ended or not."""
        ...

    def waiting(self) -> list[tuple[str, int]]:
        """Id and number of every part that is not finished, of jobs that have not ended: what a restarted process goes on with."""
        ...

    def begin(self, job_id: str, number: int) -> Part | None:
        """Begins a part and counts the attempt; None where it is finished or the job has ended. An unknown part is None too."""
        ...

    def advance(self, job_id: str, number: int, done: int) -> None:
        """Keeps how far a part is."""
        ...

    def finish(self, job_id: str, number: int, counts: Mapping[str, int]) -> None:
        """Finishes a part; one that is finished stays as it is."""
        ...

    def give_back(self, job_id: str, number: int) -> None:
        """Takes the attempt back: the part was broken off through no fault of its own."""
        ...

    def complete(self, job_id: str) -> bool:
        """Ends a job whose parts are all finished as ``done``; False where one is not, or the job has ended."""
        ...

    def all_finished(self, job_id: str) -> bool:
        """Whether every part is finished and the job has not ended."""
        ...

    def fail(self, job_id: str, error: str) -> bool:
        """Ends a job as ``failed``; False where it has ended."""
        ...

    def cancel(self, job_id: str) -> bool:
        """Ends a job as ``cancelled``; False where it has ended."""
        ...


@dataclass
class _Part:
    document: Part
    done: int = 0
    finished: bool = False
    counts: dict[str, int] = field(default_factory=dict)


@dataclass
class _Row:
    new: NewJob
    parts: list[_Part]
    status: JobStatus = "queued"
    error: str | None = None
    ended_at: datetime | None = None


class InMemoryJobStore:
    """A :class:`JobStore` that lasts as long as the process. Safe to share between threads."""

    def __init__(self, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._clock = clock
        self._rows: dict[str, _Row] = {}
        self._lock = threading.RLock()

    def add(self, new: NewJob) -> Job:
        with self._lock:
            for row in self._rows.values():
                if row.new.plan.subject == new.plan.subject and row.status not in ENDED:
                    return _job_of(row)
            parts = [
                _Part(Part(number=number, arguments=part.arguments, size=part.size, attempts=0))
                for number, part in enumerate(new.plan.parts)
            ]
            self._rows[new.job_id] = _Row(new, parts)
            return _job_of(self._rows[new.job_id])

    def job(self, job_id: str) -> Job | None:
        with self._lock:
            row = self._rows.get(job_id)
            return None if row is None else _job_of(row)

    def status(self, job_id: str) -> JobStatus | None:
        row = self._rows.get(job_id)
        return None if row is None else row.status

    def recent(self, limit: int = 20, offset: int = 0, kind: str | None = None) -> list[Job]:
        with self._lock:
            found = [row for row in self._rows.values() if kind in (None, row.new.kind)]
            newest = sorted(found, key=lambda row: (row.new.submitted_at, row.new.job_id), reverse=True)
            return [_job_of(row) for row in newest[offset : offset + limit]]

    def newest_of(self, subject: str) -> Job | None:
        with self._lock:
            found = [row for row in self._rows.values() if row.new.plan.subject == subject]
            newest = max(found, key=lambda row: (row.new.submitted_at, row.new.job_id), default=None)
            return None if newest is None else _job_of(newest)

    def waiting(self) -> list[tuple[str, int]]:
        with self._lock:
            unended = sorted(
                (row for row in self._rows.values() if row.status not in ENDED), key=lambda row: (row.new.submitted_at, row.new.job_id)
            )
            return [(row.new.job_id, part.document.number) for row in unended for part in row.parts if not part.finished]

    def begin(self, job_id: str, number: int) -> Part | None:
        with self._lock:
            row = self._rows.get(job_id)
            if row is None or row.status in ENDED or number >= len(row.parts) or row.parts[number].finished:
                return None
            part = row.parts[number]
            part.document = part.document.model_copy(update={"attempts": part.document.attempts + 1})
            row.status = "running"
            return part.document

    def advance(self, job_id: str, number: int, done: int) -> None:
        with self._lock:
            part = self._rows[job_id].parts[number]
            if not part.finished:
                part.done = min(done, part.document.size)

    def finish(self, job_id: str, number: int, counts: Mapping[str, int]) -> None:
        with self._lock:
            part = self._rows[job_id].parts[number]
            if not part.finished:
                part.finished, part.done, part.counts = True, part.document.size, dict(counts)

    def give_back(self, job_id: str, number: int) -> None:
        with self._lock:
            part = self._rows[job_id].parts[number]
            part.document = part.document.model_copy(update={"attempts": max(0, part.document.attempts - 1)})

    def complete(self, job_id: str) -> bool:
        with self._lock:
            return self.all_finished(job_id) and self._end(job_id, "done", None)

    def all_finished(self, job_id: str) -> bool:
        with self._lock:
            row = self._rows.get(job_id)
            return row is not None and row.status not in ENDED and all(part.finished for part in row.parts)

    def fail(self, job_id: str, error: str) -> bool:
        return self._end(job_id, "failed", error)

    def cancel(self, job_id: str) -> bool:
        return self._end(job_id, "cancelled", None)

    def _end(self, job_id: str, status: JobStatus, error: str | None) -> bool:
        with self._lock:
            row = self._rows.get(job_id)
            if row is None or row.status in ENDED:
                return False
            row.status, row.error, row.ended_at = status, error, self._clock()
            return True


def _job_of(row: _Row) -> Job:
    counts: Counter[str] = Counter()
    for part in row.parts:
        counts.update(part.counts)
    return Job(
        job_id=row.new.job_id,
        kind=row.new.kind,
        arguments=row.new.arguments,
        about=row.new.plan.about,
        status=row.status,
        done=sum(part.done for part in row.parts),
        total=sum(part.document.size for part in row.parts),
        counts=dict(counts),
        error=row.error,
        submitted_by=row.new.submitted_by,
        submitted_at=row.new.submitted_at,
        ended_at=row.ended_at,
    )
