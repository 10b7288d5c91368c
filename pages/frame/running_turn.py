"""A turn at work in a thread of its own, so that the page can show its stages, stop it, and be used meanwhile.

No Streamlit call is made in that thread. The turn goes on, and is stored, even where the reader closes the page.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

from duocthu_core.pipeline.asking import BadQuestion
from duocthu_core.pipeline.running import TurnCancelled
from duocthu_core.pipeline.trace import StageRecord, Trace

_log = logging.getLogger(__name__)


class Asking(Protocol):
    """What a running turn needs of the services."""

    def ask(
        self,
        question: str,
        conversation_id: str,
        on_stage: Callable[[StageRecord], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Trace: ...


class RunningTurn:
    """One question on its way: its stages so far, and at the end its trace or what went wrong."""

    def __init__(self, services: Asking, question: str, conversation_id: str) -> None:
        self.question = question
        self.conversation_id = conversation_id
        self.trace: Trace | None = None
        self.error: Exception | None = None
        self._stages: list[StageRecord] = []
        self._stop = threading.Event()
        self._began = self._stage_began = time.monotonic()
        self._thread = threading.Thread(target=self._run, args=(services,), name="turn", daemon=True)

    def start(self) -> None:
        """Begins the turn."""
        self._thread.start()

    def stop(self) -> None:
        """Asks the turn to end before its next stage."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Waits at most ``seconds``; whether the turn has ended."""
        self._thread.join(seconds)
        return self.ended

    @property
    def ended(self) -> bool:
        """Whether there is a trace or an error."""
        return self.trace is not None or self.error is not None

    @property
    def stopping(self) -> bool:
        """Whether the reader asked to stop and the turn has not ended yet."""
        return self._stop.is_set() and not self.ended

    @property
    def stages(self) -> tuple[StageRecord, ...]:
        """The stages that have ended so far, in order."""
        return tuple(self._stages)

    @property
    def stage_ms(self) -> float:
        """How long the stage at work has been running, in milliseconds."""
        return (time.monotonic() - self._stage_began) * 1000

    @property
    def elapsed_ms(self) -> float:
        """How long the turn has been running, in milliseconds."""
        return (time.monotonic() - self._began) * 1000

    def _run(self, services: Asking) -> None:
        try:
            self.trace = services.ask(self.question, self.conversation_id, on_stage=self._stage_ended, should_stop=self._stop.is_set)
        except (TurnCancelled, BadQuestion) as error:
            self.error = error
        except Exception as error:  # the reader is told, whatever it was; the server's log has the rest
            _log.exception("a turn failed")
            self.error = error

    def _stage_ended(self, record: StageRecord) -> None:
        self._stages.append(record)
        self._stage_began = time.monotonic()
