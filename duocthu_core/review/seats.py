"""Who may sit at an item: N seats, each held for a time or, once the work is finished, for good (spec 06, page 3)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from duocthu_core.review.errors import NotAssigned, NotThirdPerson, ReservationConflict
from duocthu_core.review.model import Purpose, Queue, Reservation, ReviewEvent


def check_reviewer(queue: Queue, events: Sequence[ReviewEvent], reviewer: str, purpose: Purpose) -> None:
    """Raises where ``reviewer`` may not work on an item of ``queue`` at all: NotAssigned, or NotThirdPerson for who judged it themselves.

    ``events`` are those of the turn under the queue's rubric.
    """
    if purpose == "review" and queue.assigned_to and reviewer not in queue.assigned_to:
        raise NotAssigned(f"queue {queue.name!r} is assigned to {', '.join(queue.assigned_to)}; choose another queue")
    if purpose == "adjudication" and any(event.reviewer == reviewer and event.kind != "adjudication" for event in events):
        raise NotThirdPerson(f"{reviewer} judged this item: a third person has to decide; choose another item")


def seated(seats: Sequence[Reservation], queue: Queue, reservation: Reservation, now: datetime) -> tuple[list[Reservation], Reservation]:
    """The seats at one item, for one purpose, once ``reservation`` was asked for at ``now``, and the seat that it got.

    A holder renews before seats are counted, also late, as long as nobody took the seat meanwhile. Raises ReservationConflict.
    """
    held = next((seat for seat in seats if seat.reviewer == reservation.reviewer), None)
    others = [seat for seat in seats if seat.reviewer != reservation.reviewer]
    if held is not None:
        renewed = held if held.finished else reservation
        return [*others, renewed], renewed
    taken = [seat for seat in others if seat.finished or seat.expires_at > now]
    room = queue.reviewers_per_item if reservation.purpose == "review" else 1
    if len(taken) >= room:
        waiting = [seat.expires_at for seat in taken if not seat.finished]
        until = f"until {min(waiting).isoformat(timespec='minutes')}" if waiting else "for good: their work is finished"
        raise ReservationConflict(f"all {room} seats at this item are taken {until}; take the next item", min(waiting, default=None))
    return [*taken, reservation], reservation
