"""The guide as it is read: its chapters beside the open one, and of the reasons each entry with the words that a reader is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from duocthu_core.rulesets.model import Ruleset
from pages.components.base.registration import component
from pages.frame import labels
from pages.frame.guide_texts import REASONS_PART, GuideBlock, GuidePart, guide_parts, reason_entries
from pages.frame.words import _, language, word

_draw = component(Path(__file__).parent)


def guide_text(part: GuidePart, reason: str | None, ruleset: Ruleset, *, key: str, on_part: Callable[[str], None]) -> None:
    """Draws the chapter ``part``; the entry of ``reason`` is framed and brought into view."""

    def act() -> None:
        chosen = st.session_state.get(key, {}).get("part")
        if any(each.part_id == chosen for each in guide_parts()):
            on_part(chosen)

    _draw(key=key, data=guide_data(part, reason, ruleset), on_part_change=act)


def guide_data(part: GuidePart, reason: str | None, ruleset: Ruleset) -> dict[str, Any]:
    """What the component draws."""
    words = {name: _(f"guide.{name}") for name in ("chapters", "commands", "copy", "copied")}
    return {
        "language": language(),
        "words": words,
        "parts": [{"id": each.part_id, "title": each.title.said, "current": each is part} for each in guide_parts()],
        "title": part.title.said,
        "blocks": [_block(block) for block in part.blocks],
        "reasons": _reasons(reason, ruleset) if part.part_id == REASONS_PART else [],
    }


def _block(block: GuideBlock) -> dict[str, Any]:
    if block.run:
        return {"type": "run", "text": block.run.rstrip("\n")}
    if block.say or block.note:
        words = block.say or block.note
        return {"type": "say" if block.say else "note", "text": words.said if words else ""}
    return {"type": "steps" if block.steps else "list", "lines": [line.said for line in block.steps or block.list]}


def _reasons(current: str | None, ruleset: Ruleset) -> list[dict[str, Any]]:
    return [
        {
            "code": code,
            "title": _first_upper(word("reason", code)),
            "told": _("guide.told", message=labels.rejection(ruleset, code)),
            "current": code == current,
            "lines": [
                (_("guide.means"), entry.means.said),
                (_("guide.example"), entry.example.said),
                (_("guide.next"), entry.next.said),
            ],
        }
        for code, entry in reason_entries().items()
    ]


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]
