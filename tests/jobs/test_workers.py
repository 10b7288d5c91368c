"""Real processes on one real PostgreSQL: shared runs, killed workers, a database that goes away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, make_url, select, text

from duocthu_core.bootstrap import Services
from duocthu_core.storage.database import open_database
from duocthu_core.storage.tables import eval_results
from tests.browser.model_server import ModelServer
from tests.jobs.installation import ROOT, Installation, many_cases
from tests.jobs.own_postgresql import own_postgresql
from tests.servers.databases import new_database

CASES = int(os.environ.get("DUOCTHU_TEST_JOB_CASES", "150"))
"""2,000 where the whole claim is shown: ``DUOCTHU_TEST_JOB_CASES=2000 python -m pytest tests/jobs/test_workers.py``."""


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with ModelServer(delay_s=0.02) as server:
        yield server


def slow(model: ModelServer) -> dict[str, str]:
    """Settings of a generator on the network that takes its time."""
    return {"ANSWER_PROVIDER": "openai", "ANSWER_MODEL": "slow", "OPENAI_BASE_URL": model.address, "JUDGE_PROVIDER": "offline"}


@pytest.fixture
def installation(postgresql, postgresql_template: str, tmp_path: Path, model: ModelServer) -> Iterator[Installation]:
    with new_database(postgresql, postgresql_template) as url:
        yield Installation(url, tmp_path, **slow(model))


def results_kept(services: Services, run_id: str) -> int:
    """Rows of results, counted in the database itself."""
    database = open_database(services.settings.effective_database_url)
    with database.reading() as connection:
        count = connection.execute(select(func.count()).select_from(eval_results).where(eval_results.c.run_id == run_id)).scalar_one()
    database.close()
    return count


def test_a_run_survives_a_killed_worker_and_a_killed_database(tmp_path: Path, model: ModelServer) -> None:
    with own_postgresql() as server:
        installation = Installation(server.url, tmp_path, **slow(model))
        installation.upgrade()
        here, elsewhere = installation.services(), installation.services()
        path = many_cases(tmp_path / "many.jsonl", CASES)
        job_id = here.jobs.submit("eval.run", {"set": str(path)}, by="ks@benhvien.vn")
        run_id = str(here.jobs.status(job_id).about["run_id"])
        with installation.workers(2) as workers:
            installation.wait_until(lambda: elsewhere.jobs.status(job_id).done >= CASES // 10, "a tenth of the cases")
            workers[0].kill()
            workers[0].wait()
            before = elsewhere.jobs.status(job_id).done
            installation.wait_until(lambda: elsewhere.jobs.status(job_id).done >= before + CASES // 10, "cases after the kill")
            server.kill()
            server.start()
            workers.append(installation.worker())
            installation.wait_until(lambda: elsewhere.jobs.status(job_id).ended, "the end of the run")
            workers.pop(0)
        job = here.jobs.status(job_id)
        assert (job.status, job.done, job.total, job.error) == ("done", CASES, CASES, None)
        run = here.evaluating().found(run_id)
        results = here.evaluating().results(run_id)
        assert run.status == "finished"
        assert results_kept(here, run_id) == len({result.item_id for result in results}) == CASES
        assert [result.item_id for result in results if result.missing] == []


def test_two_workers_share_a_run_that_two_applications_see(installation: Installation, tmp_path: Path) -> None:
    one, other = installation.services(), installation.services()
    job_id = one.jobs.submit("eval.run", {"set": str(many_cases(tmp_path / "few.jsonl", 60))}, by="a@benhvien.vn")
    again = other.jobs.submit("eval.run", {"set": str(tmp_path / "few.jsonl")}, by="b@benhvien.vn")
    assert again == job_id
    with installation.workers(2):
        installation.wait_until(lambda: other.jobs.status(job_id).ended, "the end of the run")
    job = other.jobs.status(job_id)
    assert (job.status, job.done, job.total, job.submitted_by) == ("done", 60, 60, "a@benhvien.vn")
    assert results_kept(one, str(job.about["run_id"])) == 60
    assert [(line.action, line.target) for line in other.audit.recent()] == [("job.submit", job_id)]
    database = open_database(installation.settings["DUOCTHU_DATABASE_URL"])
    with database.reading() as connection:  # the queue keeps nothing of what succeeded
        assert connection.execute(text("SELECT count(*) FROM procrastinate_jobs")).scalar_one() == 0
    database.close()


def test_a_cancelled_run_stops_and_goes_on_when_it_is_submitted_again(installation: Installation, tmp_path: Path) -> None:
    services = installation.services()
    path = str(many_cases(tmp_path / "many.jsonl", 200))
    job_id = services.jobs.submit("eval.run", {"set": path}, by="a@benhvien.vn")
    with installation.workers(1):
        installation.wait_until(lambda: services.jobs.status(job_id).done >= 5, "some cases")
        assert services.jobs.cancel(job_id, by="b@benhvien.vn")
        run_id = str(services.jobs.status(job_id).about["run_id"])
        assert services.evaluating().found(run_id).status == "stopped"
        following = services.jobs.submit("eval.run", {"set": path}, by="a@benhvien.vn")
        assert following != job_id
        assert services.jobs.status(following).about["run_id"] == run_id
        assert services.jobs.status(following).total < 200
        installation.wait_until(lambda: services.jobs.status(following).ended, "the end of the run")
    assert services.jobs.status(job_id).status == "cancelled"
    assert (services.jobs.status(following).status, results_kept(services, run_id)) == ("done", 200)
    assert [line.action for line in services.audit.recent()] == ["job.submit", "job.cancel", "job.submit"]


def test_a_worker_that_is_asked_to_stop_gives_its_part_back(installation: Installation, tmp_path: Path) -> None:
    services = installation.services()
    job_id = services.jobs.submit("eval.run", {"set": str(many_cases(tmp_path / "many.jsonl", 200))}, by="a@benhvien.vn")
    with installation.workers(1) as (worker,):
        installation.wait_until(lambda: services.jobs.status(job_id).done >= 5, "some cases")
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(timeout=60) == 0
    assert services.jobs.status(job_id).status == "running"
    with installation.workers(1, concurrency=4):
        installation.wait_until(lambda: services.jobs.status(job_id).ended, "the end of the run")
    assert services.jobs.status(job_id).status == "done"


def test_a_worker_with_other_models_does_not_pass_its_results_off_as_the_runs(installation: Installation, tmp_path: Path) -> None:
    services = installation.services()
    job_id = services.jobs.submit("eval.run", {"set": str(many_cases(tmp_path / "few.jsonl", 1))}, by="a@benhvien.vn")
    other = Installation(make_url(services.settings.effective_database_url), tmp_path, JUDGE_PROVIDER="offline")
    with other.workers(1):
        other.wait_until(lambda: "left to another worker: this worker has generator offline/" in other.said(), "a line that says why")
    assert results_kept(services, str(services.jobs.status(job_id).about["run_id"])) == 0


def test_a_worker_on_sqlite_says_who_does_its_jobs(tmp_path: Path) -> None:
    environment = os.environ | {"DUOCTHU_DATA_DIR": str(tmp_path), "DUOCTHU_DATABASE_URL": ""}
    command = [sys.executable, "-m", "duocthu_core", "worker"]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr == "duocthu: jobs on SQLite are done by the application itself; workers need PostgreSQL: set DUOCTHU_DATABASE_URL\n"
