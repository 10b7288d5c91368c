"""Normal forms of text (spec 02, "Text rules").

The stored form is NFC with its characters untouched. Matching uses folded forms whose length equals the input's, so that
a position found in a folded text is a position in the original.
"""

from __future__ import annotations

import re
import unicodedata

_WHITE_SPACE_CONTROLS = "\t\n\r"
_SPACES = re.compile(r"\s+")
# Look like nothing, though their category says letter or mark: Hangul fillers, braille blank, variation selectors.
_BLANK_LETTERS = "\u115f\u1160\u3164\uffa0\u2800"
_VARIATION_SELECTORS = ("\ufe00", "\ufe0f")
# Format, control, surrogate and private-use characters: invisible to a reader, so never allowed to part a word or a number
# (spec 02 "Text rules", 04 "Check 1").
_INVISIBLE_CATEGORIES = frozenset({"Cf", "Cc", "Cs", "Co"})


def is_invisible(character: str) -> bool:
    """Whether ``character`` shows nothing and is no white space: zero-width, bidirectional, control, soft hyphen, variation selector."""
    if _VARIATION_SELECTORS[0] <= character <= _VARIATION_SELECTORS[1] or character in _BLANK_LETTERS:
        return True
    return unicodedata.category(character) in _INVISIBLE_CATEGORIES and character not in _WHITE_SPACE_CONTROLS


# Every invisible character is among these: neither word, white space nor printable ASCII, or one of the blanks that pass for such.
_SUSPECT = re.compile(f"[^ -~\\w\\s]|[\x0b\x0c\x1c-\x1f\x85{_BLANK_LETTERS}]")


def has_invisible(text: str) -> bool:
    """Whether any character of ``text`` is invisible (see :func:`is_invisible`)."""
    return any(is_invisible(suspect.group()) for suspect in _SUSPECT.finditer(text))


def without_invisible(text: str) -> str:
    """``text`` without its invisible characters."""
    return _SUSPECT.sub(lambda suspect: "" if is_invisible(suspect.group()) else suspect.group(), text)


def nfc(text: str) -> str:
    """``text`` in Unicode normal form C, the form every text has inside the product."""
    return unicodedata.normalize("NFC", text)


def collapse_spaces(text: str) -> str:
    """``text`` trimmed, with every run of white space (no-break and thin spaces too) as one space."""
    return _SPACES.sub(" ", text).strip()


def clean(text: str) -> str:
    """What people type, made comparable: NFC, no invisible characters, white space collapsed; case and marks kept."""
    return collapse_spaces(without_invisible(nfc(text)))


def fold(text: str) -> str:
    """Lower-case form of the same length as ``text``: position ``i`` of one is position ``i`` of the other."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


class _BareCharacters(dict[int, str]):
    """For :meth:`str.translate`: each character's base letter, worked out once."""

    def __missing__(self, code: int) -> str:
        base = unicodedata.normalize("NFD", chr(code))[0]
        self[code] = {"đ": "d", "Đ": "D"}.get(base, base)
        return self[code]


_BARE = _BareCharacters()


def strip_marks(text: str) -> str:
    """``text`` without Vietnamese tone and vowel marks (đ becomes d), of the same length. For matching only, never stored."""
    if text.isascii():
        return text
    return text.translate(_BARE)


def has_marks(text: str) -> bool:
    """Whether ``text`` carries any Vietnamese mark."""
    return strip_marks(text) != text


_NEW_TONES = {
    "oà": "òa", "oá": "óa", "oả": "ỏa", "oã": "õa", "oạ": "ọa", "oè": "òe", "oé": "óe", "oẻ": "ỏe", "oẽ": "õe", "oẹ": "ọe",
    "uỳ": "ùy", "uý": "úy", "uỷ": "ủy", "uỹ": "ũy", "uỵ": "ụy",
}  # fmt: skip
_NEW_TONE = re.compile(rf"(?<!q)(?:{'|'.join(_NEW_TONES)})(?!\w)")


def tones_placed(folded: str) -> str:
    """Folded NFC text with the tone mark of "oa", "oe", "uy" where books put it: "thuỷ", "hoá" as "thủy", "hóa"; the same length."""
    return _NEW_TONE.sub(lambda pair: _NEW_TONES[pair.group()], folded)
