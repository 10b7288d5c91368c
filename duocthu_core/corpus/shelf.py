"""The corpora that an installation imported, and which one of them answers (spec 06, page 8; spec 07, "Importing").

``{data_dir}/corpora`` holds what was uploaded, each imported corpus under its own content id with its report, and the pointer to the one
in use. Importing never touches the corpus in use: it is replaced by :meth:`CorpusShelf.choose`, one atomic write of the pointer. Without
a pointer the configured corpus answers.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from duocthu_core.corpus.collection import Corpus, CorpusError
from duocthu_core.corpus.import_report import FileReport, ImportReport
from duocthu_core.corpus.importing import Progress, import_files
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.corpus.pdf.import_pdf import PageProgress

_ID = re.compile(r"[0-9a-f]{16}")
_NOTE = re.compile(r"[0-9a-z-]{1,40}")
_LONGEST_NAME, _LONGEST_ENDING = 150, 12
"""Of an uploaded file, in bytes and characters."""
_UNSAFE = re.compile(r"[^\w.\- ()]+")


class ImportedCorpus(BaseModel):
    """A whole corpus on the shelf: its key there, what it is, and the report of its import."""

    model_config = ConfigDict(frozen=True)

    key: str
    corpus_id: str
    edition: str
    imported_at: AwareDatetime
    report: ImportReport

    @property
    def monographs(self) -> int:
        """How many drugs it has."""
        return len({drug_id for file in self.report.files for drug_id in file.drugs})

    @property
    def blocks(self) -> int:
        """How many blocks it has."""
        return sum(file.accepted for file in self.report.files)


class _Pointer(BaseModel):
    """Which corpus of the shelf answers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    corpus_id: str


class CorpusShelf:
    """The folder of imported corpora below ``data_dir``."""

    def __init__(self, data_dir: Path) -> None:
        self.folder = data_dir / "corpora"
        self.pointer = self.folder / "active.json"

    # --- importing ------------------------------------------------------------------------------------------------------------

    def keep_upload(self, name: str, content: bytes) -> Path:
        """Stores an uploaded file and gives its path. The same bytes get the same path, so that a stopped import can be gone on with."""
        safe = _short(_UNSAFE.sub("_", unicodedata.normalize("NFC", Path(name).name)).strip(". ") or "tep")
        folder = self.folder / "uploads" / hashlib.sha256(content).hexdigest()[:16]
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / safe
        _write_whole(path, content)
        return path

    def import_uploads(
        self, paths: Sequence[Path], edition: str, progress: Progress | None = None, on_page: PageProgress | None = None
    ) -> ImportReport:
        """Imports uploaded files into a corpus of its own on the shelf; see :func:`duocthu_core.corpus.importing.import_files`.

        The report names files as they were uploaded. What the callbacks raise ends the import and leaves nothing but what a second run
        of the same files goes on from; of a file that was refused nothing is left.
        """
        waiting = self.folder / f"reading-{_digest(edition, paths)}.jsonl"
        whole = import_files(paths, edition, waiting, progress, on_page=on_page)
        for path, file in zip(paths, whole.files, strict=False):  # no file was read where no edition was named
            if file.error is not None:
                shutil.rmtree(path.parent, ignore_errors=True)
        report = _named_as_uploaded(whole, self.folder)
        if report.corpus_id is None:
            return report
        key = _key_of(report.corpus_id)
        book = ImportedCorpus(key=key, corpus_id=report.corpus_id, edition=edition, imported_at=datetime.now(UTC), report=report)
        _write_whole(self._report_path(key), book.model_dump_json().encode())
        waiting.replace(self._corpus_path(key))
        for path in paths:
            shutil.rmtree(path.parent, ignore_errors=True)
        return report

    # --- what there is --------------------------------------------------------------------------------------------------------

    def imported(self) -> list[ImportedCorpus]:
        """Every whole corpus on the shelf, newest first."""
        keys = (path.name.split(".")[0] for path in self.folder.glob("*.report.json"))
        found = [book for key in keys if (book := self.book(key)) is not None]
        return sorted(found, key=lambda book: book.imported_at, reverse=True)

    def book(self, key: str) -> ImportedCorpus | None:
        """The corpus of this key; None where there is none, or none that is whole."""
        if not _ID.fullmatch(key) or not self._corpus_path(key).is_file():
            return None
        try:
            return ImportedCorpus.model_validate_json(self._report_path(key).read_bytes())
        except (OSError, ValidationError):
            return None

    def note_import(self, name: str, report: ImportReport) -> None:
        """Keeps what became of an import under a name of its own, also where it brought nothing onto the shelf."""
        _write_whole(self._note_path(name), report.model_dump_json().encode())

    def noted_import(self, name: str) -> ImportReport | None:
        """What became of the import of this name; None where that was not noted."""
        try:
            return ImportReport.model_validate_json(self._note_path(name).read_bytes())
        except (OSError, ValidationError):
            return None

    def book_of(self, report: ImportReport) -> ImportedCorpus | None:
        """The corpus on the shelf that an import made."""
        return self.book(_key_of(report.corpus_id)) if report.corpus_id is not None else None

    # --- which one answers ----------------------------------------------------------------------------------------------------

    def chosen(self) -> str | None:
        """Key of the corpus that answers; None where the configured one does. Raises :class:`CorpusError` for a pointer to nothing."""
        pointer = self._read_pointer()
        return None if pointer is None else pointer.key

    def load_chosen(self) -> Corpus | None:
        """The corpus that the pointer names, None without a pointer.

        Raises :class:`CorpusError` with one line for a pointer that cannot be read, or whose corpus is missing, broken or another one:
        which book answers is never decided by a fault.
        """
        pointer = self._read_pointer()
        if pointer is None:
            return None
        try:
            corpus = self._load(pointer.key, pointer.corpus_id)
        except CorpusError as error:
            raise self._pointer_error(str(error)) from error
        return corpus

    def choose(self, key: str) -> Corpus:
        """Makes the corpus of this key the one that answers from the next start on, and gives it: loaded and checked first, then the
        pointer is written whole. Raises :class:`CorpusError` and leaves the old choice where it cannot be used."""
        book = self.book(key)
        if book is None:
            raise CorpusError(f"{self.folder}: holds no whole corpus {key!r}; import it first")
        corpus = self._load(key, book.corpus_id)
        _write_whole(self.pointer, _Pointer(key=key, corpus_id=book.corpus_id).model_dump_json().encode())
        return corpus

    def choose_configured(self) -> None:
        """Takes the pointer away: the configured corpus answers from the next start on."""
        self.pointer.unlink(missing_ok=True)

    def _load(self, key: str, corpus_id: str) -> Corpus:
        corpus = load_corpus(self._corpus_path(key))
        if corpus.corpus_id != corpus_id:
            raise CorpusError(f"{self._corpus_path(key)}: is not the corpus that was imported (its content has another id)")
        return corpus

    def _read_pointer(self) -> _Pointer | None:
        try:
            pointer = _Pointer.model_validate(json.loads(self.pointer.read_bytes()))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise self._pointer_error("it cannot be read") from error
        if not _ID.fullmatch(pointer.key):
            raise self._pointer_error(f"it names {pointer.key[:40]!r}, which is no corpus of this folder")
        return pointer

    def _pointer_error(self, why: str) -> CorpusError:
        return CorpusError(
            f"{self.pointer} says which imported corpus answers, but {why}; "
            "restore that corpus, or delete active.json to answer from CORPUS_PATH again"
        )

    def _corpus_path(self, key: str) -> Path:
        return self.folder / f"{key}.jsonl"

    def _report_path(self, key: str) -> Path:
        return self.folder / f"{key}.report.json"

    def _note_path(self, name: str) -> Path:
        if not _NOTE.fullmatch(name):
            raise ValueError(f"{name[:40]!r} is no name of an import")
        return self.folder / "imports" / f"{name}.json"


def _short(name: str) -> str:
    """``name`` in so few bytes that any system takes it, with what is put around it while it is written; its ending stays."""
    stem, ending = Path(name).stem, Path(name).suffix[:_LONGEST_ENDING]
    while len(f"{stem}{ending}".encode()) > _LONGEST_NAME:
        stem = stem[:-1]
    return f"{stem}{ending}"


def _key_of(corpus_id: str) -> str:
    return corpus_id.removeprefix("sha256:")[:16]


def _digest(edition: str, paths: Sequence[Path]) -> str:
    return hashlib.sha256("\0".join((edition, *(str(path) for path in paths))).encode()).hexdigest()[:16]


def _write_whole(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _named_as_uploaded(report: ImportReport, folder: Path) -> ImportReport:
    """A report without the folders of this installation: it is shown and sent around."""
    files = tuple(_file_as_uploaded(file) for file in report.files)
    problem = report.problem.replace(f"{folder}{os.sep}", "") if report.problem else None
    return report.model_copy(update={"files": files, "corpus_path": Path(report.corpus_path).name, "problem": problem})


def _file_as_uploaded(file: FileReport) -> FileReport:
    path = Path(file.path)
    error = file.error.replace(f"{path.parent}{os.sep}", "") if file.error else None
    return file.model_copy(update={"path": path.name, "error": error})
