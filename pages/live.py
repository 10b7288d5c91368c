"""Hỏi đáp · Live run (spec 06, page 1): ask in a conversation, see each stage as it runs, and lay every turn open."""

from __future__ import annotations

import streamlit as st

from duocthu_core.pipeline.trace import StageName, Trace
from duocthu_core.storage.errors import StorageUnavailable
from pages.components.badges.badges import Badge
from pages.components.conversation_list.conversation_list import conversation_list
from pages.components.rules_choice import choose_rules, tried_rules
from pages.components.stage_strip.stage_strip import stage_strip
from pages.components.turn_view.turn_view import RunningQuestion, TurnEvents, turn_view
from pages.frame import labels
from pages.frame.access import require
from pages.frame.address import Address, go, here
from pages.frame.asking import (
    ask,
    can_be_saved_again,
    new_conversation,
    problem,
    running_turn,
    save_unsaved,
    take_ended,
    unsaved_turn,
)
from pages.frame.examples import examples
from pages.frame.head import page_head, turn_badges
from pages.frame.inspection import inspection
from pages.frame.polling import polled
from pages.frame.services import services, turns_of
from pages.frame.trouble import tell
from pages.frame.words import _

_CONVERSATIONS_LISTED = 30
_LIST = "conversations"
_SEEN = "turns_seen"
"""How often a running turn is looked at."""

user = require("viewer")
app = tried_rules(services(), user)
conversation_id = here().conversation or new_conversation(app)


def open_conversation(chosen: str | None) -> None:
    """Leaves this conversation for another one, or for a new one."""
    st.session_state[_LIST] = False
    go(Address(conversation=chosen))


def open_turn(index: int) -> None:
    """Unfolds another turn of this conversation."""
    go(Address(conversation=conversation_id, turn=index))


def open_stage(stage: StageName) -> None:
    """Shows the stage that a sentence of the turn points to."""
    go(here().model_copy(update={"stage": stage, "view": None, "claim": None}))


def ask_here(question: str) -> None:
    """Asks in this conversation and stays in it."""
    ask(app, question, conversation_id)
    go(Address(conversation=conversation_id))


def ask_typed() -> None:
    """Asks what was typed."""
    ask_here(st.session_state["ask"] or "")


def stored_turns() -> tuple[list[Trace], StorageUnavailable | None]:
    """The turns of this conversation. While the database is away: those that this session has seen, and the trouble."""
    try:
        turns = turns_of(conversation_id)
    except StorageUnavailable as error:
        return st.session_state.get(_SEEN, {}).get(conversation_id, []), error
    st.session_state[_SEEN] = {conversation_id: turns}
    return turns, None


def draw_head(opened: Trace | None) -> None:
    """Where the reader is, and the way to other conversations."""
    where = _("badge.conversation", id=labels.short_id(conversation_id)) if opened else _("badge.new_conversation")
    with page_head(app, _("live.title"), [Badge(where, "chat"), *turn_badges(app, opened)]):
        with st.popover(_("conversation.others"), icon=":material/history:", on_change="rerun", key=_LIST) as others:
            if others.open:
                draw_conversations()
        choose_rules(app, user)
        st.button(_("conversation.new"), icon=":material/add:", key="new_conversation", on_click=open_conversation, args=(None,))


def draw_conversations() -> None:
    """The stored conversations, to open again."""
    headings = app.conversations.headings(limit=_CONVERSATIONS_LISTED)
    if headings:
        conversation_list(headings, key="conversation_list", current=here().conversation, on_open=open_conversation)
    else:
        st.text(_("conversation.none"))


def draw_empty() -> None:
    """What to do first."""
    st.text(_("live.empty"))
    with st.container(horizontal=True, gap="small"):
        for number, question in enumerate(examples(app)):
            icon = ":material/arrow_outward:"
            st.button(question, key=f"example-{number}", on_click=ask_here, args=(question,), icon=icon, wrap=True)


@polled
def draw_running() -> None:
    """The stages of the running turn; when it has ended the whole page is drawn again."""
    turn = running_turn(conversation_id)
    if turn is None or turn.ended:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(_("strip.running"), anchor=False, width="content")
        st.space("stretch")
        label = _("live.stopping") if turn.stopping else _("live.stop")
        st.button(label, icon=":material/stop_circle:", key="stop", on_click=turn.stop, disabled=turn.stopping)
    stage_strip(turn.stages, key="strip-running", selected=None, on_select=lambda _stage: None, running_ms=turn.stage_ms)


running = running_turn(conversation_id)
if running is not None and running.ended:
    ended_trace = take_ended(running)
    running = None
    if ended_trace is not None:
        go(Address(conversation=conversation_id, turn=ended_trace.turn_index))
unsaved = unsaved_turn(conversation_id)
stored, away = stored_turns()
traces = [*stored, *([unsaved] if unsaved else [])]
newest = traces[-1].turn_index if traces else None
opened_index = None if running else here().turn or newest
opened = next((trace for trace in traces if trace.turn_index == opened_index), None)

draw_head(opened)
if away is not None:
    tell(away)
if traces or running:
    question = RunningQuestion((newest or 0) + 1, running.question) if running else None
    events = TurnEvents(on_open=open_turn, on_reply=ask_here, on_stage=open_stage)
    turn_view(traces, app.ruleset, key=f"turns-{conversation_id}", opened=opened_index, events=events, running=question)
told = problem(conversation_id)
if told is not None:
    st.warning(told.text, icon=":material/warning:", title=told.title)
    if can_be_saved_again(conversation_id):
        st.button(_("problem.save_again"), icon=":material/save:", key="save_again", on_click=save_unsaved, args=(app, conversation_id))
with st.container():  # at the root of a page a chat input would stick to the bottom and scroll there
    hint = _("live.ask_next") if traces else _("live.ask")
    st.chat_input(hint, key="ask", max_chars=app.settings.question_max_chars, disabled=running is not None, on_submit=ask_typed)
if running is not None:
    draw_running()
elif opened is not None:
    inspection(opened, app, with_link=opened is not unsaved)
elif not traces:
    draw_empty()
