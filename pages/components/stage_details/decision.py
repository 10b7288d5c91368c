"""Decision: what the evidence allows."""

from __future__ import annotations

from itertools import zip_longest

from duocthu_core.pipeline.outputs import DecisionOutput
from duocthu_core.retrieval.model import Said
from duocthu_core.retrieval.telling import notice_text, worded
from pages.components.facts.parts import Cell, KeyValues, Note, Part, Pill, Tone
from pages.components.stage_details.shared import Shown, listed
from pages.frame.words import _, language, word

_LOOK: dict[str, tuple[Tone, str]] = {
    "ANSWER": ("found", "check"),
    "CLARIFY": ("accent", "question"),
    "VERIFY_PDF": ("locked", "lock"),
    "ABSTAIN": ("missing", "stop"),
}


def parts(output: DecisionOutput, shown: Shown) -> list[Part]:
    tone, icon = _LOOK[output.decision]
    rows: list[tuple[str, Cell]] = [(_("decision.decision"), Pill(_(f"decision.{output.decision}"), tone, icon))]
    if output.reject_reason:
        rows.append((_("decision.reason"), word("reason", output.reject_reason)))
    if output.clarifying_question:
        rows.append((_("decision.question"), _in_their_words(output.clarifying_question, output.clarifying_said, shown)))
    if output.quick_replies:
        replies = zip_longest(output.quick_replies, output.quick_replies_said)
        rows.append((_("decision.replies"), listed([_in_their_words(text or "", said, shown) for text, said in replies])))
    rows.append((_("decision.locked_pages"), listed([str(page) for page in output.quarantined_pages])))
    notices = ((notice_text(notice, shown.ruleset, language()), notice.kind) for notice in output.notices)
    return [KeyValues(rows), *(Note(text, "locked" if kind == "quarantine" else "quiet") for text, kind in notices)]


def _in_their_words(stored: str, said: Said | None, shown: Shown) -> str:
    """What was said, in the reader's language where it was kept how."""
    return stored if language() == "vi" else worded(said, shown.ruleset, language(), otherwise=stored)
