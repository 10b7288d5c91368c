"""Where reviews are kept: the Protocol that storage implements (a twin in memory stands in ``in_memory``)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from duocthu_core.review.model import (
    BlindVerdict,
    ClaimAssessment,
    Draft,
    Item,
    NewItem,
    Progress,
    Purpose,
    Queue,
    Reservation,
    ReviewClaim,
    ReviewEvent,
    SeenClaim,
    VerdictFilters,
)


class ReviewStore(Protocol):
    """Keeps queues, seats, drafts and verdicts. Each method is one transaction; times are handed in.

    What is blind is enforced here, in the query: :meth:`seen_claims` gives a reviewer the judge's opinion and the colleagues' verdicts of
    a claim only once a first verdict of that reviewer on that claim is stored.
    """

    def add_queue(self, queue: Queue, items: Sequence[NewItem]) -> None:
        """Stores a queue with its turns in their order."""
        ...

    def queues(self) -> list[Queue]:
        """Every queue, newest first."""
        ...

    def queue(self, queue_id: str) -> Queue:
        """One queue; raises UnknownQueue."""
        ...

    def item(self, item_id: str) -> Item:
        """One item; raises UnknownItem."""
        ...

    def items(self, queue_id: str) -> list[Item]:
        """The items of a queue in their order."""
        ...

    def take_next(
        self, queue_id: str, reviewer: str, purpose: Purpose, *, now: datetime, expires_at: datetime, after: int = 0
    ) -> Reservation | None:
        """Reserves for ``reviewer`` the first item behind position ``after`` at which they can sit, or one that they hold there; None where
        there is none. Two who ask at once get different items as long as seats are fewer than askers: one item is locked, not the queue."""
        ...

    def reserve(self, item_id: str, reviewer: str, purpose: Purpose, *, now: datetime, expires_at: datetime) -> Reservation:
        """Reserves one item, or holds it longer: who sits there renews before seats are counted. Raises ReservationConflict, NotAssigned,
        NotThirdPerson, UnknownItem."""
        ...

    def release(self, item_id: str, reviewer: str, purpose: Purpose) -> None:
        """Gives back a seat that is held; finished work keeps its seat."""
        ...

    def reservations(self, item_id: str, now: datetime) -> list[Reservation]:
        """Seats at an item that are held now or finished."""
        ...

    def save_draft(self, draft: Draft) -> bool:
        """Keeps a draft; False where a verdict or a later draft of the same author stands already, which then stays."""
        ...

    def add_first_verdicts(
        self,
        item_id: str,
        reviewer: str,
        assessments: Sequence[ClaimAssessment],
        *,
        event_id: str,
        now: datetime,
        expires_at: datetime,
    ) -> list[ReviewEvent]:
        """Stores the blind verdicts of one reviewer on one item, all or none, and finishes the seat; the drafts go. Sent once more under
        the same ``event_id`` it changes nothing. Raises AlreadyJudged, ReservationConflict, NotAssigned, UnknownItem."""
        ...

    def add_change(self, item_id: str, reviewer: str, change: ClaimAssessment, *, reason: str, event_id: str, now: datetime) -> ReviewEvent:
        """Stores a change of a verdict after the reveal. Raises UnknownItem, and BadAssessment where there is nothing to change."""
        ...

    def add_adjudication(
        self, item_id: str, reviewer: str, decision: ClaimAssessment, *, reason: str, event_id: str, now: datetime
    ) -> ReviewEvent:
        """Stores a third person's decision on one claim. Raises NotThirdPerson, UnknownItem."""
        ...

    def seen_claims(self, item_id: str, reviewer: str) -> list[SeenClaim]:
        """The claims of an item as ``reviewer`` may see them now, each with their own draft."""
        ...

    def claims_for_adjudication(self, item_id: str, reviewer: str) -> list[SeenClaim]:
        """The claims of an item with everything said of them, for a third person. Raises NotThirdPerson."""
        ...

    def history(self, trace_id: str) -> list[ReviewEvent]:
        """Everything said of a turn, in the order of time: for exports and audits, never for a reviewer who is still blind."""
        ...

    def claims(self, trace_id: str) -> list[ReviewClaim]:
        """The claims of a turn as they were put before people, with the judge's opinion: for exports."""
        ...

    def progress(self, queue_id: str, reviewer: str, now: datetime) -> Progress:
        """How far a queue is."""
        ...

    def progress_of_all(self, reviewer: str, now: datetime) -> dict[str, Progress]:
        """How far every queue is, by its id."""
        ...

    def blind_verdicts(self, filters: VerdictFilters) -> list[BlindVerdict]:
        """First verdicts beside the judge's opinion, in the order of time; one a (trace, claim, reviewer, rubric)."""
        ...

    def import_history(self, queue: Queue, items: Sequence[NewItem], events: Sequence[ReviewEvent]) -> int:
        """Stores what an export holds; what is there already stays. The number of events that were new."""
        ...
