"""Asking in a stored conversation: load, run, save state and trace together; another writer's turn is never lost (spec 02)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from duocthu_core.conversation.model import ConversationConflict, ConversationState
from duocthu_core.pipeline.running import OnStage, Pipeline
from duocthu_core.pipeline.trace import Trace

_ATTEMPTS = 5
"""How often a turn is run where another writer of the conversation is faster; kept verdicts make the later ones cheap."""


class TurnStore(Protocol):
    """Where turns are kept: a conversation's state and the trace of the turn that made it, in one transaction."""

    def load_state(self, conversation_id: str) -> ConversationState:
        """The stored state, or an empty one."""
        ...

    def save_turn(self, state: ConversationState, trace: Trace) -> ConversationState:
        """Stores both or neither; raises ConversationConflict where another writer saved first."""
        ...


class BadQuestion(Exception):
    """A question that cannot be asked; the message says what to do."""


class TurnNotSaved(Exception):
    """The turn ran and could not be stored: ``trace`` holds it, so that the reader still sees the answer.

    ``state`` is the conversation after it, with which :func:`save_again` may store it later; None where that would be in vain, because
    other turns were stored in its place.
    """

    def __init__(self, trace: Trace, problem: str, state: ConversationState | None = None) -> None:
        super().__init__(problem)
        self.trace = trace
        self.state = state


def check_question(question: str, max_chars: int) -> str:
    """The question, or :class:`BadQuestion` for one that is empty or too long."""
    if not question.strip():
        raise BadQuestion("Câu hỏi trống. Hãy gõ câu hỏi về một thuốc.")
    if len(question) > max_chars:
        raise BadQuestion(f"Câu hỏi dài {len(question)} ký tự, tối đa {max_chars}. Hãy rút ngắn câu hỏi.")
    return question


def ask(
    pipeline: Pipeline,
    store: TurnStore,
    question: str,
    conversation_id: str,
    *,
    max_chars: int,
    on_stage: OnStage | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Trace:
    """Runs one turn and stores it.

    Where another tab saved a turn meanwhile, the turn is run again on the new state, so that its focus and its number are right. A turn
    that ran and could not be stored (the store failed, or others were faster each time) is not lost: :class:`TurnNotSaved` holds it. What
    fails before the turn ran, such as a store that gives no state, passes as it is.
    """
    check_question(question, max_chars)
    for attempt in range(1, _ATTEMPTS + 1):
        state = store.load_state(conversation_id)
        result = pipeline.run(question, state, on_stage=on_stage, should_stop=should_stop)
        try:
            store.save_turn(result.state, result.trace)
            return result.trace
        except ConversationConflict as error:
            if attempt == _ATTEMPTS:
                raise TurnNotSaved(result.trace, f"another turn of this conversation was stored first, {attempt} times") from error
        except Exception as error:  # whatever the store's own error is: the answer exists, and its reader shall see it
            raise TurnNotSaved(result.trace, str(error) or type(error).__name__, result.state) from error
    raise AssertionError("unreachable")


def save_again(store: TurnStore, turn: TurnNotSaved) -> None:
    """Stores a turn that could not be stored when it had run. Raises :class:`TurnNotSaved` where it still cannot be."""
    if turn.state is None:
        raise turn
    try:
        store.save_turn(turn.state, turn.trace)
    except ConversationConflict as error:
        raise TurnNotSaved(turn.trace, "another turn of this conversation was stored meanwhile") from error
    except Exception as error:  # as in :func:`ask`
        raise TurnNotSaved(turn.trace, str(error) or type(error).__name__, turn.state) from error
