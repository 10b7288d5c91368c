"""Quy tắc · Rules (spec 06, page 4): edit a ruleset, see what it changes and breaks, try it on a stored turn, save a version."""

from __future__ import annotations

import streamlit as st

from duocthu_core.rulesets.documents import RulesetDraft, ruleset_text
from duocthu_core.rulesets.loading import RulesetError
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.problems import RulesetProblems
from duocthu_core.rulesets.store import RulesetConflict
from pages.components.badges.badges import Badge
from pages.components.rules_editor import editor
from pages.components.rules_weighing import draw_diff, draw_impact, draw_problems, draw_recompute, draw_trial
from pages.frame import labels
from pages.frame.access import require
from pages.frame.head import page_head
from pages.frame.services import services
from pages.frame.shown_text import unmarked
from pages.frame.words import _

_SAVED, _CONFLICT, _OPENED = "rules_saved", "rules_conflict", "rules_opened"

user = require("viewer")
app = services()
desk = app.rules_desk


def chosen() -> Ruleset:
    """The ruleset of the address, as this session opened it: a version that somebody saves meanwhile does not slip under what is typed.
    The rules in force where the address names none, or none that exists."""
    asked = st.query_params.get("ruleset")
    if not asked:
        return app.ruleset
    opened: dict[str, Ruleset] = st.session_state.setdefault(_OPENED, {})
    try:
        return opened.setdefault(asked, app.rulesets.find(asked))
    except RulesetError:
        st.warning(_("rules.unknown"), icon=":material/search_off:")
        return app.ruleset


def draft_of(base: Ruleset) -> RulesetDraft:
    """What was typed over ``base`` so far; it outlives reruns and failed saves."""
    return st.session_state.setdefault(f"draft:{base.ruleset_id}", RulesetDraft(base_id=base.ruleset_id))


def tried(base: Ruleset, draft: RulesetDraft) -> Ruleset | RulesetProblems:
    """What the edit makes, or what is wrong in it; trying takes a moment, so the last answer is kept with this session."""
    kept = st.session_state.get("rules_tried")
    if kept is None or kept[0] != draft:
        try:
            found: Ruleset | RulesetProblems = desk.checked(draft, base, name="-", author=user.name, note="")
        except RulesetProblems as problems:
            found = problems
        kept = st.session_state["rules_tried"] = (draft, found)
    return kept[1]


def choose() -> None:
    """Opens another ruleset."""
    st.session_state.pop(_OPENED, None)
    st.query_params["ruleset"] = st.session_state["rules_choice"]


def discard(base: Ruleset) -> None:
    """Forgets what was typed, and opens the newest version."""
    st.session_state.pop(_OPENED, None)
    for key in [key for key in st.session_state if str(key).endswith(base.ruleset_id) or str(key).startswith(f"{base.ruleset_id}:")]:
        del st.session_state[key]


def save(made: Ruleset, base: Ruleset) -> None:
    """Stores the edit as the next version of its name; what was typed stays where that fails."""
    require("engineer")
    head = app.rulesets.head(made.name)
    # Under the name that was opened, the version that was opened is the one that may be replaced; any other name must be new.
    expected = base.ruleset_id if head is not None and made.name == base.name else None
    try:
        saved = desk.save(made, expected, user.name)
    except RulesetConflict as conflict:
        st.session_state[_CONFLICT] = conflict
    except RulesetProblems as problems:
        st.session_state[_CONFLICT] = problems
    else:
        discard(base)
        st.session_state[_SAVED] = saved
        st.query_params["ruleset"] = saved.name


def told() -> None:
    """What became of the last save."""
    trouble, saved = st.session_state.pop(_CONFLICT, None), st.session_state.pop(_SAVED, None)
    if isinstance(trouble, RulesetConflict):
        by = trouble.head.author if trouble.head else ""
        st.error(_("rules.conflict", name=unmarked(trouble.name), author=unmarked(by) or "–"), icon=":material/group:")
    elif isinstance(trouble, RulesetProblems):
        draw_problems(trouble)
    if saved is not None:
        st.success(_("rules.saved", name=unmarked(saved.name), version=saved.version), icon=":material/cloud_done:")


base = chosen()
with page_head(
    app, _("rules.title"), [Badge(_("badge.rules", name=labels.ruleset_name(base), id=labels.short_id(base.ruleset_id)), "rules")]
):
    st.download_button(_("rules.export"), ruleset_text(base), file_name=f"{base.name}.yaml", icon=":material/download:")
headings = app.rulesets.headings()
names = list(dict.fromkeys([heading.name for heading in headings]))
st.selectbox(_("rules.choose"), names, index=names.index(base.name) if base.name in names else None, key="rules_choice", on_change=choose)
told()
top = st.container(border=True)
edit, beside = st.columns([3, 2])
with edit:  # read first and drawn below: what stands above speaks of what has just been typed
    draft = st.session_state[f"draft:{base.ruleset_id}"] = editor(base, draft_of(base))
made = None
with top:
    name = st.text_input(_("rules.name"), key=f"name:{base.ruleset_id}", value="" if base.name == "default" else base.name)
    note = st.text_input(_("rules.note"), key=f"note:{base.ruleset_id}")
    checked = None if draft.is_empty else tried(base, draft)
    if checked is None:
        st.text(_("rules.nothing_changed"))
    elif isinstance(checked, RulesetProblems):
        draw_problems(checked)
    else:
        made = checked.model_copy(update={"name": name, "author": user.name, "note": note})
        draw_impact(desk, base, made)
    with st.container(horizontal=True):
        ready = made is not None and bool(name) and user.may("engineer")
        st.button(_("rules.save"), type="primary", disabled=not ready, on_click=save, args=(made, base), icon=":material/save:")
        st.button(_("rules.discard"), disabled=draft.is_empty, on_click=discard, args=(base,), icon=":material/undo:")
    if not user.may("engineer"):
        st.text(_("rules.may_not_save"))
if made is not None:
    with beside:
        draw_diff(base, made)
        draw_trial(app, made)
        draw_recompute(desk, base, made)
