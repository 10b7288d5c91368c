"""Calling a model inside a turn: the budget is asked first, every call is written down, every failure has one of three names."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from duocthu_core.language_models.port import LanguageModel, ModelError, ModelRequest, ModelResponse
from duocthu_core.pipeline.budget import Budget
from duocthu_core.pipeline.trace import ModelCall
from duocthu_core.verification.model import RejectReason

_REASONS: dict[str, RejectReason] = {
    "unavailable": "provider_unavailable",
    "budget_exhausted": "request_budget_exhausted",
    "malformed": "malformed_output",
}


class CallPrice(Protocol):
    """What a call cost, in USD; None where the model's price is unknown."""

    def __call__(self, provider: str, model: str, input_tokens: int, output_tokens: int) -> float | None: ...


def reject_reason_of(error: ModelError) -> RejectReason:
    """The reject reason that a failed call ends the turn with: not run is not "no" (spec 04, check 2)."""
    return _REASONS[error.kind]


class CallLog:
    """Makes the calls of one turn and keeps them, so that each stage can take those it made."""

    def __init__(self, budget: Budget, price: CallPrice, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._budget = budget
        self._price = price
        self._now = now
        self._calls: list[ModelCall] = []
        self._recorded_ms = 0.0

    def complete(self, model: LanguageModel, request: ModelRequest) -> ModelResponse:
        """The model's response, or :class:`ModelError`. With nothing left of the budget no call is made."""
        remaining = self._budget.remaining()
        call = _Call(model, request, self._now(), time.perf_counter())
        if remaining <= 0:
            error = ModelError("budget_exhausted", "the turn's time was used up before this call")
            self._calls.append(call.failed(error, made=False))
            raise error
        try:
            response = model.complete(request, timeout_s=remaining)
        except ModelError as error:
            # A call that used up what was left of the budget ran out of time, whatever the provider calls it.
            out_of_time = error.kind == "unavailable" and self._budget.remaining() <= 0
            told = ModelError("budget_exhausted", error.detail) if out_of_time else error
            self._calls.append(call.failed(told))
            raise told from error
        self._calls.append(call.answered(response, self._price))
        return response

    def note_recorded(self, call: ModelCall) -> None:
        """Takes a call of an earlier turn for this one's: it is not made again, and its time counts as it was."""
        self._calls.append(call)
        self._recorded_ms += call.duration_ms

    def take_recorded_ms(self) -> float:
        """How long the recorded calls took when they were made, since the last take."""
        taken, self._recorded_ms = self._recorded_ms, 0.0
        return taken

    def take(self) -> tuple[ModelCall, ...]:
        """The calls made since the last take: those of the stage that just ended."""
        taken = tuple(self._calls)
        self._calls.clear()
        return taken


@dataclass(frozen=True)
class _Call:
    """A call under way."""

    model: LanguageModel
    request: ModelRequest
    started_at: datetime
    started: float

    def answered(self, response: ModelResponse, price: CallPrice) -> ModelCall:
        cost = price(self.model.provider, self.model.model_id, response.input_tokens, response.output_tokens)
        return self._ended().model_copy(update={"response": response, "cost_usd": cost})

    def failed(self, error: ModelError, *, made: bool = True) -> ModelCall:
        ended = self._ended() if made else self._ended().model_copy(update={"duration_ms": 0.0})
        return ended.model_copy(update={"error_kind": error.kind, "error": error.detail})

    def _ended(self) -> ModelCall:
        return ModelCall(
            provider=self.model.provider,
            model=self.model.model_id,
            request=self.request,
            started_at=self.started_at,
            duration_ms=(time.perf_counter() - self.started) * 1000,
        )
