"""A turn is stored whole or not at all, and no writer loses another's."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from duocthu_core.conversation.model import ConversationConflict, ConversationState, Turn
from duocthu_core.conversation.store import InMemoryConversationStore
from duocthu_core.pipeline.trace_store import InMemoryTraceStore, InMemoryTurnStore, StoredTraceError
from duocthu_core.storage.conversations import SqlConversationStore
from duocthu_core.storage.database import Database
from duocthu_core.storage.traces import SqlTraceStore
from duocthu_core.storage.turns import SqlTurnStore
from tests.storage.traces import STARTED, trace

WRITERS = 8
TURNS_EACH = 5


def with_turn(state: ConversationState, text: str) -> ConversationState:
    """``state`` and one more question, as a pipeline would leave it."""
    return state.model_copy(
        update={"pending_overflow": (*state.pending_overflow, Turn(role="user", text=text, at=STARTED)), "turn_count": state.turn_count + 1}
    )


def test_a_turn_is_stored_with_its_trace(database: Database) -> None:
    store = SqlTurnStore(database)
    saved = store.save_turn(with_turn(store.load_state("conversation-1"), "liều?"), trace())
    assert saved.version == 1
    assert store.load_state("conversation-1") == saved
    assert SqlTraceStore(database).load("trace-1") == trace()


def test_a_turn_that_lost_the_race_leaves_no_trace(database: Database) -> None:
    store = SqlTurnStore(database)
    first = store.load_state("conversation-1")
    store.save_turn(with_turn(first, "liều?"), trace())
    with pytest.raises(ConversationConflict):
        store.save_turn(with_turn(first, "chống chỉ định?"), trace("trace-2"))
    assert SqlTraceStore(database).load("trace-2") is None


def test_a_trace_that_cannot_be_stored_leaves_the_conversation_as_it_was(database: Database) -> None:
    store = SqlTurnStore(database)
    saved = store.save_turn(with_turn(store.load_state("conversation-1"), "liều?"), trace())
    with pytest.raises(StoredTraceError):
        store.save_turn(with_turn(saved, "chống chỉ định?"), trace(question="khác"))
    assert store.load_state("conversation-1") == saved


def test_in_memory_a_conflict_leaves_no_trace_either() -> None:
    traces = InMemoryTraceStore()
    store = InMemoryTurnStore(InMemoryConversationStore(), traces)
    first = store.load_state("conversation-1")
    store.save_turn(with_turn(first, "liều?"), trace())
    with pytest.raises(ConversationConflict):
        store.save_turn(with_turn(first, "chống chỉ định?"), trace("trace-2"))
    assert traces.load("trace-2") is None


def test_of_writers_at_once_one_wins_each_version(database: Database) -> None:
    store = SqlTurnStore(database)
    state = store.load_state("conversation-1")
    for version in range(3):
        start = threading.Barrier(WRITERS)

        def write(writer: int, state: ConversationState = state, start: threading.Barrier = start) -> bool:
            start.wait()
            try:
                store.save_turn(with_turn(state, f"người {writer}"), trace(f"trace-{state.version}-{writer}"))
            except ConversationConflict:
                return False
            return True

        with ThreadPoolExecutor(WRITERS) as pool:
            assert sum(pool.map(write, range(WRITERS))) == 1
        state = store.load_state("conversation-1")
        assert (state.version, state.turn_count) == (version + 1, version + 1)
    assert SqlTraceStore(database).count() == 3


def test_nobodys_turn_is_lost_where_each_reloads_and_tries_again(database: Database) -> None:
    store = SqlTurnStore(database)

    def write(writer: int) -> None:
        for turn in range(TURNS_EACH):
            while True:
                state = store.load_state("conversation-1")
                try:
                    store.save_turn(with_turn(state, f"người {writer} câu {turn}"), trace(f"trace-{writer}-{turn}"))
                    break
                except ConversationConflict:
                    continue

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))
    state = store.load_state("conversation-1")
    said = [turn.text for turn in state.pending_overflow]
    assert sorted(said) == sorted(f"người {writer} câu {turn}" for writer in range(WRITERS) for turn in range(TURNS_EACH))
    for writer in range(WRITERS):
        assert [text for text in said if text.startswith(f"người {writer} ")] == [
            f"người {writer} câu {turn}" for turn in range(TURNS_EACH)
        ]
    assert state.version == WRITERS * TURNS_EACH
    assert SqlTraceStore(database).count() == WRITERS * TURNS_EACH


def test_many_conversations_are_written_at_once(database: Database) -> None:
    store = SqlTurnStore(database)

    def write(number: int) -> None:
        store.save_turn(with_turn(store.load_state(f"conversation-{number}"), "liều?"), trace(f"trace-{number}"))

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(40)))
    assert len(SqlConversationStore(database).headings(limit=100)) == 40
