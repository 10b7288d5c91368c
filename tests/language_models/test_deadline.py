"""The wall clock around a call."""

from __future__ import annotations

import contextvars
import threading
import time

import pytest

from duocthu_core.language_models.deadline import CallClock, OutOfTime, answer_within
from duocthu_core.language_models.port import ModelError, ModelResponse

RESPONSE = ModelResponse(text="{}", model="m")


def test_the_answer_is_handed_over() -> None:
    assert answer_within(5, lambda clock: RESPONSE, "call") is RESPONSE


def test_an_error_is_raised_without_another_one_behind_it() -> None:
    with pytest.raises(ModelError) as caught:
        answer_within(5, lambda clock: ModelError("malformed", "no JSON"), "call")
    assert caught.value.kind == "malformed"
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_a_call_that_does_not_return_is_left() -> None:
    going_on = threading.Event()

    def call(clock: CallClock) -> ModelResponse:
        going_on.wait(30)
        return RESPONSE

    with pytest.raises(ModelError) as caught:
        answer_within(0.3, call, "call")
    assert not going_on.is_set()
    assert (caught.value.kind, caught.value.detail) == ("budget_exhausted", "no answer within 0.3 s")
    going_on.set()


def test_a_call_left_behind_learns_that_its_time_is_over() -> None:
    ended = threading.Event()

    def call(clock: CallClock) -> ModelResponse:
        while True:
            time.sleep(0.05)
            try:
                clock.remaining()
            except OutOfTime:
                ended.set()
                raise

    with pytest.raises(ModelError):
        answer_within(0.2, call, "call")
    assert ended.wait(10)


def test_an_error_of_our_own_is_told_by_its_place_and_not_by_its_words() -> None:
    def call(clock: CallClock) -> ModelResponse:
        raise KeyError("canary-secret")

    with pytest.raises(ModelError, match=r"the call broke off: KeyError in call, line \d+") as caught:
        answer_within(5, call, "call")
    assert "canary" not in str(caught.value)


def test_the_callers_context_holds_inside_the_call() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable")
    variable.set("turn 7")

    def call(clock: CallClock) -> ModelResponse:
        return ModelResponse(text=variable.get(), model="m")

    assert answer_within(5, call, "call").text == "turn 7"
