"""Cache: for every claim what the store of verdicts knew, both hashes stored and current, how long it still holds, and what was done
with it; and what that saved."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from duocthu_core.pipeline.outputs import CacheLookup, CacheOutput
from pages.components.facts.parts import Cell, Figure, Group, KeyValues, Note, Part, Pill, Table, Tone
from pages.components.stage_details.shared import Shown
from pages.frame import formats
from pages.frame.words import _, _n, word

LOOK: dict[str, tuple[Tone, str]] = {
    "fresh": ("found", "check"),
    "stale_framework": ("accent", "refresh"),
    "stale_prompt": ("warning", "refresh"),
    "miss": ("quiet", "plus"),
    "off": ("quiet", "dash"),
}
"""Colour and icon of each staleness."""


def parts(output: CacheOutput, _shown: Shown) -> list[Part]:
    if not output.enabled:
        return [Note(_("cache.off"))]
    found: list[Part] = [*problem_notes(output.problems)]
    found.append(
        KeyValues(
            [
                (_("cache.calls_saved"), Figure(formats.number(output.calls_saved))),
                (_("cache.tokens_saved"), Figure(formats.number(output.tokens_saved))),
                (_("cache.cost_saved"), formats.money(output.cost_saved_usd) if output.tokens_saved else "–"),
            ],
            _("cache.saved"),
        )
    )
    return [*found, *lookup_parts([*output.lookups, *([output.completeness] if output.completeness else [])])]


def problem_notes(problems: Sequence[str]) -> list[Note]:
    """What went wrong with the cache, in the store's own words; it never stops a turn."""
    return [Note(problem, "warning", "alert") for problem in problems]


def lookup_parts(lookups: Sequence[CacheLookup]) -> list[Part]:
    """One framed group a look-up; where nothing is stored for any of them, one line each."""
    if lookups and all(lookup.staleness == "miss" for lookup in lookups):
        return [_misses(lookups)]
    return [_lookup(lookup) for lookup in lookups]


def _misses(lookups: Sequence[CacheLookup]) -> Table:
    columns = tuple(_(f"cache.{name}") for name in ("claim", "staleness", "rule", "action", "claim_hash"))
    rows = [
        (_about(lookup), _staleness(lookup), word("cache_rule", lookup.rule), _action(lookup), Figure(lookup.claim_hash[:16] or "–"))
        for lookup in lookups
    ]
    return Table(columns, rows)


def _lookup(lookup: CacheLookup) -> Group:
    rows: list[tuple[str, Cell]] = [
        (_("cache.action"), _action(lookup)),
        (_("cache.rule"), word("cache_rule", lookup.rule)),
        (_("cache.claim_hash"), Figure(lookup.claim_hash or "–")),
    ]
    if lookup.updated_at is not None:
        least = formats.number(lookup.overlap_min, 2)
        rows.append((_("cache.overlap"), _("cache.overlap_is", overlap=formats.number(lookup.overlap, 2), least=least)))
        rows.append((_("cache.updated_at"), formats.moment(lookup.updated_at)))
    if lookup.expires_at is not None:
        rows.append((_("cache.expires_at"), _n("cache.days_left", _days_left(lookup.expires_at), at=formats.moment(lookup.expires_at))))
    parts_of_group: list[Part] = [KeyValues(rows)]
    if lookup.updated_at is not None:
        parts_of_group.append(_stored_and_current(lookup))
    return Group(_about(lookup), parts_of_group, _staleness(lookup))


def _stored_and_current(lookup: CacheLookup) -> Table:
    pairs = (
        ("prompt_hash", lookup.prompt_hash_stored, lookup.prompt_hash_current),
        ("framework", lookup.framework_stored, lookup.framework_current),
        ("model", lookup.model_stored, lookup.model_current),
        ("evidence", _blocks(lookup.evidence_stored), _blocks(lookup.evidence_current)),
    )
    rows: list[tuple[Cell, ...]] = [
        (_(f"cache.{name}"), Figure(stored or "–"), Figure(current or "–"), same_or_not(stored, current)) for name, stored, current in pairs
    ]
    return Table((_("cache.part"), _("cache.stored"), _("cache.current"), _("cache.compared")), rows)


def _blocks(urls: Sequence[str]) -> str:
    """Block ids with the beginning of their content hash, one a line (``duocthu://{edition}/{block_id}?h=sha256:…``, spec 07)."""
    parsed = [(url.partition("?")[0], url.partition("sha256:")[2][:8]) for url in urls]
    return "\n".join(" · ".join(part for part in ("/".join(path.split("/")[-3:]), digest) if part) for path, digest in parsed)


def same_or_not(stored: str | None, current: str) -> Pill:
    """Whether what is stored equals what is current."""
    equal = (stored or "") == current
    return Pill(_("cache.equal"), "found", "check") if equal else Pill(_("cache.different"), "warning", "cross")


def _staleness(lookup: CacheLookup) -> Pill:
    tone, icon = LOOK[lookup.staleness]
    return Pill(_(f"staleness.{lookup.staleness}"), tone, icon)


def _action(lookup: CacheLookup) -> str:
    return word("cache_action", lookup.action) if lookup.action else "–"


def _about(lookup: CacheLookup) -> str:
    return _("cache.completeness") if lookup.claim_index < 0 else _("binding.claim_number", n=lookup.claim_index + 1)


def _days_left(expires_at: datetime) -> int:
    return max(0, (expires_at - datetime.now(UTC)).days)
