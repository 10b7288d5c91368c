"""The queues of stored turns: what each is about, how far it is, and the way into it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from duocthu_core.access.model import User
from duocthu_core.bootstrap import Services
from duocthu_core.review.model import Progress, Purpose, Queue
from pages.components.badges.badges import Badge, badges
from pages.frame import formats, labels
from pages.frame.new_queue import told_of_new_queue
from pages.frame.shown_text import shown
from pages.frame.words import _, _n


def queue_list(services: Services, user: User, *, on_open: Callable[[str, Purpose], None]) -> None:
    """Draws every queue; ``on_open`` gets the id of the chosen one and whether it is reviewed or adjudicated."""
    told_of_new_queue()
    queues = services.reviewing.queues()
    if not queues:
        st.text(_("review.no_queues_engineer") if user.may("engineer") else _("review.no_queues"))
        return
    progress = services.reviewing.progress(user.name)
    for queue in queues:
        with st.container(border=True, key=f"queue-{queue.queue_id}"):
            _queue(queue, progress.get(queue.queue_id, Progress()), user, on_open)


def _queue(queue: Queue, progress: Progress, user: User, on_open: Callable[[str, Purpose], None]) -> None:
    assigned_to_others = bool(queue.assigned_to) and user.name not in queue.assigned_to
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="stretch"):
            st.text(shown(queue.name), help=None)
            badges(_marks(queue, progress), key=f"marks-{queue.queue_id}")
        if progress.disputes_open:
            st.button(
                _n("review.adjudicate_n", progress.disputes_open),
                icon=":material/balance:",
                key=f"adjudicate-{queue.queue_id}",
                on_click=on_open,
                args=(queue.queue_id, "adjudication"),
            )
        st.button(
            _("review.go_on") if progress.mine else _("review.begin"),
            icon=":material/rate_review:",
            type="primary",
            key=f"review-{queue.queue_id}",
            disabled=assigned_to_others or progress.mine >= progress.items,
            on_click=on_open,
            args=(queue.queue_id, "review"),
        )
    share = progress.finished / progress.items if progress.items else 0.0
    st.progress(share, text=_("review.progress", finished=progress.finished, items=progress.items, mine=progress.mine))


def _marks(queue: Queue, progress: Progress) -> list[Badge]:
    marks = [
        Badge(_(f"stratum.{queue.stratum}"), "info"),
        Badge(_n("review.reviewers", queue.reviewers_per_item), "chat"),
        Badge(_("review.made", who=shown(labels.person(queue.created_by)), at=formats.moment(queue.created_at, "dd/MM/yyyy")), "clock"),
    ]
    if queue.assigned_to:
        marks.append(Badge(_("review.assigned", who=shown(", ".join(map(labels.person, queue.assigned_to)))), "lock"))
    if progress.reserved:
        marks.append(Badge(_n("review.reserved", progress.reserved), "running", "accent"))
    if progress.disputes_settled:
        marks.append(Badge(_n("review.settled", progress.disputes_settled), "check"))
    return marks
