"""One part of a job: tried again, given back, failed for good; the same by the process's own threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

import pytest
from pydantic import JsonValue

from duocthu_core.audit.log import InMemoryAuditLog
from duocthu_core.jobs.desk import Jobs
from duocthu_core.jobs.in_process import InProcessExecutor
from duocthu_core.jobs.kinds import Broken, OtherPlace, Pace
from duocthu_core.jobs.model import Job, JobError, Part, Plan, PlannedPart, UnknownJob
from duocthu_core.jobs.store import InMemoryJobStore
from duocthu_core.jobs.working import MAX_ATTEMPTS, Work


class DatabaseAway(Exception):
    """As a store says that it cannot be reached now."""


class Counting:
    """Work that counts what is done, and does in a part what ``does`` says."""

    def __init__(self, does: Callable[[Part, Pace], None] = lambda part, pace: None, parts: int = 3) -> None:
        self._does = does
        self._parts = parts
        self.finished = self.stopped = 0
        self.done: list[int] = []

    def plan(self, arguments: Mapping[str, JsonValue]) -> Plan:
        if "wrong" in arguments:
            raise JobError("wrong: take it away")
        return Plan(subject="counting", parts=tuple(PlannedPart(arguments={"n": n}, size=2) for n in range(self._parts)))

    def run(self, job: Job, part: Part, pace: Pace) -> Mapping[str, int]:
        self._does(part, pace)
        self.done.append(part.number)
        return {"counted": 1}

    def finish(self, job: Job) -> None:
        self.finished += 1

    def stop(self, job: Job) -> None:
        self.stopped += 1


def begun(kind: Counting) -> tuple[Work, Jobs, str]:
    """A submitted job whose parts nobody does yet."""
    work = Work(InMemoryJobStore(), {"count": kind}, (DatabaseAway,))
    jobs = Jobs(work, InMemoryAuditLog())
    return work, jobs, jobs.submit("count", {}, by="a@benhvien.vn")


def fails(error: Exception) -> Callable[[Part, Pace], None]:
    def failing(part: Part, pace: Pace) -> None:
        raise error

    return failing


def test_the_last_part_ends_the_job_once() -> None:
    kind = Counting()
    work, jobs, job_id = begun(kind)
    for number in (0, 1, 2, 2):
        assert work.carry_out(job_id, number) is None
    job = jobs.status(job_id)
    assert (job.status, job.done, job.total, job.counts) == ("done", 6, 6, {"counted": 3})
    assert (kind.done, kind.finished) == ([0, 1, 2], 1)


def test_a_killed_worker_between_its_last_part_and_the_end_of_the_job_is_made_good() -> None:
    kind = Counting(parts=1)
    work, jobs, job_id = begun(kind)
    work.store.begin(job_id, 0)
    work.store.finish(job_id, 0, {})
    assert jobs.status(job_id).status == "running"
    assert work.carry_out(job_id, 0) is None
    assert (jobs.status(job_id).status, kind.done) == ("done", [])


def test_a_part_that_fails_is_tried_again_ever_later_and_then_fails_the_job() -> None:
    kind = Counting(fails(RuntimeError("out of\nmemory")))
    work, jobs, job_id = begun(kind)
    waits = [work.carry_out(job_id, 0) for _ in range(MAX_ATTEMPTS)]
    assert waits == [2.0, 4.0, 8.0, 16.0, None]
    job = jobs.status(job_id)
    assert (job.status, job.error, kind.stopped) == ("failed", "RuntimeError: out of memory", 1)
    assert work.carry_out(job_id, 1) is None
    assert kind.done == []


def test_work_that_can_never_be_done_fails_at_once() -> None:
    work, jobs, job_id = begun(Counting(fails(JobError("the upload is gone; upload it again"))))
    assert work.carry_out(job_id, 0) is None
    assert jobs.status(job_id).error == "the upload is gone; upload it again"


def test_a_part_that_kills_its_workers_is_not_begun_for_ever() -> None:
    work, jobs, job_id = begun(Counting())
    for _ in range(MAX_ATTEMPTS):
        work.store.begin(job_id, 0)
    assert work.carry_out(job_id, 0) is None
    assert "was begun 5 times and never ended" in (jobs.status(job_id).error or "")


def test_a_database_that_is_away_a_worker_that_stops_or_that_has_other_models_costs_no_attempt() -> None:
    for error in (DatabaseAway("restarting"), Broken(), OtherPlace("other models")):
        work, jobs, job_id = begun(Counting(fails(error)))
        assert all(work.carry_out(job_id, 0) is not None for _ in range(MAX_ATTEMPTS + 2))
        assert jobs.status(job_id).status == "running"


def test_what_was_paid_for_is_kept_once_the_database_is_back() -> None:
    tries, pauses = iter([DatabaseAway(), DatabaseAway(), None]), list[float]()

    def keep() -> str:
        if (error := next(tries)) is not None:
            raise error
        return "kept"

    part = Part(number=0, arguments={}, size=1, attempts=1)
    pace = Pace(InMemoryJobStore(), "job", part, lambda: False, (DatabaseAway,), sleep=pauses.append)
    assert pace.patiently(keep) == "kept"
    assert pauses == [0.1, 0.2]


def test_cancelling_stops_what_is_under_way_and_what_waits() -> None:
    under_way = threading.Event()

    def until_stopped(part: Part, pace: Pace) -> None:
        under_way.set()
        while not pace.should_stop():
            time.sleep(0.01)
        raise Broken

    kind = Counting(until_stopped)
    audit, executor = InMemoryAuditLog(), InProcessExecutor()
    jobs = Jobs(Work(InMemoryJobStore(), {"count": kind}), audit, executor)
    job_id = jobs.submit("count", {}, by="a@benhvien.vn")
    assert under_way.wait(30)
    assert jobs.cancel(job_id, by="b@benhvien.vn")
    assert not jobs.cancel(job_id, by="b@benhvien.vn")
    assert executor.wait(30)
    assert (jobs.status(job_id).status, kind.done, kind.stopped, kind.finished) == ("cancelled", [], 1, 0)
    assert [(line.actor, line.action) for line in audit.recent()] == [("b@benhvien.vn", "job.cancel"), ("a@benhvien.vn", "job.submit")]


def test_a_process_goes_on_with_what_an_ended_one_left() -> None:
    kind, store = Counting(), InMemoryJobStore()
    job_id = Jobs(Work(store, {"count": kind}), InMemoryAuditLog()).submit("count", {}, by="a@benhvien.vn")
    store.begin(job_id, 0)
    executor = InProcessExecutor(threads=2)
    restarted = Jobs(Work(store, {"count": kind}), InMemoryAuditLog(), executor)
    assert restarted.resume() == 3
    assert executor.wait(30)
    assert (restarted.status(job_id).status, sorted(kind.done)) == ("done", [0, 1, 2])


def test_a_job_without_parts_is_done_at_once() -> None:
    kind = Counting(parts=0)
    _, jobs, job_id = begun(kind)
    assert (jobs.status(job_id).status, kind.finished) == ("done", 1)


def test_what_cannot_be_submitted_is_told_in_one_line() -> None:
    jobs = Jobs(Work(InMemoryJobStore(), {"count": Counting()}), InMemoryAuditLog())
    with pytest.raises(JobError, match="'clean' is no kind of job; use one of count"):
        jobs.submit("clean", {}, by="a@benhvien.vn")
    with pytest.raises(JobError, match="wrong: take it away"):
        jobs.submit("count", {"wrong": True}, by="a@benhvien.vn")
    with pytest.raises(UnknownJob, match="no job has the id 'x'"):
        jobs.status("x")
