"""Bộ nhớ đệm · Cache (spec 06, page 5): kept verdicts by what they are worth, one entry whole, look-up by hand, savings, pruning."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import streamlit as st

from duocthu_core.cache.model import CacheEntry, CacheStats
from pages.components.badges.badges import Badge
from pages.components.cache_counts import counted_groups
from pages.components.cache_entry import entry_parts
from pages.components.cache_list.cache_list import cache_list
from pages.components.cache_lookup import lookup
from pages.components.cache_pruning import pruning
from pages.components.cache_savings import savings
from pages.components.count_cards.count_cards import count_cards
from pages.components.facts.facts import facts
from pages.frame import formats, labels
from pages.frame.access import require
from pages.frame.cache_address import PARTS, PERIODS, cache_go, cache_here
from pages.frame.head import page_head
from pages.frame.services import services
from pages.frame.words import _, _n

_A_PAGE = 25
_NO_KEY = "–"

user = require("viewer")
app = services()
judge = app.current_judge()
cache = app.verification_cache


def choose_part() -> None:
    """Shows another part of the page; what narrows the list stays."""
    cache_go(part=st.session_state["cache_part"], entry=None)


def narrow(group: str, value: str | None) -> None:
    """Narrows the list by one property, or no longer."""
    cache_go(**{group: value}, page=1, entry=None)


def turn_page() -> None:
    """Shows another page of the list."""
    cache_go(page=st.session_state["cache_page_number"])


def open_entry(entry: CacheEntry) -> None:
    """Lays one entry open."""
    cache_go(entry=f"{entry.tier}.{entry.claim_hash}")


def close_entry() -> None:
    """Back to the list."""
    cache_go(entry=None)


def choose_period() -> None:
    """Sums over another period."""
    cache_go(period=st.session_state["cache_period"])


def draw_entries(stats: CacheStats) -> None:
    """Counts that narrow the list, and the list."""
    here = cache_here()
    count_cards(counted_groups(stats, here, app), key="cache_counts", on_choose=narrow)
    filters = cache.filters(judge, here.staleness, here.tier, here.ages)
    found = cache.count(filters)
    if not found:
        st.text(_("cache_page.none_found"))
        return
    last_page = (found + _A_PAGE - 1) // _A_PAGE
    page = min(here.page, last_page)
    st.text(_n("cache_page.found", found))
    cache_list(cache.listed(judge, filters, _A_PAGE, (page - 1) * _A_PAGE), app, key="cache_entries", on_open=open_entry)
    if last_page > 1:
        st.pagination(last_page, default=page, key="cache_page_number", on_change=turn_page)


def draw_entry(key: str) -> None:
    """One entry whole."""
    tier, _dot, claim_hash = key.partition(".")
    entry = cache.entry("premium" if tier == "premium" else "free", claim_hash)
    st.button(_("cache_page.back"), icon=":material/arrow_back:", key="cache_back", on_click=close_entry)
    if entry is None:
        st.warning(_("cache_page.unknown_entry"), icon=":material/search_off:")
        return
    with st.container(border=True):
        st.subheader(_("cache_page.entry_title"), anchor=False)
        facts(entry_parts(cache.standing(entry, judge), app), key=f"cache_entry-{key}")


def draw_savings() -> None:
    """What was saved, day by day in the reader's own time."""
    here = cache_here()
    st.segmented_control(
        _("cache_savings.period"),
        PERIODS,
        format_func=lambda period: _(f"cache_period.{period}"),
        default=here.period,
        required=True,
        key="cache_period",
        on_change=choose_period,
    )
    since = None if here.period == "all" else datetime.now(UTC) - timedelta(days=int(here.period))
    days = app.traces.usage_by_day(since, formats.utc_offset())
    if days:
        savings(days, key="cache_savings")
    else:
        st.text(_("cache_savings.none"))


stats = cache.stats(judge)
marks = [
    Badge(_("badge.rules", name=labels.ruleset_name(app.ruleset), id=labels.short_id(app.ruleset.ruleset_id)), "rules"),
    Badge(_("cache_page.judged_by", model=judge.model or _NO_KEY, prompt=judge.prompt_hash, framework=judge.framework_version), "info"),
]
with page_head(app, _("cache_page.title"), marks):
    pass
here = cache_here()
st.segmented_control(
    _("cache_page.parts"),
    PARTS,
    format_func=lambda part: _(f"cache_part.{part}"),
    default=here.part,
    required=True,
    key="cache_part",
    label_visibility="collapsed",
    on_change=choose_part,
)
if here.entry is not None and here.part == "entries":
    draw_entry(here.entry)
elif here.part == "lookup":
    lookup(app)
elif here.part == "savings":
    draw_savings()
elif here.part == "prune":
    pruning(app, user, stats)
elif stats.live + stats.expired == 0:
    st.text(_("cache_page.empty"))
    st.page_link("live.py", label=_("cache_page.ask_first"), icon=":material/forum:")
else:
    draw_entries(stats)
