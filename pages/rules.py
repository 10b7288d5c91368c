"""Quy tắc · Rules (spec 06, page 4): edit a ruleset, see what it changes and breaks, try it on a stored turn, save a version."""

from __future__ import annotations

import streamlit as st

from duocthu_core.rulesets.documents import RulesetDraft, draft_between, ruleset_text
from duocthu_core.rulesets.drafts import DraftOvertaken, KeptDraft
from duocthu_core.rulesets.loading import RulesetError, shipped_ruleset
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.problems import RulesetProblems
from duocthu_core.rulesets.renewing import renewing
from duocthu_core.rulesets.store import RulesetConflict
from pages.components.badges.badges import Badge
from pages.components.rules_editor import choose_section, editor
from pages.components.rules_problems import draw_problems
from pages.components.rules_trial import draw_trial
from pages.components.rules_versions import draw_history, draw_in_force
from pages.components.rules_weighing import draw_diff, draw_impact, draw_recompute
from pages.frame import formats, labels
from pages.frame.access import require
from pages.frame.head import page_head
from pages.frame.services import services
from pages.frame.shown_text import shown, unmarked
from pages.frame.words import _

_SAVED, _CONFLICT, _OPENED, _IMPORTED = "rules_saved", "rules_conflict", "rules_opened", "rules_imported"
_OVERTAKEN = "rules_overtaken"
_LONGEST_NAME, _LONGEST_NOTE = 60, 500

user = require("viewer")
app = services()
desk = app.rules_desk
drafts = app.rulesets.store.drafts


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


def kept_draft(base: Ruleset) -> KeptDraft:
    """What was typed over ``base`` so far; it outlives reruns, failed saves and a closed browser."""
    key = f"draft:{base.ruleset_id}"
    if key not in st.session_state:
        usual = KeptDraft(
            draft=RulesetDraft(base_id=base.ruleset_id), base_name=base.name, name="" if base.name == "default" else base.name
        )
        st.session_state[key] = drafts.of(user.name, base.ruleset_id) or usual
    return st.session_state[key]


def keep(before: KeptDraft, now: KeptDraft) -> None:
    """Keeps what was typed; where another tab of the same person kept something else meanwhile, this one is told and both stay."""
    key = f"draft:{now.base_id}"
    st.session_state[key] = now
    if before.says_the_same(now) or _OVERTAKEN in st.session_state:
        return
    try:
        st.session_state[key] = drafts.keep(user.name, now)
    except DraftOvertaken as overtaken:
        st.session_state[_OVERTAKEN] = overtaken


def take_theirs(base: Ruleset, kept: KeptDraft | None) -> None:
    """Shows what the other tab kept."""
    forget(base)
    if kept is not None:
        st.session_state[f"draft:{base.ruleset_id}"] = kept


def take_mine(base: Ruleset, kept: KeptDraft | None) -> None:
    """Keeps what stands here over what the other tab kept."""
    key = f"draft:{base.ruleset_id}"
    st.session_state.pop(_OVERTAKEN, None)
    mine = st.session_state[key].model_copy(update={"revision": kept.revision if kept else 0})
    st.session_state[key] = drafts.keep(user.name, mine)


def take_file(base: Ruleset) -> None:
    """Makes the chosen file a draft over ``base``."""
    file = st.session_state.get("rules_file")
    if file is None:
        return
    try:
        imported = desk.imported(file.getvalue(), file.name)
    except RulesetProblems as problems:
        st.session_state[_CONFLICT] = problems
        return
    before = kept_draft(base)
    draft = draft_between(base, imported)
    name = imported.name if imported.name != "default" else before.name
    forget(base)
    keep(before, before.model_copy(update={"draft": draft, "name": name, "note": imported.note or before.note}))
    st.session_state[_IMPORTED] = not draft.is_empty


def renew(base: Ruleset) -> None:
    """Adds to what was typed over ``base`` what tables have gained since it was saved."""
    before = kept_draft(base)
    now = before.model_copy(update={"draft": renewing(before.draft, base, shipped_ruleset())})
    forget(base)
    keep(before, now)


def offer_renewal(base: Ruleset) -> None:
    """Says of rules that an older version saved what they lack, and adds it where a person wants that."""
    draft = kept_draft(base).draft
    now = renewing(draft, base, shipped_ruleset())
    if now != draft:
        st.warning(_("rules.renew_hint", tables=", ".join(sorted(set(now.tables) - set(draft.tables)))), icon=":material/update:")
        st.button(_("rules.renew"), on_click=renew, args=(base,), icon=":material/playlist_add:")


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
    drafts.drop(user.name, base.ruleset_id)
    forget(base)


def forget(base: Ruleset) -> None:
    """Empties the fields of this session: they show again what is kept."""
    st.session_state.pop(_OVERTAKEN, None)
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
    imported = st.session_state.pop(_IMPORTED, None)
    if imported is not None:
        st.info(_("rules.imported") if imported else _("rules.import_same"), icon=":material/upload_file:")
    if saved is not None:
        st.success(_("rules.saved", name=unmarked(saved.name), version=saved.version), icon=":material/cloud_done:")


base = chosen()
with page_head(
    app, _("rules.title"), [Badge(_("badge.rules", name=labels.ruleset_name(base), id=labels.short_id(base.ruleset_id)), "rules")]
):
    st.download_button(_("rules.export"), lambda: ruleset_text(base), file_name=f"{base.name}.yaml", icon=":material/download:")
headings = app.rulesets.headings()
names = list(dict.fromkeys([heading.name for heading in headings]))
# A save, a restore and a link open other rules, too: the choice says what is open, not what was chosen last.
st.session_state["rules_choice"] = base.name if base.name in names else None
st.selectbox(_("rules.choose"), names, format_func=shown, key="rules_choice", on_change=choose)
told()
draw_in_force(app, base, user)
offer_renewal(base)
overtaken: DraftOvertaken | None = st.session_state.get(_OVERTAKEN)
if overtaken is not None:
    st.warning(_("rules.draft_overtaken"), icon=":material/tab:")
    with st.container(horizontal=True):
        st.button(_("rules.draft_take"), on_click=take_theirs, args=(base, overtaken.kept))
        st.button(_("rules.draft_mine"), on_click=take_mine, args=(base, overtaken.kept))
elsewhere = [kept for kept in drafts.all_of(user.name) if kept.base_id != base.ruleset_id and not kept.draft.is_empty]
if elsewhere:
    with st.expander(_("rules.draft_elsewhere"), icon=":material/edit_note:"):
        for kept in elsewhere:
            label = _("rules.draft_open", name=unmarked(kept.base_name), id=labels.short_id(kept.base_id))
            st.page_link("rules.py", label=label, query_params={"ruleset": kept.base_id})
draw_history(app, base, user)
with st.popover(_("rules.import"), icon=":material/upload_file:"):
    st.text(_("rules.import_hint"))
    st.file_uploader(_("rules.import_file"), type=["yaml", "yml"], key="rules_file", on_change=take_file, args=(base,))
top = st.container(border=True)
section = choose_section()
edit, beside = st.columns([3, 2])
kept = kept_draft(base)
with edit:  # read first and drawn below: what stands above speaks of what has just been typed
    draft = editor(section, base, kept.draft)
made = None
with top:
    name = st.text_input(_("rules.name"), key=f"name:{base.ruleset_id}", value=kept.name, max_chars=_LONGEST_NAME)
    note = st.text_input(_("rules.note"), key=f"note:{base.ruleset_id}", value=kept.note, max_chars=_LONGEST_NOTE)
    keep(kept, kept.model_copy(update={"draft": draft, "name": name, "note": note}))
    if overtaken is None and _OVERTAKEN in st.session_state:
        st.rerun()
    checked = None if draft.is_empty else tried(base, draft)
    if checked is None:
        st.text(_("rules.nothing_changed"))
    elif isinstance(checked, RulesetProblems):
        draw_problems(checked)
    else:
        made = checked.model_copy(update={"name": name, "author": user.name, "note": note})
        draw_impact(desk, base, made)
    with st.container(horizontal=True, vertical_alignment="center"):
        ready = made is not None and bool(name) and user.may("engineer")
        st.button(_("rules.save"), type="primary", disabled=not ready, on_click=save, args=(made, base), icon=":material/save:")
        st.button(_("rules.discard"), disabled=draft.is_empty, on_click=discard, args=(base,), icon=":material/undo:")
        at = kept_draft(base).updated_at
        if at is not None and not draft.is_empty and _OVERTAKEN not in st.session_state:
            st.text(_("rules.draft_kept", time=formats.moment(at, "HH:mm:ss")), width="content")
    if not user.may("engineer"):
        st.text(_("rules.may_not_save"))
with beside:
    if made is None:
        st.text(_("rules.beside"))
    else:
        draw_diff(base, made)
        draw_trial(app, made)
        draw_recompute(desk, base, made)
