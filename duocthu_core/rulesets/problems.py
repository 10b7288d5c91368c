"""What is wrong in a ruleset: where, at which line, and what to do (spec 01, "Rulesets").

A problem names its kind and what it is about; the sentence for a reader stands in the catalogue (``rules_problem.CODE``), the one for a
terminal in ``detail``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pydantic import BaseModel, ConfigDict

ProblemCode = Literal[
    "not_utf8",
    "too_big",
    "too_deep",
    "tab",
    "indentation",
    "colon",
    "no_colon",
    "unclosed",
    "escape",
    "first_sign",
    "bad_character",
    "alias",
    "tag",
    "several_documents",
    "no_yaml",
    "repeated_key",
    "no_mapping",
    "missing",
    "unknown",
    "no_number",
    "no_whole_number",
    "no_switch",
    "no_text",
    "no_list",
    "too_small",
    "too_large",
    "not_offered",
    "too_few",
    "too_many",
    "empty_list",
    "empty_text",
    "bad_value",
    "wrong_kind",
    "mark_missing",
    "not_fenced",
    "fence_order",
    "fence_unnamed",
    "unknown_guard",
    "does_not_work",
    "bad_name",
    "name_ships",
]
"""The text as such (``not_utf8`` to ``no_yaml``), its keys (``repeated_key`` to ``unknown``), single values (``no_number`` to
``bad_value``), tables that are not built like those that ship (``wrong_kind``), prompts that do not hold together (``mark_missing`` to
``fence_unnamed``), and what only a trial shows (``does_not_work``)."""

Kind = Literal["mapping", "list", "text", "switch", "number", "nothing"]
"""What stands somewhere, in the words of ``rules_kind.KIND``."""


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
    values: dict[str, str] = {}
    """What the reader's sentence is about: ``least``, ``most``, ``word``, ``near`` (the known key that looks most alike) and the like."""
    written: str = ""
    """What stands in that line."""

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

    def quoting(self, text_of: Callable[[Problem], str | None]) -> RulesetProblems:
        """The same problems, each with what stands in its line of the text it was found in."""
        return RulesetProblems(self.source, [_quoted(problem, text_of(problem)) for problem in self.problems])


def _quoted(problem: Problem, text: str | None) -> Problem:
    if text is None or problem.line is None:
        return problem
    lines = text.split("\n")
    written = lines[problem.line - 1].strip() if problem.line <= len(lines) else ""
    return problem.model_copy(update={"written": written[:_WRITTEN]})


_WRITTEN = 200
