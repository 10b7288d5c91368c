"""Jobs in memory and in both databases: nothing is begun, finished or ended twice."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from duocthu_core.jobs.model import NewJob, Plan, PlannedPart
from duocthu_core.jobs.store import InMemoryJobStore, JobStore
from duocthu_core.storage.jobs import SqlJobStore

AT = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


@pytest.fixture(params=["memory", "sqlite_database", "postgresql_database"])
def store(request: pytest.FixtureRequest) -> JobStore:
    return InMemoryJobStore() if request.param == "memory" else SqlJobStore(request.getfixturevalue(request.param))


def new(job_id: str = "job-1", subject: str = "run 1", sizes: tuple[int, ...] = (2, 3)) -> NewJob:
    parts = tuple(PlannedPart(arguments={"items": [f"a{n}" for n in range(size)]}, size=size) for size in sizes)
    plan = Plan(subject=subject, about={"run_id": "r-1"}, parts=parts)
    return NewJob(job_id=job_id, kind="eval.run", arguments={"set": "thử"}, plan=plan, submitted_by="a@benhvien.vn", submitted_at=AT)


def test_a_job_comes_back_as_it_was_submitted(store: JobStore) -> None:
    job = store.add(new())
    assert store.job("job-1") == job
    assert (job.status, job.done, job.total, job.about, job.arguments) == ("queued", 0, 5, {"run_id": "r-1"}, {"set": "thử"})
    assert (job.submitted_by, job.submitted_at, job.ended) == ("a@benhvien.vn", AT, False)
    assert store.job("nothing") is None
    assert store.status("nothing") is None


def test_a_subject_at_work_is_not_begun_again_and_one_that_ended_is(store: JobStore) -> None:
    store.add(new())
    assert store.add(new("job-2")).job_id == "job-1"
    assert store.add(new("job-3", "run 2")).job_id == "job-3"
    assert store.cancel("job-1")
    assert store.add(new("job-4")).job_id == "job-4"
    assert [job.job_id for job in store.recent()] == ["job-4", "job-3", "job-1"]
    assert [job.job_id for job in store.recent(limit=1, offset=1)] == ["job-3"]


def test_a_part_is_begun_again_until_it_is_finished(store: JobStore) -> None:
    store.add(new())
    first, second = store.begin("job-1", 0), store.begin("job-1", 0)
    assert first is not None
    assert second is not None
    assert (first.attempts, second.attempts, second.arguments) == (1, 2, {"items": ["a0", "a1"]})
    assert store.status("job-1") == "running"
    store.give_back("job-1", 0)
    store.finish("job-1", 0, {"judged": 2})
    assert store.begin("job-1", 0) is None
    assert store.begin("job-1", 7) is None
    store.finish("job-1", 0, {"judged": 9})
    store.advance("job-1", 0, 1)
    job = store.job("job-1")
    assert job is not None
    assert (job.done, job.total, job.counts) == (2, 5, {"judged": 2})
    assert store.waiting() == [("job-1", 1)]


def test_a_part_that_was_given_back_has_its_attempt_left(store: JobStore) -> None:
    store.add(new())
    store.begin("job-1", 0)
    store.give_back("job-1", 0)
    part = store.begin("job-1", 0)
    assert part is not None
    assert part.attempts == 1


def test_a_job_is_done_once_all_its_parts_are(store: JobStore) -> None:
    store.add(new())
    store.begin("job-1", 0)
    store.finish("job-1", 0, {"judged": 1})
    assert not store.all_finished("job-1")
    assert not store.complete("job-1")
    store.begin("job-1", 1)
    store.finish("job-1", 1, {"judged": 2, "gone": 1})
    assert store.all_finished("job-1")
    assert store.complete("job-1")
    assert not store.complete("job-1")
    assert not store.cancel("job-1")
    job = store.job("job-1")
    assert job is not None
    assert (job.status, job.done, job.counts) == ("done", 5, {"judged": 3, "gone": 1})
    assert job.ended_at is not None
    assert store.waiting() == []


def test_a_job_that_failed_begins_nothing_more_and_says_why(store: JobStore) -> None:
    store.add(new())
    assert store.fail("job-1", "the set is gone\x00")
    assert not store.fail("job-1", "twice")
    assert store.begin("job-1", 0) is None
    job = store.job("job-1")
    assert job is not None
    assert job.status == "failed"
    assert (job.error or "").startswith("the set is gone")
    assert store.waiting() == []


def test_the_newest_job_of_a_subject_or_of_a_kind_is_found(store: JobStore) -> None:
    store.add(new())
    store.cancel("job-1")
    store.add(new("job-2"))
    store.add(new("job-3", "run 2").model_copy(update={"kind": "corpus.import"}))
    newest = store.newest_of("run 1")
    assert newest is not None
    assert newest.job_id == "job-2"
    assert store.newest_of("run 9") is None
    assert [job.job_id for job in store.recent(kind="corpus.import")] == ["job-3"]
