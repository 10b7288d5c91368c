"""Why rules that were asked for cannot answer, in the reader's language."""

from __future__ import annotations

from duocthu_core.rulesets.fitness import OutdatedRuleset
from duocthu_core.rulesets.problems import RulesetError
from pages.frame.shown_text import unmarked
from pages.frame.words import _


def rules_trouble(error: RulesetError, name: str) -> str:
    """Rules of another version, or rules that are not there; ``name`` as it was asked for."""
    return _("rules.outdated", name=unmarked(name)) if isinstance(error, OutdatedRuleset) else _("rules.not_there", name=unmarked(name))
