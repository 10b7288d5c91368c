"""A turn at work beside the page: it goes on, and is stored, even where the reader closes the page."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from duocthu_core.pipeline.asking import BadQuestion
from duocthu_core.pipeline.running import TurnCancelled
from duocthu_core.pipeline.trace import StageRecord, Trace
from pages.frame.background import Background


class Asking(Protocol):
    """What a running turn needs of the services."""

    def ask(
        self,
        question: str,
        conversation_id: str,
        on_stage: Callable[[StageRecord], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Trace: ...


class RunningTurn(Background[Trace]):
    """One question on its way: its stages so far, and at the end its trace or what went wrong. It is stopped before its next stage."""

    def __init__(self, services: Asking, question: str, conversation_id: str) -> None:
        super().__init__("turn", (TurnCancelled, BadQuestion))
        self.question = question
        self.conversation_id = conversation_id
        self._services = services
        self._stages: list[StageRecord] = []
        self._stage_began = time.monotonic()

    @property
    def trace(self) -> Trace | None:
        """The trace, once the turn has ended well."""
        return self.result

    @property
    def stages(self) -> tuple[StageRecord, ...]:
        """The stages that have ended so far, in order."""
        return tuple(self._stages)

    @property
    def stage_ms(self) -> float:
        """How long the stage at work has been running, in milliseconds."""
        return (time.monotonic() - self._stage_began) * 1000

    def work(self) -> Trace:
        """Asks."""
        return self._services.ask(self.question, self.conversation_id, on_stage=self._stage_ended, should_stop=self.stop_asked)

    def _stage_ended(self, record: StageRecord) -> None:
        self._stages.append(record)
        self._stage_began = time.monotonic()
