"""Many pairs on the page: outcomes from A to B, the pairs that changed, what each side took."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from duocthu_core.tuning.compared_pairs import ComparedPairs, compare_pairs
from duocthu_core.tuning.sides import Side
from pages.components.book_list.book_list import book_list
from pages.components.compare_parts.downloads import pairs_downloads
from pages.components.compare_parts.set_parts import counts_line, flow_figure, flow_table, pair_entry, sum_parts
from pages.components.facts.facts import facts
from pages.frame.compare_address import compare_go
from pages.frame.services import stored_trace
from pages.frame.words import _

_KEPT = "compared_pairs"
_LISTED = 100


def draw_pairs(ids: Sequence[tuple[str, str]], sides: tuple[Side, Side]) -> None:
    """Draws the comparison of these pairs; each changed one can be opened."""
    compared = _compared(tuple(ids), (sides[0].ruleset.ruleset_id, sides[1].ruleset.ruleset_id))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(counts_line(compared), width="content")
        st.space("stretch")
        pairs_downloads(compared)
    if not compared.pairs:
        return
    picture, words = st.columns([2, 3])
    with picture:
        st.plotly_chart(flow_figure(compared), key="flows", config={"displayModeBar": False}, theme=None, alt=_("compare.flows_alt"))
    with words:
        facts([flow_table(compared)], key="flow_table")
    st.subheader(_("compare.changed_pairs"), anchor=False)
    changed = compared.changed[:_LISTED]
    if changed:
        entries = [pair_entry(pair) for pair in changed]
        book_list(entries, name=_("compare.changed_pairs"), key="changed", on_open=lambda n: _open(changed[n].trace_ids), wide=True)
    else:
        st.text(_("compare.none_changed"))
    if len(compared.changed) > _LISTED:
        st.text(_("compare.rest_in_export", n=len(compared.changed) - _LISTED))
    facts(sum_parts(compared), key="compare_sums")


def _open(pair: tuple[str, str]) -> None:
    compare_go(a=pair[0], b=pair[1])


def _compared(ids: tuple[tuple[str, str], ...], rulesets: tuple[str, str]) -> ComparedPairs:
    """Every trace is read once; the last comparison is kept with this session."""
    kept = st.session_state.get(_KEPT)
    if kept is None or kept[0] != (ids, rulesets):
        kept = st.session_state[_KEPT] = ((ids, rulesets), compare_pairs(ids, stored_trace, rulesets))
    return kept[1]
