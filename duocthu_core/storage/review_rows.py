"""Rows of the review tables to and from the types of a review."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import RowMapping

from duocthu_core.review.model import (
    Assessment,
    Draft,
    DraftFields,
    Item,
    JudgeOpinion,
    Queue,
    Reservation,
    ReviewClaim,
    ReviewEvent,
)
from duocthu_core.storage.tables import storable


def queue_row(queue: Queue) -> dict[str, Any]:
    """The columns of ``queue``."""
    columns = queue.model_dump(include={"queue_id", "name", "stratum", "reviewers_per_item", "rubric_version", "created_at", "created_by"})
    return columns | {"name": storable(queue.name), "document": queue.model_dump_json()}


def queue_of(document: str) -> Queue:
    """The queue that :func:`queue_row` wrote."""
    return Queue.model_validate_json(document)


def claim_row(trace_id: str, claim: ReviewClaim) -> dict[str, Any]:
    """The columns of one claim of a turn."""
    return {
        "trace_id": trace_id,
        "claim_index": claim.claim_index,
        "text": json.dumps(claim.text),
        "citations": json.dumps(claim.citations),
        "delivered": claim.delivered,
        "content_hash": claim.content_hash,
        "judge_model": claim.judge.judge_model if claim.judge else None,
        "prompt_hash": claim.judge.prompt_hash if claim.judge else None,
        "judge": claim.judge.model_dump_json() if claim.judge else None,
    }


def claim_of(row: RowMapping) -> ReviewClaim:
    """The claim of a row; ``judge`` and ``delivered`` are NULL in it where they are blind."""
    return ReviewClaim(
        claim_index=row["claim_index"],
        text=json.loads(row["text"]),
        citations=tuple(json.loads(row["citations"])),
        delivered=row["delivered"],
        content_hash=row["content_hash"],
        judge=JudgeOpinion.model_validate_json(row["judge"]) if row["judge"] is not None else None,
    )


def item_of(row: RowMapping) -> Item:
    """The item of a row."""
    return Item(**{name: row[name] for name in Item.model_fields})


def seat_row(seat: Reservation) -> dict[str, Any]:
    """The columns of a seat."""
    return seat.model_dump()


def seat_of(row: RowMapping) -> Reservation:
    """The seat of a row."""
    return Reservation(**{name: row[name] for name in Reservation.model_fields})


def draft_row(draft: Draft) -> dict[str, Any]:
    """The columns of a draft."""
    return draft.model_dump(exclude={"fields"}) | {"document": draft.fields.model_dump_json()}


def draft_of(row: RowMapping) -> Draft:
    """The draft of a row."""
    names = [name for name in Draft.model_fields if name != "fields"]
    return Draft(**{name: row[name] for name in names}, fields=DraftFields.model_validate_json(row["document"]))


def event_row(event: ReviewEvent) -> dict[str, Any]:
    """The columns of an event; what people typed is kept as JSON, which no database reads differently."""
    said = event.assessment
    columns = event.model_dump(exclude={"assessment", "reason"})
    words = {"note": json.dumps(said.note), "reason": json.dumps(event.reason)}
    return columns | words | {"judgement": said.judgement, "error_kind": said.error_kind, "severity": said.severity}


def event_of(row: RowMapping) -> ReviewEvent:
    """The event of a row."""
    names = [name for name in ReviewEvent.model_fields if name not in ("assessment", "reason")]
    assessment = Assessment(
        judgement=row["judgement"], error_kind=row["error_kind"], severity=row["severity"], note=json.loads(row["note"])
    )
    return ReviewEvent(**{name: row[name] for name in names}, assessment=assessment, reason=json.loads(row["reason"]))
