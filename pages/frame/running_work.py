"""Work that takes a while, in a thread of its own, so that the page can show how far it is and stop it. No Streamlit call is made there."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")
_log = logging.getLogger(__name__)
Advance = Callable[[int, int], None]
"""How many of how many steps are done."""
ShouldStop = Callable[[], bool]


class RunningWork(Generic[_T]):
    """One piece of work: how far it is, and at the end its result or what went wrong."""

    def __init__(self, work: Callable[[Advance, ShouldStop], _T]) -> None:
        self.done, self.total = 0, 0
        self.result: _T | None = None
        self.error: Exception | None = None
        self._work = work
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="work", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Asks the work to end before its next step."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Waits at most ``seconds``; whether the work has ended."""
        self._thread.join(seconds)
        return self.ended

    @property
    def ended(self) -> bool:
        """Whether there is a result or an error."""
        return not self._thread.is_alive()

    @property
    def stopped(self) -> bool:
        """Whether the reader asked to stop."""
        return self._stop.is_set()

    def _run(self) -> None:
        try:
            self.result = self._work(self._advance, self._stop.is_set)
        except Exception as error:  # the reader is told, whatever it was; the server's log has the rest
            _log.info("work of a page ended early: %s", type(error).__name__, exc_info=True)
            self.error = error

    def _advance(self, done: int, total: int) -> None:
        self.done, self.total = done, total
