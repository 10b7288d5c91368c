"""The trace of a turn: what the pages draw, what is stored, compared, exported and replayed (spec 01)."""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from duocthu_core.answering.model import Answer
from duocthu_core.conversation.model import ConversationState
from duocthu_core.language_models.port import ModelErrorKind, ModelRequest, ModelResponse
from duocthu_core.pipeline.outputs import StageOutput
from duocthu_core.retrieval.model import Evidence, Said
from duocthu_core.understanding.model import MaskedItem, ResolvedQuestion
from duocthu_core.verification.model import RejectReason

StageName = Literal[
    "scope",
    "understanding",
    "focus",
    "retrieval",
    "decision",
    "sufficiency",
    "plan",
    "generation",
    "grounding",
    "guards",
    "cache",
    "entailment",
    "completeness",
    "repair",
    "answer",
    "memory",
]
STAGE_ORDER: tuple[StageName, ...] = (
    "scope",
    "understanding",
    "focus",
    "retrieval",
    "decision",
    "sufficiency",
    "plan",
    "generation",
    "grounding",
    "guards",
    "cache",
    "entailment",
    "completeness",
    "repair",
    "answer",
    "memory",
)
OPTIONAL_STAGES: frozenset[StageName] = frozenset({"sufficiency", "repair"})
"""Recorded only when they run."""
StageStatus = Literal["ran", "skipped", "stopped", "failed"]
Outcome = Literal["answered", "clarification", "verify_pdf", "abstained", "extractive", "smalltalk"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Why(_Frozen):
    """Why a stage did what it did: a code for the message catalogue and what fills it."""

    code: str
    params: dict[str, str] = Field(default_factory=dict)


class ModelCall(_Frozen):
    """One call to a model: the exact request and the raw response, or the provider's error (never a credential)."""

    provider: str
    model: str
    request: ModelRequest
    response: ModelResponse | None = None
    error_kind: ModelErrorKind | None = None
    error: str | None = None
    started_at: AwareDatetime
    duration_ms: float
    cost_usd: float | None = None


class StageRecord(_Frozen):
    """One stage of one turn."""

    name: StageName
    status: StageStatus
    why: Why
    output: StageOutput | None = None
    started_at: AwareDatetime
    duration_ms: float = 0.0
    calls: tuple[ModelCall, ...] = ()
    warnings: tuple[str, ...] = ()


class TurnInput(_Frozen):
    """What the turn began with: enough to run it again (spec 01, "Replay")."""

    asked: str
    """This turn's own words, personal data masked; a reply to a question of ours stands alone here."""
    masked: tuple[MaskedItem, ...] = ()
    state: ConversationState
    """The conversation before the turn."""


class TraceModels(_Frozen):
    """Which models took part, as ``provider/model_id``."""

    generator: str
    judge: str


class Totals(_Frozen):
    """Sums over the turn."""

    duration_ms: float = 0.0
    model_calls: int = 0
    judge_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None


class Trace(_Frozen):
    """One whole turn."""

    schema_version: Literal[1] = 1
    trace_id: str
    parent_trace_id: str | None = None
    conversation_id: str
    turn_index: int
    """Running number of the question in its conversation, from 1."""
    created_at: AwareDatetime
    question: str
    """Personal data masked."""
    resolved: ResolvedQuestion
    ruleset_id: str
    corpus_id: str
    edition: str = ""
    models: TraceModels
    outcome: Outcome
    reject_reason: RejectReason | None = None
    message: str = ""
    """What the reader is told beside the answer, in Vietnamese."""
    answer: Answer = Answer()
    clarifying_question: str | None = None
    quick_replies: tuple[str, ...] = ()
    """In Vietnamese, as they were said; so is ``message``."""
    clarifying_said: Said | None = None
    quick_replies_said: tuple[Said | None, ...] = ()
    """The question back and its replies for wording them in another language; None for what is the same in all, or was not kept."""
    disclaimer: str
    evidence: tuple[Evidence, ...] = ()
    stages: tuple[StageRecord, ...]
    totals: Totals
    given: TurnInput | None = None
    """None in a trace of a version that did not keep it."""

    def stage(self, name: StageName) -> StageRecord | None:
        """The record of one stage, or None where it did not come up."""
        return next((record for record in self.stages if record.name == name), None)

    @property
    def stopped_at(self) -> StageRecord | None:
        """The stage that ended the turn early, if any."""
        return next((record for record in self.stages if record.status in ("stopped", "failed")), None)
