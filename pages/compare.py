"""So sánh · Compare (spec 06, page 2): two turns side by side, or many turns on two sides; what is compared stands in the address."""

from __future__ import annotations

import streamlit as st

from pages.components.book_list.book_list import book_list
from pages.components.compare_parts.choosing import choose_turns, replays_offered
from pages.components.compare_parts.forms import draw_question, draw_set, draw_turns
from pages.components.compare_parts.pair_view import draw_pair
from pages.frame.access import require
from pages.frame.compare_address import VIEWS, CompareAddress, compare_go, compare_here
from pages.frame.compare_work import draw_running, work_is_at_hand
from pages.frame.head import page_head, turn_badges
from pages.frame.services import services
from pages.frame.words import _

user = require("viewer")
app = services()


def choose_view() -> None:
    """Another kind of comparison."""
    compare_go(view=st.session_state["compare_view"], a=None, b=None, begun=None, until=None)


def draw_views(address: CompareAddress) -> None:
    """The kinds of comparison; over one pair of many, the way back to the others."""
    if address.view in ("turns", "set") and address.pair_is_open:
        st.button(_("compare.back"), icon=":material/arrow_back:", on_click=compare_go, kwargs={"a": None, "b": None})
        return
    st.session_state["compare_view"] = address.view
    st.segmented_control(
        _("compare.views"),
        VIEWS,
        format_func=lambda view: _(f"compare_view.{view}"),
        required=True,
        key="compare_view",
        label_visibility="collapsed",
        on_change=choose_view,
    )


def draw_choice_of_turns(address: CompareAddress) -> None:
    """Two stored turns; where none is chosen, pairs that lie at hand."""
    choose_turns(app, address)
    if address.pair_is_open:
        return
    offered = replays_offered(app)
    st.text(_("compare.empty") if offered else _("compare.empty_of_all"))
    if not offered:
        st.page_link("live.py", label=_("turn_page.ask_first"), icon=":material/forum:")
        return

    def open_offered(number: int) -> None:
        (a, b), _entry = offered[number]
        compare_go(a=a, b=b)

    book_list([entry for _pair, entry in offered], name=_("compare.offered"), key="offered", on_open=open_offered, wide=True)


with page_head(app, _("compare.title"), turn_badges(app, None)):
    pass
at_work = work_is_at_hand()
here = compare_here()
draw_views(here)
if at_work:
    draw_running()
elif here.pair_is_open and here.view != "pair":
    draw_pair(app, here)
elif here.view == "pair":
    draw_choice_of_turns(here)
    if here.pair_is_open:
        draw_pair(app, here)
else:
    {"question": draw_question, "turns": draw_turns, "set": draw_set}[here.view](app, user, here)
