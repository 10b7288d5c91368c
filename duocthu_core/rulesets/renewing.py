"""Rules that were saved before a table gained keys, brought up to date: a person looks at what is added and saves a new version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from duocthu_core.rulesets.documents import RulesetDraft, table_text
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.shapes import shape_problems


def renewing(draft: RulesetDraft, base: Ruleset, shipped: Ruleset) -> RulesetDraft:
    """``draft`` with every key and table of ``shipped`` that ``base`` lacks, in the words that ship. What ``base`` says stays as it is,
    and so do the tables that the draft edits already; what is of another kind than in ``shipped`` is left to the person."""
    if base.ruleset_id == shipped.ruleset_id:
        return draft
    filled = filled_tables(base.tables, shipped.tables)
    for name, table in filled.items():
        if name not in draft.tables and table != base.tables.get(name):
            draft = draft.with_table(name, table_text(table), base)
    return draft


def filled_tables(tables: Mapping[str, Any], shipped: Mapping[str, Any]) -> dict[str, Any]:
    """``tables`` with copies of what ``shipped`` has beyond them, behind what stands there."""
    if all(problem.code != "missing" for _, problem in shape_problems(tables, shipped)):
        return dict(tables)
    filled: dict[str, Any] = {**deepcopy(dict(tables)), **{name: deepcopy(table) for name, table in shipped.items() if name not in tables}}
    for path, problem in shape_problems(tables, shipped):
        key = problem.values.get("word")
        lacking, whole = _at(filled, path), _at(shipped, path)
        if problem.code == "missing" and isinstance(lacking, dict) and isinstance(whole, Mapping) and key in whole:
            lacking.setdefault(key, deepcopy(whole[key]))
    return filled


def _at(tables: Mapping[str, Any], path: Sequence[str | int]) -> Any:
    """What stands at ``path``; None where nothing does."""
    found: Any = tables
    for step in path:
        if isinstance(found, Mapping):
            found = found.get(step)
        elif isinstance(found, list) and isinstance(step, int) and step < len(found):
            found = found[step]
        else:
            return None
    return found
