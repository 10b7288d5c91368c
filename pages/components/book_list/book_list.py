"""Places of the book to open: drugs, blocks that a search found, imported books."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages.components.base.registration import component
from pages.components.facts.parts import Pill
from pages.frame.shown_text import shown
from pages.frame.words import language

_draw = component(Path(__file__).parent)


@dataclass(frozen=True)
class BookEntry:
    """One place: its name, what it is, a few of its words, and marks for what is out of the ordinary."""

    title: str
    about: str = ""
    words: str = ""
    marks: Sequence[Pill] = ()


def book_list(entries: Sequence[BookEntry], *, name: str, key: str, on_open: Callable[[int], None], wide: bool = False) -> None:
    """Draws ``entries``, beside each other where there is room, or each over the whole width. ``on_open`` gets the position of the one
    that was chosen; ``name`` says to a screen reader what is listed."""

    def opened() -> None:
        position = st.session_state.get(key, {}).get("open")  # a press on a list that is being taken away has no state any more
        if isinstance(position, int) and 0 <= position < len(entries):
            on_open(position)

    rows = [
        {
            "title": shown(entry.title),
            "about": shown(entry.about),
            "words": shown(entry.words),
            "marks": [mark.data() for mark in entry.marks],
        }
        for entry in entries
    ]
    _draw(key=key, data={"language": language(), "name": name, "wide": wide, "entries": rows}, on_open_change=opened)
