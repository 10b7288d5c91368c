"""Conversations in the database (spec 02, "Persistence")."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from pydantic import ValidationError
from sqlalchemy import Connection, select, update

from duocthu_core.conversation.model import ConversationConflict, ConversationHeading, ConversationState
from duocthu_core.conversation.store import heading_of
from duocthu_core.storage.database import Database
from duocthu_core.storage.errors import StoredConversationError
from duocthu_core.storage.tables import conversations, storable
from duocthu_core.storage.upserts import insert_or


class SqlConversationStore:
    """A :class:`duocthu_core.conversation.store.ConversationStore` on SQLite or PostgreSQL."""

    def __init__(self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._database = database
        self._clock = clock

    def load(self, conversation_id: str) -> ConversationState:
        with self._database.reading() as connection:
            query = select(conversations.c.document, conversations.c.version).where(conversations.c.conversation_id == conversation_id)
            row = connection.execute(query).one_or_none()
        if row is None:
            return ConversationState(conversation_id=conversation_id)
        try:
            return ConversationState.model_validate_json(row.document).model_copy(update={"version": row.version})
        except ValidationError as error:
            raise StoredConversationError(
                f"conversation {conversation_id} was stored in a form that this version cannot read ({error.error_count()} errors); "
                "begin another"
            ) from None

    def save(self, state: ConversationState) -> ConversationState:
        with self._database.writing() as connection:
            return save_state(connection, state, self._clock())

    def headings(self, limit: int = 50, offset: int = 0) -> list[ConversationHeading]:
        c = conversations.c
        query = (
            select(c.conversation_id, c.title, c.turn_count, c.updated_at)
            .order_by(c.updated_at.desc(), c.conversation_id)
            .limit(limit)
            .offset(offset)
        )
        with self._database.reading() as connection:
            return [ConversationHeading.model_validate(dict(row)) for row in connection.execute(query).mappings()]


def save_state(connection: Connection, state: ConversationState, now: datetime) -> ConversationState:
    """Stores ``state`` over the version that it was loaded at and returns it with the next; raises ConversationConflict.

    The version is compared by the statement that writes, so of two writers the database lets one through, also where both are the first.
    """
    saved = state.model_copy(update={"version": state.version + 1})
    heading = heading_of(saved, now)
    values = {
        "version": saved.version,
        "title": storable(heading.title),
        "turn_count": heading.turn_count,
        "updated_at": now,
        "document": saved.model_dump_json(),
    }
    if state.version == 0:
        row = {"conversation_id": state.conversation_id} | values
        new = insert_or(connection, conversations).values(row).on_conflict_do_nothing()
        statement = new.returning(conversations.c.version)
    else:
        same = (conversations.c.conversation_id == state.conversation_id) & (conversations.c.version == state.version)
        statement = update(conversations).where(same).values(values).returning(conversations.c.version)
    # What was written is read from the statement itself: drivers differ in the row count they give.
    if connection.execute(statement).first() is None:
        raise ConversationConflict(state.conversation_id)
    return saved
