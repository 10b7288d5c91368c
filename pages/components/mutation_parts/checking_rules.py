"""Under which rules the mutation lab checks: those in force, or any that are stored."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from duocthu_core.bootstrap import Services
from duocthu_core.rulesets.loading import RulesetError
from pages.frame import labels
from pages.frame.rules_trouble import rules_trouble
from pages.frame.shown_text import shown
from pages.frame.words import _


def under_rules(base: Services, asked: str | None) -> tuple[Services, str | None]:
    """The services under the rules that the address names, and that name; those in force where it names none that is known."""
    if asked is None:
        return base, None
    try:
        return base.with_ruleset(asked), asked
    except RulesetError as error:
        st.warning(rules_trouble(error, asked), icon=":material/search_off:")
        return base, None


def choose_rules(base: Services, chosen: str | None, on_change: Callable[[], None]) -> None:
    """The choice, under the key ``mutation_rules``: None, or a name; a name stands for its newest version."""
    names = list(dict.fromkeys(heading.name for heading in base.rulesets.headings()))
    options = [None, *names] if chosen is None or chosen in names else [None, chosen, *names]
    st.selectbox(
        _("mutation.rules"),
        options,
        index=options.index(chosen),
        format_func=lambda name: _label(base, name),
        key="mutation_rules",
        on_change=on_change,
    )


def _label(base: Services, name: str | None) -> str:
    if name is None:
        return _("mutation.rules_in_force", name=shown(labels.ruleset_name(base.ruleset)))
    return _("ruleset.default") if name == "default" else shown(name)
