"""Evaluation runs as jobs: begun, watched and stopped from any session of any process of the installation."""

from __future__ import annotations

import streamlit as st

from duocthu_core.access.model import User
from duocthu_core.bootstrap import Services
from duocthu_core.evaluation.results import EvalRun
from duocthu_core.evaluation.sets import EvalSet
from duocthu_core.jobs.eval_runs import run_subject
from duocthu_core.jobs.gates import gate_subject
from duocthu_core.jobs.model import Job, JobError
from pages.frame.access import require
from pages.frame.eval_address import eval_go

_REFUSED = "evaluation_refused"


def begin_run(app: Services, evalset: EvalSet, *, fresh: bool) -> None:
    """Submits a run of ``evalset`` under the rules of ``app``, or goes on with the one that was stopped, and opens it."""
    arguments = {"set": evalset.name, "ruleset": app.ruleset.ruleset_id, "new": fresh}
    job = _submitted(app, require("engineer"), "eval.run", arguments)
    if job is not None:
        eval_go(set=evalset.name, run=str(job.about["run_id"]), other=None, case=None)


def begin_gate(app: Services, run: EvalRun) -> None:
    """Submits that a finished run is held to the baseline that ships."""
    _submitted(app, require("engineer"), "eval.gate", {"run": run.run_id})


def stop_job(app: Services, job: Job) -> None:
    """Ends a job after the cases under way; what was found until then stays."""
    app.jobs.cancel(job.job_id, by=require("engineer").name)


def why_refused() -> str | None:
    """Why the last press began nothing, told once."""
    return st.session_state.pop(_REFUSED, None)


def job_at_work(app: Services, run: EvalRun) -> Job | None:
    """The job that is at work on ``run``: its cases, or the gate."""
    return next((job for job in _jobs_on(app, run) if not job.ended), None)


def failed_job(app: Services, run: EvalRun) -> Job | None:
    """The job on ``run`` that ended last, where it failed."""
    ended = [job for job in _jobs_on(app, run) if job.ended]
    newest = max(ended, key=lambda job: job.submitted_at, default=None)
    return newest if newest is not None and newest.status == "failed" else None


def _jobs_on(app: Services, run: EvalRun) -> list[Job]:
    found = (app.jobs.newest_of(subject) for subject in (run_subject(run.run_id), gate_subject(run.run_id)))
    return [job for job in found if job is not None]


def _submitted(app: Services, user: User, kind: str, arguments: dict[str, str | bool]) -> Job | None:
    try:
        return app.jobs.status(app.jobs.submit(kind, {**arguments}, by=user.name))
    except JobError as error:
        st.session_state[_REFUSED] = str(error)
        return None
