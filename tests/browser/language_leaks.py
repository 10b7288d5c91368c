"""Sentences of the interface in another language than the reader's: whatever is shown word for word as the Vietnamese catalogue has it,
where the English one says something else. What the book, people and models say stays as it is."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from babel.messages.pofile import read_po
from playwright.sync_api import Page

from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.text.catalogue import LOCALES, Language

_SHOWN = (Path(__file__).parent / "shown_texts.js").read_text(encoding="utf-8")
_GAP = re.compile(r"\{\w+\}")
_TELLING = 6
"""Letters that a sentence must have besides its gaps: shorter ones stand in the book, too."""


def leaks(page: Page) -> list[str]:
    """What of the page is a Vietnamese sentence of the catalogue."""
    texts: list[str] = page.evaluate(_SHOWN)
    return sorted({text for text in texts if stayed_vietnamese(text)})


def stayed_vietnamese(text: str) -> bool:
    """Whether ``text`` is a Vietnamese sentence of the catalogue, its gaps filled with anything."""
    return text not in _words_of_the_book() and any(one.fullmatch(text) for one in _sentences())


@cache
def _sentences() -> tuple[re.Pattern[str], ...]:
    english = _catalogue("en")
    found = {text for key, texts in _catalogue("vi").items() for text in texts if text not in english[key]}
    return tuple(
        re.compile(r"[^\n]{1,60}?".join(map(re.escape, _GAP.split(text))))
        for text in found
        if sum(sign.isalpha() for sign in _GAP.sub("", text)) >= _TELLING
    )


def _catalogue(language: Language) -> dict[str, list[str]]:
    with (LOCALES / language / "LC_MESSAGES" / "workbench.po").open("rb") as file:
        messages = [message for message in read_po(file, locale=language) if message.id]
    return {str(message.id): [message.string] if isinstance(message.string, str) else list(message.string or ()) for message in messages}


@cache
def _words_of_the_book() -> frozenset[str]:
    """Headings, groups and routes as the book names them."""
    found: set[str] = set()

    def gather(value: Any) -> None:
        for key, item in value.items() if isinstance(value, dict) else ():
            if key == "label_vi":
                found.add(str(item))
            gather(item)

    gather(shipped_ruleset().tables)
    return frozenset(found)
