"""Reviews in the database (spec 06, page 3).

Whatever changes an item first locks the rows of its turn (``FOR UPDATE``; on SQLite the one writer at a time is lock enough), so that seats
are counted and verdicts added one after the other there, and nowhere else. Choosing the next item skips what is locked (``SKIP LOCKED``).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, case, exists, func, insert, select, update

from duocthu_core.review.deciding import dispute_of
from duocthu_core.review.errors import AlreadyJudged, BadAssessment, ReviewError, UnknownItem, UnknownQueue
from duocthu_core.review.events import blind_verdict, check_complete, first_events, item_id_of, new_event
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
from duocthu_core.storage import review_rows as rows
from duocthu_core.storage.database import Database
from duocthu_core.storage.review_progress import progress_query
from duocthu_core.storage.tables import review_claims, review_drafts, review_events, review_items, review_queues, review_seats
from duocthu_core.storage.upserts import insert_or

_IN_ORDER = [review_events.c[name] for name in ("created_at", "claim_index", "reviewer", "revision")]
_IN_TURN = [case((review_claims.c.claim_index < 0, 1), else_=0), review_claims.c.claim_index]
"""The claims as they were said; the question about the whole turn stands last."""


class SqlReviewStore:
    """A :class:`duocthu_core.review.store.ReviewStore` on SQLite or PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_queue(self, queue: Queue, items: Sequence[NewItem]) -> None:
        with self._database.writing() as connection:
            _add_queue(connection, queue, items)

    def queues(self) -> list[Queue]:
        query = select(review_queues.c.document).order_by(review_queues.c.created_at.desc(), review_queues.c.queue_id.desc())
        with self._database.reading() as connection:
            return [rows.queue_of(document) for document in connection.execute(query).scalars()]

    def queue(self, queue_id: str) -> Queue:
        with self._database.reading() as connection:
            return _queue(connection, queue_id)

    def item(self, item_id: str) -> Item:
        with self._database.reading() as connection:
            return _item(connection, item_id)

    def items(self, queue_id: str) -> list[Item]:
        query = select(review_items).where(review_items.c.queue_id == queue_id).order_by(review_items.c.position)
        with self._database.reading() as connection:
            return [rows.item_of(row) for row in connection.execute(query).mappings()]

    def take_next(
        self, queue_id: str, reviewer: str, purpose: Purpose, *, now: datetime, expires_at: datetime, after: int = 0
    ) -> Reservation | None:
        with self._database.writing() as connection:
            queue = _queue(connection, queue_id)
            position = after
            while True:
                item = _next_candidate(connection, queue, reviewer, purpose, now=now, after=position)
                if item is None:
                    return None
                asked = Reservation(item_id=item.item_id, reviewer=reviewer, purpose=purpose, expires_at=expires_at)
                try:
                    return _reserve(connection, queue, item, asked, now)
                except ReviewError:
                    # Somebody sat down between the choice and the lock.
                    position = item.position

    def reserve(self, item_id: str, reviewer: str, purpose: Purpose, *, now: datetime, expires_at: datetime) -> Reservation:
        with self._database.writing() as connection:
            item, queue = _locked(connection, item_id)
            asked = Reservation(item_id=item_id, reviewer=reviewer, purpose=purpose, expires_at=expires_at)
            return _reserve(connection, queue, item, asked, now)

    def release(self, item_id: str, reviewer: str, purpose: Purpose) -> None:
        c = review_seats.c
        with self._database.writing() as connection:
            mine = and_(c.item_id == item_id, c.purpose == purpose, c.reviewer == reviewer, c.finished.is_(False))
            connection.execute(review_seats.delete().where(mine))

    def reservations(self, item_id: str, now: datetime) -> list[Reservation]:
        c = review_seats.c
        query = select(review_seats).where(c.item_id == item_id, c.finished | (c.expires_at > now)).order_by(c.purpose, c.reviewer)
        with self._database.reading() as connection:
            return [rows.seat_of(row) for row in connection.execute(query).mappings()]

    def save_draft(self, draft: Draft) -> bool:
        stored = review_drafts.c
        row = rows.draft_row(draft)
        key = ("trace_id", "claim_index", "reviewer", "rubric_version")
        with self._database.writing() as connection:
            if draft.base_revision != _own_count(connection, draft):
                return False
            new = insert_or(connection, review_drafts).values(row)
            later = (stored.base_revision < draft.base_revision) | (
                (stored.base_revision == draft.base_revision) & (stored.number <= draft.number)
            )
            changed = {name: new.excluded[name] for name in row if name not in key}
            kept = new.on_conflict_do_update(index_elements=list(key), set_=changed, where=later).returning(stored.trace_id)
            return connection.execute(kept).first() is not None

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
        with self._database.writing() as connection:
            item, queue = _locked(connection, item_id)
            events = first_events(queue, item, assessments, reviewer=reviewer, event_id=event_id, now=now)
            before = _events(connection, item.trace_id, queue.rubric_version)
            if stored := [event for event in before if event.event_id in {new.event_id for new in events}]:
                return stored
            check_complete(_claims(connection, item.trace_id), assessments)
            said = {assessment.claim_index for assessment in assessments}
            if any(event.reviewer == reviewer and event.claim_index in said for event in before):
                raise AlreadyJudged(f"{reviewer} has judged this item already; change a verdict instead")
            asked = Reservation(item_id=item_id, reviewer=reviewer, purpose="review", expires_at=expires_at)
            _reserve(connection, queue, item, asked, now)
            _finish_seat(connection, asked)
            _add_events(connection, item, queue, before, events)
            return events

    def add_change(self, item_id: str, reviewer: str, change: ClaimAssessment, *, reason: str, event_id: str, now: datetime) -> ReviewEvent:
        with self._database.writing() as connection:
            item, queue = _locked(connection, item_id)
            before = _events(connection, item.trace_id, queue.rubric_version)
            own = [event for event in before if event.reviewer == reviewer and event.claim_index == change.claim_index]
            if stored := next((event for event in own if event.event_id == event_id), None):
                return stored
            if not own:
                raise BadAssessment(f"{reviewer} has not judged this claim yet: there is nothing to change")
            event = new_event(
                queue, item, change, event_id=event_id, reviewer=reviewer, revision=len(own), kind="change", now=now, reason=reason
            )
            _add_events(connection, item, queue, before, [event])
            return event

    def add_adjudication(
        self, item_id: str, reviewer: str, decision: ClaimAssessment, *, reason: str, event_id: str, now: datetime
    ) -> ReviewEvent:
        with self._database.writing() as connection:
            item, queue = _locked(connection, item_id)
            before = _events(connection, item.trace_id, queue.rubric_version)
            if stored := next((event for event in before if event.event_id == event_id), None):
                return stored
            check_reviewer(queue, before, reviewer, "adjudication")
            own = [event for event in before if event.reviewer == reviewer and event.claim_index == decision.claim_index]
            event = new_event(
                queue, item, decision, event_id=event_id, reviewer=reviewer, revision=len(own), kind="adjudication", now=now, reason=reason
            )
            _add_events(connection, item, queue, before, [event])
            return event

    def seen_claims(self, item_id: str, reviewer: str) -> list[SeenClaim]:
        with self._database.reading() as connection:
            item = _item(connection, item_id)
            rubric = _queue(connection, item.queue_id).rubric_version
            judged = _judged_by(reviewer, rubric)
            open_to_me = exists().where(*judged, review_events.c.trace_id == review_claims.c.trace_id).correlate(review_claims)
            open_to_me = open_to_me.where(review_events.c.claim_index == review_claims.c.claim_index)
            blind = {name: case((open_to_me, review_claims.c[name])).label(name) for name in ("judge", "delivered")}
            plain = [column for column in review_claims.c if column.name not in blind]
            query = select(*plain, *blind.values(), open_to_me.label("revealed")).where(review_claims.c.trace_id == item.trace_id)
            found = connection.execute(query.order_by(*_IN_TURN)).mappings().all()
            mine = select(review_events.c.claim_index).where(*judged, review_events.c.trace_id == item.trace_id)
            seen = _events(connection, item.trace_id, rubric, review_events.c.claim_index.in_(mine))
            drafts = _drafts(connection, item.trace_id, reviewer, rubric)
        return [
            SeenClaim(
                claim=rows.claim_of(row),
                revealed=bool(row["revealed"]),
                events=tuple(event for event in seen if event.claim_index == row["claim_index"]),
                draft=drafts.get(row["claim_index"]),
            )
            for row in found
        ]

    def claims_for_adjudication(self, item_id: str, reviewer: str) -> list[SeenClaim]:
        with self._database.reading() as connection:
            item = _item(connection, item_id)
            queue = _queue(connection, item.queue_id)
            events = _events(connection, item.trace_id, queue.rubric_version)
            check_reviewer(queue, events, reviewer, "adjudication")
            claims = _claims(connection, item.trace_id)
            drafts = _drafts(connection, item.trace_id, reviewer, queue.rubric_version)
        return [
            SeenClaim(
                claim=claim,
                revealed=True,
                events=tuple(event for event in events if event.claim_index == claim.claim_index),
                draft=drafts.get(claim.claim_index),
            )
            for claim in claims
        ]

    def history(self, trace_id: str) -> list[ReviewEvent]:
        with self._database.reading() as connection:
            return _events(connection, trace_id, None)

    def claims(self, trace_id: str) -> list[ReviewClaim]:
        with self._database.reading() as connection:
            return _claims(connection, trace_id)

    def progress(self, queue_id: str, reviewer: str, now: datetime) -> Progress:
        self.queue(queue_id)
        return self._progress(reviewer, now, queue_id).get(queue_id, Progress())

    def progress_of_all(self, reviewer: str, now: datetime) -> dict[str, Progress]:
        return self._progress(reviewer, now, None)

    def _progress(self, reviewer: str, now: datetime, queue_id: str | None) -> dict[str, Progress]:
        with self._database.reading() as connection:
            found = connection.execute(progress_query(reviewer, now, queue_id)).mappings()
            return {row["queue_id"]: Progress(**{name: row[name] or 0 for name in Progress.model_fields}) for row in found}

    def blind_verdicts(self, filters: VerdictFilters) -> list[BlindVerdict]:
        e, c, q = review_events.c, review_claims.c, review_queues.c
        wanted = [e.kind == "first"]
        asked = (
            (e.queue_id, filters.queue_id),
            (q.stratum, filters.stratum),
            (e.rubric_version, filters.rubric_version),
            (c.judge_model, filters.judge_model),
            (c.prompt_hash, filters.prompt_hash),
        )
        wanted += [column == value for column, value in asked if value is not None]
        joined = review_events.join(review_claims, (c.trace_id == e.trace_id) & (c.claim_index == e.claim_index))
        joined = joined.join(review_queues, q.queue_id == e.queue_id)
        of_claim = [c[name] for name in ("text", "citations", "delivered", "content_hash", "judge")]
        query = select(*review_events.c, *of_claim, q.document).select_from(joined).where(*wanted).order_by(*_IN_ORDER)
        with self._database.reading() as connection:
            found = connection.execute(query).mappings().all()
        return [blind_verdict(rows.event_of(row), rows.claim_of(row), rows.queue_of(row["document"])) for row in found]

    def import_history(self, queue: Queue, items: Sequence[NewItem], events: Sequence[ReviewEvent]) -> int:
        with self._database.writing() as connection:
            known = select(review_queues.c.queue_id).where(review_queues.c.queue_id == queue.queue_id)
            if connection.execute(known).first() is None:
                _add_queue(connection, queue, items)
            added = 0
            for event in events:
                new = insert_or(connection, review_events).values(rows.event_row(event)).on_conflict_do_nothing()
                added += len(connection.execute(new.returning(review_events.c.event_id)).all())
            for item in connection.execute(select(review_items).where(review_items.c.queue_id == queue.queue_id)).mappings().all():
                of_turn = _events(connection, item["trace_id"], queue.rubric_version)
                _set_dispute(connection, item["trace_id"], queue.rubric_version, of_turn)
                for event in of_turn:
                    if event.kind == "first":
                        seat = Reservation(item_id=item["item_id"], reviewer=event.reviewer, expires_at=event.created_at, finished=True)
                        connection.execute(insert_or(connection, review_seats).values(rows.seat_row(seat)).on_conflict_do_nothing())
            return added


def _add_queue(connection: Connection, queue: Queue, items: Sequence[NewItem]) -> None:
    connection.execute(insert(review_queues), rows.queue_row(queue))
    for position, new in enumerate(items, 1):
        of_turn = [rows.claim_row(new.trace_id, claim) for claim in new.claims]
        if of_turn:
            connection.execute(insert_or(connection, review_claims).on_conflict_do_nothing(), of_turn)
        item = Item(
            item_id=item_id_of(queue.queue_id, position),
            queue_id=queue.queue_id,
            trace_id=new.trace_id,
            position=position,
            dispute=dispute_of(_events(connection, new.trace_id, queue.rubric_version)),
        )
        connection.execute(insert(review_items), item.model_dump() | {"rubric_version": queue.rubric_version})


def _queue(connection: Connection, queue_id: str) -> Queue:
    document = connection.execute(select(review_queues.c.document).where(review_queues.c.queue_id == queue_id)).scalar_one_or_none()
    if document is None:
        raise UnknownQueue(f"there is no review queue {queue_id}")
    return rows.queue_of(document)


def _item(connection: Connection, item_id: str) -> Item:
    row = connection.execute(select(review_items).where(review_items.c.item_id == item_id)).mappings().one_or_none()
    if row is None:
        raise UnknownItem(f"there is no review item {item_id}")
    return rows.item_of(row)


def _locked(connection: Connection, item_id: str) -> tuple[Item, Queue]:
    """The item and its queue, with every item of its turn and rubric locked, always in one order: a verdict concerns them all."""
    item = _item(connection, item_id)
    queue = _queue(connection, item.queue_id)
    c = review_items.c
    same = select(c.item_id).where(c.trace_id == item.trace_id, c.rubric_version == queue.rubric_version)
    connection.execute(same.order_by(c.item_id).with_for_update()).all()
    return _item(connection, item_id), queue


def _next_candidate(connection: Connection, queue: Queue, reviewer: str, purpose: Purpose, *, now: datetime, after: int) -> Item | None:
    """The first item behind ``after`` at which ``reviewer`` may still sit, locked; what others lock now is passed over."""
    i, s, e = review_items.c, review_seats.c, review_events.c
    mine = exists().where(e.trace_id == i.trace_id, e.rubric_version == queue.rubric_version, e.reviewer == reviewer)
    taken = (
        select(func.count())
        .where(s.item_id == i.item_id, s.purpose == purpose, s.reviewer != reviewer, s.finished | (s.expires_at > now))
        .correlate(review_items)
        .scalar_subquery()
    )
    wanted: list[ColumnElement[bool]] = [i.queue_id == queue.queue_id, i.position > after]
    wanted.append(taken < (queue.reviewers_per_item if purpose == "review" else 1))
    wanted += [~mine] if purpose == "review" else [i.dispute == "open"]
    query = select(review_items).where(*wanted).order_by(i.position).limit(1).with_for_update(skip_locked=True)
    row = connection.execute(query).mappings().one_or_none()
    return rows.item_of(row) if row is not None else None


def _reserve(connection: Connection, queue: Queue, item: Item, asked: Reservation, now: datetime) -> Reservation:
    check_reviewer(queue, _events(connection, item.trace_id, queue.rubric_version), asked.reviewer, asked.purpose)
    c = review_seats.c
    at_item = and_(c.item_id == item.item_id, c.purpose == asked.purpose)
    before = [rows.seat_of(row) for row in connection.execute(select(review_seats).where(at_item)).mappings()]
    after, seat = seated(before, queue, asked, now)
    gone = [old.reviewer for old in before if old.reviewer not in {new.reviewer for new in after}]
    if gone:
        connection.execute(review_seats.delete().where(at_item, c.reviewer.in_(gone)))
    new = insert_or(connection, review_seats).values(rows.seat_row(seat))
    kept = {"expires_at": new.excluded.expires_at}
    connection.execute(new.on_conflict_do_update(index_elements=["item_id", "purpose", "reviewer"], set_=kept))
    return seat


def _finish_seat(connection: Connection, seat: Reservation) -> None:
    c = review_seats.c
    mine = and_(c.item_id == seat.item_id, c.purpose == seat.purpose, c.reviewer == seat.reviewer)
    connection.execute(update(review_seats).where(mine).values(finished=True))


def _add_events(connection: Connection, item: Item, queue: Queue, before: Sequence[ReviewEvent], events: Sequence[ReviewEvent]) -> None:
    connection.execute(insert(review_events), [rows.event_row(event) for event in events])
    for event in events:
        connection.execute(
            review_drafts.delete().where(*_draft_key(event.trace_id, event.reviewer, event.rubric_version, event.claim_index))
        )
    _set_dispute(connection, item.trace_id, queue.rubric_version, [*before, *events])


def _set_dispute(connection: Connection, trace_id: str, rubric: str, events: Sequence[ReviewEvent]) -> None:
    c = review_items.c
    of_turn = and_(c.trace_id == trace_id, c.rubric_version == rubric)
    connection.execute(update(review_items).where(of_turn).values(dispute=dispute_of(events)))


def _events(connection: Connection, trace_id: str, rubric: str | None, *only: ColumnElement[bool]) -> list[ReviewEvent]:
    query = select(review_events).where(review_events.c.trace_id == trace_id, *only).order_by(*_IN_ORDER)
    if rubric is not None:
        query = query.where(review_events.c.rubric_version == rubric)
    return [rows.event_of(row) for row in connection.execute(query).mappings()]


def _claims(connection: Connection, trace_id: str) -> list[ReviewClaim]:
    query = select(review_claims).where(review_claims.c.trace_id == trace_id).order_by(*_IN_TURN)
    return [rows.claim_of(row) for row in connection.execute(query).mappings()]


def _judged_by(reviewer: str, rubric: str) -> list[ColumnElement[bool]]:
    return [review_events.c.reviewer == reviewer, review_events.c.rubric_version == rubric]


def _draft_key(trace_id: str, reviewer: str, rubric: str, claim_index: int | None = None) -> list[ColumnElement[bool]]:
    c = review_drafts.c
    key = [c.trace_id == trace_id, c.reviewer == reviewer, c.rubric_version == rubric]
    return key if claim_index is None else [*key, c.claim_index == claim_index]


def _own_count(connection: Connection, draft: Draft) -> int:
    c = review_events.c
    mine = [*_judged_by(draft.reviewer, draft.rubric_version), c.trace_id == draft.trace_id, c.claim_index == draft.claim_index]
    return connection.execute(select(func.count()).select_from(review_events).where(*mine)).scalar_one()


def _drafts(connection: Connection, trace_id: str, reviewer: str, rubric: str) -> dict[int, Draft]:
    """The drafts that still stand, by claim: none from before a verdict of their author."""
    found = connection.execute(select(review_drafts).where(*_draft_key(trace_id, reviewer, rubric))).mappings().all()
    drafts = [rows.draft_of(row) for row in found]
    return {draft.claim_index: draft for draft in drafts if draft.base_revision == _own_count(connection, draft)}
