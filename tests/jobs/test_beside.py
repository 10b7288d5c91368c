"""Jobs done in a process beside the application, as the pages have them done on SQLite."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from duocthu_core.bootstrap import bootstrap
from duocthu_core.jobs.beside import ProcessBeside
from duocthu_core.jobs.in_process import InProcessExecutor
from duocthu_core.settings import load_settings
from tests.jobs.installation import many_cases

CASES = 32
"""More than the application does itself."""
ECHO = "import json, sys\nfor line in sys.stdin:\n    job, number = json.loads(line)\n"


def process(body: str) -> ProcessBeside:
    """A process that does ``body`` for each part."""
    return ProcessBeside((sys.executable, "-c", ECHO + body))


def test_what_the_process_says_of_a_part_is_handed_on() -> None:
    beside = process("    print(json.dumps(None if number == 0 else 2.5), flush=True)\n")
    assert (beside.carry_out("a", 0), beside.carry_out("a", 1)) == (None, 2.5)
    beside.end()


def test_a_process_that_is_ended_in_a_part_is_started_again() -> None:
    beside = process("    if number == 1: sys.exit(3)\n    print('null', flush=True)\n")
    assert beside.carry_out("a", 0) is None
    assert beside.carry_out("a", 1) == 1.0
    assert beside.carry_out("a", 0) is None
    beside.end()


def test_a_run_is_done_whole_beside_the_application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUOCTHU_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("DUOCTHU_DATABASE_URL", "")
    beside = ProcessBeside((sys.executable, "-m", "duocthu_core.cli.beside"))
    executor = InProcessExecutor(beside=beside)
    services = replace(bootstrap(load_settings(_env_file=None)), job_executor=executor)
    job_id = services.jobs.submit("eval.run", {"set": str(many_cases(tmp_path / "few.jsonl", CASES))}, by="local")
    assert executor.wait(120)
    job = services.jobs.status(job_id)
    assert (job.status, job.error, job.done, job.counts["missing"]) == ("done", None, CASES, 0)
    assert services.evaluating().found(str(job.about["run_id"])).status == "finished"
    beside.end()


def test_a_few_cases_do_not_wait_for_another_process(tmp_path: Path) -> None:
    class Never:
        def carry_out(self, job_id: str, number: int, asked_to_stop: object = None, /) -> float | None:
            raise AssertionError(job_id)

    executor = InProcessExecutor(beside=Never())
    settings = load_settings(_env_file=None, DUOCTHU_DATA_DIR=tmp_path / "data", DUOCTHU_DATABASE_URL="")
    services = replace(bootstrap(settings), job_executor=executor)
    job_id = services.jobs.submit("eval.run", {"set": str(many_cases(tmp_path / "few.jsonl", 3))}, by="local")
    assert executor.wait(120)
    assert services.jobs.status(job_id).status == "done"
