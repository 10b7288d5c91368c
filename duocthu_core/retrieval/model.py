"""Evidence and how it was chosen (spec 03, "Retrieval and decision")."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from duocthu_core.corpus.model import BlockKind

DecisionKind = Literal["ANSWER", "CLARIFY", "VERIFY_PDF", "ABSTAIN"]


class Evidence(BaseModel):
    """One block as the generator, the judge and every check see it. ``index`` is what a citation names (from 1)."""

    model_config = ConfigDict(frozen=True)

    index: int
    block_id: str
    drug_id: str | None
    drug_name: str = ""
    section_key: str | None
    section_title: str = ""
    label: str | None = None
    page_start: int | None = None
    page_end: int | None = None
    page_estimated: bool = False
    kind: BlockKind = "prose"
    quarantined: bool = False
    text: str
    """Label lines and text (``Block.shown_text``): every span of a citation, finding or quote points into this string."""
    url: str = ""


class Candidate(BaseModel):
    """A block that retrieval looked at: its score, and why it was kept or left."""

    model_config = ConfigDict(frozen=True)

    block_id: str
    drug_id: str
    section_key: str
    label: str | None = None
    score: float
    how: Literal["lookup", "search", "reuse"]
    kept: bool
    why: str
    """Code: ``section`` | ``band`` | ``route`` | ``population`` | ``no_page`` | ``quarantined`` | ``limit`` | ``other_band``."""
