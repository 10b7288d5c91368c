"""What a detail is made of: a few kinds of parts, each plain data, drawn by one component."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pages.frame.shown_text import Piece, as_data, shown

Tone = Literal["quiet", "found", "missing", "warning", "accent", "locked"]


@dataclass(frozen=True)
class Pill:
    """A state in a cell: icon, word and colour say the same."""

    text: str
    tone: Tone
    icon: str

    def data(self) -> dict[str, Any]:
        return {"tone": self.tone, "icon": self.icon, "text": shown(self.text)}


@dataclass(frozen=True)
class Figure:
    """A figure or an id in a cell: set in the fixed-width face, so that digits stand under digits."""

    text: str

    def data(self) -> dict[str, Any]:
        return {"figure": shown(self.text)}


Cell = str | Pill | Figure


@dataclass(frozen=True)
class KeyValues:
    """Named values, one a line."""

    rows: Sequence[tuple[str, Cell]]
    heading: str = ""

    def data(self) -> dict[str, Any]:
        rows = [[shown(name), _cell(value)] for name, value in self.rows]
        return {"type": "values", "heading": shown(self.heading), "rows": rows}


@dataclass(frozen=True)
class Table:
    """Rows under named columns; on a narrow screen each row becomes a small list of its own."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    heading: str = ""

    def data(self) -> dict[str, Any]:
        return {
            "type": "table",
            "heading": shown(self.heading),
            "columns": [shown(column) for column in self.columns],
            "rows": [[_cell(cell) for cell in row] for row in self.rows],
        }


@dataclass(frozen=True)
class Passage:
    """Text of the book with the quoted pieces marked; pieces with a key are the quote."""

    heading: str
    pieces: Sequence[Piece]
    about: str = ""

    def data(self) -> dict[str, Any]:
        return {"type": "passage", "heading": shown(self.heading), "about": shown(self.about), "pieces": as_data(self.pieces)}


@dataclass(frozen=True)
class Raw:
    """Text exactly as it was sent or received, in the fixed-width face; long ones start folded."""

    title: str
    text: str
    folded: bool = False

    def data(self) -> dict[str, Any]:
        return {"type": "raw", "title": shown(self.title), "text": shown(self.text), "folded": self.folded}


@dataclass(frozen=True)
class Note:
    """One sentence, with a colour where it is an exception."""

    text: str
    tone: Tone = "quiet"
    icon: str = "info"

    def data(self) -> dict[str, Any]:
        return {"type": "note", "tone": self.tone, "icon": self.icon, "text": shown(self.text)}


@dataclass(frozen=True)
class Group:
    """Parts that belong together, under a heading of their own, in a frame."""

    heading: str
    parts: Sequence[Part]
    state: Pill | None = None

    def data(self) -> dict[str, Any]:
        state = self.state.data() if self.state else None
        return {"type": "group", "heading": shown(self.heading), "state": state, "parts": [part.data() for part in self.parts]}


Part = KeyValues | Table | Passage | Raw | Note | Group


def _cell(cell: Cell) -> dict[str, Any]:
    return {"words": shown(cell)} if isinstance(cell, str) else cell.data()
