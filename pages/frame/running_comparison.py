"""A comparison at work in a thread of its own, so that the page can show how far it is and stop it. No Streamlit call is made there."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from duocthu_core.pipeline.running import TurnCancelled
from duocthu_core.tuning.sides import OnProgress, ShouldStop

_log = logging.getLogger(__name__)
Work = Callable[[OnProgress, ShouldStop], tuple[str, str] | None]
"""Does the work; gives the pair to open where it makes one, None where the list of pairs is read from what was stored."""


class RunningComparison:
    """What is run: how far it is, and at the end the pair to open or what went wrong."""

    def __init__(self, work: Work) -> None:
        self.done, self.total = 0, 0
        self.pair: tuple[str, str] | None = None
        self.error: Exception | None = None
        self.ended = False
        self._work = work
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="comparison", daemon=True)

    def start(self) -> None:
        """Begins the work."""
        self._thread.start()

    def stop(self) -> None:
        """Asks the work to end before its next turn or stage; what was run is stored."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Waits at most ``seconds``; whether the work has ended."""
        self._thread.join(seconds)
        return self.ended

    @property
    def stopped(self) -> bool:
        """Whether the reader asked to stop."""
        return self._stop.is_set()

    @property
    def share(self) -> float:
        """How much is done, 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    def _run(self) -> None:
        try:
            self.pair = self._work(self._advance, self._stop.is_set)
        except TurnCancelled:
            self._stop.set()
        except Exception as error:  # the reader is told, whatever it was; the server's log has the rest
            _log.exception("a comparison failed")
            self.error = error
        finally:
            self.ended = True

    def _advance(self, done: int, total: int) -> None:
        self.done, self.total = done, total
