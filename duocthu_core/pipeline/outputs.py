"""What each stage puts out: one type a stage, one discriminated union (spec 01, "A turn is data that flows one way")."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from duocthu_core.answering.model import Answer, Claim, Draft, Notice, Plan
from duocthu_core.conversation.model import Focus
from duocthu_core.retrieval.model import Candidate, DecisionKind, Said
from duocthu_core.understanding.model import Question, RedFlag, ResolvedQuestion
from duocthu_core.verification.dose_arithmetic import DoseWorking
from duocthu_core.verification.model import (
    CheckedClaim,
    CheckedObjection,
    ClaimBinding,
    RawVerdict,
    RejectReason,
    Verdict,
)


class _Output(BaseModel):
    model_config = ConfigDict(frozen=True)


class ScopeOutput(_Output):
    """Whether the book is for this question at all, and what stands above the answer."""

    stage: Literal["scope"] = "scope"
    in_scope: bool
    reject_reason: RejectReason | None = None
    animal: str | None = None
    reverse_pattern: str | None = None
    red_flags: tuple[RedFlag, ...] = ()
    masked_kinds: tuple[str, ...] = ()
    injection_cues: tuple[str, ...] = ()


class UnderstandingOutput(_Output):
    """The question as the rules read it."""

    stage: Literal["understanding"] = "understanding"
    question: Question


class FocusField(_Output):
    """One field of the focus as the reader sees it: from this turn or carried over, how old, how long it still holds."""

    field: str
    value: str | None
    origin: Literal["this_turn", "inherited", "expired", "none"]
    age: int = 0
    """Turns since it was mentioned (a question and its answer are two)."""
    expires_in: int = 0
    from_turn: int | None = None
    """Running number (from 1) of the question that set it."""
    phrase: str = ""


class FocusOutput(_Output):
    """Which drug, section and group the turn is about."""

    stage: Literal["focus"] = "focus"
    before: Focus
    after: Focus
    resolved: ResolvedQuestion
    fields: tuple[FocusField, ...]
    drug_names: dict[str, str] = Field(default_factory=dict)


class RetrievalOutput(_Output):
    """Every candidate with its score and why it was kept or left."""

    stage: Literal["retrieval"] = "retrieval"
    query: str = ""
    candidates: tuple[Candidate, ...] = ()
    reused_evidence_ids: tuple[str, ...] = ()


class DecisionOutput(_Output):
    """What the evidence allows."""

    stage: Literal["decision"] = "decision"
    decision: DecisionKind
    reject_reason: RejectReason | None = None
    clarifying_question: str | None = None
    quick_replies: tuple[str, ...] = ()
    clarifying_said: Said | None = None
    quick_replies_said: tuple[Said | None, ...] = ()
    quarantined_pages: tuple[int, ...] = ()
    notices: tuple[Notice, ...] = ()


class SufficiencyOutput(_Output):
    """A model's opinion whether the evidence answers the question; fails open."""

    stage: Literal["sufficiency"] = "sufficiency"
    sufficient: bool
    reasoning: str = ""
    failed_open: bool = False


class PlanOutput(_Output):
    """How the answer will be laid out."""

    stage: Literal["plan"] = "plan"
    plan: Plan


class GenerationOutput(_Output):
    """The draft as received and as parsed."""

    stage: Literal["generation"] = "generation"
    raw: tuple[str, ...] = ()
    """Reply texts, in order; the second is the identical retry."""
    draft: Draft | None = None
    malformed: str | None = None
    """What was wrong with the last reply."""
    extractive: bool = False


class GroundingOutput(_Output):
    """Check 1 and the binding of every number to its place."""

    stage: Literal["grounding"] = "grounding"
    answer_text: str
    claims: tuple[CheckedClaim, ...]
    bindings: tuple[ClaimBinding, ...] = ()


class GuardsOutput(_Output):
    """Check 1b."""

    stage: Literal["guards"] = "guards"
    claims: tuple[CheckedClaim, ...]
    bindings: tuple[ClaimBinding, ...] = ()
    levels: dict[str, str] = Field(default_factory=dict)


class CacheLookup(_Output):
    """What the verification cache knew about one claim, or about the completeness of the whole answer."""

    claim_index: int
    """From 0; -1 for the completeness of the whole answer."""
    staleness: Literal["fresh", "stale_framework", "stale_prompt", "miss", "off"]
    claim_hash: str = ""
    overlap: float = 0.0
    """Shared part of the evidence, 0 to 1; 0 where nothing is stored."""
    action: str = ""
    """``served`` | ``reprocessed`` (the status made anew from what the judge said, no call) | ``judged``."""
    rule: str = ""
    """Which rule made it so: ``all_equal``, ``framework_differs``, ``prompt_differs``, ``model_differs``, ``no_row`` …"""
    enough_overlap: bool = True
    """False for "fresh, but other evidence", which is judged again."""
    overlap_min: float = 1.0
    """The least overlap of the ruleset."""
    prompt_hash_stored: str | None = None
    prompt_hash_current: str = ""
    framework_stored: str | None = None
    framework_current: str = ""
    model_stored: str | None = None
    model_current: str = ""
    evidence_stored: tuple[str, ...] = ()
    """URLs of the blocks that the stored verdict was made over."""
    evidence_current: tuple[str, ...] = ()
    updated_at: AwareDatetime | None = None
    expires_at: AwareDatetime | None = None
    """When the stored verdict stops being seen."""
    tokens_saved: int = 0
    """Its part of the tokens of the call that once judged it; 0 where it is judged again."""
    cost_saved_usd: float | None = None
    """Likewise; None where nothing is saved or the price is unknown."""


class CacheOutput(_Output):
    """The cache stage: one look-up a claim and one for the completeness of the answer, all in one statement."""

    stage: Literal["cache"] = "cache"
    enabled: bool = False
    lookups: tuple[CacheLookup, ...] = ()
    completeness: CacheLookup | None = None
    calls_saved: int = 0
    """Judge calls that what is known makes needless: one where every claim is known, one more where completeness is known too."""
    tokens_saved: int = 0
    cost_saved_usd: float | None = None
    """None where nothing is saved or a price is unknown."""
    problems: tuple[str, ...] = ()
    """What went wrong with the cache; each claim is then a miss."""


class EntailmentOutput(_Output):
    """Check 2: raw verdicts and the statuses made of them."""

    stage: Literal["entailment"] = "entailment"
    judge_model: str = ""
    prompt_hash: str = ""
    framework_version: str = ""
    raw: tuple[RawVerdict, ...] = ()
    """What the judge said, now or when it was kept; ``index`` is the claim's place from 1."""
    verdicts: tuple[Verdict, ...] = ()
    malformed: str | None = None
    cache_problems: tuple[str, ...] = ()
    """Why verdicts could not be kept."""


class CompletenessOutput(_Output):
    """Check 3: objections, each checked before it counts."""

    stage: Literal["completeness"] = "completeness"
    complete: bool
    objections: tuple[CheckedObjection, ...] = ()
    malformed: str | None = None
    from_cache: bool = False
    cache_problems: tuple[str, ...] = ()
    """Why the judge's answer could not be kept."""


class RepairOutput(_Output):
    """The one repair generation and what its checks said."""

    stage: Literal["repair"] = "repair"
    raw: str = ""
    draft: Draft | None = None
    claims: tuple[CheckedClaim, ...] = ()
    bindings: tuple[ClaimBinding, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    lookups: tuple[CacheLookup, ...] = ()
    """What the verification cache knew about the repaired claims."""
    cache_problems: tuple[str, ...] = ()
    reject_reason: RejectReason | None = None
    accepted: bool = False


class AnswerOutput(_Output):
    """What is delivered to the reader."""

    stage: Literal["answer"] = "answer"
    outcome: str
    answer: Answer
    claims: tuple[Claim, ...] = ()
    """The claims that were delivered, before labels were printed in front."""
    workings: tuple[DoseWorking, ...] = ()
    """Doses per kg or m² of the delivered claims, worked out for the stated patient: shown beside the answer, never in a claim."""


class MemoryOutput(_Output):
    """The conversation before and after the turn."""

    stage: Literal["memory"] = "memory"
    summary_before: str
    summary_after: str
    evicted: tuple[str, ...] = ()
    """Texts of the turns that left the window."""
    turn_count: int


StageOutput = Annotated[
    ScopeOutput
    | UnderstandingOutput
    | FocusOutput
    | RetrievalOutput
    | DecisionOutput
    | SufficiencyOutput
    | PlanOutput
    | GenerationOutput
    | GroundingOutput
    | GuardsOutput
    | CacheOutput
    | EntailmentOutput
    | CompletenessOutput
    | RepairOutput
    | AnswerOutput
    | MemoryOutput,
    Field(discriminator="stage"),
]
