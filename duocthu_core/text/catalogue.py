"""The one catalogue of words (spec 06): ``locales/{vi,en}/LC_MESSAGES/workbench.po``, read by Babel at start without a compile step.

Message ids are keys (``live.title``), so no page and no report holds text of its own.
"""

from __future__ import annotations

import gettext
import io
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

Language = Literal["vi", "en"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
LOCALES = Path(__file__).resolve().parents[2] / "locales"


@lru_cache(maxsize=len(LANGUAGES))
def catalogue(language: Language) -> gettext.GNUTranslations:
    """The catalogue of ``language``, read once."""
    path = LOCALES / language / "LC_MESSAGES" / "workbench.po"
    with path.open("rb") as file:
        messages = read_po(file, locale=language, domain="workbench")
    compiled = io.BytesIO()
    write_mo(compiled, messages)
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


def sentence(language: Language, key: str, **values: object) -> str:
    """The sentence of ``key``, ``{names}`` filled from ``values``; a key without a sentence is its own last part."""
    return filled(catalogue(language).gettext(key), key, values)


def filled(text: str, key: str, values: dict[str, object]) -> str:
    """``text`` with its gaps filled; a gap without a value stays: a sentence with a gap is better than no page."""
    if text == key:
        return key.rsplit(".", 1)[-1]
    return text.format_map(_Gaps(values)) if values else text


class _Gaps(dict[str, object]):
    def __missing__(self, name: str) -> str:
        return "{" + name + "}"
