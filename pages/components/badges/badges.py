"""Short facts about where the reader is: conversation, rules, time, and whether a language model took part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pages.components.base.registration import component
from pages.frame.shown_text import shown
from pages.frame.words import language

_draw = component(Path(__file__).parent)


@dataclass(frozen=True)
class Badge:
    """One fact: an icon, a few words, and a colour where it is an exception."""

    text: str
    icon: str
    tone: Literal["quiet", "accent", "warning", "locked"] = "quiet"
    about: str = ""
    """More words, shown when the pointer rests on it."""


def badges(marks: Sequence[Badge], *, key: str) -> None:
    """Draws ``marks`` in a row that wraps."""
    rows = [{"text": shown(mark.text), "icon": mark.icon, "tone": mark.tone, "about": shown(mark.about)} for mark in marks]
    _draw(key=key, data={"language": language(), "badges": rows})
