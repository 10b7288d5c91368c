"""Plans, drafts and answers (spec 03, "Plan" to "Answer"; spec 04, "Claims, one representation")."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from duocthu_core.retrieval.model import Notice as Notice
from duocthu_core.retrieval.model import NoticeKind as NoticeKind
from duocthu_core.text.spans import Span

Layout = Literal["dosage", "bullet_list", "prose"]
ReasoningMode = Literal["lookup", "compare", "interaction", "candidate_list"]
BlockTone = Literal["fact_list", "warning", "dosage"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Plan(_Frozen):
    """How the answer will be laid out: decided from the evidence, no medical facts."""

    verbosity: Literal["concise", "detailed"]
    layout: Layout
    reasoning_mode: ReasoningMode
    show_heading: bool
    needs_warning: bool
    suppress_numbers: bool
    allowed_drug_ids: tuple[str, ...] = ()
    """List mode only."""


class Claim(_Frozen):
    """One sentence of the draft with the indices of the blocks that contain it."""

    text: str
    citations: tuple[int, ...]
    drug_id: str | None = None


class Draft(_Frozen):
    """A model's answer, parsed and well formed (nothing in it is checked against evidence yet)."""

    claims: tuple[Claim, ...]
    evidence_sufficient: bool
    clarifying_question: str | None = None
    quick_replies: tuple[str, ...] = ()

    @property
    def answer_text(self) -> str:
        """``text [1][2]`` per claim: the one string that grounding parses (spec 04)."""
        return " ".join(claim.text + " " + "".join(f"[{index}]" for index in claim.citations) for claim in self.claims).strip()


class Citation(_Frozen):
    """Where a delivered claim stands in the book."""

    index: int
    block_id: str
    drug_id: str | None
    drug_name: str
    section_key: str | None
    section_title: str
    page_start: int | None
    page_end: int | None
    page_estimated: bool = False
    edition_mark: str = ""
    """Said beside the page where the text is not the book's own ("Bộ minh hoạ"); empty for the book itself."""
    spans: tuple[Span, ...] = ()
    """The matching places in the evidence text."""


class AnswerClaim(_Frozen):
    """A claim that passed every check, as the reader sees it; ``label`` is printed in front when the claim lacks it."""

    text: str
    citations: tuple[Citation, ...]
    label: str | None = None


class AnswerBlock(_Frozen):
    """Claims under one heading; title and kind come from the section of the cited block."""

    title: str
    kind: BlockTone
    claims: tuple[AnswerClaim, ...]
    drug_id: str | None = None
    section_key: str | None = None


class Answer(_Frozen):
    """What is delivered."""

    blocks: tuple[AnswerBlock, ...] = ()
    notices: tuple[Notice, ...] = ()
