"""Whether stored rules fit this version: tables may have gained keys since they were saved, and every stage relies on its keys."""

from __future__ import annotations

from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.problems import RulesetError
from duocthu_core.rulesets.shapes import shape_problems

_NAMED = 3


class OutdatedRuleset(RulesetError):
    """Rules that were saved before this version and cannot answer under it."""


def fitting(ruleset: Ruleset) -> Ruleset:
    """``ruleset``, if this version can answer under it; raises :class:`OutdatedRuleset` with one line that says what to do.

    Nothing is filled in silently: rules under other tables would be other rules under the same id.
    """
    shipped = shipped_ruleset()
    if ruleset.ruleset_id == shipped.ruleset_id:
        return ruleset
    places = [problem.place for _, problem in shape_problems(ruleset.tables, shipped.tables)]
    if not places:
        return ruleset
    more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
    raise OutdatedRuleset(
        f"the rules {ruleset.name!r} ({ruleset.ruleset_id[:19]}) were saved before this version: {', '.join(places[:_NAMED])}{more} do not "
        "fit its tables; add them on the page of rules and save, or answer under the rules that ship: "
        "DUOCTHU_RULESET_PINNED=1 python -m duocthu_core rules activate"
    )
