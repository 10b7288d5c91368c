"""Wall clock around a call to a provider: whoever asked has the answer or an error when the time is over, whatever the network does.

The time-outs of HTTP clients count each wait by itself: name look-up has none, retries add up, and a body that arrives one byte a second
never times out. So the call runs in a thread of its own, and the caller waits for it no longer than the time given.
"""

from __future__ import annotations

import contextvars
import queue
import threading
import time
import traceback
from collections.abc import Callable

from duocthu_core.language_models.port import ModelError, ModelResponse


class OutOfTime(Exception):
    """Raised inside a call that goes on after its caller left, so that it ends itself and sends nothing more."""


class CallClock:
    """The time of one call, and what the provider last said while it was tried."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.last_failure = ""
        """Scrubbed detail of the latest failed attempt."""
        self._ends_at = time.monotonic() + seconds

    def remaining(self) -> float:
        """Seconds left; raises :class:`OutOfTime` where there are none."""
        left = self._ends_at - time.monotonic()
        if left <= 0:
            raise OutOfTime
        return left

    def out_of_time(self) -> ModelError:
        """What a caller is told whose time is over: a provider that failed was unavailable, a silent one used up the budget."""
        if self.last_failure:
            return ModelError("unavailable", f"no answer within {self.seconds:.1f} s; the last attempt failed: {self.last_failure}")
        return ModelError("budget_exhausted", f"no answer within {self.seconds:.1f} s")


def answer_within(timeout_s: float, call: Callable[[CallClock], ModelResponse | ModelError], name: str) -> ModelResponse:
    """The response of ``call`` within ``timeout_s`` seconds of wall clock; raises the :class:`ModelError` that it returned.

    ``call`` returns its errors instead of raising them, so that no traceback of an HTTP client (its frames hold signed headers) leaves the
    thread. ``name`` is the thread's.
    """
    if timeout_s <= 0:
        raise ModelError("budget_exhausted", "no time was left for this call")
    clock = CallClock(timeout_s)
    outcome: queue.SimpleQueue[ModelResponse | ModelError] = queue.SimpleQueue()

    def run() -> None:
        try:
            outcome.put(call(clock))
        except OutOfTime:
            outcome.put(clock.out_of_time())
        except BaseException as error:  # a thread's error would be printed and lost: hand over its name and place, not its frames
            place = traceback.extract_tb(error.__traceback__)[-1]
            outcome.put(ModelError("unavailable", f"the call broke off: {type(error).__name__} in {place.name}, line {place.lineno}"))

    threading.Thread(target=contextvars.copy_context().run, args=(run,), name=name, daemon=True).start()
    try:
        answer = outcome.get(timeout=timeout_s)
    except queue.Empty:
        answer = clock.out_of_time()
    if isinstance(answer, ModelError):
        # Out of the except block and raised for the first time here: no other error hangs on to it.
        raise answer
    return answer
