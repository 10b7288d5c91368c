"""The sections of one monograph, with how many blocks each has and how many of them are locked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages.components.base.registration import component
from pages.frame.shown_text import shown
from pages.frame.words import _, _n, language

_draw = component(Path(__file__).parent)


@dataclass(frozen=True)
class BookSection:
    """One section of a monograph."""

    section_key: str
    title: str
    blocks: int
    locked: int
    """Blocks in quarantine."""


def book_sections(sections: Sequence[BookSection], *, key: str, selected: str, on_open: Callable[[str], None]) -> None:
    """Draws ``sections`` with the one of key ``selected`` marked; ``on_open`` gets the key of the one that was chosen."""

    def opened() -> None:
        position = st.session_state.get(key, {}).get("open")
        if isinstance(position, int) and 0 <= position < len(sections):
            on_open(sections[position].section_key)

    rows = [
        {
            "title": shown(section.title),
            "blocks": section.blocks,
            "locked": section.locked,
            "locked_words": _n("corpus.locked_blocks", section.locked),
        }
        for section in sections
    ]
    position = next((number for number, section in enumerate(sections) if section.section_key == selected), None)
    data = {"language": language(), "words": {"name": _("corpus.sections")}, "sections": rows, "selected": position}
    _draw(key=key, data=data, on_open_change=opened)
