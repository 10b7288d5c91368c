"""An import at work in a thread of its own, so that the page can show how far it is and stop it. No Streamlit call is made in that thread.

It ends with a report; the book in use is not touched by it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from pathlib import Path

from duocthu_core.corpus.import_report import ImportReport
from duocthu_core.corpus.shelf import CorpusShelf

_log = logging.getLogger(__name__)


class ImportStopped(Exception):
    """The reader stopped the import; what was read stays for the next attempt."""


class RunningImport:
    """The import of some uploaded files: how far it is, and at the end its report or what went wrong."""

    def __init__(self, shelf: CorpusShelf, uploads: Sequence[Path], edition: str) -> None:
        self.edition = edition
        self.file = ""
        self.file_number = 0
        self.file_count = len(uploads)
        self.page = 0
        self.page_count = 0
        self.report: ImportReport | None = None
        self.error: Exception | None = None
        self._shelf = shelf
        self._uploads = tuple(uploads)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="import", daemon=True)

    def start(self) -> None:
        """Begins the import."""
        self._thread.start()

    def stop(self) -> None:
        """Asks the import to end before its next file or page."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Waits at most ``seconds``; whether the import has ended."""
        self._thread.join(seconds)
        return self.ended

    @property
    def ended(self) -> bool:
        """Whether there is a report or an error."""
        return self.report is not None or self.error is not None

    @property
    def stopping(self) -> bool:
        """Whether the reader asked to stop and the import has not ended yet."""
        return self._stop.is_set() and not self.ended

    @property
    def share(self) -> float:
        """How much of the work is done, 0..1: files, and pages of a file at work."""
        done = max(self.file_number - 1, 0) + (self.page / self.page_count if self.page_count else 0.0)
        return min(1.0, done / max(self.file_count, 1))

    def _run(self) -> None:
        try:
            self.report = self._shelf.import_uploads(self._uploads, self.edition, self._file_begins, self._page_read)
        except ImportStopped as stopped:
            self.error = stopped
        except Exception as error:  # the reader is told, whatever it was; the server's log has the rest
            _log.exception("an import failed")
            self.error = error

    def _file_begins(self, path: Path, number: int, count: int) -> None:
        self.file, self.file_number, self.file_count, self.page, self.page_count = path.name, number, count, 0, 0
        self._heed_stop()

    def _page_read(self, _path: Path, done: int, total: int) -> None:
        self.page, self.page_count = done, total
        self._heed_stop()

    def _heed_stop(self) -> None:
        if self._stop.is_set():
            raise ImportStopped
