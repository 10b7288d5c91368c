"""Counts that narrow a list: groups of buttons, each a state, its count and its icon; at most one of a group is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages.components.base.registration import component
from pages.components.facts.parts import Tone
from pages.frame import formats
from pages.frame.words import language

_draw = component(Path(__file__).parent)


@dataclass(frozen=True)
class Card:
    """One state and how many things are in it."""

    value: str
    name: str
    count: int
    icon: str = ""
    tone: Tone = "quiet"
    about: str = ""
    """What the state means, in a few words below its name."""


@dataclass(frozen=True)
class CardGroup:
    """The states of one property; ``chosen`` is the one that the list is narrowed to."""

    key: str
    name: str
    cards: Sequence[Card]
    chosen: str | None


def count_cards(groups: Sequence[CardGroup], *, key: str, on_choose: Callable[[str, str | None], None]) -> None:
    """Draws ``groups``. ``on_choose`` gets the group's key and the chosen value, None where the choice was taken back."""

    def chosen() -> None:
        place = st.session_state.get(key, {}).get("choice")
        if not isinstance(place, dict):
            return
        group = next((group for group in groups if group.key == place.get("group")), None)
        if group is None or place.get("value") not in [card.value for card in group.cards]:
            return
        on_choose(group.key, None if place["value"] == group.chosen else place["value"])

    data = [
        {
            "key": group.key,
            "name": group.name,
            "chosen": group.chosen,
            "cards": [
                {
                    "value": card.value,
                    "name": card.name,
                    "count": formats.number(card.count),
                    "icon": card.icon,
                    "tone": card.tone,
                    "about": card.about,
                }
                for card in group.cards
            ],
        }
        for group in groups
    ]
    _draw(key=key, data={"language": language(), "groups": data}, on_choice_change=chosen)
