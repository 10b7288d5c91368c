"""The review store in memory: a real, thread-safe one, for tests and for runs that leave nothing behind."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime

from duocthu_core.review.deciding import dispute_of
from duocthu_core.review.errors import AlreadyJudged, BadAssessment, ReviewError, UnknownItem, UnknownQueue
from duocthu_core.review.events import (
    blind_verdict,
    check_complete,
    in_order,
    item_id_of,
    new_event,
    without_what_is_blind,
)
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
from duocthu_core.review.seats import check_reviewer, seated


class InMemoryReviewStore:
    """A :class:`duocthu_core.review.store.ReviewStore` without a database."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._queues: dict[str, Queue] = {}
        self._items: dict[str, Item] = {}
        self._claims: dict[str, tuple[ReviewClaim, ...]] = {}
        self._seats: dict[tuple[str, Purpose], list[Reservation]] = {}
        self._drafts: dict[tuple[str, int, str, str], Draft] = {}
        self._events: list[ReviewEvent] = []

    def add_queue(self, queue: Queue, items: Sequence[NewItem]) -> None:
        with self._lock:
            self._queues[queue.queue_id] = queue
            for position, new in enumerate(items, 1):
                item_id = item_id_of(queue.queue_id, position)
                self._claims.setdefault(new.trace_id, new.claims)
                dispute = dispute_of(self._of_trace(new.trace_id, queue.rubric_version))
                self._items[item_id] = Item(
                    item_id=item_id, queue_id=queue.queue_id, trace_id=new.trace_id, position=position, dispute=dispute
                )

    def queues(self) -> list[Queue]:
        with self._lock:
            return sorted(self._queues.values(), key=lambda queue: (queue.created_at, queue.queue_id), reverse=True)

    def queue(self, queue_id: str) -> Queue:
        with self._lock:
            if queue_id not in self._queues:
                raise UnknownQueue(f"there is no review queue {queue_id}")
            return self._queues[queue_id]

    def item(self, item_id: str) -> Item:
        with self._lock:
            if item_id not in self._items:
                raise UnknownItem(f"there is no review item {item_id}")
            return self._items[item_id]

    def items(self, queue_id: str) -> list[Item]:
        with self._lock:
            return sorted((item for item in self._items.values() if item.queue_id == queue_id), key=lambda item: item.position)

    def take_next(
        self, queue_id: str, reviewer: str, purpose: Purpose, *, now: datetime, expires_at: datetime, after: int = 0
    ) -> Reservation | None:
        with self._lock:
            queue = self.queue(queue_id)
            for item in self.items(queue_id):
                mine = [event for event in self._of_trace(item.trace_id, queue.rubric_version) if event.reviewer == reviewer]
                wanted = not mine if purpose == "review" else item.dispute == "open"
                if item.position <= after or not wanted:
                    continue
                try:
                    return self.reserve(item.item_id, reviewer, purpose, now=now, expires_at=expires_at)
                except ReviewError:
                    continue
            return None

    def reserve(self, item_id: str, reviewer: str, purpose: Purpose, *, now: datetime, expires_at: datetime) -> Reservation:
        with self._lock:
            item = self.item(item_id)
            queue = self.queue(item.queue_id)
            check_reviewer(queue, self._of_trace(item.trace_id, queue.rubric_version), reviewer, purpose)
            asked = Reservation(item_id=item_id, reviewer=reviewer, purpose=purpose, expires_at=expires_at)
            seats, seat = seated(self._seats.get((item_id, purpose), []), queue, asked, now)
            self._seats[item_id, purpose] = seats
            return seat

    def release(self, item_id: str, reviewer: str, purpose: Purpose) -> None:
        with self._lock:
            seats = self._seats.get((item_id, purpose), [])
            self._seats[item_id, purpose] = [seat for seat in seats if seat.finished or seat.reviewer != reviewer]

    def reservations(self, item_id: str, now: datetime) -> list[Reservation]:
        with self._lock:
            seats = [seat for (of, _purpose), seats in self._seats.items() if of == item_id for seat in seats]
        return sorted((seat for seat in seats if seat.finished or seat.expires_at > now), key=lambda seat: (seat.purpose, seat.reviewer))

    def save_draft(self, draft: Draft) -> bool:
        key = (draft.trace_id, draft.claim_index, draft.reviewer, draft.rubric_version)
        with self._lock:
            stored = self._drafts.get(key)
            if draft.base_revision != len(self._own(*key)):
                return False
            if stored is not None and (stored.base_revision, stored.number) > (draft.base_revision, draft.number):
                return False
            self._drafts[key] = draft
            return True

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
        with self._lock:
            item = self.item(item_id)
            queue = self.queue(item.queue_id)
            events = [
                new_event(
                    queue, item, said, event_id=f"{event_id}:{said.claim_index}", reviewer=reviewer, revision=0, kind="first", now=now
                )
                for said in assessments
            ]
            if stored := [event for event in self._events if event.event_id in {new.event_id for new in events}]:
                return stored
            check_complete(self._claims[item.trace_id], assessments)
            if any(self._own(item.trace_id, said.claim_index, reviewer, queue.rubric_version) for said in assessments):
                raise AlreadyJudged(f"{reviewer} has judged this item already; change a verdict instead")
            seat = self.reserve(item_id, reviewer, "review", now=now, expires_at=expires_at)
            others = [other for other in self._seats[item_id, "review"] if other.reviewer != reviewer]
            self._seats[item_id, "review"] = [*others, seat.model_copy(update={"finished": True})]
            self._add(item, queue, events)
            return events

    def add_change(self, item_id: str, reviewer: str, change: ClaimAssessment, *, reason: str, event_id: str, now: datetime) -> ReviewEvent:
        with self._lock:
            item = self.item(item_id)
            queue = self.queue(item.queue_id)
            own = self._own(item.trace_id, change.claim_index, reviewer, queue.rubric_version)
            if stored := next((event for event in own if event.event_id == event_id), None):
                return stored
            if not own:
                raise BadAssessment(f"{reviewer} has not judged this claim yet: there is nothing to change")
            event = new_event(
                queue, item, change, event_id=event_id, reviewer=reviewer, revision=len(own), kind="change", now=now, reason=reason
            )
            self._add(item, queue, [event])
            return event

    def add_adjudication(
        self, item_id: str, reviewer: str, decision: ClaimAssessment, *, reason: str, event_id: str, now: datetime
    ) -> ReviewEvent:
        with self._lock:
            item = self.item(item_id)
            queue = self.queue(item.queue_id)
            if stored := next((event for event in self._events if event.event_id == event_id), None):
                return stored
            check_reviewer(queue, self._of_trace(item.trace_id, queue.rubric_version), reviewer, "adjudication")
            own = self._own(item.trace_id, decision.claim_index, reviewer, queue.rubric_version)
            event = new_event(
                queue, item, decision, event_id=event_id, reviewer=reviewer, revision=len(own), kind="adjudication", now=now, reason=reason
            )
            self._add(item, queue, [event])
            return event

    def seen_claims(self, item_id: str, reviewer: str) -> list[SeenClaim]:
        with self._lock:
            item = self.item(item_id)
            rubric = self.queue(item.queue_id).rubric_version
            return [self._seen(item.trace_id, claim, reviewer, rubric) for claim in self._claims[item.trace_id]]

    def claims_for_adjudication(self, item_id: str, reviewer: str) -> list[SeenClaim]:
        with self._lock:
            item = self.item(item_id)
            queue = self.queue(item.queue_id)
            events = self._of_trace(item.trace_id, queue.rubric_version)
            check_reviewer(queue, events, reviewer, "adjudication")
            return [
                SeenClaim(
                    claim=claim,
                    revealed=True,
                    events=tuple(event for event in events if event.claim_index == claim.claim_index),
                    draft=self._draft(item.trace_id, claim.claim_index, reviewer, queue.rubric_version),
                )
                for claim in self._claims[item.trace_id]
            ]

    def history(self, trace_id: str) -> list[ReviewEvent]:
        with self._lock:
            return sorted((event for event in self._events if event.trace_id == trace_id), key=in_order)

    def claims(self, trace_id: str) -> list[ReviewClaim]:
        with self._lock:
            return list(self._claims.get(trace_id, ()))

    def progress(self, queue_id: str, reviewer: str, now: datetime) -> Progress:
        with self._lock:
            queue, items = self.queue(queue_id), self.items(queue_id)
            finished = begun = mine = reserved = 0
            for item in items:
                seats = [seat for seat in self.reservations(item.item_id, now) if seat.purpose == "review"]
                done = [seat for seat in seats if seat.finished]
                finished += len(done) >= queue.reviewers_per_item
                begun += bool(seats) and len(done) < queue.reviewers_per_item
                reserved += len(done) < len(seats)
                mine += any(seat.reviewer == reviewer for seat in done)
            disputes = [item.dispute for item in items]
            return Progress(
                items=len(items),
                finished=finished,
                begun=begun,
                mine=mine,
                reserved=reserved,
                disputes_open=disputes.count("open"),
                disputes_settled=disputes.count("settled"),
            )

    def progress_of_all(self, reviewer: str, now: datetime) -> dict[str, Progress]:
        with self._lock:
            return {queue_id: self.progress(queue_id, reviewer, now) for queue_id in self._queues}

    def blind_verdicts(self, filters: VerdictFilters) -> list[BlindVerdict]:
        with self._lock:
            firsts = sorted((event for event in self._events if event.kind == "first"), key=in_order)
            found = [self._blind_verdict(event) for event in firsts]
        return [
            verdict
            for verdict in found
            if filters.queue_id in (None, verdict.queue_id)
            and filters.stratum in (None, verdict.stratum)
            and filters.rubric_version in (None, verdict.rubric_version)
            and filters.judge_model in (None, verdict.judge_model)
            and filters.prompt_hash in (None, verdict.prompt_hash)
        ]

    def import_history(self, queue: Queue, items: Sequence[NewItem], events: Sequence[ReviewEvent]) -> int:
        with self._lock:
            for new in items:
                self._claims.setdefault(new.trace_id, new.claims)
            if queue.queue_id not in self._queues:
                self.add_queue(queue, items)
            known = {event.event_id for event in self._events}
            fresh = [event for event in events if event.event_id not in known]
            self._events += fresh
            for item in self.items(queue.queue_id):
                self._refresh_dispute(item.trace_id, queue.rubric_version)
                self._seat_the_finished(item)
            return len(fresh)

    def _seat_the_finished(self, item: Item) -> None:
        seats = self._seats.setdefault((item.item_id, "review"), [])
        firsts = {e.reviewer: e.created_at for e in self._events if e.trace_id == item.trace_id and e.kind == "first"}
        for reviewer, at in sorted(firsts.items()):
            if all(seat.reviewer != reviewer for seat in seats):
                seats.append(Reservation(item_id=item.item_id, reviewer=reviewer, expires_at=at, finished=True))

    def _seen(self, trace_id: str, claim: ReviewClaim, reviewer: str, rubric: str) -> SeenClaim:
        revealed = bool(self._own(trace_id, claim.claim_index, reviewer, rubric))
        events = [event for event in self._of_trace(trace_id, rubric) if event.claim_index == claim.claim_index]
        return SeenClaim(
            claim=claim if revealed else without_what_is_blind(claim),
            revealed=revealed,
            events=tuple(events) if revealed else (),
            draft=self._draft(trace_id, claim.claim_index, reviewer, rubric),
        )

    def _draft(self, trace_id: str, claim_index: int, reviewer: str, rubric: str) -> Draft | None:
        draft = self._drafts.get((trace_id, claim_index, reviewer, rubric))
        return draft if draft and draft.base_revision == len(self._own(trace_id, claim_index, reviewer, rubric)) else None

    def _add(self, item: Item, queue: Queue, events: Sequence[ReviewEvent]) -> None:
        self._events += events
        for event in events:
            self._drafts.pop((event.trace_id, event.claim_index, event.reviewer, event.rubric_version), None)
        self._refresh_dispute(item.trace_id, queue.rubric_version)

    def _refresh_dispute(self, trace_id: str, rubric: str) -> None:
        dispute = dispute_of(self._of_trace(trace_id, rubric))
        for item in list(self._items.values()):
            if item.trace_id == trace_id and self._queues[item.queue_id].rubric_version == rubric:
                self._items[item.item_id] = item.model_copy(update={"dispute": dispute})

    def _of_trace(self, trace_id: str, rubric: str) -> list[ReviewEvent]:
        return sorted((e for e in self._events if e.trace_id == trace_id and e.rubric_version == rubric), key=in_order)

    def _own(self, trace_id: str, claim_index: int, reviewer: str, rubric: str) -> list[ReviewEvent]:
        return [e for e in self._of_trace(trace_id, rubric) if e.claim_index == claim_index and e.reviewer == reviewer]

    def _blind_verdict(self, event: ReviewEvent) -> BlindVerdict:
        claim = next(claim for claim in self._claims[event.trace_id] if claim.claim_index == event.claim_index)
        return blind_verdict(event, claim, self._queues[event.queue_id])
