"""An import of uploaded files as a job (spec 06, page 8; spec 07). The corpus in use is not touched: choosing it stays a person's act."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from duocthu_core.corpus.import_report import ImportReport
from duocthu_core.corpus.importing import ImportStopped
from duocthu_core.corpus.shelf import CorpusShelf
from duocthu_core.jobs.kinds import Broken, Pace
from duocthu_core.jobs.model import Job, JobError, Part, Plan, PlannedPart, text, texts

IMPORT = "corpus.import"
PER_FILE = 100
"""Units of progress a file: pages are only counted once the file is open."""


class Imports:
    """Jobs of the kind ``corpus.import``. Arguments: ``edition``, and ``uploads``: what :meth:`CorpusShelf.keep_upload` stored, each as
    ``folder/name``. The report is noted on the shelf under the job's id. Workers on other machines need the same data folder (a shared
    volume)."""

    def __init__(self, shelf: CorpusShelf) -> None:
        self._shelf = shelf

    def plan(self, arguments: Mapping[str, JsonValue]) -> Plan:
        """One part: a corpus becomes whole in one place."""
        edition, uploads = text(arguments, "edition"), texts(arguments, "uploads")
        if not uploads:
            raise JobError("uploads: give at least one uploaded file")
        for name in uploads:
            self._path(name)
        part = PlannedPart(arguments={"uploads": list(uploads), "edition": edition}, size=PER_FILE * len(uploads))
        return Plan(subject=f"corpus.import {edition} {' '.join(sorted(uploads))}", about={"edition": edition}, parts=(part,))

    def run(self, job: Job, part: Part, pace: Pace) -> Mapping[str, int]:
        """Imports the files; an import that was broken off goes on with the page it had reached. Counts: ``monographs``, ``blocks``."""
        edition, uploads = text(part.arguments, "edition"), texts(part.arguments, "uploads")
        try:
            paths = [self._path(name) for name in uploads]
        except JobError:
            if (before := self._imported_before(job, uploads, edition)) is not None:
                return before
            raise
        reached = 0

        def file_begins(_path: Path, number: int, _count: int) -> None:
            nonlocal reached
            reached = PER_FILE * (number - 1)
            page_read(_path, 0, 1)

        def page_read(_path: Path, done: int, total: int) -> None:
            if pace.should_stop():
                raise ImportStopped
            pace.advance(reached + PER_FILE * done // max(total, 1))

        try:
            report = self._shelf.import_uploads(paths, edition, file_begins, page_read)
        except ImportStopped:
            raise Broken from None
        self._shelf.note_import(job.job_id, report)
        if report.corpus_id is None:
            raise JobError(_problem(report))
        return _counts(report)

    def finish(self, job: Job) -> None:
        """The corpus is on the shelf; which one answers is chosen by a person."""

    def stop(self, job: Job) -> None:
        """What was read of a PDF stays for the next attempt."""

    def _path(self, name: str) -> Path:
        """The uploaded file ``folder/name``; raises JobError for one that is not there, or that lies outside the uploads."""
        uploads = (self._shelf.folder / "uploads").resolve()
        path = (uploads / name).resolve()
        if path.parent.parent != uploads:
            raise JobError(f"{name[:80]!r} is no uploaded file")
        if not path.is_file():
            raise JobError(f"{name[:80]!r} is not among the uploads here; workers and application share one DUOCTHU_DATA_DIR")
        return path

    def _imported_before(self, job: Job, uploads: list[str], edition: str) -> Mapping[str, int] | None:
        """What the import gave, where its worker was killed between its end and the note of it: the uploads are gone by then."""
        names = sorted(Path(name).name for name in uploads)
        for book in self._shelf.imported():
            same_files = sorted(file.path for file in book.report.files) == names
            if book.edition == edition and same_files and book.imported_at >= job.submitted_at:
                self._shelf.note_import(job.job_id, book.report)
                return _counts(book.report)
        return None


def _counts(report: ImportReport) -> Mapping[str, int]:
    drugs = {drug_id for file in report.files for drug_id in file.drugs}
    return {"monographs": len(drugs), "blocks": sum(file.accepted for file in report.files)}


def _problem(report: ImportReport) -> str:
    failed = next((f"{file.path}: {file.error}" for file in report.files if file.error is not None), None)
    return report.problem or failed or "nothing could be imported; see the files"
