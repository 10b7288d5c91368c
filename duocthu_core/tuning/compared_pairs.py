"""Many pairs of traces: how outcomes flow from A to B, the pairs one by one, what each side took (spec 06, "Compare")."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from statistics import median

from pydantic import BaseModel, ConfigDict

from duocthu_core.pipeline.comparing import ComparedSet, compare_sets
from duocthu_core.pipeline.replaying import first_difference
from duocthu_core.pipeline.trace import Outcome, StageName, Trace
from duocthu_core.verification.model import RejectReason


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class ComparedPair(_Frozen):
    """One pair in a line."""

    trace_ids: tuple[str, str]
    question: str
    outcomes: tuple[Outcome, Outcome]
    reasons: tuple[RejectReason | None, RejectReason | None]
    first_difference: StageName | None
    duration_ms: tuple[float, float]
    model_calls: tuple[int, int]
    cost_usd: tuple[float | None, float | None]

    @property
    def changed(self) -> bool:
        """Whether the turns end otherwise."""
        return self.outcomes[0] != self.outcomes[1] or self.reasons[0] != self.reasons[1]


class SideSums(_Frozen):
    """What one side took over all pairs."""

    median_ms: float = 0.0
    model_calls: int = 0
    judge_calls: int = 0
    tokens: int = 0
    cost_usd: float | None = None
    """None where a price is not known."""


class ComparedPairs(_Frozen):
    """A whole comparison of many pairs."""

    rulesets: tuple[str, str]
    models: tuple[str, str]
    """``generator · judge`` of each side; empty where there is no pair."""
    outcomes: ComparedSet
    pairs: tuple[ComparedPair, ...]
    sums: tuple[SideSums, SideSums]
    unread: int = 0
    """Pairs of which a trace is not stored, or cannot be read."""

    @property
    def changed(self) -> tuple[ComparedPair, ...]:
        """The pairs that end otherwise."""
        return tuple(pair for pair in self.pairs if pair.changed)


def compare_pairs(ids: Iterable[tuple[str, str]], load: Callable[[str], Trace | None], rulesets: tuple[str, str]) -> ComparedPairs:
    """The pairs of these trace ids, one pair in memory at a time."""
    gathering = _Gathering()
    outcomes = compare_sets(gathering.through(ids, load))
    return ComparedPairs(
        rulesets=rulesets,
        models=gathering.models,
        outcomes=outcomes,
        pairs=tuple(gathering.pairs),
        sums=(gathering.sums[0].summed(), gathering.sums[1].summed()),
        unread=gathering.unread,
    )


class _Gathering:
    """Keeps what a line of the list needs while pairs pass through."""

    def __init__(self) -> None:
        self.pairs: list[ComparedPair] = []
        self.sums = (_Sums(), _Sums())
        self.models = ("", "")
        self.unread = 0

    def through(self, ids: Iterable[tuple[str, str]], load: Callable[[str], Trace | None]) -> Iterator[tuple[Trace, Trace]]:
        for first, second in ids:
            one, other = load(first), load(second)
            if one is None or other is None:
                self.unread += 1
                continue
            self.pairs.append(_pair(one, other))
            self.sums[0].add(one)
            self.sums[1].add(other)
            self.models = (_models(one), _models(other))
            yield one, other


class _Sums:
    def __init__(self) -> None:
        self._times: list[float] = []
        self._costs: list[float | None] = []
        self._calls = self._judged = self._tokens = 0

    def add(self, trace: Trace) -> None:
        totals = trace.totals
        self._times.append(totals.duration_ms)
        self._costs.append(totals.cost_usd)
        self._calls += totals.model_calls
        self._judged += totals.judge_calls
        self._tokens += totals.input_tokens + totals.output_tokens

    def summed(self) -> SideSums:
        known = [cost for cost in self._costs if cost is not None]
        return SideSums(
            median_ms=median(self._times) if self._times else 0.0,
            model_calls=self._calls,
            judge_calls=self._judged,
            tokens=self._tokens,
            cost_usd=sum(known) if len(known) == len(self._costs) else None,
        )


def _models(trace: Trace) -> str:
    return f"{trace.models.generator} · {trace.models.judge}"


def _pair(one: Trace, other: Trace) -> ComparedPair:
    return ComparedPair(
        trace_ids=(one.trace_id, other.trace_id),
        question=one.question,
        outcomes=(one.outcome, other.outcome),
        reasons=(one.reject_reason, other.reject_reason),
        first_difference=first_difference(one, other),
        duration_ms=(one.totals.duration_ms, other.totals.duration_ms),
        model_calls=(one.totals.model_calls, other.totals.model_calls),
        cost_usd=(one.totals.cost_usd, other.totals.cost_usd),
    )
