"""How far work of the Rules page is, with the way to stop it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.frame.background import Advance, Result, ShouldStop, Stepwise
from pages.frame.polling import polled
from pages.frame.words import _

_SHORT_S = 0.4
"""Work that ends within this time is shown at once."""


def begun(name: str, work: Callable[[Advance, ShouldStop], Result], expected: tuple[type[Exception], ...] = ()) -> Stepwise[Result]:
    """``work``, begun beside the page."""
    running = Stepwise(name, work, expected)
    running.start()
    return running


def counted_turns(work: Stepwise[Any]) -> str:
    """How many of how many are done."""
    return _("rules.progress", done=work.done, total=work.total or "…")


def finished(work: Stepwise[Any], key: str, told: Callable[[Stepwise[Any]], str] = counted_turns) -> bool:
    """Whether ``work`` has ended; until then its progress is drawn in the words of ``told``, and the page is drawn again when it ends."""
    if work.wait(_SHORT_S if not work.done else 0):
        return True
    _progress(work, key, told)
    return False


@polled
def _progress(work: Stepwise[Any], key: str, told: Callable[[Stepwise[Any]], str]) -> None:
    if work.ended:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(work.share, told(work))
        label = _("live.stopping") if work.stopped else _("live.stop")
        st.button(label, key=f"stop-{key}", on_click=work.stop, disabled=work.stopped, icon=":material/stop_circle:")
