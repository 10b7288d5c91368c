"""Một lượt · One stored turn: every trace has an address of its own that can be sent to a colleague (spec 06, "Traces")."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from duocthu_core.pipeline.trace import Outcome, StageName
from duocthu_core.pipeline.trace_store import TraceFilters
from pages.components.rules_replaying import linked_runs
from pages.components.trace_downloads import list_downloads, turn_downloads
from pages.components.trace_list.trace_list import trace_list
from pages.components.turn_view.turn_view import TurnEvents, turn_view
from pages.frame.access import require
from pages.frame.address import Address, go, here
from pages.frame.head import page_head, turn_badges
from pages.frame.inspection import inspection
from pages.frame.services import services, stored_trace
from pages.frame.words import _, _n

_A_PAGE = 25

user = require("viewer")
app = services()


def open_trace(trace_id: str) -> None:
    """Shows another stored turn."""
    go(Address(trace=trace_id))


def open_stage(stage: StageName) -> None:
    """Shows the stage that a sentence of the turn points to."""
    go(here().model_copy(update={"stage": stage, "view": None, "claim": None}))


def nothing(_value: object) -> None:
    """A stored turn is not folded, and its offered replies are history."""


def draw_recent() -> None:
    """Stored turns to choose from; what narrows the list stands in the address too."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = st.text_input(_("turn_page.search"), key="words", bind="query-params", icon=":material/search:")
        outcomes = st.pills(
            _("turn_page.outcomes"),
            get_args(Outcome),
            format_func=lambda outcome: _(f"outcome.{outcome}"),
            selection_mode="multi",
            key="outcomes",
            bind="query-params",
        )
    with_evaluations = st.toggle(_("turn_page.with_evaluations"), key="evaluations", bind="query-params")
    filters = TraceFilters(words=words, outcomes=tuple(outcomes), asked=not with_evaluations)
    found = app.traces.count(filters)
    if not found:
        st.text(_("turn_page.none_found") if words or outcomes else _("turn_page.empty"))
        st.page_link("live.py", label=_("turn_page.ask_first"), icon=":material/forum:")
        return
    last_page = (found + _A_PAGE - 1) // _A_PAGE
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(_n("turn_page.found", found), width="content")
        st.space("stretch")
        list_downloads(app, filters)
    place = st.container()
    number = st.pagination(last_page, key="page", bind="query-params") if last_page > 1 else 1
    with place:
        trace_list(app.traces.recent(_A_PAGE, (number - 1) * _A_PAGE, filters), key="recent", on_open=open_trace)


asked = here().trace
trace = stored_trace(asked) if asked else None
with page_head(app, _("turn_page.title"), turn_badges(app, trace)):
    if trace is not None:
        conversation = {"conversation": trace.conversation_id, "turn": str(trace.turn_index)}
        st.page_link("live.py", label=_("turn_page.open_conversation"), icon=":material/forum:", query_params=conversation)
        if trace.parent_trace_id is not None:
            pair = {"a": trace.parent_trace_id, "b": trace.trace_id}
            st.page_link("compare.py", label=_("compare.link"), icon=":material/compare_arrows:", query_params=pair)
        turn_downloads(app, trace, user)
if trace is not None:
    linked_runs(trace, app)
    events = TurnEvents(on_open=nothing, on_reply=nothing, on_stage=open_stage)
    turn_view([trace], app.ruleset, key=f"turn-{trace.trace_id}", opened=trace.turn_index, events=events, answerable=False)
    inspection(trace, app)
else:
    if asked:
        st.warning(_("turn_page.unknown"), icon=":material/search_off:")
    draw_recent()
