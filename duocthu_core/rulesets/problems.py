"""What is wrong in a ruleset: where, at which line, and what to do (spec 01, "Rulesets")."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

ProblemCode = Literal[
    "no_yaml",
    "repeated_key",
    "no_mapping",
    "missing",
    "unknown",
    "bad_value",
    "wrong_kind",
    "mark_missing",
    "unknown_guard",
    "does_not_work",
    "bad_name",
]
"""``no_yaml`` the text is no YAML · ``repeated_key`` a key stands twice · ``no_mapping`` there are no keys at all · ``missing`` a key that
is needed is not there · ``unknown`` a key that nothing reads · ``bad_value`` a value outside its limits · ``wrong_kind`` text where a list
or a table stands in the rules that ship, or the other way round · ``mark_missing`` a prompt without one of its marks · ``unknown_guard``
no guard has that name · ``does_not_work`` the rules cannot be run with it · ``bad_name`` no name for a ruleset."""


class RulesetError(Exception):
    """A ruleset that cannot be read; the message names the file and what to correct."""


class Problem(BaseModel):
    """One thing to correct."""

    model_config = ConfigDict(frozen=True)

    code: ProblemCode
    place: str
    """The field (``prompts.answer_user``, ``tables.units.units.mg``); empty for the document itself."""
    line: int | None = None
    """Line in the text that was edited, from 1; None where no text has it."""
    detail: str = ""

    def sentence(self, source: str) -> str:
        """One line for a terminal: the text it stands in, the line, the field and what is wrong."""
        where = f"{source}, line {self.line}" if self.line else source
        said = ": ".join(part for part in (self.place, self.detail or self.code) if part)
        return " ".join(f"{where}: {said}".split())


class RulesetProblems(RulesetError):
    """Rules that cannot be used; nothing of them was kept. ``problems`` come in the order of the text."""

    def __init__(self, source: str, problems: list[Problem]) -> None:
        self.source = source
        self.problems = problems
        super().__init__(problems[0].sentence(source) + (f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""))
