"""A conversation without a pipeline: questions are read, resolved and appended, each with an answer."""

from __future__ import annotations

from datetime import UTC, datetime

from duocthu_core.conversation.model import ConversationState, PendingClarification, Turn
from duocthu_core.conversation.state import append
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.understanding.model import Question
from duocthu_core.understanding.reading import Understander
from duocthu_core.understanding.resolution import Resolution, resolve
from tests.understanding.monographs import small_formulary

RULESET = shipped_ruleset()
READER = Understander(RULESET, small_formulary())
DRUG_NAMES = {monograph.drug_id: monograph.name for monograph in small_formulary()}
AT = datetime(2026, 3, 1, 8, 30, tzinfo=UTC)


def start() -> ConversationState:
    """An empty conversation."""
    return ConversationState(conversation_id="c")


def one_turn(
    text: str, state: ConversationState, pending: PendingClarification | None = None
) -> tuple[Question, Resolution, ConversationState]:
    """One question and its answer. ``pending`` is what the answer asks back."""
    question = READER.read(text, state.pending_clarification)
    resolution = resolve(question, state, RULESET, DRUG_NAMES)
    state = state.model_copy(update={"focus": resolution.focus, "pending_clarification": pending})
    for role in ("user", "assistant"):
        state = append(state, Turn.model_validate({"role": role, "text": text, "at": AT}), RULESET.conversation)
    return question, resolution, state


def converse(*turns: str) -> list[tuple[Question, Resolution]]:
    """Every turn of a conversation in which nothing is asked back."""
    state = start()
    found: list[tuple[Question, Resolution]] = []
    for text in turns:
        question, resolution, state = one_turn(text, state)
        found.append((question, resolution))
    return found


def last(*turns: str) -> Resolution:
    """The last turn's resolution."""
    return converse(*turns)[-1][1]
