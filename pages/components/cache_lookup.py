"""A claim looked up by hand: what the cache would answer, which part of the key or of the judging differs, and who has the same words."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from duocthu_core.bootstrap import Services
from duocthu_core.cache.model import CacheAnswer, CacheEntry, CacheQuery
from duocthu_core.pipeline.recalling import COMPLETENESS_SECTION
from pages.components.cache_entry import drug_and_section, entry_parts, staleness_pill
from pages.components.facts.facts import facts
from pages.components.facts.parts import Cell, Figure, KeyValues, Note, Part, Pill, Table
from pages.frame import formats, labels
from pages.frame.cache_address import CacheAddress, cache_go, cache_here
from pages.frame.words import _, word

_CLAIM_MAX = 2000


def lookup(app: Services) -> None:
    """Draws the form, which the address fills, and what the cache knows of what stands in the address."""
    here = cache_here()
    st.text(_("cache_page.lookup_about"))
    names = {drug_id: monograph.name for drug_id, monograph in app.corpus.monographs.items()}
    sections = {key: labels.section(app.ruleset, key) for key in app.ruleset.tables["sections"]["sections"]}
    sections[COMPLETENESS_SECTION] = _("cache.completeness")
    with st.form("cache_lookup", border=False):
        st.text_area(_("cache_page.claim"), value=here.claim or "", key="cache_claim", height=80, max_chars=_CLAIM_MAX)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            for label, key, options, given in (
                (_("cache_page.drug"), "cache_drugs", names, here.drug),
                (_("cache_page.section"), "cache_sections", sections, here.section),
            ):
                chosen = [part for part in (given or "").split("+") if part in options]
                st.multiselect(label, list(options), chosen, format_func=options.__getitem__, key=key, placeholder=_("cache_page.choose"))
            st.segmented_control(
                _("cache_page.tier"),
                ("free", "premium"),
                format_func=lambda tier: _(f"cache_tier.{tier}"),
                default=here.tier or app.settings.tier,
                required=True,
                key="cache_tier",
            )
            st.form_submit_button(_("cache_page.look_up"), icon=":material/search:", on_click=_look_up, type="primary")
    if here.claim:
        facts(looked_up_parts(_query(here, app), app), key="cache_looked_up")


def _look_up() -> None:
    drugs, sections = st.session_state["cache_drugs"], st.session_state["cache_sections"]
    cache_go(
        claim=st.session_state["cache_claim"].strip() or None,
        drug="+".join(sorted(drugs)) or None,
        section="+".join(sorted(sections)) or None,
        tier=st.session_state["cache_tier"],
    )


def _query(here: CacheAddress, app: Services) -> CacheQuery:
    """What a turn would ask: under the rules and with the judge of now."""
    judge = app.current_judge()
    of_answer = here.section == COMPLETENESS_SECTION
    return CacheQuery(
        claim=here.claim or "",
        drug_id=here.drug,
        section_key=here.section,
        tier=here.tier or app.settings.tier,
        prompt_hash=judge.completeness_prompt_hash if of_answer else judge.prompt_hash,
        framework_version=judge.framework_version,
        model=judge.model,
    )


def looked_up_parts(query: CacheQuery, app: Services) -> list[Part]:
    """The parts that show what is known about ``query``, judged as the next turn would be."""
    cache = app.verification_cache
    answer = cache.get(query)
    entry = answer.entry or cache.entry(query.tier, answer.claim_hash)
    others = [other for other in cache.worded(query.claim) if entry is None or _key(other) != _key(entry)]
    if entry is None:
        parts: list[Part] = [Note(_("cache_page.no_entry"), "accent", "plus"), _head(answer), _current(query)]
    else:
        parts = entry_parts(cache.standing(entry, app.current_judge()), app)
    if others:
        parts.append(_same_words(others, query, app))
    return parts


def _head(answer: CacheAnswer) -> KeyValues:
    rows: list[tuple[str, Cell]] = [
        (_("cache.claim_hash"), Figure(answer.claim_hash or "–")),
        (_("cache.staleness"), _(f"staleness.{answer.staleness}")),
        (_("cache.rule"), word("cache_rule", answer.rule)),
    ]
    return KeyValues(rows, _("cache_page.answer"))


def _current(query: CacheQuery) -> KeyValues:
    rows: list[tuple[str, Cell]] = [
        (_("cache.prompt_hash"), Figure(query.prompt_hash or "–")),
        (_("cache.framework"), Figure(query.framework_version or "–")),
        (_("cache.model"), Figure(query.model or "–")),
    ]
    return KeyValues(rows, _("cache_page.would_be_judged_with"))


def _same_words(others: Sequence[CacheEntry], query: CacheQuery, app: Services) -> Table:
    """Entries with the same words under another key: none of them is ever given for this one."""
    judge = app.current_judge()
    rows: list[tuple[Cell, ...]] = []
    for other in others:
        drug, section = drug_and_section(other, app)
        standing = app.verification_cache.standing(other, judge)
        rows.append(
            (
                _beside(drug or "–", (other.drug_id or "") == (query.drug_id or "")),
                _beside(section or "–", (other.section_key or "") == (query.section_key or "")),
                _beside(_(f"cache_tier.{other.tier}"), other.tier == query.tier),
                _beside(other.schema_name, other.schema_name == query.schema_name),
                staleness_pill(standing),
                Figure(formats.moment(other.updated_at)),
            )
        )
    columns = ("drug", "section", "tier", "profile", "state", "written")
    return Table(tuple(_(f"cache_page.{name}") for name in columns), rows, _("cache_page.same_words"))


def _beside(text: str, equal: bool) -> Cell:
    """A part of the key; marked where it differs from what was asked for."""
    return text if equal else Pill(text, "warning", "cross")


def _key(entry: CacheEntry) -> tuple[str, str]:
    return entry.claim_hash, entry.tier
