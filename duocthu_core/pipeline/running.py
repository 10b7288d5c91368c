"""Running a turn: stages in their fixed order, each recorded; whoever reads this file has read the product (spec 01)."""

from __future__ import annotations

import copy
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any

from duocthu_core.answering.messages import disclaimer
from duocthu_core.conversation.model import ConversationState
from duocthu_core.corpus.collection import Corpus
from duocthu_core.language_models.port import LanguageModel
from duocthu_core.pipeline.budget import Budget
from duocthu_core.pipeline.calling import CallLog, CallPrice
from duocthu_core.pipeline.stages import (
    answer,
    cache,
    completeness,
    decision,
    entailment,
    focus,
    generation,
    grounding,
    guards,
    memory,
    plan,
    repair,
    retrieval,
    scope,
    sufficiency,
    understanding,
)
from duocthu_core.pipeline.tools import Parts, Tools
from duocthu_core.pipeline.trace import StageName, StageRecord, Totals, Trace, TraceModels, TurnInput, Why
from duocthu_core.pipeline.turn import Ending, StageResult, Turn
from duocthu_core.pipeline.verdict_cache import VerdictCache
from duocthu_core.retrieval.search import SearchIndex
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.understanding.reading import understander
from duocthu_core.verification.guards import Guards

Stage = Callable[[Turn, Tools], StageResult]

STAGES: tuple[tuple[StageName, Stage], ...] = (
    ("scope", scope.run),
    ("understanding", understanding.run),
    ("focus", focus.run),
    ("retrieval", retrieval.run),
    ("decision", decision.run),
    ("sufficiency", sufficiency.run),
    ("plan", plan.run),
    ("generation", generation.run),
    ("grounding", grounding.run),
    ("guards", guards.run),
    ("cache", cache.run),
    ("entailment", entailment.run),
    ("completeness", completeness.run),
    ("repair", repair.run),
    ("answer", answer.run),
    ("memory", memory.run),
)
_ALWAYS: frozenset[StageName] = frozenset({"answer", "memory"})
"""Run even where the turn ended early: the reader is told, and the conversation remembers."""

OnStage = Callable[[StageRecord], None]


class TurnCancelled(Exception):
    """The reader stopped the turn; nothing of it is stored."""


@dataclass(frozen=True)
class TurnResult:
    """A finished turn: its trace and the conversation after it."""

    trace: Trace
    state: ConversationState


class Pipeline:
    """The stages over one corpus, one ruleset and one pair of models. Safe to share between threads: a turn keeps its own state.

    ``verdicts`` keeps what the judge said between turns; without it every claim is judged in every turn.
    """

    def __init__(
        self,
        corpus: Corpus,
        ruleset: Ruleset,
        generator: LanguageModel,
        judge: LanguageModel,
        *,
        price: CallPrice,
        names: Sequence[Mapping[str, str]] = (),
        verdicts: VerdictCache | None = None,
        budget_s: float = 60.0,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.parts = Parts(
            corpus=corpus,
            ruleset=ruleset,
            understander=understander(ruleset, tuple(corpus.monographs.values()), names),
            index=SearchIndex(corpus),
            guards=Guards(ruleset),
            generator=generator,
            judge=judge,
            price=price,
            verdicts=verdicts,
        )
        self.budget_s = budget_s
        self.price = price
        self.now = now

    def with_parts(self, **parts: Any) -> Pipeline:
        """The same pipeline with some of its :class:`Parts` replaced: a cheap copy."""
        other = copy.copy(self)
        other.parts = replace(self.parts, **parts)
        return other

    def run(
        self,
        question: str,
        state: ConversationState,
        *,
        on_stage: OnStage | None = None,
        should_stop: Callable[[], bool] | None = None,
        parent_trace_id: str | None = None,
    ) -> TurnResult:
        """Runs one turn of ``state``'s conversation and returns its trace and the state after it.

        ``on_stage`` is told of each record as it is made; ``should_stop`` is asked before each stage and ends the turn with
        :class:`TurnCancelled`. Failures of models end the turn with their reason, never with an exception.
        """
        given = TurnInput(asked=question, state=state)
        calls = CallLog(self.new_budget(), self.price, self.now)
        return self.run_with(given, calls, self.parts.verdicts, on_stage=on_stage, should_stop=should_stop, parent_trace_id=parent_trace_id)

    def run_with(
        self,
        given: TurnInput,
        calls: CallLog,
        verdicts: VerdictCache | None,
        *,
        kept: Callable[[StageRecord], StageRecord] = lambda record: record,
        on_stage: OnStage | None = None,
        should_stop: Callable[[], bool] | None = None,
        parent_trace_id: str | None = None,
    ) -> TurnResult:
        """A turn whose calls and whose known verdicts come from elsewhere: how an earlier turn is run again.

        ``kept`` may put the record of an earlier turn in the place of the same one made now.
        """
        turn = Turn(asked=given.asked, state=given.state, trace_id=uuid.uuid4().hex, now=self.now, masked_before=given.masked)
        parts: dict[str, Any] = {part.name: getattr(self.parts, part.name) for part in fields(Parts)} | {"verdicts": verdicts}
        tools = Tools(**parts, calls=calls)
        created_at, started = self.now(), time.perf_counter()
        records: list[StageRecord] = []
        for name, stage in STAGES:
            if should_stop is not None and should_stop():
                raise TurnCancelled(name)
            if not self._comes_up(name, turn):
                continue
            record = kept(self._record(name, stage, turn, tools, records))
            records.append(record)
            if on_stage is not None:
                on_stage(record)
        # What recorded calls took counts where the stages took it; else a turn run again would seem quick.
        duration_ms = (time.perf_counter() - started) * 1000 if parent_trace_id is None else sum(record.duration_ms for record in records)
        trace = self._trace(turn, tuple(records), created_at, duration_ms, parent_trace_id)
        assert turn.state_after is not None, "memory always runs"
        return TurnResult(trace, turn.state_after)

    def new_budget(self) -> Budget:
        """The wall clock over all model calls of a turn that begins now."""
        return Budget(self.budget_s)

    def _comes_up(self, name: StageName, turn: Turn) -> bool:
        """The optional stages are recorded only when they run."""
        if name == "sufficiency":
            return self.parts.ruleset.retrieval.sufficiency and turn.ending is None
        if name == "repair":
            return turn.ending is None and any(checked.accepted for checked in turn.objections)
        return True

    def _record(self, name: StageName, stage: Stage, turn: Turn, tools: Tools, earlier: list[StageRecord]) -> StageRecord:
        started_at, started = self.now(), time.perf_counter()
        if turn.ending is not None and name not in _ALWAYS:
            ender = next(record for record in earlier if record.status in ("stopped", "failed"))
            why = Why(code="turn_ended", params={"stage": ender.name, "reason": ender.why.code})
            return StageRecord(name=name, status="skipped", why=why, started_at=started_at)
        result = stage(turn, tools)
        if result.ending is not None:
            turn.ending = result.ending
        return StageRecord(
            name=name,
            status=result.status,
            why=result.why,
            output=result.output,
            started_at=started_at,
            duration_ms=(time.perf_counter() - started) * 1000 + tools.calls.take_recorded_ms(),
            calls=tools.calls.take(),
            warnings=result.warnings,
        )

    def _trace(self, turn: Turn, records: tuple[StageRecord, ...], created_at: datetime, duration_ms: float, parent: str | None) -> Trace:
        ending = turn.ending or Ending("answered")
        parts = self.parts
        retrieval_found = turn.retrieval
        return Trace(
            trace_id=turn.trace_id,
            parent_trace_id=parent,
            conversation_id=turn.state.conversation_id,
            turn_index=turn.state.turn_count // 2 + 1,
            created_at=created_at,
            question=turn.question.text,
            resolved=turn.resolved,
            ruleset_id=parts.ruleset.ruleset_id,
            corpus_id=parts.corpus.corpus_id,
            edition=parts.corpus.edition,
            models=TraceModels(generator=_name_of(parts.generator), judge=_name_of(parts.judge)),
            outcome=ending.outcome,
            reject_reason=ending.reject_reason,
            message=turn.message,
            answer=turn.answer,
            clarifying_question=ending.clarifying_question,
            quick_replies=ending.quick_replies,
            clarifying_said=ending.clarifying_said,
            quick_replies_said=ending.quick_replies_said,
            disclaimer=disclaimer(parts.corpus.edition, parts.ruleset),
            evidence=retrieval_found.evidence + retrieval_found.quarantined if retrieval_found else (),
            stages=records,
            totals=_totals(records, duration_ms),
            given=self._given(turn),
        )

    def _given(self, turn: Turn) -> TurnInput:
        """What the turn began with, as it may be stored: a reply that was read together with an earlier question stands alone."""
        question = turn.question
        asked = question.text if question.continues_turn is None else self.parts.understander.read(turn.asked).text
        return TurnInput(asked=asked, masked=question.masked, state=turn.state)


def _name_of(model: LanguageModel) -> str:
    return f"{model.provider}/{model.model_id}"


def _totals(records: tuple[StageRecord, ...], duration_ms: float) -> Totals:
    """Sums over the calls; the cost is unknown (None) as soon as one call's price is."""
    calls = [call for record in records for call in record.calls]
    made = [call for call in calls if call.response is not None or call.duration_ms > 0]
    responses = [call.response for call in made if call.response is not None]
    costs = [call.cost_usd for call in made if call.response is not None]
    known = [cost for cost in costs if cost is not None]
    return Totals(
        duration_ms=duration_ms,
        model_calls=len(made),
        judge_calls=sum(1 for call in made if call.request.purpose in ("entailment", "completeness", "sufficiency")),
        input_tokens=sum(response.input_tokens for response in responses),
        output_tokens=sum(response.output_tokens for response in responses),
        cost_usd=sum(known) if len(known) == len(costs) else None,
    )
