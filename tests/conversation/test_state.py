"""The window of recent turns: nothing is lost before it was folded, nothing is folded twice (spec 02, rule 1)."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.conversation.model import ConversationState, Turn
from duocthu_core.conversation.state import append, fold
from duocthu_core.rulesets.model import ConversationRules, Ruleset

AT = datetime(2026, 3, 1, 8, 30, tzinfo=UTC)


def turn(text: str, role: str = "user") -> Turn:
    return Turn.model_validate({"role": role, "text": text, "at": AT, "drug_name": f"thuốc {text}"})


def test_a_turn_raises_the_count_and_leaves_the_given_state_alone() -> None:
    empty = ConversationState(conversation_id="c")
    after = append(empty, turn("1"), ConversationRules())
    assert (after.turn_count, [found.text for found in after.recent]) == (1, ["1"])
    assert (empty.turn_count, empty.recent) == (0, ())


def test_what_leaves_the_window_waits_in_order() -> None:
    state = ConversationState(conversation_id="c")
    for number in range(8):
        state = append(state, turn(str(number)), ConversationRules(recent_turns=6))
    assert [found.text for found in state.pending_overflow] == ["0", "1"]
    assert [found.text for found in state.recent] == ["2", "3", "4", "5", "6", "7"]


def test_folding_clears_the_overflow_once(ruleset: Ruleset) -> None:
    state = ConversationState(conversation_id="c", pending_overflow=(turn("Liều"), turn("…", "assistant")))
    folded = fold(state, ruleset)
    assert folded.pending_overflow == ()
    assert folded.summary == "- đã hỏi thông tin chung của thuốc Liều"
    assert fold(folded, ruleset) == folded


@given(st.lists(st.booleans(), max_size=60), st.integers(1, 8))
def test_every_turn_is_in_exactly_one_place(folds: list[bool], window: int) -> None:
    """``folds``: whether the caller folds after this turn (a question and its answer append twice before that)."""
    rules = ConversationRules(recent_turns=window)
    state = ConversationState(conversation_id="c")
    gone: list[str] = []
    for number, folding in enumerate(folds):
        state = append(state, turn(str(number)), rules)
        if folding:
            gone += [found.text for found in state.pending_overflow]
            state = state.model_copy(update={"pending_overflow": ()})
        everywhere = [*gone, *(found.text for found in (*state.pending_overflow, *state.recent))]
        assert everywhere == [str(earlier) for earlier in range(number + 1)]
        assert len(state.recent) <= window
        assert state.turn_count == number + 1


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.booleans()), max_size=40))
def test_each_evicted_question_is_one_line_of_the_summary(turns: list[tuple[str, bool]]) -> None:
    rules = Ruleset.model_construct(
        conversation=ConversationRules(recent_turns=2, summary_max_chars=100_000), tables={"sections": {"sections": {}}}
    )
    state = ConversationState(conversation_id="c")
    for number, (role, folding) in enumerate(turns):
        state = append(state, turn(str(number), role), rules.conversation)
        state = fold(state, rules) if folding else state
    state = fold(state, rules)
    evicted = [str(number) for number, (role, _) in enumerate(turns[: max(0, len(turns) - 2)]) if role == "user"]
    lines = state.summary.split("\n") if state.summary else []
    assert lines == [f"- đã hỏi thông tin chung của thuốc {text}" for text in evicted]
