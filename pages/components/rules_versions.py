"""The saved versions of a name: who saved what when, open, compare, restore; and which rules answer everybody."""

from __future__ import annotations

import streamlit as st

from duocthu_core.access.model import User
from duocthu_core.bootstrap import Services
from duocthu_core.rulesets.loading import RulesetError
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.store import RulesetConflict, RulesetHeading
from pages.components.rules_weighing import draw_diff
from pages.frame import formats, labels
from pages.frame.access import require
from pages.frame.rules_trouble import rules_trouble
from pages.frame.services import answer_under_rules_in_force
from pages.frame.shown_text import shown, unmarked
from pages.frame.words import _

_AGAINST = "against"
_RESTORED, _REFUSED = "rules_restore_conflict", "rules_activation_refused"


def draw_in_force(app: Services, base: Ruleset, user: User) -> None:
    """Whether the opened rules answer everybody, and the step that makes them, or brings back those before."""
    if refused := st.session_state.pop(_REFUSED, None):
        st.error(refused, icon=":material/error:")
    if base.ruleset_id == app.ruleset.ruleset_id:
        st.badge(_("rules.in_force"), icon=":material/check:", color="green")
    else:
        st.text(_("rules.not_in_force", name=shown(labels.ruleset_name(app.ruleset))))
    if not user.may("engineer"):
        return
    if app.settings.ruleset_pinned:
        st.text(_("rules.pinned"))
        return
    with st.container(horizontal=True):
        if base.ruleset_id != app.ruleset.ruleset_id:
            with st.popover(_("rules.activate"), icon=":material/campaign:"):
                name, before = (shown(labels.ruleset_name(rules)) for rules in (base, app.ruleset))
                st.text(_("rules.activate_ask", name=name, id=labels.short_id(base.ruleset_id), before=before))
                st.button(_("rules.activate_now"), type="primary", key="activate", on_click=_activate, args=(app, base))
        lines = app.rulesets.store.activations(2)
        if lines and lines[0].ruleset_id is not None:
            back = _known(app, lines[1].ruleset_id) if len(lines) > 1 and lines[1].ruleset_id else None
            name = labels.ruleset_name(back or app.rulesets.find(app.settings.ruleset))
            label = _("rules.activate_back", name=unmarked(name))
            st.button(label, key="activate_back", on_click=_activate, args=(app, back), icon=":material/undo:")


def _known(app: Services, ruleset_id: str) -> Ruleset | None:
    try:
        return app.rulesets.find(ruleset_id)
    except RulesetError:
        return None


def _activate(app: Services, ruleset: Ruleset | None) -> None:
    user = require("engineer")
    try:
        app.rules_desk.activate(ruleset, user.name)
    except RulesetError as error:
        st.session_state[_REFUSED] = rules_trouble(error, ruleset.name if ruleset is not None else "")
        return
    answer_under_rules_in_force()


def draw_history(app: Services, base: Ruleset, user: User) -> None:
    """The versions of the opened name, newest first."""
    versions = app.rulesets.store.history(base.name)
    with st.expander(_("rules.history", name=unmarked(labels.ruleset_name(base))), icon=":material/history:"):
        if not versions:
            st.text(_("rules.history_none"))
            return
        if st.session_state.pop(_RESTORED, False):
            st.error(_("rules.conflict", name=unmarked(base.name), author="–"), icon=":material/group:")
        for heading in versions:
            _version(app, heading, base, user, is_head=heading == versions[0])
        others = list(dict.fromkeys(heading.ruleset_id for heading in versions))
        lines = {heading.ruleset_id: _line(heading) for heading in reversed(versions)}
        asked = st.query_params.get(_AGAINST)

        def compare() -> None:
            st.query_params.pop(_AGAINST, None)
            if st.session_state["rules_against"] is not None:
                st.query_params[_AGAINST] = st.session_state["rules_against"]

        against = st.selectbox(
            _("rules.compare_with"),
            others,
            others.index(asked) if asked in others else None,
            format_func=lambda key: shown(lines[key]),
            key="rules_against",
            on_change=compare,
        )
        if against is not None and (other := _known(app, against)) is not None:
            draw_diff(other, base)


def _version(app: Services, heading: RulesetHeading, base: Ruleset, user: User, *, is_head: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(shown(_line(heading)), width="stretch")
        if heading.ruleset_id != base.ruleset_id:
            query = {"ruleset": heading.ruleset_id}
            st.page_link("rules.py", label=_("rules.open_version", version=heading.version), query_params=query)
        if not is_head and user.may("engineer"):
            key = f"restore-{heading.name}-{heading.version}"
            st.button(_("rules.restore"), key=key, on_click=_restore, args=(app, heading), icon=":material/restore:")


def _line(heading: RulesetHeading) -> str:
    time = formats.moment(heading.created_at) if heading.created_at else "–"
    author = labels.person(heading.author) if heading.author else "–"
    return _("rules.version_line", version=heading.version, author=author, time=time, note=heading.note or "–")


def _restore(app: Services, heading: RulesetHeading) -> None:
    user = require("engineer")
    head = app.rulesets.head(heading.name)
    rules = app.rulesets.find(heading.ruleset_id)
    meta: dict[str, str | None] = {"name": heading.name, "author": user.name, "note": _("rules.restored_note", version=heading.version)}
    meta["parent"] = head.ruleset_id if head else None
    try:
        app.rules_desk.save(rules.model_copy(update=meta), head.ruleset_id if head else None, user.name)
    except RulesetConflict:
        st.session_state[_RESTORED] = True
        return
    st.session_state.pop("rules_opened", None)
    st.query_params["ruleset"] = heading.name
