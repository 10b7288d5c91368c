"""How rates, intervals, outcomes and cases are written on the evaluation page."""

from __future__ import annotations

from babel.numbers import format_percent

from duocthu_core.evaluation.results import EvalRun
from pages.components.facts.parts import Pill
from pages.frame import formats, labels
from pages.frame.words import _, language, word

NONE = "–"


def share(value: float | None) -> str:
    """A share with one decimal: "97,5%"; a dash where it is not there."""
    return NONE if value is None else format_percent(value, "#,##0.0%", locale=language())


def between(interval: tuple[float, float] | None) -> str:
    """A 95 % interval of shares: "95,1% - 98,4%"."""
    return NONE if interval is None else f"{share(interval[0])} - {share(interval[1])}"


def statistic(value: float | None) -> str:
    """A coefficient with three decimals, or the word for "undefined": never 1 where nothing was measured."""
    return _("evaluation.undefined") if value is None else formats.number(value, 3)


def between_statistics(interval: tuple[float, float] | None) -> str:
    """A 95 % interval of coefficients."""
    return NONE if interval is None else f"{formats.number(interval[0], 3)} - {formats.number(interval[1], 3)}"


def counted(k: float, n: float) -> str:
    """``k`` of ``n``; sums of shares have one decimal."""
    return f"{formats.number(k, 1)}/{formats.number(n, 1)}"


def outcome_words(code: str) -> str:
    """``abstained:out_of_scope`` -> "Không trả lời · ngoài phạm vi"."""
    outcome, _sep, reason = code.partition(":")
    name = _("evaluation.missing") if outcome == "missing" else word("outcome", outcome)
    if reason == "*":
        return f"{name} · {_('evaluation.any_reason')}"
    return f"{name} · {word('reason', reason)}" if reason else name


def run_name(run: EvalRun) -> str:
    """A run as it is told from others: when, and which repeat."""
    return _(
        "evaluation.run_name",
        at=formats.moment(run.started_at),
        rules=labels.short_id(run.identity.ruleset_id),
        id=run.run_id,
    )


def status_pill(run: EvalRun) -> Pill:
    """Whether a run is finished, stopped or at work: word, icon and colour."""
    tone, icon = {"finished": ("found", "check"), "stopped": ("warning", "stop"), "running": ("accent", "running")}[run.status]
    return Pill(_(f"run_status.{run.status}"), tone, icon)  # type: ignore[arg-type]
