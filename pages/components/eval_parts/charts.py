"""Charts of the evaluation and review pages (Plotly, in the theme's colours): series differ by pattern or sign, not by colour alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta

import plotly.graph_objects as go
import streamlit as st

from duocthu_core.evaluation.judge_agreement import JudgeAgreement
from duocthu_core.evaluation.metrics import Spread
from duocthu_core.pipeline.trace_store import DayOutcome
from duocthu_core.pipeline.usage import DayUsage
from duocthu_core.review.model import Progress, Queue
from pages.frame.shown_text import drawn_by_plotly, shortened
from pages.frame.words import _, language, word

_PATTERNS = ("", "/", ".", "x", "\\", "-")
_ROW = 30
_DAY_MS = 86_400_000
_FEWEST_DAYS = 7
"""Width of the time axis at least."""
_FEW = 10
_NAME_CHARS = 32
_SEPARATORS = {"vi": ",.", "en": ".,"}
_DARK_TEXT = "#1a1d24"


def draw(figure: go.Figure, name: str, alt: str) -> None:
    """Draws one chart under its name."""
    st.subheader(name, anchor=False)
    figure.update_layout(separators=_SEPARATORS[language()], font={"color": _text_colour()})
    figure.update_xaxes(tickfont={"color": _text_colour()}, title_font={"color": _text_colour()})
    figure.update_yaxes(tickfont={"color": _text_colour()}, title_font={"color": _text_colour()})
    st.plotly_chart(figure, config={"displayModeBar": False}, alt=alt, key=f"chart-{alt}")


def _text_colour() -> str:
    """The colour of the page's text: the chart theme's own grey is too pale to be read on white."""
    return st.get_option(f"theme.{st.context.theme.type or 'light'}.textColor") or st.get_option("theme.textColor") or _DARK_TEXT


def outcomes_figure(lines: Sequence[DayOutcome]) -> go.Figure:
    """Turns a day, one stacked bar a day by outcome."""
    figure = go.Figure()
    days = sorted({line.day for line in lines})
    for place, outcome in enumerate(sorted({line.outcome for line in lines})):
        counts = Counter[object]()
        for line in lines:
            if line.outcome == outcome:
                counts[line.day] += line.turns
        pattern = {"shape": _PATTERNS[place % len(_PATTERNS)]}
        figure.add_bar(name=_(f"outcome.{outcome}"), x=days, y=[counts[day] for day in days], marker={"pattern": pattern})
    _time_axis(figure, days, _("charts.turns"))
    figure.update_layout(barmode="stack")
    return figure


def reasons_figure(counts: Mapping[str, int]) -> go.Figure:
    """How often each reason ended a turn, the commonest on top."""
    ordered = sorted(counts.items(), key=lambda entry: entry[1])
    names = [word("reason", reason) for reason, _count in ordered]
    return _rows(names, [("", [count for _reason, count in ordered])], _("charts.turns"))


def cost_figure(days: Sequence[DayUsage]) -> go.Figure:
    """Judge's calls a day and, where prices are known, what the day cost."""
    figure = go.Figure()
    names = [day.day for day in days]
    figure.add_bar(name=_("charts.judge_calls"), x=names, y=[day.judge_calls for day in days])
    if any(day.cost_usd for day in days):
        line = {"dash": "dot", "width": 2}
        costs = [day.cost_usd for day in days]
        figure.add_scatter(name=_("charts.cost"), x=names, y=costs, yaxis="y2", mode="lines+markers", line=line)
        figure.update_layout(yaxis2={"overlaying": "y", "side": "right", "rangemode": "tozero", "showgrid": False, "fixedrange": True})
    _time_axis(figure, names, _("charts.judge_calls"))
    return figure


def stages_figure(stages: Sequence[Spread]) -> go.Figure:
    """Median and 90th percentile of each stage, in milliseconds."""
    known = [stage for stage in stages if stage.median is not None][::-1]
    names = [_(f"stage.{stage.name}") for stage in known]
    series = [(_("evaluation.p90"), [stage.p90 or 0 for stage in known]), (_("evaluation.median"), [stage.median or 0 for stage in known])]
    return _rows(names, series, _("charts.milliseconds"))


def agreement_figure(found: JudgeAgreement) -> go.Figure:
    """The coefficients and rates of judge and people as points with their intervals; what is undefined is not there."""
    figure = go.Figure()
    points = [(name, getattr(found, name)) for name in ("alpha", "ac1", "kappa", "tnr", "tpr", "majority", "accuracy")]
    points = [(name, rate) for name, rate in points if rate.value is not None]
    values = [rate.value for _name, rate in points]
    upper = [(rate.interval[1] - rate.value) if rate.interval else 0 for _name, rate in points]
    lower = [(rate.value - rate.interval[0]) if rate.interval else 0 for _name, rate in points]
    figure.add_scatter(
        x=values,
        y=[_(f"people.{name}") for name, _rate in points],
        mode="markers",
        marker={"size": 10, "symbol": "diamond"},
        error_x={"type": "data", "symmetric": False, "array": upper, "arrayminus": lower},
    )
    _size(figure, len(points))
    least = min([0.0, *(value - error for value, error in zip(values, lower, strict=True))])
    figure.update_layout(showlegend=False, xaxis={"range": [least - 0.05, 1.05], "fixedrange": True})
    return figure


def progress_figure(queues: Sequence[Queue], progress: Mapping[str, Progress]) -> go.Figure:
    """How far each review queue is: finished, begun, open."""
    drawn = list(queues)[::-1]
    names = [drawn_by_plotly(shortened(queue.name, _NAME_CHARS)) for queue in drawn]
    # Bars of one name would lie on each other: a later queue of the same name says which of them it is.
    names = [f"{name} ({names[:place].count(name) + 1})" if name in names[:place] else name for place, name in enumerate(names)]
    states = [progress.get(queue.queue_id, Progress()) for queue in drawn]
    series = [
        (_("charts.finished"), [state.finished for state in states]),
        (_("charts.begun"), [state.begun for state in states]),
        (_("charts.left"), [state.items - state.finished - state.begun for state in states]),
    ]
    figure = _rows(names, series, _("charts.turns"))
    return figure.update_layout(barmode="stack")


def errors_figure(kinds: Mapping[str, int]) -> go.Figure:
    """How often reviewers named each kind of error."""
    ordered = sorted(kinds.items(), key=lambda entry: entry[1])
    return _rows([_(f"error_type.{kind}") for kind, _count in ordered], [("", [count for _kind, count in ordered])], _("charts.claims"))


def _rows(names: Sequence[str], series: Sequence[tuple[str, Sequence[float]]], axis: str) -> go.Figure:
    figure = go.Figure()
    for place, (name, values) in enumerate(series):
        figure.add_bar(name=name, y=list(names), x=list(values), orientation="h", marker={"pattern": {"shape": _PATTERNS[place]}})
    _size(figure, len(names) * (1 if len(series) == 1 else 1.4))
    longest = max((sum(each[place] for _name, each in series) for place in range(len(names))), default=0)
    steps = 1 if longest <= _FEW else None  # what is counted in ones has no half
    figure.update_layout(showlegend=len(series) > 1, xaxis={"title": axis, "rangemode": "tozero", "dtick": steps, "fixedrange": True})
    return figure


def _size(figure: go.Figure, rows: float) -> None:
    figure.update_layout(
        height=int(110 + _ROW * rows),
        margin={"l": 0, "r": 8, "t": 32, "b": 0},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0},
        yaxis={"automargin": True, "fixedrange": True},
    )


def _time_axis(figure: go.Figure, days: Sequence[date], axis: str) -> None:
    """Days from left to right; few of them are not drawn as broad as the chart."""
    first, last = min(days), max(days)
    margin = timedelta(days=max(0.6, (_FEWEST_DAYS - (last - first).days - 1) / 2 + 0.5))
    start, end = datetime.combine(first, time()) - margin, datetime.combine(last, time()) + margin
    few = (last - first).days < 14
    figure.update_layout(
        height=320,
        margin={"l": 0, "r": 8, "t": 56, "b": 0},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0},
        xaxis={"type": "date", "tickformat": "%d/%m", "dtick": _DAY_MS if few else None, "range": [start, end], "fixedrange": True},
        yaxis={"title": axis, "rangemode": "tozero", "fixedrange": True},
    )
    figure.update_traces(width=_DAY_MS * 0.7, selector={"type": "bar"})
