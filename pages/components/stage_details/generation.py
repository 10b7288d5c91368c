"""Generation: the claims as parsed, and the JSON as received."""

from __future__ import annotations

from duocthu_core.answering.model import Draft
from duocthu_core.pipeline.outputs import GenerationOutput
from pages.components.facts.parts import Cell, Figure, KeyValues, Note, Part, Raw, Table
from pages.components.stage_details.shared import Shown, listed, yes_or_no
from pages.frame.words import _


def parts(output: GenerationOutput, _shown: Shown) -> list[Part]:
    found: list[Part] = []
    if output.extractive:
        found.append(Note(_("generation.extractive"), "accent", "quote"))
    if output.malformed:
        found.append(Note(_("generation.malformed", detail=output.malformed), "warning", "alert"))
    if len(output.raw) > 1:
        found.append(Note(_("generation.retried"), "quiet", "refresh"))
    if output.draft is not None:
        found += draft_parts(output.draft)
    found += [
        Raw(_("generation.received", n=number), text, folded=number < len(output.raw)) for number, text in enumerate(output.raw, start=1)
    ]
    return found


def draft_parts(draft: Draft) -> list[Part]:
    """A parsed draft: its claims, and whether it found the evidence sufficient."""
    columns = (_("generation.number"), _("generation.claim"), _("generation.citations"), _("generation.drug"))
    rows = [
        (Figure(str(number)), claim.text, Figure(listed([f"[{index}]" for index in claim.citations])), claim.drug_id or "–")
        for number, claim in enumerate(draft.claims, start=1)
    ]
    values: list[tuple[str, Cell]] = [
        (_("generation.sufficient"), yes_or_no(draft.evidence_sufficient, _("sufficiency.enough"), _("sufficiency.not_enough")))
    ]
    if draft.clarifying_question:
        values.append((_("decision.question"), draft.clarifying_question))
    if draft.quick_replies:
        values.append((_("decision.replies"), listed(draft.quick_replies)))
    table: list[Part] = [Table(columns, rows, _("generation.parsed"))] if rows else []
    return [*table, KeyValues(values)]
