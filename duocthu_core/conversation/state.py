"""The conversation between turns: its window of recent turns and what leaves it (spec 02, rule 1). Pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from duocthu_core.conversation.model import ConversationState, Turn
from duocthu_core.conversation.summary import summarise
from duocthu_core.rulesets.model import ConversationRules, Ruleset


def append(state: ConversationState, turn: Turn, rules: ConversationRules) -> ConversationState:
    """``state`` with one more turn. What falls out of the window of ``recent_turns`` joins ``pending_overflow`` behind what waits there."""
    turns = (*state.recent, turn)
    leaving = max(0, len(turns) - rules.recent_turns)
    return state.model_copy(
        update={
            "recent": turns[leaving:],
            "pending_overflow": (*state.pending_overflow, *turns[:leaving]),
            "turn_count": state.turn_count + 1,
        }
    )


def fold(state: ConversationState, ruleset: Ruleset) -> ConversationState:
    """``state`` with its overflow folded into the summary and cleared: nothing is lost before, nothing is folded twice."""
    if not state.pending_overflow:
        return state
    summary = summarise(
        state.summary, state.pending_overflow, section_labels(ruleset.tables["sections"]), ruleset.conversation.summary_max_chars
    )
    return state.model_copy(update={"summary": summary, "pending_overflow": ()})


def section_labels(table: Mapping[str, Any]) -> dict[str, str]:
    """Section key -> Vietnamese label."""
    return {key: str(entry["label_vi"]) for key, entry in table["sections"].items()}
