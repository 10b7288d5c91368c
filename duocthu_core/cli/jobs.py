"""``jobs``: submit, list, show and cancel batch work (spec 06)."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from pydantic import JsonValue

from duocthu_core.bootstrap import Services
from duocthu_core.cli.errors import DONE, FAILED, BadInput
from duocthu_core.cli.lines import print_json
from duocthu_core.corpus.shelf import CorpusShelf
from duocthu_core.jobs.desk import Jobs
from duocthu_core.jobs.model import Job, JobError

BY = "command line"
_A_DAY_S = 24 * 3600.0


def run_jobs(options: argparse.Namespace, services: Services) -> int:
    """One action; what cannot be done is bad input, in one line."""
    try:
        return {"submit": _submit, "list": _list, "show": _show, "cancel": _cancel}[options.action](options, services)
    except JobError as error:
        raise BadInput(str(error)) from None


def _submit(options: argparse.Namespace, services: Services) -> int:
    jobs = services.jobs
    job_id = jobs.submit(options.kind, _arguments(options.kind, options.arguments, services), by=BY)
    waits = options.wait or services.job_executor is not None
    job = _waited(jobs, job_id) if waits else jobs.status(job_id)
    _print(options, job)
    return FAILED if job.status in ("failed", "cancelled") else DONE


def _waited(jobs: Jobs, job_id: str) -> Job:
    """The job once it has ended; the keyboard cancels it."""
    try:
        return jobs.wait(job_id, _A_DAY_S, time.sleep)
    except KeyboardInterrupt:
        jobs.cancel(job_id, by=BY)
        return jobs.status(job_id)


def _list(options: argparse.Namespace, services: Services) -> int:
    found = services.jobs.recent(max(1, options.limit))
    if options.json:
        print_json([job.model_dump(mode="json") for job in found])
    else:
        sys.stdout.writelines(f"{_line(job)}\n" for job in found)
    return DONE


def _show(options: argparse.Namespace, services: Services) -> int:
    _print(options, services.jobs.status(options.job))
    return DONE


def _cancel(options: argparse.Namespace, services: Services) -> int:
    if not services.jobs.cancel(options.job, by=BY):
        sys.stderr.write("the job has ended already\n")
    _print(options, services.jobs.status(options.job))
    return DONE


def _arguments(kind: str, given: list[str], services: Services) -> dict[str, JsonValue]:
    """``name=value`` pairs; a value that is JSON is read as such. The files of an import are taken into the data folder first."""
    found: dict[str, JsonValue] = {}
    files: list[Path] = []
    for argument in given:
        name, equals, value = argument.partition("=")
        if equals and name.isidentifier():
            found[name] = _value(value)
        elif kind == "corpus.import":
            files.append(Path(argument))
        else:
            raise BadInput(f"{argument!r}: write arguments as name=value")
    if files:
        found["uploads"] = [_kept(file, CorpusShelf(services.settings.data_dir)) for file in files]
    return found


def _kept(file: Path, shelf: CorpusShelf) -> str:
    try:
        kept = shelf.keep_upload(file.name, file.read_bytes())
    except OSError as error:
        raise BadInput(f"{file}: cannot be read ({error.strerror or error}); check the path") from None
    return f"{kept.parent.name}/{kept.name}"


def _value(text: str) -> JsonValue:
    return json.loads(text) if text in ("true", "false", "null") else text


def _print(options: argparse.Namespace, job: Job) -> None:
    if options.json:
        print_json(job.model_dump(mode="json"))
    else:
        sys.stdout.write(_line(job) + "\n")


def _line(job: Job) -> str:
    counted = "".join(f", {name} {count}" for name, count in sorted(job.counts.items()))
    about = f" {job.about['run_id']}" if "run_id" in job.about else ""
    error = f": {job.error}" if job.error else ""
    return f"{job.job_id} {job.kind}{about} {job.status} {job.done}/{job.total}{counted}, {job.submitted_by}{error}"
