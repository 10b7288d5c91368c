"""Where traces are kept: the Protocol, what a list of traces shows, and the stores in memory (spec 01, "A turn is data"; 06, "Traces")."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, timedelta, timezone
from typing import Protocol

from pydantic import AwareDatetime, BaseModel, ConfigDict

from duocthu_core.conversation.model import ConversationState
from duocthu_core.conversation.store import ConversationStore
from duocthu_core.pipeline.trace import Outcome, Trace
from duocthu_core.pipeline.usage import DayUsage, by_day
from duocthu_core.text.folding import clean, fold, strip_marks
from duocthu_core.verification.model import RejectReason


class StoredTraceError(Exception):
    """A trace that cannot be read back or stored; the message names it and says why."""


class TraceHeading(BaseModel):
    """A line of the list of traces."""

    model_config = ConfigDict(frozen=True)

    trace_id: str
    parent_trace_id: str | None
    conversation_id: str
    turn_index: int
    created_at: datetime
    question: str
    outcome: Outcome
    reject_reason: RejectReason | None
    ruleset_id: str
    corpus_id: str
    generator: str
    judge: str
    duration_ms: float


class TraceFilters(BaseModel):
    """Which traces a list shows: those that meet every filter that is set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    outcomes: tuple[Outcome, ...] = ()
    reject_reasons: tuple[RejectReason, ...] = ()
    conversation_id: str | None = None
    ruleset_id: str | None = None
    corpus_id: str | None = None
    generator: str | None = None
    judge: str | None = None
    words: str = ""
    """Part of the question; case, tone and vowel marks make no difference."""
    created_from: AwareDatetime | None = None
    created_before: AwareDatetime | None = None
    cites_block: str | None = None
    """Block id that the delivered answer cites."""
    asked: bool = False
    """Only turns that people asked: none of an evaluation run, which stores hundreds at once."""


NO_FILTERS = TraceFilters()
ASKED = TraceFilters(asked=True)
EVALUATION_CONVERSATIONS = "eval-"
"""What the conversation ids of evaluation runs begin with."""


class DayOutcome(BaseModel):
    """How many turns of one day ended in one way."""

    model_config = ConfigDict(frozen=True)

    day: date
    outcome: Outcome
    reject_reason: RejectReason | None = None
    turns: int


class TraceStore(Protocol):
    """Stores whole traces and gives them back without loss."""

    def save(self, trace: Trace) -> None:
        """Stores ``trace``. Storing it once more changes nothing; another trace under its id is a :class:`StoredTraceError`."""
        ...

    def save_all(self, traces: Sequence[Trace]) -> None:
        """Stores several at once, all or none; each as :meth:`save` would."""
        ...

    def load(self, trace_id: str) -> Trace | None:
        """The whole trace, None for an unknown id; raises :class:`StoredTraceError` for one that this version cannot read."""
        ...

    def of_conversation(self, conversation_id: str) -> list[Trace]:
        """The traces of a conversation in the order of its turns; a replay follows the turn that it replays."""
        ...

    def recent(self, limit: int = 50, offset: int = 0, filters: TraceFilters = NO_FILTERS) -> list[TraceHeading]:
        """Headings, newest first."""
        ...

    def count(self, filters: TraceFilters = NO_FILTERS) -> int:
        """How many traces :meth:`recent` would list without a limit."""
        ...

    def citing(self, block_id: str, limit: int = 50, offset: int = 0) -> list[TraceHeading]:
        """Traces whose delivered answer cites a block, newest first."""
        ...

    def usage_by_day(self, since: datetime | None = None, utc_offset: timedelta = timedelta(0)) -> list[DayUsage]:
        """What the turns of each day used and what the cache saved them, in the order of days (see :func:`pipeline.usage.by_day`).

        Turns from ``since`` on; replays are left out: they judge with recorded responses.
        """
        ...

    def outcomes_by_day(self, since: datetime | None = None, utc_offset: timedelta = timedelta(0)) -> list[DayOutcome]:
        """How the turns that people asked ended, a line for each day, outcome and reason; replays and evaluation runs are left out."""
        ...


def heading_of(trace: Trace) -> TraceHeading:
    """The list line of ``trace``."""
    return TraceHeading(
        trace_id=trace.trace_id,
        parent_trace_id=trace.parent_trace_id,
        conversation_id=trace.conversation_id,
        turn_index=trace.turn_index,
        created_at=trace.created_at,
        question=trace.question,
        outcome=trace.outcome,
        reject_reason=trace.reject_reason,
        ruleset_id=trace.ruleset_id,
        corpus_id=trace.corpus_id,
        generator=trace.models.generator,
        judge=trace.models.judge,
        duration_ms=trace.totals.duration_ms,
    )


def cited_blocks(trace: Trace) -> frozenset[str]:
    """Ids of the blocks that the delivered answer cites."""
    return frozenset(citation.block_id for block in trace.answer.blocks for claim in block.claims for citation in claim.citations)


def searchable(text: str) -> str:
    """``text`` as the word filter compares it."""
    return strip_marks(fold(clean(text)))


class InMemoryTraceStore:
    """A real, thread-safe store without a database: for tests and for runs that leave nothing behind."""

    def __init__(self) -> None:
        self._traces: dict[str, Trace] = {}
        self._lock = threading.Lock()

    def save(self, trace: Trace) -> None:
        with self._lock:
            if self._traces.setdefault(trace.trace_id, trace) != trace:
                raise StoredTraceError(f"trace {trace.trace_id} is stored already with other content")

    def save_all(self, traces: Sequence[Trace]) -> None:
        with self._lock:
            for trace in traces:
                if self._traces.get(trace.trace_id, trace) != trace:
                    raise StoredTraceError(f"trace {trace.trace_id} is stored already with other content")
            self._traces.update({trace.trace_id: trace for trace in traces})

    def load(self, trace_id: str) -> Trace | None:
        return self._traces.get(trace_id)

    def of_conversation(self, conversation_id: str) -> list[Trace]:
        traces = [trace for trace in self._all() if trace.conversation_id == conversation_id]
        return sorted(traces, key=lambda trace: (trace.turn_index, trace.created_at, trace.trace_id))

    def recent(self, limit: int = 50, offset: int = 0, filters: TraceFilters = NO_FILTERS) -> list[TraceHeading]:
        newest = sorted(self._meeting(filters), key=lambda trace: (trace.created_at, trace.trace_id), reverse=True)
        return [heading_of(trace) for trace in newest[offset : offset + limit]]

    def count(self, filters: TraceFilters = NO_FILTERS) -> int:
        return len(self._meeting(filters))

    def citing(self, block_id: str, limit: int = 50, offset: int = 0) -> list[TraceHeading]:
        return self.recent(limit, offset, TraceFilters(cites_block=block_id))

    def usage_by_day(self, since: datetime | None = None, utc_offset: timedelta = timedelta(0)) -> list[DayUsage]:
        own = [trace for trace in self._all() if trace.parent_trace_id is None and (since is None or trace.created_at >= since)]
        return by_day(own, utc_offset)

    def outcomes_by_day(self, since: datetime | None = None, utc_offset: timedelta = timedelta(0)) -> list[DayOutcome]:
        asked = [
            trace
            for trace in self._all()
            if trace.parent_trace_id is None
            and not trace.conversation_id.startswith(EVALUATION_CONVERSATIONS)
            and (since is None or trace.created_at >= since)
        ]
        zone = timezone(utc_offset)
        counts = Counter((trace.created_at.astimezone(zone).date(), trace.outcome, trace.reject_reason) for trace in asked)
        lines = ({"day": day, "outcome": ended, "reject_reason": why, "turns": turns} for (day, ended, why), turns in counts.items())
        found = [DayOutcome.model_validate(line) for line in lines]
        return sorted(found, key=lambda line: (line.day, line.outcome, line.reject_reason or ""))

    def _all(self) -> list[Trace]:
        with self._lock:
            return list(self._traces.values())

    def _meeting(self, filters: TraceFilters) -> list[Trace]:
        return [trace for trace in self._all() if _meets(trace, filters)]


class InMemoryTurnStore:
    """Keeps a conversation and the traces of its turns together in memory."""

    def __init__(self, conversations: ConversationStore, traces: TraceStore) -> None:
        self._conversations = conversations
        self._traces = traces

    def load_state(self, conversation_id: str) -> ConversationState:
        """The stored state, or an empty one."""
        return self._conversations.load(conversation_id)

    def save_turn(self, state: ConversationState, trace: Trace) -> ConversationState:
        """Stores both; a conflict leaves neither."""
        saved = self._conversations.save(state)
        self._traces.save(trace)
        return saved


def _meets(trace: Trace, filters: TraceFilters) -> bool:
    heading = heading_of(trace)
    equal = ("conversation_id", "ruleset_id", "corpus_id", "generator", "judge")
    return (
        (not filters.outcomes or trace.outcome in filters.outcomes)
        and (not filters.reject_reasons or trace.reject_reason in filters.reject_reasons)
        and all(getattr(filters, name) in (None, getattr(heading, name)) for name in equal)
        and searchable(filters.words) in searchable(trace.question)
        and (filters.created_from is None or trace.created_at >= filters.created_from)
        and (filters.created_before is None or trace.created_at < filters.created_before)
        and (filters.cites_block is None or filters.cites_block in cited_blocks(trace))
        and not (filters.asked and trace.conversation_id.startswith(EVALUATION_CONVERSATIONS))
    )
