"""An import at work beside the page. It ends with a report; the book in use is not touched by it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from duocthu_core.corpus.import_report import ImportReport
from duocthu_core.corpus.importing import ImportStopped as ImportStopped
from duocthu_core.corpus.shelf import CorpusShelf
from pages.frame.background import Background


class RunningImport(Background[ImportReport]):
    """The import of some uploaded files: how far it is, and at the end its report. It is stopped before its next file or page."""

    def __init__(self, shelf: CorpusShelf, uploads: Sequence[Path], edition: str) -> None:
        super().__init__("import", (ImportStopped,))
        self.edition = edition
        self.file = ""
        self.file_number = 0
        self.file_count = len(uploads)
        self.page = 0
        self.page_count = 0
        self._shelf = shelf
        self._uploads = tuple(uploads)

    @property
    def report(self) -> ImportReport | None:
        """The report, once the import has ended well."""
        return self.result

    @property
    def share(self) -> float:
        """How much of the work is done, 0..1: files, and pages of a file at work."""
        done = max(self.file_number - 1, 0) + (self.page / self.page_count if self.page_count else 0.0)
        return min(1.0, done / max(self.file_count, 1))

    def work(self) -> ImportReport:
        """Imports."""
        return self._shelf.import_uploads(self._uploads, self.edition, self._file_begins, self._page_read)

    def _file_begins(self, path: Path, number: int, count: int) -> None:
        self.file, self.file_number, self.file_count, self.page, self.page_count = path.name, number, count, 0, 0
        self._heed_stop()

    def _page_read(self, _path: Path, done: int, total: int) -> None:
        self.page, self.page_count = done, total
        self._heed_stop()

    def _heed_stop(self) -> None:
        if self.stop_asked():
            raise ImportStopped
