"""Deleting what is expired: asked twice, done by an engineer, written into the audit log."""

from __future__ import annotations

import streamlit as st

from duocthu_core.audit.model import AuditFilters
from duocthu_core.bootstrap import Services
from duocthu_core.cache.model import CacheStats
from pages.components.facts.facts import facts
from pages.components.facts.parts import Cell, Figure, Table
from pages.frame import formats
from pages.frame.access import User, require
from pages.frame.words import _, _n

_ACTION = "cache.prune"
_ASKED = "cache_prune_asked"
_DONE = "cache_prune_done"
_LISTED = 10


def pruning(app: Services, user: User, stats: CacheStats) -> None:
    """Draws what would be deleted, the two steps to it, and who did it before."""
    st.text(_n("cache_prune.about", stats.expired))
    done = st.session_state.pop(_DONE, None)
    if done is not None:
        st.success(_n("cache_prune.done", done), icon=":material/check:")
    if not user.may("engineer"):
        st.info(_("cache_prune.not_yours"), icon=":material/lock:")
    elif not stats.expired:
        st.session_state.pop(_ASKED, None)
        st.text(_("cache_prune.nothing"))
    elif st.session_state.get(_ASKED):
        st.warning(_n("cache_prune.sure", stats.expired), icon=":material/delete_forever:")
        with st.container(horizontal=True):
            st.button(_("cache_prune.yes"), type="primary", key="cache_prune_yes", on_click=_prune, args=(app,))
            st.button(_("cache_prune.no"), key="cache_prune_no", on_click=_ask, args=(False,))
    else:
        st.button(_("cache_prune.ask"), icon=":material/delete_sweep:", key="cache_prune", on_click=_ask, args=(True,))
    _earlier(app)


def _ask(asked: bool) -> None:
    st.session_state[_ASKED] = asked


def _prune(app: Services) -> None:
    user = require("engineer")
    st.session_state.pop(_ASKED, None)
    st.session_state[_DONE] = app.prune_cache(user.name)


def _earlier(app: Services) -> None:
    lines = app.audit.recent(_LISTED, filters=AuditFilters(action=_ACTION))
    if not lines:
        return
    columns = (_("cache_prune.at"), _("cache_prune.by"), _("cache_prune.count"))
    rows: list[tuple[Cell, ...]] = [
        (Figure(formats.moment(line.at)), line.actor, Figure(str(line.detail.get("pruned", "–")))) for line in lines
    ]
    facts([Table(columns, rows, _("cache_prune.earlier"))], key="cache_pruned")
