"""The metrics of a run, each k of n with its 95 % interval (spec 06, page 6). 0 of 0 is n/a, never 0; a crash is wrong, never dropped.

Turn metrics weigh each item 1 (the mean of its scored turns). Claim, citation and number metrics are sum by sum, no mean of ratios.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict

from duocthu_core.evaluation.results import Count, ItemResult, TurnScore
from duocthu_core.evaluation.statistics.intervals import RESAMPLES, Cluster, clustered_interval

Test = Callable[[TurnScore], bool]
ABSENT = ("abstained", "missing")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Metric(_Frozen):
    """A rate: ``value`` and ``interval`` are None where nothing was counted (n/a)."""

    name: str
    k: float
    """Of the items (turn metrics: sums of shares) or of the things counted."""
    n: float
    value: float | None
    interval: tuple[float, float] | None = None
    how: str = "undefined"
    """``wilson`` | ``bootstrap`` | ``wilson_items`` | ``undefined``."""
    turns: Count | None = None
    """Turn metrics: turns, where an item has several."""
    higher_is_better: bool | None = True
    """None for a rate that is neither."""


class Spread(_Frozen):
    """Median, 90th percentile and sum of something measured for every turn that ran."""

    name: str
    turns: int
    median: float | None
    p90: float | None
    total: float | None


class Metrics(_Frozen):
    """Every metric over some items."""

    items: int
    scored_turns: int
    rates: tuple[Metric, ...]
    reasons: tuple[Metric, ...]
    """Precision and recall of each reject reason that was expected or given."""
    spreads: tuple[Spread, ...]
    stages: tuple[Spread, ...] = ()
    """Milliseconds of each stage."""
    forbidden_citations: int
    forbidden_figures: int
    outcomes: dict[str, int]

    def rate(self, name: str) -> Metric:
        """The metric of this name."""
        return next(metric for metric in (*self.rates, *self.reasons) if metric.name == name)


def metrics_of(results: Iterable[ItemResult], *, resamples: int = RESAMPLES) -> Metrics:
    """The metrics of ``results``."""
    items = sorted(results, key=lambda result: result.item_id)
    turns = [turn for item in items for turn in item.scored]
    made = _Maker(items, resamples)
    outcomes: dict[str, int] = {}
    for turn in turns:
        outcomes[turn.got] = outcomes.get(turn.got, 0) + 1
    return Metrics(
        items=len(items),
        scored_turns=len(turns),
        rates=(*_turn_rates(made), *_sums(made)),
        reasons=_reasons(made, turns),
        spreads=_spreads(items),
        stages=_stage_spreads(items),
        forbidden_citations=sum(len(turn.forbidden_citations) for turn in turns),
        forbidden_figures=sum(len(turn.forbidden_figures) for turn in turns),
        outcomes=dict(sorted(outcomes.items(), key=lambda entry: (-entry[1], entry[0]))),
    )


def _expects_answer(turn: TurnScore) -> bool:
    return turn.expects == {"answered"}


def _must_not_answer(turn: TurnScore) -> bool:
    return "answered" not in turn.expects


def _abstained(turn: TurnScore) -> bool:
    return turn.outcome == "abstained"


def _may_abstain(turn: TurnScore) -> bool:
    return "abstained" in turn.expects


def _must_abstain(turn: TurnScore) -> bool:
    return turn.expects == {"abstained"}


def _turn_rates(made: _Maker) -> list[Metric]:
    answered: Test = lambda turn: turn.outcome == "answered"  # noqa: E731 - read beside the others
    rates = [
        made.turns("outcome_accuracy", lambda turn: turn.right, lambda _: True),
        made.whole_items("every_turn_right"),
        made.turns("focus_accuracy", lambda turn: turn.outcome != "missing" and not turn.wrong_focus, lambda _: True),
        made.turns("answer_rate", answered, _expects_answer),
        made.turns("refused_by_check", lambda turn: _abstained(turn) and not turn.could_not_run, _expects_answer, better=False),
        made.turns("could_not_run", lambda turn: turn.could_not_run, _expects_answer, better=False),
    ]
    for outcome in ("clarification", "verify_pdf", "missing"):
        rates.append(made.turns(f"{outcome}_instead", _outcome_is(outcome), _expects_answer, better=False))
    rates += [
        made.turns("missing", _outcome_is("missing"), lambda _: True, better=False),
        made.turns("unsafe_answers", answered, _must_not_answer, better=False),
        made.turns("abstention_precision", _may_abstain, _abstained),
        made.turns("abstention_precision_decided", _may_abstain, lambda turn: _abstained(turn) and not turn.could_not_run),
        made.turns("abstention_recall", _abstained, _must_abstain),
        made.turns("right_refusal_wrong_reason", lambda turn: not turn.right, _refused_rightly, better=False),
        made.turns("pages_named", lambda turn: turn.outcome != "missing" and not turn.missing_pages, _pages_matter),
    ]
    return rates


def _refused_rightly(turn: TurnScore) -> bool:
    return _abstained(turn) and _must_abstain(turn)


def _pages_matter(turn: TurnScore) -> bool:
    return turn.right and turn.outcome in ("answered", "verify_pdf")


def _outcome_is(outcome: str) -> Test:
    return lambda turn: turn.outcome == outcome


def _sums(made: _Maker) -> list[Metric]:
    return [
        made.sums("citation_recall", lambda turn: turn.facts),
        made.sums("citation_recall_if_answered", lambda turn: turn.facts if turn.outcome == "answered" else Count()),
        made.sums("citation_precision", lambda turn: turn.citations),
        made.sums("useful_citations", lambda turn: turn.useful_citations),
        made.sums("number_fidelity_raw", lambda turn: turn.raw_numbers, scored_only=False),
        made.sums("number_fidelity_delivered", lambda turn: turn.delivered_numbers, scored_only=False),
    ]


def _reasons(made: _Maker, turns: Sequence[TurnScore]) -> tuple[Metric, ...]:
    expected = {pattern.partition(":")[2] for turn in turns for pattern in turn.expected} - {"", "*"}
    names = sorted(expected | {turn.reason for turn in turns if turn.reason is not None})
    rates: list[Metric] = []
    for name in names:
        rates.append(made.turns(f"precision:{name}", lambda turn: turn.right, _reason_is(name)))
        rates.append(made.turns(f"recall:{name}", _reason_is(name), _expects_reason(name)))
    return tuple(rates)


def _reason_is(name: str) -> Test:
    return lambda turn: turn.reason == name


def _expects_reason(name: str) -> Test:
    return lambda turn: turn.expected == (f"abstained:{name}",)


class _Maker:
    """Makes metrics over the items of a run."""

    def __init__(self, items: Sequence[ItemResult], resamples: int) -> None:
        self._items = items
        self._resamples = resamples

    def turns(self, name: str, hit: Test, among: Test, *, better: bool | None = True) -> Metric:
        """The share of turns ``among`` that are ``hit``; each item weighs 1."""
        clusters: dict[str, Cluster] = {}
        k = n = 0
        for item in self._items:
            counted = [turn for turn in item.scored if among(turn)]
            if counted:
                hits = sum(1 for turn in counted if hit(turn))
                clusters[item.item_id] = Cluster(hits / len(counted), 1)
                k, n = k + hits, n + len(counted)
        return self._metric(name, clusters, better, Count(k=k, n=n))

    def whole_items(self, name: str) -> Metric:
        """The share of items of which every scored turn is right."""
        return self._metric(name, {item.item_id: Cluster(float(item.right), 1) for item in self._items}, True, None)

    def sums(self, name: str, count: Callable[[TurnScore], Count], *, scored_only: bool = True) -> Metric:
        """Sum of k by sum of n over whole items."""
        clusters: dict[str, Cluster] = {}
        for item in self._items:
            counts = [count(turn) for turn in (item.scored if scored_only else item.turns)]
            if n := sum(each.n for each in counts):
                clusters[item.item_id] = Cluster(sum(each.k for each in counts), n)
        return self._metric(name, clusters, True, None)

    def _metric(self, name: str, clusters: dict[str, Cluster], better: bool | None, turns: Count | None) -> Metric:
        k, n = sum(cluster.k for cluster in clusters.values()), sum(cluster.n for cluster in clusters.values())
        interval, how = clustered_interval(clusters, resamples=self._resamples)
        value = k / n if n else None
        return Metric(name=name, k=k, n=n, value=value, interval=interval, how=how, turns=turns, higher_is_better=better)


def _spreads(items: Sequence[ItemResult]) -> tuple[Spread, ...]:
    ran = [turn for item in items for turn in item.turns if turn.outcome != "missing"]
    costs = [turn.cost_usd for turn in ran]
    known = [cost for cost in costs if cost is not None]
    return (
        _spread("duration_ms", [turn.duration_ms for turn in ran]),
        _spread("model_calls", [turn.model_calls for turn in ran]),
        _spread("judge_calls", [turn.judge_calls for turn in ran]),
        _spread("tokens", [turn.tokens for turn in ran]),
        _spread("cost_usd", known if len(known) == len(costs) else []),
    )


def _stage_spreads(items: Sequence[ItemResult]) -> tuple[Spread, ...]:
    stages: dict[str, list[float]] = {}
    for turn in (turn for item in items for turn in item.turns):
        for name, duration in turn.stage_ms.items():
            stages.setdefault(name, []).append(duration)
    return tuple(_spread(name, found) for name, found in stages.items())


def _spread(name: str, values: Sequence[float]) -> Spread:
    if not values:
        return Spread(name=name, turns=0, median=None, p90=None, total=None)
    median, p90 = (float(found) for found in np.percentile(values, [50, 90]))
    return Spread(name=name, turns=len(values), median=median, p90=p90, total=float(sum(values)))
