"""Edited rules are tried before they are kept; what is wrong is told at its line."""

from __future__ import annotations

import pytest

from duocthu_core.pipeline.accepting import check_ruleset, lines_of_draft, lines_of_text
from duocthu_core.rulesets.documents import RulesetDraft, assembled, read_ruleset, ruleset_text, table_text
from duocthu_core.rulesets.located import Trail, located
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.problems import Problem, RulesetProblems
from tests.pipeline.corpora import small_corpus


def problems_of(ruleset: Ruleset, draft: RulesetDraft) -> list[Problem]:
    made = assembled(draft, ruleset, name="thử", author="", note="")
    try:
        check_ruleset(made, small_corpus(), line_of=lines_of_draft(draft, ruleset))
    except RulesetProblems as error:
        return error.problems
    return []


def table_edit(ruleset: Ruleset, name: str, old: str, new: str) -> tuple[RulesetDraft, str]:
    text = table_text(ruleset.tables[name])
    assert old in text
    edited = text.replace(old, new, 1)
    return RulesetDraft(base_id=ruleset.ruleset_id, tables={name: edited}), edited


def test_the_rules_that_ship_are_accepted(ruleset: Ruleset) -> None:
    check_ruleset(ruleset, small_corpus())


def test_a_prompt_without_a_mark_is_named(ruleset: Ruleset) -> None:
    draft = RulesetDraft(base_id="").with_field("prompts.judge_user", "Đối chiếu giúp.", ruleset)
    (problem,) = problems_of(ruleset, draft)
    assert (problem.code, problem.place) == ("mark_missing", "prompts.judge_user")
    assert problem.values == {"mark": "{claims}"}


def test_a_guard_that_does_not_exist_is_named_at_its_line(ruleset: Ruleset) -> None:
    text = ruleset_text(ruleset).replace("  unit_mismatch: reject", "  unit_mismach: 'off'", 1)
    with pytest.raises(RulesetProblems) as caught:
        check_ruleset(read_ruleset(text), small_corpus(), line_of=lines_of_text(text, "mine"), source="mine")
    (problem,) = caught.value.problems
    assert (problem.code, problem.values["near"]) == ("unknown_guard", "unit_mismatch")
    assert "unit_mismach" in text.split("\n")[(problem.line or 0) - 1]


@pytest.mark.parametrize(
    ("table", "old", "new", "code"),
    [
        ("units", "    kind: mass\n", "", "missing"),
        ("units", "      - mg\n", "      - true\n", "wrong_kind"),
        ("populations", "tags:\n", "tagss:\n", "missing"),
        ("comparators", "bounds:\n", "bounds: 5\nold_bounds:\n", "wrong_kind"),
        ("answering", "  class_words:", "  class_wordz:", "missing"),
        ("severity", "  unit_mismatch:", "  unit_mismatchh:", "missing"),
    ],
)
def test_a_broken_table_is_told_at_its_line(ruleset: Ruleset, table: str, old: str, new: str, code: str) -> None:
    draft, edited = table_edit(ruleset, table, old, new)
    problems = problems_of(ruleset, draft)
    assert problems, "such rules must not be accepted"
    assert problems[0].code == code, problems
    assert problems[0].place.startswith(f"tables.{table}")
    assert problems[0].line is not None
    if new and code != "missing":
        assert edited.split("\n")[problems[0].line - 1].strip() in new


def test_a_word_added_to_a_table_is_accepted(ruleset: Ruleset) -> None:
    text = table_text(ruleset.tables["units"])
    line = next(line for line in text.split("\n") if line.strip() == "- miligam")
    draft = RulesetDraft(base_id="", tables={"units": text.replace(line, f"{line}\n{line.replace('miligam', 'mi li gam')}", 1)})
    assert problems_of(ruleset, draft) == []


def test_what_was_read_last_is_known_when_reading_fails(ruleset: Ruleset) -> None:
    trail = Trail()
    tables = located({"units": {"mg": {"kind": "mass"}, "g": {"aliases": ["g", 5]}}}, (), trail)
    with pytest.raises(KeyError):
        [entry["kind"] for entry in tables["units"].values()]
    assert trail.last == ("units", "g")
    with pytest.raises(AttributeError):
        [alias.upper() for alias in tables["units"]["g"]["aliases"]]
    assert trail.last == ("units", "g", "aliases", 1)
