"""Drawing a part of a page again and again while work is under way."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

Given = ParamSpec("Given")
POLL_S = 0.5


def polled(draw: Callable[Given, None], every_s: float = POLL_S) -> Callable[Given, None]:
    """``draw`` as a part of the page that is drawn again every ``every_s`` seconds, always at the address with which the page was drawn.

    A browser that is busy asks for the part with the query it had before a press changed the address; a page that is drawn again from
    there would be the one before. Only a run of the whole page changes the address, so a part takes it from the run that drew it.
    """

    @wraps(draw)
    def part(query: dict[str, str], *given: Given.args, **named: Given.kwargs) -> None:
        if st.query_params.to_dict() != query:
            st.query_params.from_dict(query)
        draw(*given, **named)

    again = st.fragment(part, run_every=every_s)

    @wraps(draw)
    def drawn(*given: Given.args, **named: Given.kwargs) -> None:
        again(st.query_params.to_dict(), *given, **named)

    return drawn
