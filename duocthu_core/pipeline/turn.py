"""What is known so far in a turn, and what a stage returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from duocthu_core.answering.model import Answer, Claim, Draft, Plan
from duocthu_core.conversation.model import ConversationState, Focus, PendingClarification
from duocthu_core.pipeline.outputs import StageOutput
from duocthu_core.pipeline.recalling import Recalled
from duocthu_core.pipeline.trace import Outcome, StageStatus, Why
from duocthu_core.retrieval.deciding import Decision
from duocthu_core.retrieval.model import Retrieval, Said
from duocthu_core.understanding.model import MaskedItem, Question, ResolvedQuestion
from duocthu_core.verification.model import CheckedObjection, ClaimBinding, RejectReason


@dataclass(frozen=True)
class Ending:
    """How the turn ends, decided by the stage that ended it."""

    outcome: Outcome
    reject_reason: RejectReason | None = None
    clarifying_question: str | None = None
    quick_replies: tuple[str, ...] = ()
    clarifying_said: Said | None = None
    quick_replies_said: tuple[Said | None, ...] = ()


@dataclass(frozen=True)
class StageResult:
    """One stage's typed output, why it came out so, and whether it ends the turn."""

    output: StageOutput | None
    why: Why
    status: StageStatus = "ran"
    ending: Ending | None = None
    warnings: tuple[str, ...] = ()


@dataclass
class Turn:
    """Everything the stages before have established. A stage reads what it needs and sets what it is named for, nothing else."""

    asked: str
    state: ConversationState
    trace_id: str
    now: Callable[[], datetime]
    masked_before: tuple[MaskedItem, ...] = ()
    """What was masked in ``asked`` already, where an earlier turn is run again: the words themselves are kept nowhere."""
    question: Question = field(default_factory=lambda: Question(text=""))
    focus: Focus = field(default_factory=Focus)
    resolved: ResolvedQuestion = field(default_factory=ResolvedQuestion)
    drug_names: dict[str, str] = field(default_factory=dict)
    retrieval: Retrieval | None = None
    decision: Decision | None = None
    plan: Plan | None = None
    draft: Draft | None = None
    claims: tuple[Claim, ...] = ()
    bindings: tuple[ClaimBinding, ...] = ()
    recalled: Recalled = field(default_factory=Recalled)
    objections: tuple[CheckedObjection, ...] = ()
    ending: Ending | None = None
    answer: Answer = field(default_factory=Answer)
    message: str = ""
    disclaimer: str = ""
    state_after: ConversationState | None = None
    pending: PendingClarification | None = None


def stopped(output: StageOutput | None, code: str, ending: Ending, **params: str) -> StageResult:
    """A check ran and ends the turn."""
    return StageResult(output=output, why=Why(code=code, params=params), status="stopped", ending=ending)


def failed(output: StageOutput | None, reason: RejectReason, detail: str) -> StageResult:
    """A stage could not run; the turn ends closed, with the reason that says so."""
    ending = Ending(outcome="abstained", reject_reason=reason)
    return StageResult(output=output, why=Why(code=reason, params={"detail": detail}), status="failed", ending=ending)


def ran(output: StageOutput | None, code: str, **params: str) -> StageResult:
    """A stage did its work and the turn goes on."""
    return StageResult(output=output, why=Why(code=code, params=params))
