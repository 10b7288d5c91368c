"""How far work of the Rules page is, with the way to stop it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.frame.running_work import RunningWork
from pages.frame.words import _

_POLL_S = 0.5
_SHORT_S = 0.4
"""Work that ends within this time is shown at once."""


def finished(work: RunningWork[Any], key: str) -> bool:
    """Whether ``work`` has ended; until then its progress is drawn, and the page is drawn again when it ends."""
    if work.wait(_SHORT_S if not work.done else 0):
        return True
    _progress(work, key)
    return False


@st.fragment(run_every=_POLL_S)
def _progress(work: RunningWork[Any], key: str) -> None:
    if work.ended:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        share = work.done / work.total if work.total else 0.0
        st.progress(share, _("rules.progress", done=work.done, total=work.total or "…"))
        label = _("live.stopping") if work.stopped else _("live.stop")
        st.button(label, key=f"stop-{key}", on_click=work.stop, disabled=work.stopped, icon=":material/stop_circle:")
