"""Grounding: the answer string that check 1 is about. Its claims are drawn by the binding view above these parts."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import GroundingOutput
from pages.components.facts.parts import Part, Raw
from pages.components.stage_details.shared import Shown
from pages.frame.words import _


def parts(output: GroundingOutput, _shown: Shown) -> list[Part]:
    return [Raw(_("grounding.answer_text"), output.answer_text, folded=True)]
