"""Where jobs are submitted, looked at and cancelled."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from pydantic import JsonValue

from duocthu_core.audit.log import AuditLog
from duocthu_core.jobs.in_process import InProcessExecutor
from duocthu_core.jobs.model import Job, NewJob, UnknownJob
from duocthu_core.jobs.working import Work


class Jobs:
    """The jobs of an installation. ``executor`` None: a queue hands their parts to the workers."""

    def __init__(
        self,
        work: Work,
        audit: AuditLog,
        executor: InProcessExecutor | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._work = work
        self._audit = audit
        self._executor = executor
        self._clock = clock

    @property
    def kinds(self) -> tuple[str, ...]:
        """Names of the kinds of work."""
        return tuple(self._work.kinds)

    def submit(self, kind: str, arguments: Mapping[str, JsonValue], by: str) -> str:
        """Plans a job, keeps it, and gives its id; of work that is under way already, that job's id. Raises JobError in one line for a
        kind that is none and for arguments that cannot be used."""
        plan = self._work.kind(kind).plan(arguments)
        new = NewJob(
            job_id=uuid.uuid4().hex[:12],
            kind=kind,
            arguments=dict(arguments),
            plan=plan,
            submitted_by=by,
            submitted_at=self._clock(),
        )
        job = self._work.store.add(new)
        if job.job_id != new.job_id:
            return job.job_id
        self._audit.record(by, "job.submit", job.job_id, {"kind": kind, **plan.about})
        if not plan.parts:
            self._work.kind(kind).finish(job)
            self._work.store.complete(job.job_id)
        elif self._executor is not None:
            self._executor.begin(self._work, [(job.job_id, number) for number in range(len(plan.parts))])
        return job.job_id

    def status(self, job_id: str) -> Job:
        """How a job stands; raises :class:`UnknownJob`."""
        job = self._work.store.job(job_id)
        if job is None:
            raise UnknownJob(f"no job has the id {job_id[:40]!r}; see: python -m duocthu_core jobs list")
        return job

    def cancel(self, job_id: str, by: str) -> bool:
        """Cancels a job: what is under way stops after its case or page, what it kept stays. False where it has ended already."""
        self.status(job_id)
        if not self._work.store.cancel(job_id):
            return False
        self._audit.record(by, "job.cancel", job_id)
        self._work.end(self.status(job_id))
        return True

    def recent(self, limit: int = 20, offset: int = 0, kind: str | None = None) -> list[Job]:
        """Jobs (of a kind), newest first."""
        return self._work.store.recent(limit, offset, kind)

    def newest_of(self, subject: str) -> Job | None:
        """The job on ``subject`` that was submitted last, ended or not; None where there was none."""
        return self._work.store.newest_of(subject)

    def resume(self) -> int:
        """Goes on with what an ended process left, where jobs are done in this process; says how many parts those are."""
        if self._executor is None:
            return 0
        waiting = self._work.store.waiting()
        self._executor.begin(self._work, waiting)
        return len(waiting)

    def wait(self, job_id: str, timeout_s: float, sleep: Callable[[float], None]) -> Job:
        """The job once it has ended, or as it stands after ``timeout_s`` seconds."""
        waited = 0.0
        while not (job := self.status(job_id)).ended and waited < timeout_s:
            sleep(0.2)
            waited += 0.2
        return job
