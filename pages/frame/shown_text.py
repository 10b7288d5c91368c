"""Text from people, models and the book, made safe to look at (spec 06: never interpreted as Markdown, LaTeX or HTML).

Components draw it with ``textContent`` only. What is left to do here: characters that a reader cannot see, or that turn the order of the
others around, are written out, so that a text cannot look like another one than it is.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from duocthu_core.text.spans import Span

_UNSEEN = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~<>$:&@/])")


def shown(text: str) -> str:
    """``text`` with every unseen or order-turning character written as its code point."""
    return _UNSEEN.sub(lambda match: f"⟨U+{ord(match.group()):04X}⟩", text)


def unmarked(text: str) -> str:
    """``text`` for one of Streamlit's own labels, which read Markdown: every sign that could mean something there is escaped."""
    return _MARKDOWN.sub(r"\\\1", shown(text).replace("\n", " "))


def drawn_by_plotly(text: str) -> str:
    """``text`` for a chart: Plotly reads a few HTML elements in its labels, links among them."""
    return html.escape(shown(text), quote=False)


def shortened(text: str, limit: int) -> str:
    """The first ``limit`` characters, cut at a word."""
    clean = " ".join(text.split())
    return clean if len(clean) <= limit else clean[:limit].rsplit(" ", 1)[0] + "…"


@dataclass(frozen=True)
class Mark:
    """A place in a text that something on the screen refers to."""

    span: Span
    key: str


@dataclass(frozen=True)
class Piece:
    """A run of text and the keys of the marks that cover it."""

    text: str
    keys: tuple[str, ...] = ()


def pieces(text: str, marks: Iterable[Mark]) -> list[Piece]:
    """``text`` cut at the borders of ``marks``, each piece with the keys of the marks over it, in the marks' order.

    Spans count code points, a browser counts UTF-16 units: cutting happens here, so that no offset ever reaches a browser.
    """
    kept = [mark for mark in marks if 0 <= mark.span.start < mark.span.end <= len(text)]
    borders = sorted({0, len(text), *(mark.span.start for mark in kept), *(mark.span.end for mark in kept)})
    return [
        Piece(shown(text[start:end]), tuple(mark.key for mark in kept if mark.span.start <= start and end <= mark.span.end))
        for start, end in pairwise(borders)
    ]


def as_data(cut: Sequence[Piece]) -> list[dict[str, object]]:
    """Pieces as a component takes them."""
    return [{"text": piece.text, "keys": list(piece.keys)} for piece in cut]
