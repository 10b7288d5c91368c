"""The same turns under two sides: other rules, other models (spec 06, "Compare"). What was run once is stored and found again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import AwareDatetime, BaseModel, ConfigDict

from duocthu_core.language_models.port import LanguageModel
from duocthu_core.pipeline.asking import TurnStore, ask
from duocthu_core.pipeline.replaying import replay
from duocthu_core.pipeline.running import Pipeline, TurnCancelled
from duocthu_core.pipeline.trace import Trace
from duocthu_core.pipeline.trace_store import TraceFilters, TraceHeading, TraceStore
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.tuning.variants import Variants

OnProgress = Callable[[int, int], None]
"""How many of how many are done."""
ShouldStop = Callable[[], bool]
_A_PAGE = 200


@dataclass(frozen=True)
class Side:
    """What answers on one side. Models that are None are those in force."""

    ruleset: Ruleset
    generator: LanguageModel | None = None
    judge: LanguageModel | None = None


class StoredTurns(BaseModel):
    """Which stored turns are compared: original ones that meet ``filters``, the newest ``limit`` of those before ``until``."""

    model_config = ConfigDict(frozen=True)

    filters: TraceFilters = TraceFilters()
    limit: int = 50
    until: AwareDatetime | None = None
    """Fixed when the comparison is begun, so that its address names the same turns later."""


class FoundPairs(BaseModel):
    """The pairs of a comparison that are stored, and the turns that were not run on both sides yet."""

    model_config = ConfigDict(frozen=True)

    pairs: tuple[tuple[str, str], ...]
    """Trace ids, A and B, in the order of the turns."""
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Sides:
    """Runs turns on a side, or finds them stored."""

    variants: Variants
    traces: TraceStore
    turns: TurnStore

    def pipeline(self, side: Side) -> Pipeline:
        """What answers on ``side``."""
        pipeline = self.variants.of(side.ruleset).pipeline
        if side.generator is None and side.judge is None:
            return pipeline
        return pipeline.with_parts(generator=side.generator or pipeline.parts.generator, judge=side.judge or pipeline.parts.judge)

    def asked(
        self, question: str, conversation_id: str, a: Side, b: Side, *, max_chars: int, should_stop: ShouldStop | None = None
    ) -> tuple[Trace, Trace]:
        """A question asked on side A in a new conversation, and run again on side B. Raises BadQuestion, TurnCancelled."""
        one = ask(self.pipeline(a), self.turns, question, conversation_id, max_chars=max_chars, should_stop=should_stop)
        return one, self.turn(one, b, should_stop=should_stop)

    def turn(self, trace: Trace, side: Side, *, should_stop: ShouldStop | None = None) -> Trace:
        """``trace`` on ``side``: itself, its stored replay, or one that is run now and stored. Raises TurnCancelled."""
        pipeline = self.pipeline(side)
        if _is_of(trace, pipeline):
            return trace
        filters = _filters_of(pipeline, TraceFilters(conversation_id=trace.conversation_id))
        known = next((entry for entry in self._headings(filters) if entry.parent_trace_id == trace.trace_id), None)
        stored = self.traces.load(known.trace_id) if known is not None else None
        return stored if stored is not None else self._run(trace, pipeline, should_stop)

    def pairs(self, which: StoredTurns, a: Side, b: Side) -> FoundPairs:
        """What is stored of ``which`` on both sides."""
        chosen = self._chosen(which)
        of_a, of_b = self._on_side(a), self._on_side(b)
        both = [(of_a.get(entry.trace_id), of_b.get(entry.trace_id), entry.trace_id) for entry in chosen]
        return FoundPairs(
            pairs=tuple((one, other) for one, other, _ in both if one is not None and other is not None),
            missing=tuple(trace_id for one, other, trace_id in both if one is None or other is None),
        )

    def run(self, missing: Sequence[str], a: Side, b: Side, on_progress: OnProgress, should_stop: ShouldStop) -> None:
        """Runs the turns of these ids on both sides; stops before the next one once ``should_stop`` says so. Each is stored at once."""
        for done, trace_id in enumerate(missing):
            if should_stop():
                return
            on_progress(done, len(missing))
            trace = self.traces.load(trace_id)
            if trace is None:
                continue
            try:
                self.turn(trace, a, should_stop=should_stop)
                self.turn(trace, b, should_stop=should_stop)
            except TurnCancelled:
                return
        on_progress(len(missing), len(missing))

    def _run(self, trace: Trace, pipeline: Pipeline, should_stop: ShouldStop | None) -> Trace:
        again = replay(pipeline, trace, should_stop=should_stop, known=pipeline.parts.verdicts)
        self.traces.save(again.trace)
        return again.trace

    def _chosen(self, which: StoredTurns) -> list[TraceHeading]:
        filters = which.filters.model_copy(update={"created_before": which.until})
        chosen: list[TraceHeading] = []
        for entry in self._headings(filters):
            if entry.parent_trace_id is None:
                chosen.append(entry)
                if len(chosen) == which.limit:
                    break
        return chosen

    def _on_side(self, side: Side) -> dict[str, str]:
        """Id of an original turn -> id of the trace of it on ``side``: itself, else its newest replay there."""
        found: dict[str, str] = {}
        for entry in self._headings(_filters_of(self.pipeline(side), TraceFilters())):
            if entry.parent_trace_id is None:
                found[entry.trace_id] = entry.trace_id
            else:
                found.setdefault(entry.parent_trace_id, entry.trace_id)
        return found

    def _headings(self, filters: TraceFilters) -> Iterator[TraceHeading]:
        offset = 0
        while page := self.traces.recent(_A_PAGE, offset, filters):
            yield from page
            offset += len(page)


def _names(pipeline: Pipeline) -> tuple[str, str]:
    generator, judge = pipeline.parts.generator, pipeline.parts.judge
    return f"{generator.provider}/{generator.model_id}", f"{judge.provider}/{judge.model_id}"


def _is_of(trace: Trace, pipeline: Pipeline) -> bool:
    rules, corpus = pipeline.parts.ruleset.ruleset_id, pipeline.parts.corpus.corpus_id
    return (trace.ruleset_id, trace.corpus_id, trace.models.generator, trace.models.judge) == (rules, corpus, *_names(pipeline))


def _filters_of(pipeline: Pipeline, filters: TraceFilters) -> TraceFilters:
    generator, judge = _names(pipeline)
    own = {"ruleset_id": pipeline.parts.ruleset.ruleset_id, "corpus_id": pipeline.parts.corpus.corpus_id}
    return filters.model_copy(update={**own, "generator": generator, "judge": judge})
