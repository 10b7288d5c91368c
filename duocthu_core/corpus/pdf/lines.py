"""A line of a page in reading order, ready to be put together with its neighbours; goes between two processes as JSON."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, Literal, NamedTuple

from duocthu_core.corpus.reading.private_use import bullet_for, is_bullet, is_private
from duocthu_core.text.folding import nfc

ITALIC, BOLD = 1, 2
"""Styles of type; added up for both."""
LOST = "\ufffd"
"""Stands for a character that the text layer lost."""

LineKind = Literal["text", "table", "formula"]
Edge = Literal["", "top", "bottom"]

_SOFT_HYPHEN = "\u00ad"
_ODD = re.compile(
    r"[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e"
    r"\u2028\u2029\u2060-\u206f\u3164\ud800-\udfff\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff\t]"
)


class Line(NamedTuple):
    """One line. Offsets are code points of ``text``, which is NFC."""

    text: str
    number: int
    """Its number in the page's text layer, from 1."""
    kind: LineKind = "text"
    """``table`` for a row of a table, ``formula`` for a line of a formula: shown, never generated over."""
    style: int = 0
    """:data:`ITALIC` and :data:`BOLD` where all of it is set so."""
    emphasis: tuple[tuple[int, int, int], ...] = ()
    """(start, end, style)."""
    signs: tuple[tuple[int, str], ...] = ()
    """(offset, reason) of damage."""
    repairs: tuple[tuple[int, str, str, str], ...] = ()
    """(offset, kind, removed, inserted)."""
    room: float = 0.0
    """Characters that would still have fitted behind it."""
    apart: bool = False
    """Set apart from the line above it in the same column: a gap, an indent, type of another size."""
    opens: bool = False
    """The first line of a column, or of a stretch of one."""
    hyphen: bool = False
    """Ends with a hyphen that may be the line's and not the word's."""
    edge: Edge = ""
    """``top`` or ``bottom`` for a line in the first or last row of the page: it may be a running head."""
    isolated: bool = False
    """An edge line that stands away from the lines next to it."""
    level: int = 0
    """Heading level by the size of its type; 0 for none."""

    @property
    def is_strong(self) -> bool:
        """Whether all of it is bold."""
        return bool(self.style & BOLD)


def line_of(fields: list[Any]) -> Line:
    """A line out of its JSON form."""
    line = Line(*fields)
    if not (line.emphasis or line.signs or line.repairs):
        return line
    return line._replace(
        emphasis=tuple(map(tuple, line.emphasis)), signs=tuple(map(tuple, line.signs)), repairs=tuple(map(tuple, line.repairs))
    )


def is_clean(text: str) -> bool:
    """Whether ``text`` is in NFC, and none of its characters is lost, invisible or of no meaning outside its font."""
    return _ODD.search(text) is None and LOST not in text and unicodedata.is_normalized("NFC", text)


def cleaned(line: Line) -> Line:
    """``line`` in NFC and without characters that nobody can see; each is a recorded repair. What has no meaning outside its font
    (private use, the sign that was "≤" in a symbol font) becomes � and is marked as lost; a bullet of such a font becomes a bullet."""
    text = line.text
    if is_clean(text):
        return line
    kept: list[str] = []
    offsets: list[int] = []
    repairs = list(line.repairs)
    signs = list(line.signs)
    removed_before = False
    length = 0
    for index, character in enumerate(text):
        offsets.append(length)
        kind, inserted = _meaning(text, index)
        if kind is None:
            if removed_before and character.isdigit() and kept and kept[-1].isdigit():
                signs.append((length, "noise_near_digits"))
            removed_before = False
            kept.append(character)
            length += 1
            if character == LOST:
                signs.append((length - 1, "lost_sign"))
            continue
        repairs.append((length, kind, character, inserted))
        if inserted:
            kept.append(inserted)
            length += len(inserted)
        if inserted == LOST:
            signs.append((length - 1, "lost_sign"))
        removed_before = removed_before or not inserted or index == 0
    offsets.append(length)
    whole = "".join(kept)
    composed = nfc(whole)
    if composed != whole:
        # Letters written as two characters. A repair is no use here, the letters are the same; offsets move to the same letter.
        before = [len(nfc(whole[:offset])) for offset in range(len(whole) + 1)]
        offsets = [before[offset] for offset in offsets]
        repairs = [(before[min(offset, len(whole))], *rest) for offset, *rest in repairs]
        signs = [(before[min(offset, len(whole))], reason) for offset, reason in signs]
    return line._replace(
        text=composed.strip(),
        emphasis=tuple((offsets[start], offsets[end], style) for start, end, style in line.emphasis),
        signs=tuple(signs),
        repairs=tuple(repairs),
    )


def _meaning(text: str, index: int) -> tuple[str | None, str]:
    """The kind of repair that a character needs, None for none, and what takes its place."""
    character = text[index]
    if _ODD.match(character) is None:
        return None, ""
    if character == _SOFT_HYPHEN:
        return "hyphenation", ""
    if character == "\t":
        return "white_space", " "
    if is_private(character):
        return "markup", bullet_for(text, index) if is_bullet(text, index) else LOST
    if "\ud800" <= character <= "\udfff" or character in "\ufffe\uffff":
        return "markup", LOST
    return "white_space", ""
