"""Every word on the screen comes from the one catalogue (spec 06), in the reader's language.

A key without a sentence falls back to its own last part, so that an unknown code from the core is shown as that code.
"""

from __future__ import annotations

import streamlit as st

from duocthu_core.text.catalogue import LANGUAGES, Language, catalogue, filled

_STATE = "language"


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
    return filled(catalogue(language()).gettext(key), key, values)


def _n(key: str, n: int, **values: object) -> str:
    """The sentence of ``key`` for ``n`` things, in the plural form that the language wants."""
    return filled(catalogue(language()).ngettext(key, key, n), key, {"n": n, **values})


def knows(key: str) -> bool:
    """Whether the catalogue has a sentence for ``key``."""
    return catalogue(language()).gettext(key) != key


def word(family: str, code: str, **values: object) -> str:
    """The sentence for a code of the core (``word("why", "scope_in")``), or the code itself where none is known."""
    key = f"{family}.{code}"
    return _(key, **values) if knows(key) else code
