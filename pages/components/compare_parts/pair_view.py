"""One pair on the page: the comparison, what each turn took, both turns to open, and what can be taken along."""

from __future__ import annotations

import streamlit as st

from duocthu_core.bootstrap import Services
from duocthu_core.pipeline.comparing import Comparison, compare
from duocthu_core.pipeline.trace import Trace
from duocthu_core.rulesets.loading import RulesetError
from duocthu_core.rulesets.model import Ruleset
from pages.components.compare_parts.downloads import pair_downloads
from pages.components.compare_parts.pair_parts import causes, pair_parts, side_name
from pages.components.compare_view.compare_view import SIDES, compare_view
from pages.components.facts.facts import facts
from pages.frame.compare_address import CompareAddress
from pages.frame.services import stored_trace
from pages.frame.words import _

_KEPT = "compared_pair"


def draw_pair(app: Services, address: CompareAddress) -> None:
    """Draws the pair of the address, or says which of the two is not there."""
    one, other = (stored_trace(trace_id) if trace_id else None for trace_id in (address.a, address.b))
    for side, trace in zip(SIDES, (one, other), strict=True):
        if trace is None:
            st.warning(_("compare.unknown_turn", side=side), icon=":material/search_off:")
    if one is None or other is None:
        return
    rules = _rules(app, one), _rules(app, other)
    compared = _compared(app, one, other)
    with st.container(horizontal=True, vertical_alignment="center"):
        for side, trace in zip(SIDES, (one, other), strict=True):
            query = {"trace": trace.trace_id} | ({"stage": compared.first_difference} if compared.first_difference else {})
            st.page_link("turn.py", label=_("compare.open", side=side), icon=":material/open_in_new:", query_params=query)
        st.space("stretch")
        pair_downloads(compared)
    names = side_name(one, rules[0]), side_name(other, rules[1])
    compare_view(compared, names, causes(compared, rules), key=f"compare-{one.trace_id}-{other.trace_id}")
    facts(pair_parts(compared), key=f"compare-parts-{one.trace_id}-{other.trace_id}")


def _compared(app: Services, one: Trace, other: Trace) -> Comparison:
    """Comparing reads every claim; the last comparison is kept with this session."""
    key = (one.trace_id, other.trace_id, app.ruleset.ruleset_id)
    kept = st.session_state.get(_KEPT)
    if kept is None or kept[0] != key:
        kept = st.session_state[_KEPT] = (key, compare(one, other, app.ruleset))
    return kept[1]


def _rules(app: Services, trace: Trace) -> Ruleset | None:
    if trace.ruleset_id == app.ruleset.ruleset_id:
        return app.ruleset
    try:
        return app.rulesets.find(trace.ruleset_id)
    except RulesetError:
        return None
