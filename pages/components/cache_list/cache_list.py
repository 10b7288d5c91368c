"""Kept verdicts, last written first: the claim, what its verdict is worth now, and whose it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from duocthu_core.bootstrap import Services
from duocthu_core.cache.model import CacheEntry, Standing
from pages.components.base.registration import component
from pages.components.cache_entry import claim_shown, drug_and_section, staleness_pill, time_left
from pages.frame import formats
from pages.frame.shown_text import shortened, shown
from pages.frame.words import _, language

_CLAIM_LENGTH = 200
_draw = component(Path(__file__).parent)


def cache_list(standings: Sequence[Standing], app: Services, *, key: str, on_open: Callable[[CacheEntry], None]) -> None:
    """Draws ``standings``; ``on_open`` gets the entry that was chosen."""

    def opened() -> None:
        position = st.session_state.get(key, {}).get("open")
        if isinstance(position, int) and 0 <= position < len(standings):
            on_open(standings[position].entry)

    entries = [
        {
            "claim": shown(shortened(claim_shown(standing.entry), _CLAIM_LENGTH)),
            "state": staleness_pill(standing).data(),
            "about": [shown(fact) for fact in _about(standing, app)],
        }
        for standing in standings
    ]
    _draw(key=key, data={"language": language(), "entries": entries}, on_open_change=opened)


def _about(standing: Standing, app: Services) -> list[str]:
    entry = standing.entry
    return [
        *filter(None, drug_and_section(entry, app)),
        _(f"cache_tier.{entry.tier}"),
        _("cache_page.written_at", at=formats.moment(entry.updated_at)),
        time_left(standing),
    ]
