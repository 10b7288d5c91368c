"""Letters that a text layer gave by the name of their glyph (``/uni1ED1`` for "ố", ``/dslash`` for "đ"): the name is exact, no guess.

Only letters with a mark are read so. A glyph's name stands for no figure and no sign, and whatever else follows a slash stays as it stands.
"""

from __future__ import annotations

import re

PATTERN = "/(?:uni(?:00[C-F]|01[0-9AB]|1E[A-F])[0-9A-F]|[dD]slash|[dD]croat)"
"""Latin letters with marks: U+00C0 to U+00FF, U+0100 to U+01BF, U+1EA0 to U+1EFF."""
_NAMED = {"/dslash": "đ", "/Dslash": "Đ", "/dcroat": "đ", "/Dcroat": "Đ"}
_GLYPH = re.compile(PATTERN)


def letter(name: str) -> str:
    """The letter of a glyph's name that :data:`PATTERN` matches."""
    return _NAMED.get(name) or chr(int(name[4:], 16))


def with_letters(text: str) -> str:
    """``text`` with every such name as its letter."""
    return _GLYPH.sub(lambda match: letter(match.group()), text) if "/" in text else text
