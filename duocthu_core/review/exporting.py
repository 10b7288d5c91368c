"""A review set as JSONL, without loss and byte for byte the same when exported again; and its verdicts as CSV for a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from duocthu_core.review.errors import ReviewError
from duocthu_core.review.model import NewItem, Queue, ReviewEvent
from duocthu_core.review.store import ReviewStore
from duocthu_core.text.csv_table import csv_table

CSV_COLUMNS = (
    "queue",
    "trace_id",
    "claim",
    "claim_text",
    "reviewer",
    "kind",
    "revision",
    "revealed",
    "judgement",
    "error_kind",
    "severity",
    "note",
    "reason",
    "created_at",
    "judge_status",
    "judge_model",
    "prompt_hash",
    "rubric_version",
    "content_hash",
    "event_id",
)


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class QueueRecord(_Record):
    """The first line of an export."""

    record: Literal["review_queue"] = "review_queue"
    schema_version: Literal[1] = 1
    queue: Queue


class ItemRecord(_Record):
    """One turn of the queue with its claims, in the queue's order."""

    record: Literal["review_item"] = "review_item"
    item: NewItem


class EventRecord(_Record):
    """One entry of the history of a turn of the queue."""

    record: Literal["review_event"] = "review_event"
    event: ReviewEvent


ReviewRecord = Annotated[QueueRecord | ItemRecord | EventRecord, Field(discriminator="record")]
_RECORD: TypeAdapter[QueueRecord | ItemRecord | EventRecord] = TypeAdapter(ReviewRecord)


def review_records(store: ReviewStore, queue_id: str) -> Iterator[QueueRecord | ItemRecord | EventRecord]:
    """Everything of one queue: itself, its turns with their claims, every verdict that was given in it. Raises UnknownQueue."""
    queue = store.queue(queue_id)
    items = store.items(queue_id)
    yield QueueRecord(queue=queue)
    for item in items:
        yield ItemRecord(item=NewItem(trace_id=item.trace_id, claims=tuple(store.claims(item.trace_id))))
    for item in items:
        yield from (EventRecord(event=event) for event in store.history(item.trace_id) if event.queue_id == queue_id)


def export_jsonl(store: ReviewStore, queue_id: str) -> str:
    """One queue as JSONL, one record a line."""
    return "".join(record.model_dump_json() + "\n" for record in review_records(store, queue_id))


def import_jsonl(store: ReviewStore, lines: Iterable[str]) -> int:
    """Stores what :func:`export_jsonl` wrote; what is stored already stays. The number of verdicts that were new.

    Raises ReviewError with the number of the line that cannot be read, and stores nothing then.
    """
    queue: Queue | None = None
    items: list[NewItem] = []
    events: list[ReviewEvent] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = _RECORD.validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise ReviewError(f"line {number}: no record of a review ({first['msg']})") from None
        if isinstance(record, QueueRecord):
            if queue is not None:
                raise ReviewError(f"line {number}: a second queue; a file holds one")
            queue = record.queue
        elif queue is None:
            raise ReviewError(f"line {number}: the file does not begin with its queue")
        elif isinstance(record, ItemRecord):
            items.append(record.item)
        else:
            events.append(record.event)
    if queue is None:
        raise ReviewError("the file holds no queue")
    return store.import_history(queue, items, events)


def export_csv(store: ReviewStore, queue_id: str) -> bytes:
    """Every verdict of one queue, a row each, for a spreadsheet (see :func:`duocthu_core.text.csv_table.csv_table`)."""
    return csv_table(CSV_COLUMNS, _csv_rows(store, queue_id))


def _csv_rows(store: ReviewStore, queue_id: str) -> Iterator[list[object]]:
    queue = store.queue(queue_id)
    for item in store.items(queue_id):
        claims = {claim.claim_index: claim for claim in store.claims(item.trace_id)}
        for event in store.history(item.trace_id):
            if event.queue_id != queue_id:
                continue
            claim = claims[event.claim_index]
            judge = claim.judge
            row = {
                **event.model_dump(mode="json", include=set(CSV_COLUMNS)),
                **event.assessment.model_dump(),
                "queue": queue.name,
                "claim": event.claim_index + 1 if event.claim_index >= 0 else None,
                "claim_text": claim.text,
                "content_hash": claim.content_hash,
                "judge_status": judge.status if judge else None,
                "judge_model": judge.judge_model if judge else None,
                "prompt_hash": judge.prompt_hash if judge else None,
            }
            yield [row[name] for name in CSV_COLUMNS]
