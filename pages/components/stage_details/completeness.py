"""Completeness: the judge's objections, each accepted or ignored, and why."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import CompletenessOutput
from duocthu_core.verification.model import CheckedObjection
from pages.components.facts.parts import Cell, Group, KeyValues, Note, Part, Pill
from pages.components.stage_details.cache import problem_notes
from pages.components.stage_details.shared import Shown, quoted_passage
from pages.frame.words import _, word


def parts(output: CompletenessOutput, shown: Shown) -> list[Part]:
    found: list[Part] = [*problem_notes(output.cache_problems)]
    if output.from_cache:
        found.append(Note(_("completeness.from_cache"), "accent", "refresh"))
    if output.malformed:
        found.append(Note(_("entailment.malformed", detail=output.malformed), "warning", "alert"))
    elif output.complete:
        found.append(Note(_("completeness.complete"), "found", "check"))
    else:
        found.append(Note(_("completeness.incomplete"), "warning", "alert"))
    if not output.objections:
        return [*found, Note(_("completeness.no_objections"))]
    return [*found, *(_objection(number, item, shown) for number, item in enumerate(output.objections, start=1))]


def _objection(number: int, checked: CheckedObjection, shown: Shown) -> Group:
    state = Pill(_("completeness.accepted"), "warning", "alert") if checked.accepted else Pill(_("completeness.ignored"), "quiet", "dash")
    rows: list[tuple[str, Cell]] = [
        (_("completeness.description"), checked.objection.description),
        (_("completeness.quote"), f"“{checked.objection.evidence_quote}”"),
        (_("completeness.why"), word("objection", checked.why)),
    ]
    passage = quoted_passage(shown, checked.quote)
    return Group(_("completeness.objection", n=number), [KeyValues(rows), *([passage] if passage else [])], state)
