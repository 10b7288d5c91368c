"""Decision: what the evidence allows."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import DecisionOutput
from pages.components.facts.parts import Cell, KeyValues, Note, Part, Pill, Tone
from pages.components.stage_details.shared import Shown, listed
from pages.frame.words import _, word

_LOOK: dict[str, tuple[Tone, str]] = {
    "ANSWER": ("found", "check"),
    "CLARIFY": ("accent", "question"),
    "VERIFY_PDF": ("locked", "lock"),
    "ABSTAIN": ("missing", "stop"),
}


def parts(output: DecisionOutput, _shown: Shown) -> list[Part]:
    tone, icon = _LOOK[output.decision]
    rows: list[tuple[str, Cell]] = [(_("decision.decision"), Pill(_(f"decision.{output.decision}"), tone, icon))]
    if output.reject_reason:
        rows.append((_("decision.reason"), word("reason", output.reject_reason)))
    if output.clarifying_question:
        rows.append((_("decision.question"), output.clarifying_question))
    if output.quick_replies:
        rows.append((_("decision.replies"), listed(output.quick_replies)))
    rows.append((_("decision.locked_pages"), listed([str(page) for page in output.quarantined_pages])))
    return [KeyValues(rows), *(Note(notice.text, "locked" if notice.kind == "quarantine" else "quiet") for notice in output.notices)]
