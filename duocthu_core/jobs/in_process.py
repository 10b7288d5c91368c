"""Jobs done by threads of the process that takes them: for SQLite, where no queue and no other machine is."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from heapq import heappop, heappush
from itertools import count
from time import monotonic

from duocthu_core.jobs.beside import Doing, is_light
from duocthu_core.jobs.working import Work

_log = logging.getLogger(__name__)


class InProcessExecutor:
    """Does parts in the order in which they came, by ``threads`` threads that end when nothing is left.

    A process that ends in the middle loses nothing: the next one begins with what :meth:`JobStore.waiting` lists.
    """

    def __init__(self, threads: int = 1, beside: Doing | None = None) -> None:
        """``beside`` does the parts of jobs that are not light in the place of these threads, which then only wait for it."""
        self._most = threads
        self._beside = beside
        self._heap: list[tuple[float, int, Work, str, int]] = []
        self._held: set[tuple[str, int]] = set()
        self._order = count()
        self._running = 0
        self._stopping = False
        self._changed = threading.Condition()

    def begin(self, work: Work, parts: Iterable[tuple[str, int]]) -> None:
        """Takes parts on (job id and number); one that it holds already is not taken twice."""
        with self._changed:
            for job_id, number in parts:
                if (job_id, number) not in self._held:
                    self._held.add((job_id, number))
                    heappush(self._heap, (monotonic(), next(self._order), work, job_id, number))
            missing = min(self._most - self._running, len(self._heap))
            self._running += max(0, missing)
            self._changed.notify_all()
        for _ in range(missing):
            threading.Thread(target=self._work_on, name="jobs", daemon=True).start()

    def stop(self, timeout_s: float = 30.0) -> bool:
        """Asks the parts under way to stop and waits for them; whether they all ended in time."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
            return self._changed.wait_for(lambda: self._running == 0, timeout_s)

    def wait(self, timeout_s: float) -> bool:
        """Waits until nothing is left to do; whether that came in time."""
        with self._changed:
            return self._changed.wait_for(lambda: self._running == 0, timeout_s)

    def _work_on(self) -> None:
        while (taken := self._next()) is not None:
            work, job_id, number = taken
            try:
                again = self._doing(work, job_id).carry_out(job_id, number, lambda: self._stopping)
            except Exception:  # a fault of our own must not end the thread that the other jobs wait for
                _log.exception("job %s, part %d", job_id, number)
                again = None
            with self._changed:
                self._held.discard((job_id, number))
                if again is not None and not self._stopping:
                    self._held.add((job_id, number))
                    heappush(self._heap, (monotonic() + again, next(self._order), work, job_id, number))

    def _doing(self, work: Work, job_id: str) -> Doing:
        if self._beside is None:
            return work
        job = work.store.job(job_id)
        return work if job is None or is_light(job) else self._beside

    def _next(self) -> tuple[Work, str, int] | None:
        with self._changed:
            while self._heap and not self._stopping:
                left = self._heap[0][0] - monotonic()
                if left <= 0:
                    return heappop(self._heap)[2:]
                self._changed.wait(left)
            self._running -= 1
            self._changed.notify_all()
            return None
