"""Entries of the history and what is read from them; both stores write and order them alike."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from duocthu_core.review.errors import BadAssessment
from duocthu_core.review.model import BlindVerdict, ClaimAssessment, EventKind, Item, Queue, ReviewClaim, ReviewEvent


def item_id_of(queue_id: str, position: int) -> str:
    """The id of the item at ``position`` (from 1) of a queue."""
    return f"{queue_id}.{position}"


def without_what_is_blind(claim: ReviewClaim) -> ReviewClaim:
    """``claim`` as a reviewer sees it who has not judged it yet."""
    return claim.model_copy(update={"judge": None, "delivered": None})


def in_order(event: ReviewEvent) -> tuple[datetime, int, str, int]:
    """The order of a history: time, then claim, reviewer and revision."""
    return event.created_at, event.claim_index, event.reviewer, event.revision


def check_complete(claims: Sequence[ReviewClaim], assessments: Sequence[ClaimAssessment]) -> None:
    """Raises BadAssessment unless each claim of the item has one verdict."""
    if sorted(claim.claim_index for claim in claims) != sorted(said.claim_index for said in assessments):
        raise BadAssessment("an item is finished with one verdict for each of its claims")


def first_events(
    queue: Queue, item: Item, assessments: Sequence[ClaimAssessment], *, reviewer: str, event_id: str, now: datetime
) -> list[ReviewEvent]:
    """The entries that a finished item adds to the history: one a claim, each with an id of its own made of ``event_id``."""
    return [
        new_event(queue, item, said, event_id=f"{event_id}:{said.claim_index}", reviewer=reviewer, revision=0, kind="first", now=now)
        for said in assessments
    ]


def blind_verdict(event: ReviewEvent, claim: ReviewClaim, queue: Queue) -> BlindVerdict:
    """A first verdict beside what the judge had said."""
    judge = claim.judge
    return BlindVerdict(
        queue_id=event.queue_id,
        trace_id=event.trace_id,
        claim_index=event.claim_index,
        claim_text=claim.text,
        content_hash=claim.content_hash,
        delivered=bool(claim.delivered),
        reviewer=event.reviewer,
        verdict=event.assessment.judgement,
        error_kind=event.assessment.error_kind,
        severity=event.assessment.severity,
        stratum=queue.stratum,
        rubric_version=event.rubric_version,
        judge_status=judge.status if judge else None,
        judge_stance=judge.stance if judge else None,
        judge_confidence=judge.confidence if judge else None,
        judge_model=judge.judge_model if judge else None,
        prompt_hash=judge.prompt_hash if judge else None,
        created_at=event.created_at,
    )


def new_event(
    queue: Queue,
    item: Item,
    said: ClaimAssessment,
    *,
    event_id: str,
    reviewer: str,
    revision: int,
    kind: EventKind,
    now: datetime,
    reason: str = "",
) -> ReviewEvent:
    """An entry of the history; every kind but the first comes after the reveal."""
    return ReviewEvent(
        event_id=event_id,
        trace_id=item.trace_id,
        claim_index=said.claim_index,
        reviewer=reviewer,
        rubric_version=queue.rubric_version,
        revision=revision,
        kind=kind,
        revealed=kind != "first",
        assessment=said.assessment,
        reason=reason,
        queue_id=queue.queue_id,
        created_at=now,
    )
