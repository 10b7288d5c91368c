"""A turn as one thing: the conversation after it and its trace are stored together or not at all."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from duocthu_core.conversation.model import ConversationState
from duocthu_core.pipeline.trace import Trace
from duocthu_core.storage.conversations import SqlConversationStore, save_state
from duocthu_core.storage.database import Database
from duocthu_core.storage.traces import save_trace


class SqlTurnStore:
    """A :class:`duocthu_core.pipeline.asking.TurnStore` on SQLite or PostgreSQL."""

    def __init__(self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._database = database
        self._conversations = SqlConversationStore(database, clock)
        self._clock = clock

    def load_state(self, conversation_id: str) -> ConversationState:
        """See :meth:`SqlConversationStore.load`."""
        return self._conversations.load(conversation_id)

    def save_turn(self, state: ConversationState, trace: Trace) -> ConversationState:
        """Stores both in one transaction and returns the state with its next version; raises ConversationConflict, StorageUnavailable."""
        with self._database.writing() as connection:
            saved = save_state(connection, state, self._clock())
            save_trace(connection, trace)
        return saved
