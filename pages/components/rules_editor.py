"""The fields of a ruleset: each as what it is (a number, a switch, a text), each table as its YAML text."""

from __future__ import annotations

from typing import Any

import streamlit as st

from duocthu_core.rulesets.documents import RulesetDraft, field_of, table_text
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.rulesets.model import Ruleset
from pages.frame.words import _, word

_SECTIONS = ("guards", "thresholds", "prompts", "conversation", "retrieval", "generation", "cache", "tables")
_LEVELS = ("reject", "warn", "off")
_GUARD_WIDTH = 300


def choose_section() -> str:
    """Which section is edited; it stands in the address by its name: a bound choice would stand there in the reader's language."""
    asked = st.query_params.get("section")
    st.session_state["section"] = asked if asked in _SECTIONS else st.session_state.get("section", "guards")

    def keep() -> None:
        st.query_params["section"] = st.session_state["section"]

    chosen = st.pills(
        _("rules.section"),
        _SECTIONS,
        required=True,
        format_func=lambda name: _(f"rules_section.{name}"),
        key="section",
        on_change=keep,
    )
    return str(chosen)


def editor(section: str, base: Ruleset, draft: RulesetDraft) -> RulesetDraft:
    """Draws one section of ``base`` with what ``draft`` changes in it, and gives the draft with what was typed."""
    if section == "tables":
        return _table(base, draft)
    names = shipped_ruleset().guards if section == "guards" else type(getattr(base, section)).model_fields
    with st.container(horizontal=section == "guards"):
        for name in names:
            place = f"{section}.{name}"
            value = draft.fields.get(place, field_of(base, place))
            draft = draft.with_field(place, _field(place, name, value, base), base)
    return draft


def _field(place: str, name: str, value: Any, base: Ruleset) -> Any:
    key, label = f"{base.ruleset_id}:{place}", word("rule_field", name)
    if place.startswith("guards."):
        label = word("reason", name)
        label = label[:1].upper() + label[1:]
        levels = {level: _(f"guard_level.{level}") for level in _LEVELS}
        return st.selectbox(label, _LEVELS, _LEVELS.index(value), format_func=levels.__getitem__, key=key, width=_GUARD_WIDTH)
    if isinstance(value, bool):
        return st.toggle(label, value, key=key)
    if isinstance(value, int | float):
        return st.number_input(label, value=value, key=key)
    if isinstance(value, list):
        return [st.text_area(f"{label} {number}", text, key=f"{key}.{number}") for number, text in enumerate(value, 1)]
    return st.text_area(label, value, key=key)


def _table(base: Ruleset, draft: RulesetDraft) -> RulesetDraft:
    name = st.selectbox(_("rules.table"), sorted(base.tables), key="table", bind="query-params")
    text = draft.tables.get(name) or table_text(base.tables[name])
    typed = st.text_area(_("rules.table_text"), text, height=480, key=f"{base.ruleset_id}:tables.{name}")
    return draft.with_table(name, typed, base)
