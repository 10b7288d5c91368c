"""Repair: the one more generation that was told what was missing, and what its checks said. Its claims are drawn by the binding view."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import RepairOutput
from pages.components.facts.parts import Note, Part, Raw
from pages.components.stage_details.cache import lookup_parts, problem_notes
from pages.components.stage_details.entailment import verdict_parts
from pages.components.stage_details.generation import draft_parts
from pages.components.stage_details.shared import Shown
from pages.frame.words import _, word


def parts(output: RepairOutput, shown: Shown) -> list[Part]:
    if output.accepted:
        state = Note(_("repair.accepted"), "found", "check")
    else:
        state = Note(_("repair.rejected", reason=word("reason", output.reject_reason or "")), "missing", "stop")
    draft = draft_parts(output.draft) if output.draft is not None else []
    raw: list[Part] = [Raw(_("generation.received", n=1), output.raw, folded=True)] if output.raw else []
    known = [*problem_notes(output.cache_problems), *lookup_parts(output.lookups)]
    return [state, *verdict_parts(output.verdicts, shown), *known, *draft, *raw]
