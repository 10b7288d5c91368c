"""Draws the parts of a detail (``parts.py``): named values, tables, passages of the book, raw text, notes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pages.components.base.registration import component
from pages.components.facts.parts import Part
from pages.frame.words import _, language

_draw = component(Path(__file__).parent)


def facts(parts: Sequence[Part], *, key: str) -> None:
    """Draws ``parts`` one below the other."""
    words = {"copy": _("facts.copy"), "copied": _("facts.copied")}
    _draw(key=key, data={"language": language(), "words": words, "parts": [part.data() for part in parts]})
