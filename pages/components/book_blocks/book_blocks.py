"""Blocks of the book as the pipeline sees them: page, kind, governing label, text. A locked block shows its page and never its text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from duocthu_core.corpus.model import Block
from pages.components.base.registration import component
from pages.components.facts.parts import Pill
from pages.frame import formats
from pages.frame.shown_text import shown
from pages.frame.words import _, _n, language, word

_draw = component(Path(__file__).parent)


def book_blocks(blocks: Sequence[Block], *, key: str, on_open: Callable[[Block], None] | None = None) -> None:
    """Draws ``blocks`` in their order; with ``on_open`` each can be opened."""

    def opened() -> None:
        position = st.session_state.get(key, {}).get("open")
        if on_open is not None and isinstance(position, int) and 0 <= position < len(blocks):
            on_open(blocks[position])

    words = {"name": _("corpus.blocks"), "open": _("corpus.open_block")}
    rows = [_row(block) for block in blocks]
    data = {"language": language(), "words": words, "blocks": rows, "single": on_open is None}
    _draw(key=key, data=data, on_open_change=opened)


def block_number(block: Block) -> int:
    """The running number of a block within its section, from 1."""
    return int(block.block_id.rsplit("/", 1)[-1])


def block_pages(block: Block) -> str:
    """Printed pages of a block, for a reader."""
    return formats.pages(block.page_start, block.page_end, estimated=block.page_estimated)


def quarantine_words(reason: str | None) -> str:
    """Why a block is locked, in words."""
    return word("quarantine", reason) if reason else _("corpus.no_reason")


def block_marks(block: Block) -> list[Pill]:
    """What is out of the ordinary with a block."""
    marks: list[Pill] = []
    if block.quarantined:
        marks.append(Pill(quarantine_words(block.quarantine_reason), "locked", "lock"))
    if block.damage_notes:
        marks.append(Pill(_n("corpus.damage_count", len(block.damage_notes)), "warning", "alert"))
    if block.repairs:
        marks.append(Pill(_n("corpus.repair_count", len(block.repairs)), "quiet", "refresh"))
    return marks


def _row(block: Block) -> dict[str, Any]:
    locked = ""
    if block.quarantined:
        locked = _("corpus.withheld", pages=block_pages(block)) if block.page_start is not None else _("corpus.withheld_no_page")
    return {
        "name": _("corpus.block_name", n=block_number(block)),
        "pages": block_pages(block),
        "marks": [mark.data() for mark in block_marks(block)],
        "label": [shown(line) for line in (block.label or "").split("\n") if line],
        "text": "" if block.quarantined else shown(block.text),
        "locked": locked,
    }
