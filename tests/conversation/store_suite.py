"""What every conversation store does (spec 02, "Persistence"): subclasses give the fixture ``store``."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import pytest

from duocthu_core.conversation.model import ConversationConflict, ConversationState, Focus, PendingClarification, Turn
from duocthu_core.conversation.store import ConversationStore

AT = datetime(2026, 3, 1, 8, 30, 0, 123456, tzinfo=UTC)
WRITERS = 8


def turn(text: str, **fields: object) -> Turn:
    """A question of the reader."""
    return Turn.model_validate({"role": "user", "text": text, "at": AT} | fields)


def full_state(conversation_id: str = "cuộc-1") -> ConversationState:
    """A state with every field filled, with text that a careless store would change."""
    asked = turn("Liều cho trẻ 12 kg \u202e≥ 10² ½ \x00 \U0001f48a?", drug_id="paracetamol", drug_name="Paracetamol")
    answered = turn(
        "0,5 - 1 g", role="assistant", at=AT.astimezone(timezone(timedelta(hours=7))), evidence_ids=("a/b/1", "a/b/2"), trace_id="t1"
    )
    return ConversationState(
        conversation_id=conversation_id,
        recent=(asked, answered),
        summary="- đã hỏi Liều lượng của Paracetamol\n- đã hỏi thông tin chung của thuốc chưa xác định",
        focus=Focus(
            drug_id="paracetamol",
            drug_name="Paracetamol",
            population="tre_em",
            verbosity="concise",
            set_at_turn={"drug_id": 3, "population": 1, "verbosity": 2},
            phrase={"population": "trẻ"},
        ),
        turn_count=9,
        pending_overflow=(turn("chào"),),
        pending_clarification=PendingClarification(question="Thuốc nào?", options=("Prednison",), asked_at_turn=9, drug_ids=("prednison",)),
    )


def with_question(state: ConversationState, text: str) -> ConversationState:
    """``state`` after one more question."""
    return state.model_copy(update={"recent": (*state.recent, turn(text)), "turn_count": state.turn_count + 1})


class ConversationStoreSuite:
    """One behaviour a test; ``store`` is empty."""

    def test_an_unknown_id_is_an_empty_state_of_version_zero(self, store: ConversationStore) -> None:
        assert store.load("chưa có") == ConversationState(conversation_id="chưa có")

    def test_what_is_saved_comes_back_with_the_next_version(self, store: ConversationStore) -> None:
        saved = store.save(full_state())
        assert saved == full_state().model_copy(update={"version": 1})
        assert store.load("cuộc-1") == saved

    def test_each_save_raises_the_version_by_one(self, store: ConversationStore) -> None:
        state = store.load("cuộc-1")
        for version in (1, 2, 3):
            state = store.save(with_question(state, f"câu {version}"))
            assert state.version == version
        assert [said.text for said in store.load("cuộc-1").recent] == ["câu 1", "câu 2", "câu 3"]

    def test_a_save_over_another_writers_is_a_conflict_and_changes_nothing(self, store: ConversationStore) -> None:
        first = store.save(store.load("cuộc-1"))
        kept = store.save(with_question(first, "tab một"))
        with pytest.raises(ConversationConflict):
            store.save(with_question(first, "tab hai"))
        assert store.load("cuộc-1") == kept

    def test_a_second_first_save_is_a_conflict(self, store: ConversationStore) -> None:
        store.save(ConversationState(conversation_id="cuộc-1", summary="một"))
        with pytest.raises(ConversationConflict):
            store.save(ConversationState(conversation_id="cuộc-1", summary="hai"))
        assert store.load("cuộc-1").summary == "một"

    def test_a_version_that_was_never_stored_is_a_conflict(self, store: ConversationStore) -> None:
        with pytest.raises(ConversationConflict):
            store.save(ConversationState(conversation_id="cuộc-1", version=3))
        assert store.load("cuộc-1").version == 0

    def test_after_a_conflict_the_reloaded_state_can_be_saved(self, store: ConversationStore) -> None:
        first = store.load("cuộc-1")
        store.save(with_question(first, "tab một"))
        with pytest.raises(ConversationConflict):
            store.save(with_question(first, "tab hai"))
        store.save(with_question(store.load("cuộc-1"), "tab hai"))
        assert [said.text for said in store.load("cuộc-1").recent] == ["tab một", "tab hai"]

    def test_conversations_do_not_touch_each_other(self, store: ConversationStore) -> None:
        store.save(full_state("một"))
        store.save(with_question(store.load("hai"), "chống chỉ định?"))
        assert store.load("một").summary == full_state().summary
        assert store.load("hai").version == 1

    def test_headings_show_the_latest_question_and_the_newest_conversation_first(self, store: ConversationStore) -> None:
        store.save(with_question(store.load("một"), "liều paracetamol?"))
        store.save(with_question(store.load("hai"), "liều aspirin?"))
        store.save(with_question(store.load("một"), "còn trẻ em thì sao?"))
        headings = store.headings()
        assert [(heading.conversation_id, heading.title, heading.turn_count) for heading in headings] == [
            ("một", "còn trẻ em thì sao?", 2),
            ("hai", "liều aspirin?", 1),
        ]
        assert all(heading.updated_at.tzinfo is not None for heading in headings)
        assert headings[0].updated_at >= headings[1].updated_at

    def test_headings_are_read_page_by_page(self, store: ConversationStore) -> None:
        for number in range(5):
            store.save(with_question(store.load(f"cuộc-{number}"), "liều?"))
        pages = [store.headings(limit=2, offset=offset) for offset in (0, 2, 4, 6)]
        assert [len(page) for page in pages] == [2, 2, 1, 0]
        assert {heading.conversation_id for page in pages for heading in page} == {f"cuộc-{number}" for number in range(5)}

    def test_of_first_writers_at_once_exactly_one_wins(self, store: ConversationStore) -> None:
        start = threading.Barrier(WRITERS)

        def write(writer: int) -> bool:
            state = with_question(ConversationState(conversation_id="cuộc-1"), f"người {writer}")
            start.wait()
            try:
                store.save(state)
            except ConversationConflict:
                return False
            return True

        with ThreadPoolExecutor(WRITERS) as pool:
            assert sum(pool.map(write, range(WRITERS))) == 1
        assert store.load("cuộc-1").version == 1

    def test_writers_that_reload_and_try_again_lose_nothing(self, store: ConversationStore) -> None:
        def write(writer: int) -> None:
            while True:
                try:
                    store.save(with_question(store.load("cuộc-1"), f"người {writer}"))
                    return
                except ConversationConflict:
                    continue

        with ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(write, range(WRITERS)))
        state = store.load("cuộc-1")
        assert sorted(said.text for said in state.recent) == sorted(f"người {writer}" for writer in range(WRITERS))
        assert state.version == WRITERS
