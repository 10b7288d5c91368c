"""What a kind of work is: how a job of it is planned, how a part is done, and what happens at its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from pydantic import JsonValue

from duocthu_core.jobs.model import Job, Part, Plan
from duocthu_core.jobs.store import JobStore

_Result = TypeVar("_Result")
_ASK_AGAIN_S = 1.0
_TELL_AGAIN_S = 0.5
_PATIENCE_S = 300.0
_LONGEST_PAUSE_S = 2.0
Passing = tuple[type[Exception], ...]
"""Errors of a database that is away for a moment: waited out, never counted against the work."""


class OtherPlace(Exception):
    """For a kind to raise where this worker has another corpus, other rules or other models than the job began with: it is left to the
    workers that have them, as while a new version is rolled out."""


class Broken(Exception):
    """For a kind to raise when it was asked to stop in the middle of a part; what it kept until then stays."""


class JobKind(Protocol):
    """One kind of work. Doing a part twice, or at two places at once, leaves what doing it once leaves."""

    def plan(self, arguments: Mapping[str, JsonValue]) -> Plan:
        """The parts of a new job; raises JobError for arguments that cannot be used."""
        ...

    def run(self, job: Job, part: Part, pace: Pace) -> Mapping[str, int]:
        """Does what is left of a part and says what it counted.

        Raises :class:`Broken` where ``pace`` says stop, :class:`OtherPlace` where another worker may, JobError where nobody can, and any
        other exception where it may go better next time.
        """
        ...

    def finish(self, job: Job) -> None:
        """All parts are finished; may be called more than once."""
        ...

    def stop(self, job: Job) -> None:
        """The job failed or was cancelled; parts may still be coming to their end."""
        ...


class Pace:
    """What a part hears from outside while it is done, and tells about itself."""

    def __init__(
        self,
        store: JobStore,
        job_id: str,
        part: Part,
        asked_to_stop: Callable[[], bool],
        passing: Passing,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.passing = passing
        self._store = store
        self._job_id = job_id
        self._part = part
        self._asked_to_stop = asked_to_stop
        self._clock = clock
        self._sleep = sleep
        self._has_ended = False
        self._asked_at = self._told_at = float("-inf")

    def should_stop(self) -> bool:
        """Whether this worker was asked to stop, or the job has ended meanwhile (looked up at most once a second)."""
        if self._asked_to_stop() or self._has_ended:
            return True
        now = self._clock()
        if now - self._asked_at >= _ASK_AGAIN_S:
            self._asked_at = now
            try:
                self._has_ended = self._store.status(self._job_id) not in ("queued", "running")
            except self.passing:
                return False
        return self._has_ended

    def advance(self, done: int) -> None:
        """``done`` units of the part are done; kept at most twice a second. A database that is away only misses the figure."""
        now = self._clock()
        if now - self._told_at < _TELL_AGAIN_S and done < self._part.size:
            return
        self._told_at = now
        try:
            self._store.advance(self._job_id, self._part.number, done)
        except self.passing:
            return

    def patiently(self, work: Callable[[], _Result]) -> _Result:
        """``work``'s result, tried again while the database is away: what was paid for is not thrown away because it restarts.

        Raises the error after five minutes, or at once where the part is asked to stop.
        """
        gives_up_at, pause = self._clock() + _PATIENCE_S, 0.1
        while True:
            try:
                return work()
            except self.passing:
                if self._asked_to_stop() or self._clock() >= gives_up_at:
                    raise
            self._sleep(pause)
            pause = min(_LONGEST_PAUSE_S, pause * 2)
