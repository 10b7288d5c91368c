"""Work in a thread of its own, so that the page can show how far it is, stop it, and be used meanwhile.

No Streamlit call is made in that thread. The work goes on even where the reader closes the page.
"""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

_log = logging.getLogger(__name__)
Result = TypeVar("Result")
Advance = Callable[[int, int], None]
"""How many of how many steps are done."""
ShouldStop = Callable[[], bool]


class Background(ABC, Generic[Result]):
    """One piece of work: its result, or what went wrong. ``expected`` are errors that are no fault, such as being stopped."""

    def __init__(self, name: str, expected: tuple[type[Exception], ...] = ()) -> None:
        self.result: Result | None = None
        self.error: Exception | None = None
        self._expected = expected
        self._ended = threading.Event()
        self._stop = threading.Event()
        self._began = time.monotonic()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @abstractmethod
    def work(self) -> Result:
        """Does it; heeds :attr:`stop_asked` wherever it can end."""

    def start(self) -> None:
        """Begins."""
        self._thread.start()

    def stop(self) -> None:
        """Asks the work to end where it next can."""
        self._stop.set()

    def stop_asked(self) -> bool:
        """Whether the reader asked it to end."""
        return self._stop.is_set()

    def wait(self, seconds: float) -> bool:
        """Waits at most ``seconds``; whether the work has ended."""
        self._thread.join(seconds)
        return self.ended

    @property
    def ended(self) -> bool:
        """Whether there is a result or an error."""
        return self._ended.is_set()

    @property
    def stopped(self) -> bool:
        """Whether the reader asked to stop, be it at an end or not yet."""
        return self._stop.is_set()

    @property
    def stopping(self) -> bool:
        """Whether the reader asked to stop and the work has not ended yet."""
        return self._stop.is_set() and not self.ended

    @property
    def elapsed_ms(self) -> float:
        """How long it has been running, in milliseconds."""
        return (time.monotonic() - self._began) * 1000

    def _run(self) -> None:
        try:
            self.result = self.work()
        except self._expected as error:
            self.error = error
        except Exception as error:  # the reader is told, whatever it was; the server's log has the rest
            _log.exception("%s failed", self._thread.name)
            self.error = error
        finally:
            self._ended.set()


class Stepwise(Background[Result]):
    """Work that is given as a function and tells how many of how many steps are done."""

    def __init__(self, name: str, work: Callable[[Advance, ShouldStop], Result], expected: tuple[type[Exception], ...] = ()) -> None:
        super().__init__(name, expected)
        self.done, self.total = 0, 0
        self._work = work

    @property
    def share(self) -> float:
        """How much is done, 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    def work(self) -> Result:
        """Does it."""
        return self._work(self._advance, self.stop_asked)

    def _advance(self, done: int, total: int) -> None:
        self.done, self.total = done, total
