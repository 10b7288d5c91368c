"""A running turn is seen stage by stage, can be stopped, and tells what went wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable

from duocthu_core.pipeline.running import TurnCancelled
from duocthu_core.pipeline.trace import StageRecord, Trace
from pages.frame.running_turn import RunningTurn
from tests.app import sample_traces as sample


class Paced:
    """Services whose turn goes on by one stage each time it is let."""

    def __init__(self, error: Exception | None = None) -> None:
        self.let = threading.Semaphore(0)
        self.error = error

    def ask(
        self,
        question: str,
        conversation_id: str,
        on_stage: Callable[[StageRecord], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Trace:
        trace = sample.answered(conversation=conversation_id).model_copy(update={"question": question})
        assert on_stage is not None
        assert should_stop is not None
        for record in trace.stages:
            self.let.acquire(timeout=5)
            if should_stop():
                raise TurnCancelled(record.name)
            if self.error is not None:
                raise self.error
            on_stage(record)
        return trace


def let(services: Paced, turn: RunningTurn, stages: int) -> None:
    for _ in range(stages):
        services.let.release()
    turn.wait(0.2)


def test_stages_appear_as_they_end() -> None:
    services = Paced()
    turn = RunningTurn(services, "Liều?", "c1")
    turn.start()
    let(services, turn, 3)
    assert [record.name for record in turn.stages] == ["scope", "understanding", "focus"]
    assert not turn.ended
    let(services, turn, 20)
    assert turn.wait(2)
    assert turn.trace is not None
    assert turn.trace.question == "Liều?"


def test_a_stopped_turn_ends_before_its_next_stage_and_leaves_no_trace() -> None:
    services = Paced()
    turn = RunningTurn(services, "Liều?", "c1")
    turn.start()
    let(services, turn, 2)
    turn.stop()
    assert turn.stopping
    let(services, turn, 1)
    assert turn.wait(2)
    assert turn.trace is None
    assert isinstance(turn.error, TurnCancelled)
    assert not turn.stopping
    assert len(turn.stages) == 2


def test_an_error_ends_the_turn_and_is_kept() -> None:
    services = Paced(error=RuntimeError("disk full"))
    turn = RunningTurn(services, "Liều?", "c1")
    turn.start()
    let(services, turn, 1)
    assert turn.wait(2)
    assert str(turn.error) == "disk full"
