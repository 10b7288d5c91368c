"""The stored conversations, newest first: what was asked last, how many questions, when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from duocthu_core.conversation.model import ConversationHeading
from pages.components.base.registration import component
from pages.frame import formats
from pages.frame.shown_text import shortened, shown
from pages.frame.words import _, _n, language

_TITLE_LENGTH = 120
_draw = component(Path(__file__).parent)


def conversation_list(headings: Sequence[ConversationHeading], *, key: str, current: str | None, on_open: Callable[[str], None]) -> None:
    """Draws ``headings``; ``on_open`` gets the id of the conversation that was chosen."""

    def opened() -> None:
        position = st.session_state.get(key, {}).get("open")
        if isinstance(position, int) and 0 <= position < len(headings):
            on_open(headings[position].conversation_id)

    entries = [
        {
            "title": shown(shortened(heading.title, _TITLE_LENGTH)),
            # A question and its answer are two turns of the core.
            "about": f"{_n('conversation.questions', max(1, heading.turn_count // 2))} · {formats.moment(heading.updated_at)}",
            "current": heading.conversation_id == current,
        }
        for heading in headings
    ]
    _draw(key=key, data={"language": language(), "label": _("conversation.list"), "entries": entries}, on_open_change=opened)
