"""Duyệt · Review (spec 06, page 3): queues of stored turns, one item at a time, blind until its reviewer has judged it."""

from __future__ import annotations

import streamlit as st

from duocthu_core.review.errors import ReviewError
from duocthu_core.review.model import Purpose, Queue
from duocthu_core.review.reviewing import ItemView
from duocthu_core.storage.errors import StorageUnavailable
from pages.components.badges.badges import Badge
from pages.components.binding_view.binding_view import binding_view
from pages.components.review_desk.review_desk import DeskEvents, review_desk
from pages.components.review_overview import review_files, review_overview
from pages.components.turn_view.turn_view import checks_off_line
from pages.frame.access import require
from pages.frame.head import page_head
from pages.frame.new_queue import new_queue_form
from pages.frame.review_address import ReviewAddress, review_go, review_here
from pages.frame.review_queues import queue_list
from pages.frame.review_work import do_work, forget_notice, saving, sentence_of, storage_failed, tell_once
from pages.frame.services import services, stored_trace
from pages.frame.shown_text import shown
from pages.frame.words import _

_VIEW = "review_view"
_STALE = "review_view_is_stale"
_NOTHING_LEFT = "review_nothing_left"

user = require("reviewer")
app = services()


def open_next(queue_id: str, purpose: Purpose, after: int = 0) -> None:
    """Reserves the next free item of a queue and goes there; without one the list says so."""
    reviewer = require("reviewer")
    item_id = app.reviewing.next_item(queue_id, reviewer.name, purpose, after)
    forget_notice()
    if item_id is None:
        st.session_state[_NOTHING_LEFT] = True
        review_go(ReviewAddress())
    else:
        review_go(ReviewAddress(queue=queue_id, item=item_id, task="adjudicate" if purpose == "adjudication" else None))


def leave(view: ItemView, step: int) -> None:
    """Gives an unfinished item back and goes to the next free one, or to the one before."""
    reviewer = require("reviewer")
    try:
        if not view.finished:
            app.reviewing.release(view.item.item_id, reviewer.name, view.purpose)
        if step > 0:
            open_next(view.queue.queue_id, view.purpose, view.item.position)
            return
        before = app.reviewing.neighbour(view.item.item_id, step)
    except StorageUnavailable:
        storage_failed()
        return
    if before is not None:
        forget_notice()
        review_go(ReviewAddress(queue=view.queue.queue_id, item=before, task=review_here().task))


def kept_view(item_id: str, purpose: Purpose) -> ItemView | None:
    """What this window read of the item last."""
    kept = st.session_state.get(_VIEW)
    if isinstance(kept, ItemView) and (kept.item.item_id, kept.purpose, kept.reviewer) == (item_id, purpose, user.name):
        return kept
    return None


def viewed(item_id: str, purpose: Purpose) -> ItemView:
    """The item as this reviewer may see it: read again where something changed; the last reading stays while the database is away."""
    kept = kept_view(item_id, purpose)
    stale = st.session_state.pop(_STALE, True)
    if kept is not None and not stale:
        return kept
    try:
        view = app.reviewing.open(item_id, user.name, purpose)
    except (StorageUnavailable, ReviewError) as error:
        if kept is None:
            raise
        # What is on the screen stays there, and its reviewer is told: the database is away, or the seat went to somebody else.
        if isinstance(error, ReviewError):
            tell_once("warning", sentence_of(error))
        else:
            storage_failed()
            st.session_state[_STALE] = True
        return kept
    st.session_state[_VIEW], st.session_state[_STALE] = view, False
    return view


def first_to_look_at(view: ItemView) -> int:
    """The running number of the claim that opens first: what an adjudicator came for, else the first one."""
    return next((number for number, claim in enumerate(view.claims, 1) if claim.disputed and purpose == "adjudication"), 1)


def draw_desk(item_id: str, purpose: Purpose) -> None:
    """The desk, and below it the binding of the claim that is shown, once it is revealed.

    No fragment: after a restart of the server a fragment of before is unknown, and what the desk sends again would never arrive.
    """
    view = viewed(item_id, purpose)
    selected = min((review_here().claim or first_to_look_at(view)) - 1, len(view.claims) - 1)

    def work(message: object) -> None:
        if isinstance(message, dict):
            st.session_state[_STALE] = do_work(app, require("reviewer"), message) or st.session_state.get(_STALE, False)

    def show_claim(number: int) -> None:
        review_go(review_here().model_copy(update={"claim": number}))

    trace = stored_trace(view.trace_id) if view.outcome is not None else None  # who has not judged yet is told nothing of the outcome
    if trace is not None and (off := checks_off_line(trace)):
        st.error(off, icon=":material/gpp_bad:")
    events = DeskEvents(on_work=work, on_claim=show_claim, on_go=lambda step: leave(view, step))
    review_desk(view, app.ruleset, saving(), key="review_desk", selected=selected, events=events)
    claim = view.claims[selected]
    if claim.binding is not None:
        checked = [claim.checked] if claim.checked else []
        place = f"review-binding-{item_id}-{claim.claim_index}"
        binding_view(
            [claim.binding], checked, claim.blocks, app.ruleset, key=place, selected=1, on_select=lambda _number: None, single=True
        )


def draw_item(queue: Queue, item_id: str, purpose: Purpose) -> None:
    """One item, or why it cannot be opened and what to do instead."""
    try:
        draw_desk(item_id, purpose)
    except ReviewError as error:
        st.warning(sentence_of(error), icon=":material/event_busy:")
        with st.container(horizontal=True):
            next_one = {"key": "take_next", "on_click": open_next, "args": (queue.queue_id, purpose)}
            st.button(_("review.take_next"), icon=":material/skip_next:", type="primary", **next_one)


def queue_of(address: ReviewAddress) -> Queue | None:
    """The queue of the address; the one of the item on the desk needs no look into the database."""
    kept = kept_view(address.item or "", purpose)
    if kept is not None and kept.queue.queue_id == address.queue:
        return kept.queue
    return next((queue for queue in app.reviewing.queues() if queue.queue_id == address.queue), None)


address = review_here()
purpose: Purpose = "adjudication" if address.task else "review"
queue = queue_of(address)
marks = [Badge(shown(queue.name), "rules")] if queue else []
with page_head(app, _("review.title"), [*marks, *([Badge(_("review.adjudicating"), "question", "accent")] if address.task else [])]):
    if queue:
        st.button(_("review.all_queues"), icon=":material/list:", key="all_queues", on_click=review_go, args=(ReviewAddress(),))
if queue is not None and address.item is not None:
    draw_item(queue, address.item, purpose)
else:
    if address.queue and queue is None:
        st.warning(_("review.unknown_queue"), icon=":material/search_off:")
    if st.session_state.pop(_NOTHING_LEFT, False):
        st.info(_("review.nothing_left"), icon=":material/task_alt:")
    queue_list(app, user, on_open=open_next)
    review_overview(app, user)
    if user.may("engineer"):
        new_queue_form(app)
        review_files(app, app.reviewing.queues())
