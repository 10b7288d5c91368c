"""Doing one part of a job: the one path that every worker and the process itself take."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from duocthu_core.jobs.kinds import Broken, JobKind, OtherPlace, Pace, Passing
from duocthu_core.jobs.model import Job, JobError, Part, one_line
from duocthu_core.jobs.store import JobStore

MAX_ATTEMPTS = 5
_PASSING_WAIT_S = 2.0
_OTHER_PLACE_WAIT_S = 10.0
_LONGEST_WAIT_S = 60.0
_log = logging.getLogger(__name__)


class Work:
    """The kinds of work that this process can do, over one store of jobs."""

    def __init__(self, store: JobStore, kinds: Mapping[str, JobKind], passing: Passing = ()) -> None:
        self.store = store
        self.kinds = kinds
        self.passing = passing

    def kind(self, name: str) -> JobKind:
        """The kind of this name; raises JobError."""
        found = self.kinds.get(name)
        if found is None:
            raise JobError(f"{name!r} is no kind of job; use one of {', '.join(sorted(self.kinds))}")
        return found

    def carry_out(self, job_id: str, number: int, asked_to_stop: Callable[[], bool] = lambda: False) -> float | None:
        """Does a part as far as it goes. None: nothing is left to do here. Else the seconds after which it is to be tried again.

        A part that fails is tried :data:`MAX_ATTEMPTS` times, ever later; then the job fails with its last error. Attempts that ended
        because a worker was killed count; those that a stopping worker or a restarting database broke off do not,
        nor do those of a worker with other models or rules than the job began with.
        """
        part: Part | None = None
        try:
            part = self.store.begin(job_id, number)
            job = self.store.job(job_id)
            if job is None:
                return None
            if part is not None:
                if part.attempts > MAX_ATTEMPTS:
                    raise JobError(f"part {number + 1} was begun {MAX_ATTEMPTS} times and never ended; see what ended its workers")
                counts = self.kind(job.kind).run(job, part, Pace(self.store, job_id, part, asked_to_stop, self.passing))
                self.store.finish(job_id, number, counts)
            self._complete(job)
        except Broken:
            return self._given_back(job_id, number, 0.0)
        except OtherPlace as error:
            _log.warning("job %s, part %d is left to another worker: %s", job_id, number, error)
            return self._given_back(job_id, number, _OTHER_PLACE_WAIT_S)
        except self.passing as error:
            _log.warning("job %s, part %d: %s", job_id, number, one_line(error))
            return self._given_back(job_id, number, _PASSING_WAIT_S) if part is not None else _PASSING_WAIT_S
        except Exception as error:
            return self._failed(job_id, number, part, error)
        return None

    def end(self, job: Job) -> None:
        """Tells a job's kind that it failed or was cancelled."""
        self.kind(job.kind).stop(job)

    def _complete(self, job: Job) -> None:
        if self.store.all_finished(job.job_id):
            self.kind(job.kind).finish(job)
            self.store.complete(job.job_id)

    def _given_back(self, job_id: str, number: int, wait_s: float) -> float | None:
        try:
            self.store.give_back(job_id, number)
            ended = self.store.status(job_id) not in ("queued", "running")
        except self.passing:
            return wait_s
        return None if ended else wait_s

    def _failed(self, job_id: str, number: int, part: Part | None, error: Exception) -> float | None:
        for_good = isinstance(error, JobError) or part is None or part.attempts >= MAX_ATTEMPTS
        _log.warning("job %s, part %d: %s", job_id, number, one_line(error), exc_info=not isinstance(error, JobError))
        try:
            if not for_good and part is not None:
                ended = self.store.status(job_id) not in ("queued", "running")
                return None if ended else min(_LONGEST_WAIT_S, 2.0**part.attempts)
            if self.store.fail(job_id, one_line(error)) and (job := self.store.job(job_id)) is not None:
                self.end(job)
        except self.passing:
            return _PASSING_WAIT_S
        return None
