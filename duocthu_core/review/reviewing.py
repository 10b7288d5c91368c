"""Reviewing as its users see it: queues, an item opened for one reviewer, verdicts, adjudication (spec 06, page 3).

What a page gets of an item is only what its reviewer may see: a page never asks for the whole turn.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from pydantic import AwareDatetime, BaseModel, ConfigDict

from duocthu_core.pipeline.trace import Outcome, Trace
from duocthu_core.pipeline.trace_store import TraceStore
from duocthu_core.retrieval.model import Evidence
from duocthu_core.review.choosing import chosen_items
from duocthu_core.review.deciding import check_assessment, disputed_claims
from duocthu_core.review.errors import BadAssessment, ReviewError, UnknownItem
from duocthu_core.review.model import (
    WHOLE_TURN,
    Assessment,
    BlindVerdict,
    ClaimAssessment,
    Draft,
    DraftFields,
    Item,
    NewQueue,
    Progress,
    Purpose,
    Queue,
    Reservation,
    ReviewEvent,
    SeenClaim,
    VerdictFilters,
)
from duocthu_core.review.reviewed_turn import checked_claims, cited
from duocthu_core.review.store import ReviewStore
from duocthu_core.verification.model import CheckedClaim, ClaimBinding, RejectReason

RESERVED_FOR = timedelta(minutes=15)
"""How long an item stays reserved without a sign of its reviewer."""


class ClaimView(BaseModel):
    """One claim with the blocks that it cites, as its reviewer may see it. Binding and findings come with the reveal."""

    model_config = ConfigDict(frozen=True)

    seen: SeenClaim
    blocks: tuple[Evidence, ...]
    binding: ClaimBinding | None = None
    checked: CheckedClaim | None = None
    disputed: bool = False

    @property
    def claim_index(self) -> int:
        """Its place in the turn."""
        return self.seen.claim.claim_index


class ItemView(BaseModel):
    """An item opened by one reviewer."""

    model_config = ConfigDict(frozen=True)

    queue: Queue
    item: Item
    items: int
    """How many items the queue has."""
    purpose: Purpose
    reviewer: str
    question: str
    trace_id: str
    resolved: dict[str, str]
    """What the question was taken to be about: ``drug_id``, ``section_key``, ``population``, ``route``; only what is set."""
    drug_name: str = ""
    asked_at: AwareDatetime
    claims: tuple[ClaimView, ...]
    finished: bool
    """Whether this reviewer has judged every claim; then everything is revealed."""
    reserved_until: AwareDatetime | None
    """None once finished."""
    outcome: Outcome | None = None
    """Of the turn; revealed with the rest."""
    reject_reason: RejectReason | None = None
    message: str = ""


class Reviewing:
    """The review of stored turns. Times come from ``clock``; ``reserved_for`` is how long an item is held without a sign of life."""

    def __init__(
        self,
        store: ReviewStore,
        traces: TraceStore,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        reserved_for: timedelta = RESERVED_FOR,
    ) -> None:
        self.store = store
        self._traces = traces
        self._clock = clock
        self._reserved_for = reserved_for

    def make_queue(self, asked: NewQueue, author: str) -> Queue:
        """Draws the turns and stores the queue. Raises ReviewError where no stored turn meets the filters."""
        items = chosen_items(self._traces, asked)
        if not items:
            raise ReviewError("no stored turn meets these filters: loosen them, or ask some questions first")
        queue = Queue(
            queue_id=uuid.uuid4().hex[:12],
            name=asked.name,
            filters=asked.filters,
            stratum="targeted" if asked.filters.guard_warnings else asked.stratum,
            reviewers_per_item=asked.reviewers_per_item,
            assigned_to=asked.assigned_to,
            seed=asked.seed,
            created_at=self._clock(),
            created_by=author,
        )
        self.store.add_queue(queue, items)
        return queue

    def queues(self) -> list[Queue]:
        """Every queue, newest first."""
        return self.store.queues()

    def progress(self, reviewer: str) -> dict[str, Progress]:
        """How far every queue is, by its id."""
        return self.store.progress_of_all(reviewer, self._clock())

    def next_item(self, queue_id: str, reviewer: str, purpose: Purpose = "review", after: int = 0) -> str | None:
        """Reserves the next free item behind position ``after`` (then from the start) and gives its id; None where nothing is left."""
        for begin in (after, 0) if after else (0,):
            now = self._clock()
            seat = self.store.take_next(queue_id, reviewer, purpose, now=now, expires_at=now + self._reserved_for, after=begin)
            if seat is not None:
                return seat.item_id
        return None

    def neighbour(self, item_id: str, step: int) -> str | None:
        """The id of the item before (-1) or behind (1) an item in its queue, free or not; None at the ends."""
        item = self.store.item(item_id)
        items = self.store.items(item.queue_id)
        position = item.position - 1 + step
        return items[position].item_id if 0 <= position < len(items) else None

    def open(self, item_id: str, reviewer: str, purpose: Purpose = "review") -> ItemView:
        """Reserves an item (or holds it longer) and gives what ``reviewer`` may see of it.

        Raises ReservationConflict, NotAssigned, NotThirdPerson, UnknownItem. Who has finished an item sees it without a seat.
        """
        item = self.store.item(item_id)
        trace = self._traces.load(item.trace_id)
        if trace is None:
            raise UnknownItem(f"the turn {item.trace_id} of item {item_id} is not stored any more")
        seat: Reservation | None = None
        if not self._needs_no_seat(item, reviewer, purpose):
            seat = self.renew(item_id, reviewer, purpose)
        return self._view(item, trace, reviewer, purpose=purpose, seat=seat)

    def renew(self, item_id: str, reviewer: str, purpose: Purpose = "review") -> Reservation:
        """A sign of life: holds the seat longer. Raises ReservationConflict where others took it meanwhile."""
        now = self._clock()
        return self.store.reserve(item_id, reviewer, purpose, now=now, expires_at=now + self._reserved_for)

    def release(self, item_id: str, reviewer: str, purpose: Purpose = "review") -> None:
        """Gives an item back unfinished; its drafts stay."""
        self.store.release(item_id, reviewer, purpose)

    def save_draft(
        self, item_id: str, reviewer: str, claim_index: int, fields: DraftFields, *, base_revision: int, number: int
    ) -> datetime | None:
        """Keeps what was chosen and typed so far; the time of saving, None where a verdict or a later draft stands already.

        ``base_revision`` is how many verdicts on the claim its author had given when it was typed; ``number`` grows with every change.
        """
        now = self._clock()
        item = self.store.item(item_id)
        draft = Draft(
            trace_id=item.trace_id,
            claim_index=claim_index,
            reviewer=reviewer,
            rubric_version=self.store.queue(item.queue_id).rubric_version,
            base_revision=base_revision,
            number=number,
            fields=fields,
            saved_at=now,
        )
        return now if self.store.save_draft(draft) else None

    def finish(self, item_id: str, reviewer: str, assessments: Sequence[ClaimAssessment], event_id: str) -> list[ReviewEvent]:
        """Stores the first, blind verdicts on all claims of an item. Raises BadAssessment, AlreadyJudged, ReservationConflict."""
        for said in assessments:
            check_assessment(said.assessment)
        now = self._clock()
        return self.store.add_first_verdicts(
            item_id, reviewer, assessments, event_id=event_id, now=now, expires_at=now + self._reserved_for
        )

    def change(self, item_id: str, reviewer: str, claim_index: int, assessment: Assessment, *, reason: str, event_id: str) -> ReviewEvent:
        """Stores another verdict of a reviewer who has seen everything; the first one stays. A reason is needed."""
        said = _reasoned(claim_index, assessment, reason)
        return self.store.add_change(item_id, reviewer, said, reason=reason.strip(), event_id=event_id, now=self._clock())

    def adjudicate(
        self, item_id: str, reviewer: str, claim_index: int, assessment: Assessment, *, reason: str, event_id: str
    ) -> ReviewEvent:
        """Stores a third person's decision on a disputed claim; the originals stay. A reason is needed."""
        said = _reasoned(claim_index, assessment, reason)
        self.renew(item_id, reviewer, "adjudication")
        event = self.store.add_adjudication(item_id, reviewer, said, reason=reason.strip(), event_id=event_id, now=self._clock())
        if self.store.item(item_id).dispute != "open":
            self.store.release(item_id, reviewer, "adjudication")
        return event

    def blind_verdicts(self, filters: VerdictFilters) -> Sequence[BlindVerdict]:
        """First verdicts beside what the judge had said: what the agreement of judge and people is computed from."""
        return self.store.blind_verdicts(filters)

    def _needs_no_seat(self, item: Item, reviewer: str, purpose: Purpose) -> bool:
        """Whether the work is done: only looked at from now on."""
        if purpose == "adjudication":
            return item.dispute != "open"
        claims = self.store.seen_claims(item.item_id, reviewer)
        return bool(claims) and all(claim.revealed for claim in claims)

    def _view(self, item: Item, trace: Trace, reviewer: str, *, purpose: Purpose, seat: Reservation | None) -> ItemView:
        queue = self.store.queue(item.queue_id)
        adjudicates = purpose == "adjudication"
        seen = self.store.claims_for_adjudication(item.item_id, reviewer) if adjudicates else self.store.seen_claims(item.item_id, reviewer)
        revealed = all(claim.revealed for claim in seen)
        disputed = disputed_claims([event for claim in seen for event in claim.events]) if revealed else ()
        resolved = trace.resolved
        about = {
            "drug_id": resolved.drug_id,
            "section_key": resolved.section_key,
            "population": resolved.population,
            "route": resolved.route,
        }
        return ItemView(
            queue=queue,
            item=item,
            items=len(self.store.items(queue.queue_id)),
            purpose=purpose,
            reviewer=reviewer,
            question=trace.question,
            trace_id=trace.trace_id,
            resolved={name: value for name, value in about.items() if value},
            drug_name=next((block.drug_name for block in trace.evidence if block.drug_id == trace.resolved.drug_id), ""),
            asked_at=trace.created_at,
            claims=tuple(_claim_view(claim, trace, disputed) for claim in seen),
            finished=revealed and not adjudicates,
            reserved_until=seat.expires_at if seat is not None and not seat.finished else None,
            outcome=trace.outcome if revealed else None,
            reject_reason=trace.reject_reason if revealed else None,
            message=trace.message if revealed else "",
        )


def _claim_view(seen: SeenClaim, trace: Trace, disputed: Sequence[int]) -> ClaimView:
    index = seen.claim.claim_index
    blocks = trace.evidence if index == WHOLE_TURN else cited(trace, seen.claim.citations)
    if not seen.revealed:
        return ClaimView(seen=seen, blocks=blocks)
    bindings, checked = checked_claims(trace)
    return ClaimView(seen=seen, blocks=blocks, binding=bindings.get(index), checked=checked.get(index), disputed=index in disputed)


def _reasoned(claim_index: int, assessment: Assessment, reason: str) -> ClaimAssessment:
    check_assessment(assessment)
    if not reason.strip():
        raise BadAssessment("a change or a decision needs a reason")
    return ClaimAssessment(claim_index=claim_index, assessment=assessment)
