"""What one ruleset changes in another: field by field, texts word by word (spec 06, "Rules")."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.spans import Span
from duocthu_core.text.word_diff import DiffPiece, numbers_whole, word_diff

ChangeKind = Literal["added", "removed", "changed"]
_BOUND_BEFORE = re.compile(r"[<>≤≥=] ?\Z")
_UNIT_AFTER = re.compile(r" ?(?:%|[^\W\d_]+(?:/[^\W\d_]+)*)")
_META = {"name", "author", "note", "parent", "schema_version"}


class FieldChange(BaseModel):
    """One field that differs."""

    model_config = ConfigDict(frozen=True)

    place: str
    """``prompts.answer_rules.2``, ``guards.unit_mismatch``, ``tables.units.units.mg.aliases.0``."""
    kind: ChangeKind
    before: str
    """As text; empty where it was added."""
    after: str
    words: tuple[DiffPiece, ...] = ()
    """The text word by word, where both are texts of several words."""


class RulesetDiff(BaseModel):
    """Two rulesets compared, with the hashes that decide what becomes stale."""

    model_config = ConfigDict(frozen=True)

    before_id: str
    after_id: str
    changes: tuple[FieldChange, ...]
    prompt_hash: tuple[str, str]
    completeness_prompt_hash: tuple[str, str]
    framework_version: tuple[str, str]

    @property
    def is_empty(self) -> bool:
        """Whether the rules are the same."""
        return self.before_id == self.after_id


def diff_rulesets(before: Ruleset, after: Ruleset) -> RulesetDiff:
    """What ``after`` changes in ``before``, in the order of the rules."""
    old, new = dict(_leaves(before.model_dump(mode="json", exclude=_META))), dict(_leaves(after.model_dump(mode="json", exclude=_META)))
    places = list(dict.fromkeys([*old, *new]))
    changes = [_change(place, old.get(place), new.get(place)) for place in places if old.get(place) != new.get(place)]
    return RulesetDiff(
        before_id=before.ruleset_id,
        after_id=after.ruleset_id,
        changes=tuple(changes),
        prompt_hash=(before.prompt_hash, after.prompt_hash),
        completeness_prompt_hash=(before.completeness_prompt_hash, after.completeness_prompt_hash),
        framework_version=(before.framework_version, after.framework_version),
    )


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Every value that holds no others, by place, as JSON. A list of a table is one leaf, a prompt's one a line."""
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _leaves(item, f"{place}.{key}" if place else str(key))
    elif isinstance(value, list) and value and not place.startswith("tables."):
        for number, item in enumerate(value):
            yield from _leaves(item, f"{place}.{number + 1}")
    else:
        yield place, json.dumps(value, ensure_ascii=False, sort_keys=True)


def _change(place: str, before: str | None, after: str | None) -> FieldChange:
    kind: ChangeKind = "added" if before is None else "removed" if after is None else "changed"
    old, new = _readable(before), _readable(after)
    words = word_diff(old, new, doses_whole) if kind == "changed" and (" " in old or " " in new) else ()
    return FieldChange(place=place, kind=kind, before=old, after=new, words=words)


def _readable(value: str | None) -> str:
    if value is None:
        return ""
    content = json.loads(value)
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def doses_whole(text: str) -> list[Span]:
    """The figures of a text with the bound before and the unit after them: a dose is never shown in two halves."""
    found: list[Span] = []
    for span in numbers_whole(text):
        bound = _BOUND_BEFORE.search(text[max(0, span.start - 2) : span.start])
        unit = _UNIT_AFTER.match(text, span.end)
        found.append(Span(span.start - (len(bound.group()) if bound else 0), unit.end() if unit else span.end))
    return found
