"""How far review queues are, counted by the database in one statement."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, func, select

from duocthu_core.storage.tables import review_items, review_queues, review_seats


def progress_query(reviewer: str, now: datetime, queue_id: str | None) -> Select[*tuple[Any, ...]]:
    """A row a queue with the fields of :class:`duocthu_core.review.model.Progress`; of one queue where ``queue_id`` is given."""
    i, s, q = review_items.c, review_seats.c, review_queues.c
    seats = review_items.outerjoin(review_seats, and_(s.item_id == i.item_id, s.purpose == "review"))
    done = s.finished.is_(True)
    of_item = (
        select(
            i.queue_id,
            i.item_id,
            i.dispute,
            func.sum(_one_if(done)).label("done"),
            func.sum(_one_if(and_(s.finished.is_(False), s.expires_at > now))).label("held"),
            func.max(_one_if(and_(done, s.reviewer == reviewer))).label("mine"),
        )
        .select_from(seats)
        .group_by(i.queue_id, i.item_id, i.dispute)
    )
    if queue_id is not None:
        of_item = of_item.where(i.queue_id == queue_id)
    o = (counted := of_item.subquery()).c
    finished = o.done >= q.reviewers_per_item
    return (
        select(
            o.queue_id,
            func.count().label("items"),
            func.sum(_one_if(finished)).label("finished"),
            func.sum(_one_if(and_(~finished, o.done + o.held > 0))).label("begun"),
            func.sum(o.mine).label("mine"),
            func.sum(_one_if(o.held > 0)).label("reserved"),
            func.sum(_one_if(o.dispute == "open")).label("disputes_open"),
            func.sum(_one_if(o.dispute == "settled")).label("disputes_settled"),
        )
        .select_from(counted.join(review_queues, q.queue_id == o.queue_id))
        .group_by(o.queue_id)
    )


def _one_if(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return case((condition, 1), else_=0)
