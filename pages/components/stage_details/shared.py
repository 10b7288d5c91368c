"""What every stage's module needs beside its own output, and the few states they share."""

from __future__ import annotations

from dataclasses import dataclass

from duocthu_core.agreement.people import JudgeConfidence
from duocthu_core.pipeline.trace import Trace
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.model import EvidenceSpan
from pages.components.facts.parts import Passage, Pill
from pages.frame import formats
from pages.frame.shown_text import Mark, pieces


@dataclass(frozen=True)
class Shown:
    """The trace whose stage is drawn, the rules whose tables name things, and what people say of the judge."""

    trace: Trace
    ruleset: Ruleset
    people: JudgeConfidence | None = None
    """How people agree with the judge of now; None where they have not judged enough of it."""

    def block(self, index: int) -> Evidence | None:
        """The evidence block that citations call ``index``."""
        return next((block for block in self.trace.evidence if block.index == index), None)


def yes_or_no(value: bool, yes: str, no: str) -> Pill:
    """A state that is good or not: never by colour alone."""
    return Pill(yes, "found", "check") if value else Pill(no, "missing", "cross")


def listed(values: tuple[str, ...] | list[str]) -> str:
    """Values in a row, or a dash."""
    return ", ".join(values) or "–"


def quoted_passage(shown: Shown, quote: EvidenceSpan | None) -> Passage | None:
    """The block that ``quote`` stands in, with the quote marked; None where the block is not there or may not be drawn."""
    if quote is None or quote.span is None:
        return None
    block = shown.block(quote.index)
    if block is None or block.quarantined:
        return None
    page = formats.pages(block.page_start, block.page_end, estimated=block.page_estimated)
    about = f"{block.section_title} · {page}"
    return Passage(f"[{block.index}]", pieces(block.text, [Mark(quote.span, "quote")]), about)
