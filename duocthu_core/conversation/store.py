"""Where conversations are kept (spec 02, "Persistence"): the Protocol and its in-memory implementation."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

from duocthu_core.conversation.model import ConversationConflict, ConversationHeading, ConversationState


class ConversationStore(Protocol):
    """Loads and saves conversation states with optimistic locking."""

    def load(self, conversation_id: str) -> ConversationState:
        """The stored state, or an empty one (version 0) for an unknown id."""
        ...

    def save(self, state: ConversationState) -> ConversationState:
        """Stores ``state`` if its version is still the stored one and returns it with the next version; else ConversationConflict."""
        ...

    def headings(self, limit: int = 50, offset: int = 0) -> list[ConversationHeading]:
        """Stored conversations, newest first."""
        ...


class InMemoryConversationStore:
    """A real, thread-safe store without a database: for tests and for runs that leave nothing behind."""

    def __init__(self, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._states: dict[str, ConversationState] = {}
        self._updated: dict[str, datetime] = {}
        self._clock = clock
        self._lock = threading.Lock()

    def load(self, conversation_id: str) -> ConversationState:
        return self._states.get(conversation_id) or ConversationState(conversation_id=conversation_id)

    def save(self, state: ConversationState) -> ConversationState:
        with self._lock:
            if self.load(state.conversation_id).version != state.version:
                raise ConversationConflict(state.conversation_id)
            saved = state.model_copy(update={"version": state.version + 1})
            self._states[state.conversation_id] = saved
            self._updated[state.conversation_id] = self._clock()
            return saved

    def headings(self, limit: int = 50, offset: int = 0) -> list[ConversationHeading]:
        newest = sorted(self._states.values(), key=lambda state: self._updated[state.conversation_id], reverse=True)
        return [heading_of(state, self._updated[state.conversation_id]) for state in newest[offset : offset + limit]]


def heading_of(state: ConversationState, updated_at: datetime) -> ConversationHeading:
    """The list line of ``state``: its latest question as title."""
    questions = [turn.text for turn in (*state.pending_overflow, *state.recent) if turn.role == "user"]
    return ConversationHeading(
        conversation_id=state.conversation_id,
        title=questions[-1] if questions else "",
        turn_count=state.turn_count,
        updated_at=updated_at,
    )
