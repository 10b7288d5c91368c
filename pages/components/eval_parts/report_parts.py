"""A run as tables: the gate first, then the metrics with their counts and intervals, then time, calls and cost."""

from __future__ import annotations

from collections.abc import Sequence

from duocthu_core.evaluation.evaluating import RunReport
from duocthu_core.evaluation.gate import GateReport
from duocthu_core.evaluation.metrics import Metric, Metrics, Spread
from pages.components.eval_parts.shared import NONE, between, counted, share
from pages.components.facts.parts import Cell, Figure, KeyValues, Note, Part, Pill, Table, Tone
from pages.frame import formats
from pages.frame.words import _, word

_MOST_CASES = 30
_GATE_LOOK: dict[str, tuple[Tone, str]] = {
    "passed": ("found", "check"),
    "regression": ("missing", "cross"),
    "underpowered": ("warning", "alert"),
}
_CITATION = ("citation_recall", "citation_recall_if_answered", "citation_precision", "useful_citations", "pages_named")
_NUMBERS = ("number_fidelity_raw", "number_fidelity_delivered")
_SAFETY = (
    "unsafe_answers",
    "abstention_precision",
    "abstention_precision_decided",
    "abstention_recall",
    "right_refusal_wrong_reason",
)


def gate_parts(report: GateReport) -> list[Part]:
    """What the gate says: the whole, then each check, those that failed first and with their cases."""
    tone, icon = _GATE_LOOK[report.status]
    checks = sorted(report.checks, key=lambda check: check.status == "passed")
    rows: list[Sequence[Cell]] = []
    for check in checks:
        look = _GATE_LOOK[check.status]
        cases = ", ".join(check.cases[:_MOST_CASES]) + ("…" if len(check.cases) > _MOST_CASES else "")
        rows.append((_(f"gate_check.{check.name}"), Pill(_(f"gate.{check.status}"), *look), cases or NONE))
    columns = (_("gate.check"), _("gate.result"), _("gate.cases"))
    return [Note(_(f"gate.told_{report.status}"), tone, icon), Table(columns, rows)]


def other_baseline_parts(differing: Sequence[str]) -> list[Part]:
    """That the run cannot be held to the baseline, and in what they differ."""
    what = ", ".join(_(f"gate_part.{part}") for part in differing)
    return [Note(_("gate.other", what=what), "warning", "alert")]


def metric_parts(report: RunReport) -> list[Part]:
    """Every metric; where cases bring their own model, theirs apart from the run's own model's."""
    parts: list[Part] = [Note(_("evaluation.na_told"))]
    both = report.own_model.items > 0 and report.scripted.items > 0
    groups = ((report.own_model, "own_model"), (report.scripted, "scripted")) if both else ((report.all, "all"),)
    for metrics, name in groups:
        heading = _(f"metric_group.{name}", items=metrics.items, turns=metrics.scored_turns)
        parts += [Note(heading, "accent", "info"), *_tables(metrics)]
    return parts


def _tables(metrics: Metrics) -> list[Part]:
    special = {*_CITATION, *_NUMBERS, *_SAFETY}
    groups = {
        "outcome": [metric for metric in metrics.rates if metric.name not in special],
        "safety": [metric for metric in metrics.rates if metric.name in _SAFETY],
        "citation": [metric for metric in metrics.rates if metric.name in _CITATION],
        "numbers": [metric for metric in metrics.rates if metric.name in _NUMBERS],
        "reason": list(metrics.reasons),
    }
    columns = tuple(_(f"evaluation.{name}") for name in ("metric", "value", "count", "interval", "means"))
    tables: list[Part] = [
        Table(columns, [_row(metric) for metric in found], _(f"metric_table.{name}")) for name, found in groups.items() if found
    ]
    forbidden = [
        (_("metric.forbidden_citations"), Figure(formats.number(metrics.forbidden_citations))),
        (_("metric.forbidden_figures"), Figure(formats.number(metrics.forbidden_figures))),
    ]
    return [*tables, KeyValues(forbidden)]


def _row(metric: Metric) -> tuple[Cell, ...]:
    name, about = metric_words(metric.name)
    count = metric.turns or metric
    value = share(metric.value) if metric.value is not None else _("evaluation.na")
    return name, Figure(value), Figure(counted(count.k, count.n)), Figure(between(metric.interval)), about


def metric_words(name: str) -> tuple[str, str]:
    """A metric's plain name and what it means, in a line."""
    kind, _sep, reason = name.partition(":")
    if reason:
        return _(f"metric.{kind}_of", reason=word("reason", reason)), _(f"metric_about.{kind}_of")
    return _(f"metric.{name}"), _(f"metric_about.{name}")


def spread_parts(metrics: Metrics) -> list[Part]:
    """Time, calls, tokens and cost of the turns."""
    columns = tuple(_(f"evaluation.{name}") for name in ("metric", "median", "p90", "total"))
    return [Table(columns, [_spread_row(spread) for spread in metrics.spreads], _("metric_table.spread"))]


def _spread_row(spread: Spread) -> tuple[Cell, ...]:
    return _(f"spread.{spread.name}"), *(Figure(_measured(spread.name, value)) for value in (spread.median, spread.p90, spread.total))


def _measured(name: str, value: float | None) -> str:
    if name == "cost_usd":
        return formats.money(value)
    if value is None:
        return NONE
    return formats.seconds(value) if name == "duration_ms" else formats.number(value, 1)
