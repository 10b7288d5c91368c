"""The rules that new turns of the live page run under: those in force, or others that an engineer tries (spec 01, "Rulesets")."""

from __future__ import annotations

import streamlit as st

from duocthu_core.access.model import User
from duocthu_core.bootstrap import Services
from duocthu_core.rulesets.loading import RulesetError
from pages.frame import labels
from pages.frame.rules_trouble import rules_trouble
from pages.frame.services import services
from pages.frame.shown_text import shown
from pages.frame.words import _

_QUERY, _CHOICE = "ruleset", "live_rules"


def tried_rules(app: Services, user: User) -> Services:
    """``app`` under the rules that the address names; as it is where it names none, or somebody reads who may not try rules."""
    asked = st.query_params.get(_QUERY)
    if not asked or not user.may("engineer"):
        return app
    try:
        return app.with_ruleset(asked)
    except RulesetError as error:
        st.warning(rules_trouble(error, asked), icon=":material/search_off:")
        return app


def choose_rules(app: Services, user: User) -> None:
    """Lets an engineer choose the rules of the next questions; others see nothing of it. Rules that are not in force are warned of."""
    if not user.may("engineer"):
        return
    in_force = services().ruleset
    trying = app.ruleset.ruleset_id != in_force.ruleset_id
    title = _("live_rules.trying", name=labels.short_id(app.ruleset.ruleset_id)) if trying else _("live_rules.title")
    with st.popover(title, icon=":material/science:" if trying else ":material/rule:", on_change="rerun", key="live_rules_open") as box:
        if not box.open:
            return
        names = {in_force.ruleset_id: _("replay.in_force", name=labels.ruleset_name(in_force))}
        for heading in app.rulesets.headings():
            names.setdefault(heading.ruleset_id, heading.name)
        names.setdefault(app.ruleset.ruleset_id, app.ruleset.name)
        ids, names = list(names), labels.told_apart(names)

        def chosen() -> None:
            wanted = st.session_state[_CHOICE]
            st.query_params.pop(_QUERY, None)
            if wanted != in_force.ruleset_id:
                st.query_params[_QUERY] = wanted

        st.selectbox(
            _("live_rules.label"),
            ids,
            ids.index(app.ruleset.ruleset_id),
            format_func=lambda key: shown(names[key]),
            key=_CHOICE,
            on_change=chosen,
            required=True,
        )
        st.text(_("live_rules.hint"))
