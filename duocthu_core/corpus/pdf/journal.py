"""What an import of a PDF has done so far, kept beside the corpus: a run that was killed is gone on with, and nothing is read twice.

One JSON object a line, written when a slab of the book is done. A line that was cut off by a kill is left out. The journal belongs to one
file, edition and way of reading; for any other it is not used.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, TextIO

from pydantic import BaseModel, ConfigDict

from duocthu_core.corpus.import_report import ImportWarning, RejectedText, RemovedHead
from duocthu_core.corpus.model import Block, Monograph
from duocthu_core.corpus.pdf.page_reader import PdfError
from duocthu_core.rulesets.loading import RULESETS_FOLDER

try:
    import fcntl
except ImportError:  # not on every system; there two imports of one file at a time are not refused
    fcntl = None

_READING = 4
"""Changes with every change of what a PDF becomes."""


class Resume(NamedTuple):
    """Where the next slab begins."""

    file_page: int
    """Page of the file to read from (from 0): some pages before the slab, so that heads are known."""
    first_sheet: int
    """Sheet index of that page."""
    sheet: int
    place: int
    """The slab's first line."""
    offset: int | None
    """Printed number less index before that sheet."""


class SlabRecord(BaseModel):
    """What a slab became."""

    model_config = ConfigDict(frozen=True)

    monographs: tuple[Monograph, ...] = ()
    blocks: tuple[Block, ...] = ()
    heads: tuple[RemovedHead, ...] = ()
    rejected: tuple[RejectedText, ...] = ()
    warnings: tuple[ImportWarning, ...] = ()
    outside: tuple[str, ...] = ()
    """Every text of the slab that stands in no block's text, once where it stood."""


@dataclass(slots=True)
class Journal:
    """The journal of one import; a context manager that holds its lock. Raises :class:`PdfError` where another import holds it."""

    path: Path
    edition: str
    done: list[SlabRecord] = field(default_factory=list)
    resume: Resume | None = None
    _file: TextIO | None = None

    @classmethod
    def of(cls, pdf: Path, edition: str, corpus_path: Path) -> Journal:
        """The journal of an import of ``pdf`` into ``corpus_path``."""
        return cls(corpus_path.parent / f".{corpus_path.name}.{_key(pdf, edition)[:16]}.reading", edition)

    def __enter__(self) -> Journal:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = self.path.open("a+", encoding="utf-8", newline="\n")
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                file.close()
                raise PdfError("tệp này đang được nhập ở một cửa sổ khác; chờ lần nhập đó xong") from error
        self._file = file
        file.seek(0)
        end = 0
        for length, fields in _whole_lines(file):
            for block in fields["slab"].get("blocks", ()):
                block["edition"] = self.edition
            self.done.append(SlabRecord.model_validate(fields["slab"]))
            self.resume = Resume(*fields["resume"])
            end += length
        file.seek(end)
        file.truncate()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self._file is not None
        self._file.close()

    def add(self, record: SlabRecord, resume: Resume) -> None:
        """Keeps what a slab became, and where the next one begins."""
        assert self._file is not None
        slab = record.model_dump_json(exclude_defaults=True, exclude={"blocks": {"__all__": {"content_hash"}}})
        self._file.write(f'{{"resume":{json.dumps(resume)},"slab":{slab}}}\n')
        self._file.flush()
        self.resume = resume

    def remove(self) -> None:
        """Once the corpus is whole, or the file was refused for good."""
        self.path.unlink(missing_ok=True)


def _whole_lines(file: TextIO) -> Iterator[tuple[int, dict[str, Any]]]:
    """(bytes, content) of every line up to the first that is not whole."""
    for line in iter(file.readline, ""):
        try:
            fields = json.loads(line) if line.endswith("\n") else None
        except ValueError:
            fields = None
        if fields is None:
            return
        yield len(line.encode()), fields


def _key(pdf: Path, edition: str) -> str:
    digest = hashlib.sha256(f"{_READING}\n{edition}\n".encode())
    for rules in sorted((RULESETS_FOLDER / "default").glob("*.yaml")):
        digest.update(rules.read_bytes())
    with pdf.open("rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()
