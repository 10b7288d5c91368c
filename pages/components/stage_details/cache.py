"""Cache: what the store of verdicts knew about each claim, and what was done with it."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import CacheLookup, CacheOutput
from pages.components.facts.parts import Cell, Figure, Note, Part, Pill, Table, Tone
from pages.components.stage_details.shared import Shown
from pages.frame import formats
from pages.frame.words import _, word

_LOOK: dict[str, tuple[Tone, str]] = {
    "fresh": ("found", "check"),
    "stale_framework": ("accent", "refresh"),
    "stale_prompt": ("warning", "refresh"),
    "miss": ("quiet", "plus"),
    "off": ("quiet", "dash"),
}


def parts(output: CacheOutput, _shown: Shown) -> list[Part]:
    if not output.enabled:
        return [Note(_("cache.off"))]
    columns = tuple(_(f"cache.{name}") for name in ("claim", "staleness", "action", "overlap", "claim_hash"))
    return [Table(columns, [_row(lookup) for lookup in output.lookups])]


def _row(lookup: CacheLookup) -> tuple[Cell, ...]:
    tone, icon = _LOOK[lookup.staleness]
    return (
        Figure(str(lookup.claim_index + 1)),
        Pill(_(f"staleness.{lookup.staleness}"), tone, icon),
        word("cache_action", lookup.action) if lookup.action else "–",
        Figure(formats.number(lookup.overlap, 2)),
        Figure(lookup.claim_hash or "–"),
    )
