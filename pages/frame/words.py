"""Every word on the screen comes from one gettext catalogue (spec 06): ``locales/{vi,en}/LC_MESSAGES/workbench.po``.

Message ids are keys (``live.title``), so no page holds text of its own. The ``.po`` files are read by Babel at start; there is no
compile step. A key without a sentence falls back to its own last part, so that an unknown code from the core is shown as that code.
"""

from __future__ import annotations

import gettext
import io
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

import streamlit as st
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

Language = Literal["vi", "en"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
LOCALES = Path(__file__).resolve().parents[2] / "locales"
_STATE = "language"


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


def language() -> Language:
    """The reader's language; Vietnamese until another was chosen."""
    chosen = st.session_state.get(_STATE, "vi")
    return chosen if chosen in LANGUAGES else "vi"


def use_language(chosen: str) -> None:
    """Makes ``chosen`` the reader's language for this session; anything but a known language is ignored."""
    if chosen in LANGUAGES:
        st.session_state[_STATE] = chosen


def start_language(asked: str | None, configured: str) -> None:
    """Chooses the language of a new session: what the link asks for, else what the installation is set to."""
    if _STATE not in st.session_state:
        use_language(asked if asked in LANGUAGES else configured)


def _(key: str, **values: object) -> str:
    """The sentence of ``key`` in the reader's language, ``{names}`` filled from ``values``."""
    return _filled(catalogue(language()).gettext(key), key, values)


def _n(key: str, n: int, **values: object) -> str:
    """The sentence of ``key`` for ``n`` things, in the plural form that the language wants."""
    return _filled(catalogue(language()).ngettext(key, key, n), key, {"n": n, **values})


def knows(key: str) -> bool:
    """Whether the catalogue has a sentence for ``key``."""
    return catalogue(language()).gettext(key) != key


def word(family: str, code: str, **values: object) -> str:
    """The sentence for a code of the core (``word("why", "scope_in")``), or the code itself where none is known."""
    key = f"{family}.{code}"
    return _(key, **values) if knows(key) else code


class _Gaps(dict[str, object]):
    """Leaves a mark that has no value as it is: a sentence with a gap is better than no page."""

    def __missing__(self, name: str) -> str:
        return "{" + name + "}"


def _filled(sentence: str, key: str, values: dict[str, object]) -> str:
    if sentence == key:
        return key.rsplit(".", 1)[-1]
    return sentence.format_map(_Gaps(values)) if values else sentence
