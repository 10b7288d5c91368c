"""Turns for the review tests: of every outcome, with what the judge and the guards said of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from duocthu_core.pipeline.trace import Trace
from duocthu_core.review.model import NewItem, Queue, Stratum
from duocthu_core.review.reviewed_turn import reviewed_claims
from tests.app import sample_traces as sample

START = datetime(2026, 11, 30, 7, 30, tzinfo=UTC)
RESERVED_FOR = timedelta(minutes=15)


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **time: float) -> None:
        """Moves on by ``minutes=…`` and the like."""
        self.now += timedelta(**time)


def answered(number: int = 1) -> Trace:
    """An answer of four claims, each supported by the judge."""
    return sample.answered(f"tr-answered-{number}", number, "reviewed")


def stopped(number: int = 1) -> Trace:
    """An abstention whose draft had a wrong unit; the judge was not asked."""
    return sample.stopped(f"tr-stopped-{number}", number, "reviewed")


def item_of(trace: Trace) -> NewItem:
    """``trace`` on its way into a queue."""
    return NewItem(trace_id=trace.trace_id, claims=reviewed_claims(trace))


def queue_of(queue_id: str = "q1", *, reviewers: int = 2, assigned_to: tuple[str, ...] = (), stratum: Stratum = "random") -> Queue:
    """A queue as it is stored."""
    from duocthu_core.review.model import QueueFilters

    return Queue(
        queue_id=queue_id,
        name="Liều người lớn",
        filters=QueueFilters(),
        stratum=stratum,
        reviewers_per_item=reviewers,
        assigned_to=assigned_to,
        created_at=START,
        created_by="ks.binh@bv.vn",
    )
