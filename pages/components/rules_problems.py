"""What is wrong in edited rules: each fault at its place and line, what stands there, and what to do."""

from __future__ import annotations

import streamlit as st

from duocthu_core.rulesets.problems import Problem, RulesetProblems
from pages.frame.shown_text import shown
from pages.frame.words import _, _n

_SHOWN = 12


def draw_problems(problems: RulesetProblems) -> None:
    """Says that nothing of the edit was saved, and why."""
    st.error(_("rules.broken"), icon=":material/error:")
    with st.container(gap="xsmall"):
        for problem in problems.problems[:_SHOWN]:
            st.text("\n".join(fault_lines(problem)))
    if (more := len(problems.problems) - _SHOWN) > 0:
        st.text(_n("rules.more_faults", more))


def fault_lines(problem: Problem) -> list[str]:
    """Where it is, what is wrong and what to do, and what stands in the line."""
    line = _("rules.line", n=problem.line) if problem.line else ""
    where = " · ".join(filter(None, [shown(problem.place), line]))
    said = [_(f"rules_problem.{problem.code}", **_values(problem))]
    if near := problem.values.get("near"):
        said.append(_("rules.near_here" if problem.code == "missing" else "rules.near", near=shown(near)))
    if problem.code == "not_offered" and problem.place.startswith("guards."):
        said.append(_("rules.guard_levels"))
    lines = [where, " ".join(said)]
    if problem.written:
        lines.append(_("rules.text_line", text=shown(problem.written)))
    return [text for text in lines if text]


def _values(problem: Problem) -> dict[str, str]:
    values = {name: shown(value) for name, value in problem.values.items()}
    for name in ("found", "expected"):
        if name in values:
            values[name] = _either([_(f"rules_kind.{kind}") for kind in values[name].split()])
    return values


def _either(words: list[str]) -> str:
    return words[0] if len(words) == 1 else _("rules.or", a=", ".join(words[:-1]), b=words[-1])
