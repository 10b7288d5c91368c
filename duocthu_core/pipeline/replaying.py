"""Running a stored turn again, from any stage, under other rules or models (spec 01, "Replay").

The stages that no model takes part in are cheap and are run again; where they give what was recorded, the record itself stands in the new
trace. A model is asked only where its request is not byte for byte the recorded one. The conversation is never touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from duocthu_core.conversation.model import ConversationState, Focus
from duocthu_core.language_models.port import LanguageModel, ModelError, ModelRequest, ModelResponse
from duocthu_core.language_models.recorded import RecordedReplies
from duocthu_core.pipeline.budget import Budget
from duocthu_core.pipeline.calling import CallLog, CallPrice
from duocthu_core.pipeline.outputs import FocusOutput, MemoryOutput
from duocthu_core.pipeline.recorded_verdicts import RecordedVerdicts, cache_was_off
from duocthu_core.pipeline.running import OnStage, Pipeline
from duocthu_core.pipeline.trace import STAGE_ORDER, ModelCall, StageName, StageRecord, Trace, TurnInput
from duocthu_core.pipeline.verdict_cache import VerdictCache

_PLACE = {name: place for place, name in enumerate(STAGE_ORDER)}


@dataclass(frozen=True)
class Replayed:
    """A turn run again, and how it came about."""

    trace: Trace
    """The new trace; its ``parent_trace_id`` is the one that was run again."""
    parent: Trace
    first_difference: StageName | None
    """The first stage whose result is another one; None where nothing changed."""
    kept: tuple[StageName, ...]
    """Stages whose records were taken from the parent."""
    recorded_calls: int
    """Calls answered by the record."""
    fresh_calls: tuple[ModelCall, ...]
    """Calls that were made now."""

    @property
    def is_same(self) -> bool:
        """Whether every stage came out as recorded."""
        return self.first_difference is None


def replay(
    pipeline: Pipeline,
    parent: Trace,
    *,
    start: StageName | None = None,
    on_stage: OnStage | None = None,
    should_stop: Callable[[], bool] | None = None,
    known: VerdictCache | None = None,
) -> Replayed:
    """Runs ``parent`` again with the rules and models of ``pipeline``.

    ``start``: stages before it are taken from the trace where what they depend on gives the recorded result; None: every stage that can be
    taken is. A stage before ``start`` that comes out otherwise under these rules (or in this book) is run, and so are all behind it. A
    call that failed is made again from ``start`` on, and fails again as recorded before it. ``known`` is asked for verdicts where the
    judge's prompt, model or claims are others; nothing is ever written to it.
    """
    calls = ReplayedCalls(parent, start, pipeline.new_budget(), pipeline.price, pipeline.now)
    verdicts = None if cache_was_off(parent) else RecordedVerdicts(parent, pipeline.parts.ruleset, known)
    kept: list[StageName] = []

    def taken(record: StageRecord) -> StageRecord:
        recorded = parent.stage(record.name)
        before = start is None or _PLACE[record.name] < _PLACE[start]
        if recorded is not None and before and same_record(record, recorded):
            kept.append(record.name)
            return recorded
        return record

    result = pipeline.run_with(
        input_of(parent), calls, verdicts, kept=taken, on_stage=on_stage, should_stop=should_stop, parent_trace_id=parent.trace_id
    )
    return Replayed(
        trace=result.trace,
        parent=parent,
        first_difference=first_difference(parent, result.trace),
        kept=tuple(kept),
        recorded_calls=calls.answered_by_record,
        fresh_calls=tuple(calls.fresh),
    )


def input_of(trace: Trace) -> TurnInput:
    """What the turn began with. An older trace does not say all of it: focus and summary are taken from its stages then."""
    if trace.given is not None:
        return trace.given
    focus, memory = trace.stage("focus"), trace.stage("memory")
    before = focus.output.before if focus is not None and isinstance(focus.output, FocusOutput) else Focus()
    remembered = memory.output if memory is not None and isinstance(memory.output, MemoryOutput) else None
    state = ConversationState(
        conversation_id=trace.conversation_id,
        summary=remembered.summary_before if remembered else "",
        focus=before,
        turn_count=max(0, (trace.turn_index - 1) * 2),
    )
    return TurnInput(asked=trace.question, state=state)


class ReplayedCalls(CallLog):
    """The calls of a turn run again: answered by the record where request and model are the same, made where they are not."""

    def __init__(self, parent: Trace, start: StageName | None, budget: Budget, price: CallPrice, now: Callable[[], datetime]) -> None:
        super().__init__(budget, price, now)
        self._recorded = RecordedReplies(_usable(parent, start))
        self._own: list[ModelCall] = []
        self.answered_by_record = 0
        self.fresh: list[ModelCall] = []

    def complete(self, model: LanguageModel, request: ModelRequest) -> ModelResponse:
        recorded = self._recorded.next_for(_key(model.provider, model.model_id, request))
        if recorded is None:
            return super().complete(model, request)
        self._own.append(recorded)
        self.answered_by_record += 1
        self.note_recorded(recorded)
        if recorded.response is None:
            raise ModelError(recorded.error_kind or "unavailable", recorded.error or "")
        return recorded.response

    def take(self) -> tuple[ModelCall, ...]:
        taken = super().take()
        own, self._own = self._own, []
        self.fresh += [call for call in taken if not any(call is recorded for recorded in own)]
        return taken


def _usable(parent: Trace, start: StageName | None) -> Iterable[tuple[str, ModelCall]]:
    for record in parent.stages:
        for call in record.calls:
            before = start is None or _PLACE[record.name] < _PLACE[start]
            if call.response is not None or before:
                yield _key(call.provider, call.model, call.request), call


def _key(provider: str, model: str, request: ModelRequest) -> str:
    return f"{provider}/{model} {request.fingerprint()}"


def same_record(one: StageRecord, other: StageRecord) -> bool:
    """Whether two records of a stage say the same, their times aside."""
    return one is other or record_content(one) == record_content(other)


def record_content(record: StageRecord) -> dict[str, Any]:
    """A record as JSON without its times: what two runs of the same stage share to the last byte."""
    content = record.model_dump(mode="json", exclude={"started_at", "duration_ms"})
    for call in content["calls"]:
        del call["started_at"], call["duration_ms"]
    return content


def first_difference(one: Trace, other: Trace) -> StageName | None:
    """The first stage that came out otherwise in ``other``; a stage that only one of them has is a difference."""
    for name in STAGE_ORDER:
        ours, theirs = one.stage(name), other.stage(name)
        if ours is None and theirs is None:
            continue
        if ours is None or theirs is None or not same_record(ours, theirs):
            return name
    return None
