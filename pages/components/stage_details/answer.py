"""Answer: what was delivered, and which checks each claim passed on its way."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import AnswerOutput
from duocthu_core.retrieval.telling import notice_text
from pages.components.facts.parts import Figure, KeyValues, Note, Part, Table
from pages.components.stage_details.shared import Shown, listed
from pages.frame import formats
from pages.frame.words import _, language, word


def parts(output: AnswerOutput, shown: Shown) -> list[Part]:
    found: list[Part] = [KeyValues([(_("answer.outcome"), word("outcome", output.outcome))])]
    rows = [
        (
            block.title,
            f"{claim.label} {claim.text}" if claim.label else claim.text,
            Figure(listed([f"[{citation.index}]" for citation in claim.citations])),
            listed([formats.pages(c.page_start, c.page_end, estimated=c.page_estimated) for c in claim.citations]),
        )
        for block in output.answer.blocks
        for claim in block.claims
    ]
    if rows:
        columns = (_("answer.block"), _("answer.claim"), _("answer.citations"), _("answer.pages"))
        found.append(Table(columns, rows, _("answer.delivered")))
    return [*found, *(Note(notice_text(notice, shown.ruleset, language())) for notice in output.answer.notices)]
