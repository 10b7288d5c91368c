"""Making a review queue: which turns it takes, how many reviewers an item, for whom."""

from __future__ import annotations

import random
import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from time import monotonic
from typing import Any, get_args

import streamlit as st

from duocthu_core.bootstrap import Services
from duocthu_core.pipeline.trace import Outcome
from duocthu_core.review.errors import ReviewError
from duocthu_core.review.model import MAX_REVIEWERS, NewQueue, QueueFilters
from duocthu_core.verification.model import RejectReason
from pages.frame import formats, labels
from pages.frame.access import require
from pages.frame.shown_text import shown, unmarked
from pages.frame.words import _, _n

_LARGEST = 500
_USUAL_SIZE = 20
_RESULT, _LAST = "new_queue_result", "new_queue_last"
_TWICE_S = 5.0
"""Two presses within this time are one."""
_BETWEEN = re.compile(r"[,;\s]+")


def told_of_new_queue() -> None:
    """Says which queue was made: above the queues, where its reader goes on."""
    result = st.session_state.get(_RESULT)
    if result is not None and result[0] == "made":
        del st.session_state[_RESULT]
        st.success(result[1], icon=":material/playlist_add_check:")


def new_queue_form(services: Services) -> None:
    """Draws the form; why it made nothing stands above it."""
    result = st.session_state.pop(_RESULT, None)
    refused = result is not None
    if refused:
        st.warning(result[1], icon=":material/warning:")
    with st.expander(_("new_queue.title"), icon=":material/playlist_add:", expanded=refused), st.form("new_queue", border=False):
        _fields(services)
        st.form_submit_button(_("new_queue.make"), icon=":material/add:", type="primary", on_click=_make, args=(services,))


def _fields(services: Services) -> None:
    st.text_input(_("new_queue.name"), key="nq_name", max_chars=120)
    left, right = st.columns(2)
    every = _("new_queue.every")
    with left:
        outcomes = {code: _(f"outcome.{code}") for code in get_args(Outcome)}
        st.multiselect(_("new_queue.outcomes"), list(outcomes), format_func=outcomes.__getitem__, key="nq_outcomes", placeholder=every)
        reasons = {code: _(f"reason.{code}") for code in get_args(RejectReason)}
        st.multiselect(_("new_queue.reasons"), list(reasons), format_func=reasons.__getitem__, key="nq_reasons", placeholder=every)
        drugs = {drug_id: shown(monograph.name) for drug_id, monograph in services.corpus.monographs.items()}
        st.selectbox(_("new_queue.drug"), list(drugs), None, drugs.__getitem__, key="nq_drug", placeholder=every)
        sections = {key: labels.section(services.ruleset, key) for key in services.ruleset.tables["sections"]["sections"]}
        st.selectbox(_("new_queue.section"), list(sections), None, sections.__getitem__, key="nq_section", placeholder=every)
    with right:
        st.text_input(_("new_queue.ruleset"), key="nq_ruleset", max_chars=80)
        st.text_input(_("new_queue.generator"), key="nq_generator", max_chars=120)
        st.text_input(_("new_queue.judge"), key="nq_judge", max_chars=120)
        st.date_input(_("new_queue.days"), value=[], key="nq_days", format="DD/MM/YYYY")
    st.radio(
        _("new_queue.stratum"),
        ("random", "warned"),
        format_func=lambda code: _(f"new_queue.stratum_{code}"),
        key="nq_stratum",
        horizontal=True,
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(_("new_queue.size"), 1, _LARGEST, _USUAL_SIZE, key="nq_size")
        st.number_input(_("new_queue.reviewers"), 1, MAX_REVIEWERS, 2, key="nq_reviewers")
        st.text_input(_("new_queue.assigned"), key="nq_assigned", max_chars=400)


def _make(services: Services) -> None:
    author = require("engineer")
    typed = st.session_state
    name = typed["nq_name"].strip()
    if not name:
        typed[_RESULT] = ("refused", _("new_queue.needs_name"))
        return
    asked = NewQueue(
        name=name,
        filters=_filters(typed),
        stratum="targeted" if typed["nq_stratum"] == "warned" else "random",
        size=typed["nq_size"],
        reviewers_per_item=typed["nq_reviewers"],
        assigned_to=tuple(dict.fromkeys(part for part in _BETWEEN.split(typed["nq_assigned"]) if part)),
        seed=random.SystemRandom().randrange(2**31),
    )
    if _has_just_been_made(asked):
        return
    try:
        queue = services.reviewing.make_queue(asked, author.name)
    except ReviewError:
        typed[_RESULT] = ("refused", _("new_queue.nothing_found"))
        return
    items = len(services.reviewing.store.items(queue.queue_id))
    services.audit.record(author.name, "review.make_queue", queue.queue_id, {"items": items})
    typed[_RESULT] = ("made", _n("new_queue.made", items, name=unmarked(queue.name)))


def _has_just_been_made(asked: NewQueue) -> bool:
    """Whether the button was pressed twice: the same queue a moment ago. Only the seed of its sample differs."""
    before, now = st.session_state.get(_LAST), (asked.model_copy(update={"seed": 0}), monotonic())
    if before is not None and before[0] == now[0] and now[1] - before[1] < _TWICE_S:
        return True
    st.session_state[_LAST] = now
    return False


def _filters(typed: Any) -> QueueFilters:
    days: tuple[date, ...] = tuple(typed["nq_days"] or ())
    return QueueFilters(
        outcomes=tuple(typed["nq_outcomes"]),
        reject_reasons=tuple(typed["nq_reasons"]),
        drug_id=typed["nq_drug"],
        section_key=typed["nq_section"],
        ruleset_id=typed["nq_ruleset"].strip() or None,
        generator=typed["nq_generator"].strip() or None,
        judge=typed["nq_judge"].strip() or None,
        created_from=_midnight(days[0]) if days else None,
        created_before=_midnight(days[-1] + timedelta(days=1)) if days else None,
        guard_warnings=typed["nq_stratum"] == "warned",
    )


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), timezone(formats.utc_offset())).astimezone(UTC)
