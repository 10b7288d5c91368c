"""Spellings of drug names: Vietnamese and international forms of one name made equal (spec 03, "Understanding").

``amoxicilin``, ``amoxicillin``, ``Amoxycilline`` share one key; ``prednisolon`` and ``prednison`` do not. A key is only ever used to
compare; it is never shown. Words that are Vietnamese syllables ("kẽm", "sắt", "và") keep their marks in the key, since without them
they would be other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product

from duocthu_core.text.folding import fold, strip_marks
from duocthu_core.text.phrases import words
from duocthu_core.understanding.syllables import is_vietnamese_syllable

NameKey = tuple[str, ...]

# International against Vietnamese writing, by letters: ph/f, th/t, chl/cl, rh/r, y/i, ae and oe/e, double letters, a final mute e.
_LETTERS = (("ph", "f"), ("th", "t"), ("ch", "c"), ("rh", "r"), ("ae", "e"), ("oe", "e"), ("y", "i"))
_DOUBLED = re.compile(r"(.)\1+")
# What Vietnamese ears hear alike: k, c, q; s, x, z; d, r, gi at the start; l and n at the end of a name. For offers only.
_SOUNDS = (("qu", "k"), ("x", "s"), ("z", "s"), ("ck", "k"), ("j", "g"))
_SOFT_C = re.compile(r"c(?=[ei])")
_JOINERS = frozenset({"và", "+", "-", "/", "&", "với", "hoặc", "and"})
_SIGN = re.compile(r"[^\w\s]|_")
_PARENTHESES = re.compile(r"\(([^()]*)\)")


@lru_cache(maxsize=16384)
def spelling(word: str) -> str:
    """The comparison form of one foreign word: no marks, lower case, international letters reduced to Vietnamese ones."""
    bare = strip_marks(fold(word))
    for international, vietnamese in _LETTERS:
        bare = bare.replace(international, vietnamese)
    bare = _DOUBLED.sub(r"\1", bare)
    return bare[:-1] if len(bare) > 4 and bare.endswith("e") else bare


@lru_cache(maxsize=16384)
def sound(word: str) -> str:
    """A coarser form that also makes equal what is heard alike ("xê pha lê xin", "paraxetamon")."""
    bare = spelling(word)
    for written, heard in _SOUNDS:
        bare = bare.replace(written, heard)
    bare = _SOFT_C.sub("s", bare).replace("c", "k")
    return _DOUBLED.sub(r"\1", bare)


def word_key(word: str, translations: Mapping[str, str]) -> str:
    """The key of one word of a name; ``translations`` maps international words ("potassium") to Vietnamese ones ("kali")."""
    folded = translations.get(fold(word), fold(word))
    return folded if is_vietnamese_syllable(folded) else spelling(folded)


def name_key(name: str, translations: Mapping[str, str]) -> NameKey:
    """The words of a name as keys, signs left out: ``Co-Diovan`` and ``co diovan`` are one."""
    return tuple(word_key(word.folded, translations) for word in words(name) if not _SIGN.fullmatch(word.folded))


def name_forms(name: str) -> Iterator[str]:
    """The forms under which one listed name may be typed: as listed, without its parentheses, the name inside them, acids both ways."""
    outside = _PARENTHESES.sub(" ", name)
    inside = [found.strip() for found in _PARENTHESES.findall(name)]
    for form in (outside, *(found for found in inside if _is_foreign(found))):
        stripped = " ".join(form.split())
        if stripped:
            yield stripped
            yield from _acid_forms(stripped)


def _is_foreign(name: str) -> bool:
    """Whether a name in parentheses is another name ("Aspirin") and no remark ("dùng trong hô hấp")."""
    parts = [word.folded for word in words(name) if not _SIGN.fullmatch(word.folded)]
    return bool(parts) and not any(is_vietnamese_syllable(part) and len(part) > 1 for part in parts)


def _acid_forms(name: str) -> Iterator[str]:
    parts = name.split()
    if len(parts) < 2:
        return
    first, last = fold(parts[0]), fold(parts[-1])
    if first in ("acid", "axit"):
        yield " ".join([*parts[1:], "acid"])
    elif last in ("acid", "axit"):
        yield " ".join(["acid", *parts[:-1]])


def components(name: str) -> tuple[str, ...]:
    """The substances that a combination's name lists ("amoxicilin và kali clavulanat"); one element for a single substance."""
    outside = _PARENTHESES.sub(" ", name)
    pieces: list[list[str]] = [[]]
    for part in outside.replace("+", " + ").replace("/", " / ").replace(",", " + ").split():
        if fold(part) in _JOINERS:
            pieces.append([])
        else:
            pieces[-1].append(part)
    return tuple(" ".join(piece) for piece in pieces if piece)


def combination_keys(parts: tuple[frozenset[NameKey], ...]) -> Iterator[NameKey]:
    """Every way to write a combination of substances, each known under several keys: in order and reversed, with and without a joiner."""
    orders = (parts, tuple(reversed(parts)))
    for order in orders:
        for choice in product(*order):
            for joiner in ((), ("và",), ("với",)):
                key: list[str] = []
                for index, part in enumerate(choice):
                    key.extend((*joiner, *part) if index else part)
                yield tuple(key)
