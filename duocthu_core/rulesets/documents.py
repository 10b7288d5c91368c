"""Whole rulesets as one YAML document each: export, import, and an edit read back with every fault at its line.

``RulesetDraft`` is a ruleset while somebody types: numbers and choices as they are, each table as the text it is edited in.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.problems import Problem, RulesetProblems
from duocthu_core.rulesets.value_faults import problems_of
from duocthu_core.rulesets.yaml_text import YamlText, yaml_text

_DOCUMENT = "the document"


def ruleset_text(ruleset: Ruleset) -> str:
    """``ruleset`` as one YAML document, tables included; the same bytes each time, and again after it was read back."""
    return yaml_text(ruleset.model_dump(mode="json"))


def table_text(table: Mapping[str, Any]) -> str:
    """One phrase table as it is edited."""
    return yaml_text(table)


def read_ruleset(text: str, source: str = _DOCUMENT) -> Ruleset:
    """The ruleset of an exported document; raises :class:`RulesetProblems` with the line of each fault."""
    return ruleset_of(YamlText(text, source))


def ruleset_of(written: YamlText, *, tables: Mapping[str, Any] | None = None) -> Ruleset:
    """The ruleset that ``written`` says, with ``tables`` where it does not hold them itself; raises :class:`RulesetProblems`."""
    content = written.content
    if not isinstance(content, dict):
        raise RulesetProblems(written.source, [Problem(code="no_mapping", place="", line=1, detail="a ruleset is a mapping of its parts")])
    whole = {str(key): value for key, value in content.items()} | ({"tables": dict(tables)} if tables is not None else {})
    try:
        return Ruleset.model_validate(whole)
    except ValidationError as error:
        raise RulesetProblems(written.source, problems_of(error, written.line_of)) from None


class RulesetDraft(BaseModel):
    """A ruleset as it is being edited. Anything may be wrong in it: :func:`assembled` says what."""

    model_config = ConfigDict(frozen=True)

    base_id: str
    """The ruleset that the edit began from: the parent of what is saved."""
    fields: dict[str, Any] = Field(default_factory=dict)
    """Changed fields by place (``thresholds.accept_partial``, ``prompts.answer_rules``, ``guards.unit_mismatch``)."""
    tables: dict[str, str] = Field(default_factory=dict)
    """Changed tables by name, as text."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was changed."""
        return not self.fields and not self.tables

    def with_field(self, place: str, value: Any, base: Ruleset) -> RulesetDraft:
        """The draft with one more changed field; a value that is the base's own again is no change."""
        fields = {name: kept for name, kept in self.fields.items() if name != place}
        return self.model_copy(update={"fields": fields if value == field_of(base, place) else fields | {place: value}})

    def with_table(self, name: str, text: str, base: Ruleset) -> RulesetDraft:
        """The draft with another text of one table; the base's own text is no change."""
        tables = {known: kept for known, kept in self.tables.items() if known != name}
        same = name in base.tables and text == table_text(base.tables[name])
        return self.model_copy(update={"tables": tables if same else tables | {name: text}})


def field_of(ruleset: Ruleset, place: str) -> Any:
    """The value at ``place`` as plain JSON; a guard that is not named rejects."""
    section, _, name = place.partition(".")
    if section == "guards":
        return ruleset.guard_level(name)
    value = getattr(getattr(ruleset, section), name)
    return list(value) if isinstance(value, tuple) else value


def assembled(draft: RulesetDraft, base: Ruleset, *, name: str, author: str, note: str) -> Ruleset:
    """The ruleset that ``draft`` makes of ``base``; raises :class:`RulesetProblems`, a table's faults with their lines in its text."""
    content = base.model_dump(mode="json")
    for place, value in draft.fields.items():
        section, _, field = place.partition(".")
        content[section][field] = _nfc(value)
    problems: list[Problem] = []
    for table, text in draft.tables.items():
        try:
            content["tables"][table] = _table_of(text, table)
        except RulesetProblems as error:
            place = f"tables.{table}"
            problems += [problem.model_copy(update={"place": problem.place or place}) for problem in error.problems]
    if problems:
        raise RulesetProblems("the edit", problems)
    meta = {"name": name, "author": author, "note": note, "parent": base.ruleset_id}
    try:
        return Ruleset.model_validate(content | meta)
    except ValidationError as error:
        raise RulesetProblems("the edit", problems_of(error, None)) from None


def _table_of(text: str, name: str) -> dict[str, Any]:
    written = YamlText(text, f"table {name}")
    if not isinstance(written.content, dict):
        raise RulesetProblems(written.source, [Problem(code="no_mapping", place="", line=1, detail="a table is a mapping of its parts")])
    return {str(key): value for key, value in written.content.items()}


def _nfc(value: Any) -> Any:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    return [_nfc(item) for item in value] if isinstance(value, list) else value


def draft_between(base: Ruleset, other: Ruleset) -> RulesetDraft:
    """The edit that makes the rules of ``other`` of ``base``: what an imported document changes, to be looked at before it is saved."""
    draft = RulesetDraft(base_id=base.ruleset_id)
    for section in ("prompts", "thresholds", "conversation", "retrieval", "generation", "cache"):
        for name in type(getattr(base, section)).model_fields:
            place = f"{section}.{name}"
            draft = draft.with_field(place, field_of(other, place), base)
    for guard in dict.fromkeys([*base.guards, *other.guards]):
        draft = draft.with_field(f"guards.{guard}", field_of(other, f"guards.{guard}"), base)
    for name, table in other.tables.items():
        if base.tables.get(name) != table or list(base.tables[name]) != list(table):
            draft = draft.with_table(name, table_text(table), base)
    return draft
