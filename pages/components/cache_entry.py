"""One kept verdict laid open: its key, what it was judged with and what would judge it now, its blocks, what the judge said."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import JsonValue

from duocthu_core.bootstrap import Services
from duocthu_core.cache.evidence_now import EvidenceNow, current_urls, evidence_now
from duocthu_core.cache.hashing import evidence_overlap
from duocthu_core.cache.model import CacheEntry, CurrentJudge, Standing
from duocthu_core.pipeline.recalling import COMPLETENESS_SECTION
from duocthu_core.rulesets.model import Ruleset
from pages.components.facts.parts import Cell, Figure, KeyValues, Note, Part, Pill, Raw, Table, Tone
from pages.components.stage_details.cache import LOOK, same_or_not
from pages.frame import formats, labels
from pages.frame.words import _, _n, word

_EVIDENCE_LOOK: dict[str, tuple[Tone, str]] = {
    "same": ("found", "check"),
    "changed": ("warning", "refresh"),
    "gone": ("missing", "cross"),
    "foreign": ("quiet", "link"),
}
_MEANING: dict[str, tuple[Tone, str]] = {
    "use": ("found", "check"),
    "other_evidence": ("warning", "alert"),
    "recompute": ("accent", "refresh"),
    "judge": ("warning", "refresh"),
    "expired": ("quiet", "clock"),
}
_SECONDS_A_DAY = 86_400


def entry_parts(standing: Standing, app: Services) -> list[Part]:
    """The parts of one entry, beside what would judge it now and the blocks of today's book."""
    entry, ruleset = standing.entry, app.ruleset
    blocks = evidence_now(entry.evidence_urls, app.corpus)
    overlap = evidence_overlap(current_urls(blocks), entry.evidence_urls)
    parts: list[Part] = [meaning_note(standing, overlap, ruleset), _about(standing, app), compared(entry, app.current_judge())]
    parts.append(_evidence(blocks, overlap, ruleset))
    if not current_urls(blocks):
        parts.append(Note(_("cache_page.no_block_left"), "warning", "alert"))
    parts.append(Raw(_("cache_page.processed"), _json(entry.verification_processed)))
    if entry.verification_raw is None:
        return [*parts, Note(_("cache_page.no_raw"), "warning", "alert")]
    return [*parts, Raw(_("cache_page.raw"), _json(entry.verification_raw))]


def meaning_note(standing: Standing, overlap: float, ruleset: Ruleset) -> Note:
    """What the next turn does with the entry: uses it, makes its status anew, or asks the judge."""
    enough = overlap > 0 and overlap >= ruleset.cache.evidence_overlap_min
    code = {"fresh": "use", "stale_framework": "recompute", "stale_prompt": "judge"}.get(standing.staleness, "expired")
    if code in ("use", "recompute") and not enough:
        code = "other_evidence"
    tone, icon = _MEANING[code]
    return Note(_(f"cache_means.{code}"), tone, icon)


def compared(entry: CacheEntry, judge: CurrentJudge) -> Table:
    """What the verdict was made with beside what it would be made with now."""
    prompt = judge.completeness_prompt_hash if entry.section_key == COMPLETENESS_SECTION else judge.prompt_for(entry.prompt_hash)
    pairs = (
        ("prompt_hash", entry.prompt_hash, prompt),
        ("framework", entry.framework_version, judge.framework_version),
        ("model", entry.model, judge.model),
    )
    rows: list[tuple[Cell, ...]] = [
        (_(f"cache.{name}"), Figure(stored or "–"), Figure(current or "–"), same_or_not(stored, current or ""))
        for name, stored, current in pairs
    ]
    return Table((_("cache.part"), _("cache.stored"), _("cache.current"), _("cache.compared")), rows, _("cache_page.judged_with"))


def staleness_pill(standing: Standing) -> Pill:
    """What the entry is worth, as a mark."""
    tone, icon = LOOK[standing.staleness]
    return Pill(_("cache_page.expired") if standing.rule == "expired" else _(f"staleness.{standing.staleness}"), tone, icon)


def claim_shown(entry: CacheEntry) -> str:
    """The claim; of an answer's completeness, the question and how many claims it has."""
    if entry.section_key != COMPLETENESS_SECTION:
        return entry.claim
    try:
        about = json.loads(entry.claim)
        return _n("cache_page.completeness_of", len(about["claims"]), question=str(about["question"]))
    except (ValueError, KeyError, TypeError):  # written by another backend
        return entry.claim


def drug_and_section(entry: CacheEntry, app: Services) -> tuple[str, str]:
    """Names of the drugs and sections of the key."""
    drugs = ", ".join(app.corpus.name_of(drug_id) for drug_id in (entry.drug_id or "").split("+") if drug_id)
    if entry.section_key == COMPLETENESS_SECTION:
        return drugs, _("cache.completeness")
    sections = (entry.section_key or "").split("+")
    return drugs, ", ".join(filter(None, (labels.section(app.ruleset, key) for key in sections)))


def time_left(standing: Standing) -> str:
    """How long the entry is still seen."""
    if standing.rule == "expired":
        return _("cache_page.over_since", at=formats.moment(standing.entry.expires_at))
    days, seconds = divmod(standing.time_left.total_seconds(), _SECONDS_A_DAY)
    return _n("cache_page.days_left", int(days)) if days else _n("cache_page.hours_left", int(seconds // 3600))


def _about(standing: Standing, app: Services) -> KeyValues:
    entry = standing.entry
    drug, section = drug_and_section(entry, app)
    return KeyValues(
        [
            (_("cache_page.claim"), claim_shown(entry)),
            (_("cache_page.drug"), drug or "–"),
            (_("cache_page.section"), section or "–"),
            (_("cache_page.tier"), _(f"cache_tier.{entry.tier}")),
            (_("cache.staleness"), staleness_pill(standing)),
            (_("cache.rule"), word("cache_rule", standing.rule)),
            (_("cache_page.created_at"), formats.moment(entry.created_at)),
            (_("cache.updated_at"), formats.moment(entry.updated_at)),
            (_("cache.expires_at"), f"{formats.moment(entry.expires_at)} · {time_left(standing)}"),
            (_("cache.claim_hash"), Figure(entry.claim_hash)),
            (_("cache_page.profile"), Figure(entry.schema_name)),
        ]
    )


def _evidence(blocks: Sequence[EvidenceNow], overlap: float, ruleset: Ruleset) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for block in blocks:
        tone, icon = _EVIDENCE_LOOK[block.state]
        state = Pill(_(f"cache_evidence.{block.state}"), tone, icon)
        rows.append((Figure(block.block_id or block.url), Figure(_digest(block.url)), Figure(_digest(block.current_url)), state))
    least = formats.number(ruleset.cache.evidence_overlap_min, 2)
    heading = _("cache_page.evidence", overlap=formats.number(overlap, 2), least=least)
    return Table((_("cache_page.block"), _("cache.stored"), _("cache.current"), _("cache.compared")), rows, heading)


def _digest(url: str | None) -> str:
    return (url or "").partition("sha256:")[2][:12] or "–"


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
