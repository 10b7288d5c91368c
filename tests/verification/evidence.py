"""Evidence and claims as the cases write them."""

from __future__ import annotations

from typing import Any

from duocthu_core.answering.model import Claim
from duocthu_core.retrieval.model import Evidence
from duocthu_core.text.folding import nfc


def blocks(entries: list[Any]) -> list[Evidence]:
    """Evidence from strings or from objects with ``text``, ``drug_id``, ``drug``, ``section``."""
    return [_block(position, entry) for position, entry in enumerate(entries, 1)]


def _block(position: int, entry: Any) -> Evidence:
    if isinstance(entry, str):
        entry = {"text": entry}
    return Evidence(
        index=position,
        block_id=f"b{position}",
        drug_id=entry.get("drug_id"),
        drug_name=entry.get("drug", ""),
        section_key=entry.get("section_key"),
        section_title=entry.get("section", ""),
        text=nfc(entry["text"]),
    )


def claims(entries: list[dict[str, Any]]) -> list[Claim]:
    """Claims from objects with ``text``, ``citations`` and perhaps ``drug_id``."""
    return [Claim(text=nfc(entry["text"]), citations=tuple(entry["citations"]), drug_id=entry.get("drug_id")) for entry in entries]
