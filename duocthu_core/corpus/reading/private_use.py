"""Characters of the private use area: what Symbol and Wingdings draw there means nothing outside these fonts (spec 07).

Their bullets are bullets whatever font the text is set in afterwards. Any other such character was a sign (in Symbol "≤" is one of them):
it is lost, and never guessed.
"""

from __future__ import annotations

BULLET = "•"
ALWAYS = "\uf0a7\uf0a8\uf0b7\uf0d8\uf0fc\uf0fe"
"""Bullets in both fonts, or with no other meaning that a formulary has: ▪ ◻ • ➢ ✔ ☑."""
AT_HEAD = "\uf02d\uf06c\uf06e\uf06f\uf070\uf071\uf075\uf076\uf09f\uf0d2\uf0e8\uf0f0"
"""Bullets of Wingdings that are a minus sign, a Greek letter or an arrow in Symbol: only at the head of a line."""
_NEAR = 8
"""Characters to each side that are looked at: spaces, and the first that is none."""


def is_private(character: str) -> bool:
    """Whether ``character`` lies in the private use area."""
    return "\ue000" <= character <= "\uf8ff"


def is_bullet(text: str, index: int) -> bool:
    """Whether the private character at ``index`` of a line is a bullet: between two figures it may be a sign, and before one a minus."""
    character = text[index]
    if character not in ALWAYS and character not in AT_HEAD:
        return False
    before, behind = text[max(index - _NEAR, 0) : index].rstrip(), text[index + 1 : index + 1 + _NEAR].lstrip()
    if character in ALWAYS:
        return not (before[-1:].isdigit() and behind[:1].isdigit())
    return index <= _NEAR and not before and not behind[:1].isdigit()


def bullet_for(text: str, index: int) -> str:
    """What takes the place of the bullet at ``index``: a bullet that spaces part from the words beside it."""
    before = " " if index and not text[index - 1].isspace() else ""
    behind = " " if index + 1 < len(text) and not text[index + 1].isspace() else ""
    return f"{before}{BULLET}{behind}"
