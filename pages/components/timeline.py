"""When each stage and each call to a model ran, as bars on one time line (Plotly, in the theme's colours)."""

from __future__ import annotations

from datetime import datetime

import plotly.graph_objects as go
import streamlit as st

from duocthu_core.pipeline.trace import Trace
from pages.frame import formats
from pages.frame.words import _

_ROW_HEIGHT = 24
_SHORTEST_SHARE = 0.004
"""A bar is drawn at least this share of the whole, so that a stage of one millisecond can still be seen."""


def timeline(trace: Trace, *, key: str) -> None:
    """Draws the stages that ran as bars from the top, and inside each the calls that it made. Names come from the catalogue only."""
    figure = timeline_figure(trace)
    st.plotly_chart(figure, key=key, config={"displayModeBar": False, "staticPlot": False}, alt=_("timeline.alt"))


def timeline_figure(trace: Trace) -> go.Figure:
    """The figure: one trace for stages, one for calls (which is told apart by pattern, not by colour alone)."""
    begin = trace.stages[0].started_at
    total = max(trace.totals.duration_ms, 1.0)
    stages: list[tuple[str, float, float]] = []
    calls: list[tuple[str, float, float]] = []
    order: list[str] = []
    for record in trace.stages:
        if record.status == "skipped":
            continue
        name = _(f"stage.{record.name}")
        order.append(name)
        stages.append((name, _since(begin, record.started_at), record.duration_ms))
        calls += [(name, _since(begin, call.started_at), call.duration_ms) for call in record.calls]
    figure = go.Figure()
    figure.add_trace(_bars(stages, total, _("timeline.stages"), width=0.62, pattern="", labelled=True))
    figure.add_trace(_bars(calls, total, _("timeline.calls"), width=0.28, pattern="/", labelled=False))
    figure.update_layout(
        barmode="overlay",
        height=90 + _ROW_HEIGHT * len(order),
        margin={"l": 0, "r": 24, "t": 8, "b": 0},
        legend={"orientation": "h", "y": 1.08, "x": 0},
        xaxis={"title": _("timeline.axis"), "rangemode": "tozero", "fixedrange": True},
        yaxis={"categoryorder": "array", "categoryarray": order[::-1], "fixedrange": True, "automargin": True},
    )
    return figure


def _bars(rows: list[tuple[str, float, float]], total: float, name: str, *, width: float, pattern: str, labelled: bool) -> go.Bar:
    return go.Bar(
        name=name,
        orientation="h",
        y=[row[0] for row in rows],
        base=[row[1] / 1000 for row in rows],
        x=[max(row[2], total * _SHORTEST_SHARE) / 1000 for row in rows],
        text=[formats.seconds(row[2]) for row in rows],
        textposition="outside" if labelled else "none",
        constraintext="none",
        cliponaxis=False,
        width=width,
        marker={"pattern": {"shape": pattern}},
        hovertemplate="%{y}: %{text}<extra></extra>",
    )


def _since(begin: datetime, moment: datetime) -> float:
    return max(0.0, (moment - begin).total_seconds() * 1000)
