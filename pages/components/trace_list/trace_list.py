"""Stored turns, newest first: question, outcome, when, how long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from duocthu_core.pipeline.trace_store import TraceHeading
from pages.components.base.registration import component
from pages.components.turn_view.turn_view import outcome_pill
from pages.frame import formats
from pages.frame.shown_text import shortened, shown
from pages.frame.words import language

_QUESTION_LENGTH = 160
_draw = component(Path(__file__).parent)


def trace_list(headings: Sequence[TraceHeading], *, key: str, on_open: Callable[[str], None]) -> None:
    """Draws ``headings``; ``on_open`` gets the id of the one that was chosen."""

    def opened() -> None:
        position = st.session_state.get(key, {}).get("open")
        if isinstance(position, int) and 0 <= position < len(headings):
            on_open(headings[position].trace_id)

    entries = [
        {
            "question": shown(shortened(heading.question, _QUESTION_LENGTH)),
            "outcome": outcome_pill(heading.outcome, heading.reject_reason),
            "about": f"{formats.moment(heading.created_at)} · {formats.seconds(heading.duration_ms)}",
        }
        for heading in headings
    ]
    _draw(key=key, data={"language": language(), "entries": entries}, on_open_change=opened)
