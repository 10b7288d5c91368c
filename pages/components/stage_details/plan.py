"""Plan: how the answer will be laid out, decided from the evidence; no medical facts."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import PlanOutput
from pages.components.facts.parts import Cell, KeyValues, Part
from pages.components.stage_details.shared import Shown, listed
from pages.frame import labels
from pages.frame.words import _, word


def parts(output: PlanOutput, shown: Shown) -> list[Part]:
    plan = output.plan
    rows: list[tuple[str, Cell]] = [
        (_("plan.layout"), word("layout", plan.layout)),
        (_("plan.verbosity"), word("verbosity", plan.verbosity)),
        (_("plan.reasoning_mode"), word("reasoning_mode", plan.reasoning_mode)),
        (_("plan.show_heading"), _("answer_word.yes") if plan.show_heading else _("answer_word.no")),
        (_("plan.needs_warning"), _("answer_word.yes") if plan.needs_warning else _("answer_word.no")),
        (_("plan.figures"), _("plan.figures_forbidden") if plan.suppress_numbers else _("plan.figures_allowed")),
    ]
    if plan.allowed_drug_ids:
        rows.append((_("plan.allowed_drugs"), listed([labels.drug(shown.trace, drug) for drug in plan.allowed_drug_ids])))
    return [KeyValues(rows)]
