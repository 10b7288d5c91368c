"""Imports as jobs: begun, watched, stopped and gone on with from any session of any process of the installation."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from pydantic import JsonValue
from streamlit.runtime.uploaded_file_manager import UploadedFile

from duocthu_core.bootstrap import Services
from duocthu_core.corpus.shelf import CorpusShelf
from duocthu_core.jobs.importing import IMPORT, PER_FILE
from duocthu_core.jobs.model import Job, JobError, UnknownJob
from pages.frame.access import require
from pages.frame.book_address import BookAddress, go_in_book

_REFUSED = "import_refused"
_LISTED = 5


def begin_import(app: Services, shelf: CorpusShelf, files: Sequence[UploadedFile], edition: str) -> None:
    """Takes the files into the data folder, submits their import, and opens it."""
    kept = [shelf.keep_upload(file.name, file.getvalue()) for file in files]
    _submit(app, {"edition": edition, "uploads": [f"{path.parent.name}/{path.name}" for path in kept]})


def go_on_with(app: Services, job: Job) -> None:
    """Submits a stopped import again: it goes on with the page that it had reached."""
    _submit(app, job.arguments)


def stop_import(app: Services, job: Job) -> None:
    """Ends an import before its next page; what was read stays for the next try."""
    app.jobs.cancel(job.job_id, by=require("engineer").name)


def why_refused() -> str | None:
    """Why the last press began nothing, told once."""
    return st.session_state.pop(_REFUSED, None)


def import_job(app: Services, job_id: str | None) -> Job | None:
    """The import of this id."""
    try:
        job = app.jobs.status(job_id) if job_id else None
    except UnknownJob:
        return None
    return job if job is not None and job.kind == IMPORT else None


def imports_at_work(app: Services) -> list[Job]:
    """Imports that have not ended, whoever sent them."""
    return [job for job in app.jobs.recent(_LISTED, kind=IMPORT) if not job.ended]


def file_at_work(job: Job) -> tuple[str, int, int]:
    """Name and number of the file that is read now, and of how many."""
    uploads = job.arguments.get("uploads")
    names = [str(name).partition("/")[2] for name in uploads] if isinstance(uploads, list) else []
    number = min(job.done // PER_FILE, max(0, len(names) - 1))
    return (names[number] if names else ""), number + 1, len(names)


def _submit(app: Services, arguments: dict[str, JsonValue]) -> None:
    try:
        job_id = app.jobs.submit(IMPORT, arguments, by=require("engineer").name)
    except JobError as error:
        st.session_state[_REFUSED] = str(error)
    else:
        go_in_book(BookAddress(view="import", job=job_id))
