"""What the verification cache saved over time: sums, and a bar a day (Plotly, in the theme's colours)."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
import streamlit as st

from duocthu_core.pipeline.usage import DayUsage, summed
from pages.frame import formats
from pages.frame.words import _, _n

_FEW_CALLS = 8


def savings(days: Sequence[DayUsage], *, key: str) -> None:
    """Draws the sums of ``days`` and the chart."""
    total = summed(days)
    with st.container(horizontal=True, gap="medium"):
        st.metric(_("cache_savings.hit_rate"), "–" if total.hit_rate is None else formats.percent(total.hit_rate), border=True)
        st.metric(_("cache_savings.calls"), formats.number(total.calls_saved), border=True)
        st.metric(_("cache_savings.tokens"), formats.number(total.tokens_saved), border=True)
        money = "–" if total.cost_saved_usd is None else formats.money(total.cost_saved_usd)
        st.metric(_("cache_savings.money"), money, border=True)
    st.text(
        _(
            "cache_savings.made_of",
            turns=_n("cache_savings.turns", sum(day.turns for day in days)),
            lookups=formats.number(total.lookups),
            served=formats.number(total.served),
            reprocessed=formats.number(total.reprocessed),
            calls=formats.number(total.judge_calls),
        )
    )
    if total.calls_saved and total.cost_saved_usd is None:
        st.text(_("cache_savings.no_price"))
    st.plotly_chart(savings_figure(days), key=key, config={"displayModeBar": False}, alt=_("cache_savings.alt"))


def savings_figure(days: Sequence[DayUsage]) -> go.Figure:
    """Calls to the judge a day: those that were made, and on top of them those that were saved, told apart by pattern too; above, the
    share of look-ups that needed no call."""
    names = [day.day for day in days]
    figure = go.Figure()
    figure.add_bar(name=_("cache_savings.calls_made"), x=names, y=[day.judge_calls for day in days])
    figure.add_bar(name=_("cache_savings.calls"), x=names, y=[day.calls_saved for day in days], marker={"pattern": {"shape": "/"}})
    figure.add_scatter(
        name=_("cache_savings.hit_rate"),
        x=names,
        y=[day.hit_rate for day in days],
        yaxis="y2",
        mode="lines+markers",
        line={"dash": "dot", "width": 2},
    )
    figure.update_layout(
        barmode="stack",
        height=380,
        margin={"l": 0, "r": 0, "t": 72, "b": 0},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0},
        xaxis={"type": "date", "tickformat": "%d/%m", "dtick": 86_400_000 if len(days) <= 14 else None, "fixedrange": True},
        yaxis={"title": _("cache_savings.axis"), "rangemode": "tozero", "dtick": _whole_steps(days), "fixedrange": True},
        yaxis2={
            "overlaying": "y",
            "side": "right",
            "range": [0, 1.05],
            "dtick": 0.25,
            "tickformat": ".0%",
            "showgrid": False,
            "fixedrange": True,
        },
    )
    if len(days) == 1:
        figure.update_traces(width=86_400_000 * 0.4, selector={"type": "bar"})
    return figure


def _whole_steps(days: Sequence[DayUsage]) -> int | None:
    """Calls are counted in ones; where there are many, the axis finds its own steps."""
    return 1 if max((day.judge_calls + day.calls_saved for day in days), default=0) <= _FEW_CALLS else None
