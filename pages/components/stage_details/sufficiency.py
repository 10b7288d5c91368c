"""Sufficiency: a model's opinion whether the evidence answers; it fails open."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import SufficiencyOutput
from pages.components.facts.parts import KeyValues, Note, Part
from pages.components.stage_details.shared import Shown, yes_or_no
from pages.frame.words import _


def parts(output: SufficiencyOutput, _shown: Shown) -> list[Part]:
    opinion = yes_or_no(output.sufficient, _("sufficiency.enough"), _("sufficiency.not_enough"))
    found: list[Part] = [KeyValues([(_("sufficiency.opinion"), opinion), (_("sufficiency.reasoning"), output.reasoning or "–")])]
    if output.failed_open:
        found.insert(0, Note(_("sufficiency.failed_open"), "warning", "alert"))
    return found
