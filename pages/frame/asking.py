"""Asking from a page: at most one running turn a conversation and session, and what went wrong with the last one."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from duocthu_core.bootstrap import Services
from duocthu_core.pipeline.asking import BadQuestion, TurnNotSaved, save_again
from duocthu_core.pipeline.running import TurnCancelled
from duocthu_core.pipeline.trace import Trace
from duocthu_core.storage.errors import StorageUnavailable
from pages.frame.running_turn import RunningTurn
from pages.frame.words import _

_RUNNING = "running_turns"
_PROBLEMS = "turn_problems"
_UNSAVED = "unsaved_turns"
_NEW = "new_conversation_id"
_SHORT_TURN_S = 0.25
"""A turn of the offline model ends within this time: it is shown at once, without a look at its running strip."""


@dataclass(frozen=True)
class Problem:
    """Why a question has no turn: what happened, and what to do next."""

    title: str
    text: str


def new_conversation(services: Services) -> str:
    """The id that the next new conversation of this session gets."""
    return st.session_state.setdefault(_NEW, services.new_conversation_id())


def ask(services: Services, question: str, conversation_id: str) -> None:
    """Starts a turn; a question that cannot be asked leaves a problem to show. While a turn runs, nothing more is asked beside it."""
    at_work = running_turn(conversation_id)
    if at_work is not None and not at_work.ended:
        return
    for left in (_PROBLEMS, _UNSAVED):
        st.session_state.setdefault(left, {}).pop(conversation_id, None)
    if not question.strip():
        _tell(conversation_id, Problem(_("problem.empty_title"), _("problem.empty")))
        return
    turn = RunningTurn(services, question, conversation_id)
    st.session_state.setdefault(_RUNNING, {})[conversation_id] = turn
    st.session_state.pop(_NEW, None)
    turn.start()
    turn.wait(_SHORT_TURN_S)


def running_turn(conversation_id: str) -> RunningTurn | None:
    """The turn of this conversation that runs, or has ended and was not taken yet."""
    return st.session_state.get(_RUNNING, {}).get(conversation_id)


def take_ended(turn: RunningTurn) -> Trace | None:
    """Takes an ended turn off the list and returns its trace; one that failed leaves a problem to show."""
    st.session_state[_RUNNING].pop(turn.conversation_id, None)
    if turn.error is not None:
        _tell(turn.conversation_id, _problem_of(turn.error))
    if isinstance(turn.error, TurnNotSaved):
        st.session_state.setdefault(_UNSAVED, {})[turn.conversation_id] = turn.error
        return turn.error.trace
    return turn.trace


def unsaved_turn(conversation_id: str) -> Trace | None:
    """The last turn of this conversation, where it ran and could not be stored."""
    kept = _unsaved(conversation_id)
    return None if kept is None else kept.trace


def can_be_saved_again(conversation_id: str) -> bool:
    """Whether the turn that could not be stored may be stored later."""
    kept = _unsaved(conversation_id)
    return kept is not None and kept.state is not None


def save_unsaved(services: Services, conversation_id: str) -> None:
    """Tries once more to store the turn that could not be stored; what goes wrong is told again."""
    kept = _unsaved(conversation_id)
    if kept is None:
        return
    try:
        save_again(services.turns, kept)
    except TurnNotSaved as error:
        st.session_state[_UNSAVED][conversation_id] = error
        _tell(conversation_id, _problem_of(error))
        return
    for left in (_PROBLEMS, _UNSAVED):
        st.session_state.get(left, {}).pop(conversation_id, None)


def _unsaved(conversation_id: str) -> TurnNotSaved | None:
    return st.session_state.get(_UNSAVED, {}).get(conversation_id)


def problem(conversation_id: str) -> Problem | None:
    """What went wrong with the last question of this conversation."""
    return st.session_state.get(_PROBLEMS, {}).get(conversation_id)


def _tell(conversation_id: str, told: Problem) -> None:
    st.session_state.setdefault(_PROBLEMS, {})[conversation_id] = told


def _problem_of(error: Exception) -> Problem:
    if isinstance(error, TurnCancelled):
        return Problem(_("problem.stopped_title"), _("problem.stopped"))
    if isinstance(error, TurnNotSaved):
        text = _("problem.not_saved") if error.state is not None else _("problem.overtaken")
        return Problem(_("problem.not_saved_title"), text)
    if isinstance(error, StorageUnavailable):
        return Problem(_("problem.storage_title"), _("problem.storage"))
    if isinstance(error, BadQuestion):
        return Problem(_("problem.bad_title"), _("problem.too_long"))
    return Problem(_("problem.failed_title"), _("problem.failed"))
