"""What a review is made of (spec 06, page 3): queues, items, reservations, verdicts as events, drafts.

A verdict is an event that is only ever added. Its key is (trace, claim, reviewer, rubric version, revision): revision 0 is the reviewer's
first verdict, given before the judge or a colleague was seen; what follows is a change.
"""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from duocthu_core.pipeline.trace import Outcome
from duocthu_core.verification.model import RejectReason, Stance, VerdictStatus

Judgement = Literal["right", "wrong", "cannot_tell"]
ErrorKind = Literal[
    "number",
    "unit",
    "population",
    "route",
    "negation",
    "wrong_drug",
    "wrong_section",
    "incomplete",
    "over_cautious",
    "other",
]
Severity = Literal["A", "B", "C", "D", "E", "F", "G", "H", "I"]
"""A category of the NCC MERP index: the harm that could follow if a reader acted on the words."""
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
HARMFUL: frozenset[Severity] = frozenset(SEVERITIES[SEVERITIES.index("E") :])
SEVERE: frozenset[Severity] = frozenset(SEVERITIES[SEVERITIES.index("F") :])
Stratum = Literal["random", "targeted"]
"""``random`` items may enter rates; ``targeted`` ones were chosen because something looked wrong, and may not."""
EventKind = Literal["first", "change", "adjudication"]
Purpose = Literal["review", "adjudication"]
Dispute = Literal["none", "open", "settled"]
RUBRIC_VERSION = "1"
"""Changes when the questions or their possible answers change: verdicts under different rubrics are not compared."""
WHOLE_TURN = -1
"""Stands in the place of a claim's index for the question whether the turn was right not to answer."""
NOTE_MAX_CHARS = 4000
MAX_REVIEWERS = 9


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class QueueFilters(_Frozen):
    """Which stored turns a queue takes: those that meet every filter that is set."""

    outcomes: tuple[Outcome, ...] = ()
    reject_reasons: tuple[RejectReason, ...] = ()
    drug_id: str | None = None
    section_key: str | None = None
    ruleset_id: str | None = None
    generator: str | None = None
    judge: str | None = None
    created_from: AwareDatetime | None = None
    created_before: AwareDatetime | None = None
    guard_warnings: bool = False
    """Only turns in which a guard warned and let the claim pass: the targeted stratum."""


class NewQueue(_Frozen):
    """What a person decides when they make a queue."""

    name: str = Field(min_length=1, max_length=120)
    filters: QueueFilters = QueueFilters()
    stratum: Stratum = "random"
    size: int = Field(ge=1, le=5000)
    reviewers_per_item: int = Field(default=2, ge=1, le=MAX_REVIEWERS)
    assigned_to: tuple[str, ...] = ()
    """Reviewers who alone may take items; empty: every reviewer may."""
    seed: int = 0
    """Of the random choice: the same turns are chosen again from the same store."""


class Queue(_Frozen):
    """A stored queue."""

    queue_id: str
    name: str
    filters: QueueFilters
    stratum: Stratum
    reviewers_per_item: int
    assigned_to: tuple[str, ...] = ()
    seed: int = 0
    rubric_version: str = RUBRIC_VERSION
    created_at: AwareDatetime
    created_by: str


class JudgeOpinion(_Frozen):
    """What the judge said of one claim when the turn ran, raw and after the thresholds."""

    status: VerdictStatus
    stance: Stance | None = None
    confidence: int | None = None
    reasoning: str = ""
    judge_model: str = ""
    prompt_hash: str = ""


class ReviewClaim(_Frozen):
    """One claim that people judge, as it stood in the turn. ``claim_index`` is its place in the draft, from 0, or :data:`WHOLE_TURN`."""

    claim_index: int
    text: str
    citations: tuple[int, ...] = ()
    delivered: bool | None = None
    """False for a claim that the checks kept from the reader; None for a reviewer who has not judged this claim yet."""
    content_hash: str
    """Of the claim and its cited blocks: where it changes, people have to judge again."""
    judge: JudgeOpinion | None = None
    """None where the judge was not asked, and everywhere for a reviewer who has not judged this claim yet."""


class NewItem(_Frozen):
    """A turn on its way into a queue."""

    trace_id: str
    claims: tuple[ReviewClaim, ...]


class Item(_Frozen):
    """One turn of a queue."""

    item_id: str
    queue_id: str
    trace_id: str
    position: int
    """From 1, in the order in which the queue is worked."""
    dispute: Dispute = "none"


class Reservation(_Frozen):
    """A seat at an item, held until ``expires_at`` or, once the work is finished, for good."""

    item_id: str
    reviewer: str
    purpose: Purpose = "review"
    expires_at: AwareDatetime
    finished: bool = False


class Assessment(_Frozen):
    """What a reviewer says of one claim."""

    judgement: Judgement
    error_kind: ErrorKind | None = None
    severity: Severity | None = None
    note: str = Field(default="", max_length=NOTE_MAX_CHARS)


class ClaimAssessment(_Frozen):
    """An assessment and the claim that it is about."""

    claim_index: int
    assessment: Assessment


class ReviewEvent(_Frozen):
    """One entry of the history. Nothing of it is ever changed."""

    event_id: str
    trace_id: str
    claim_index: int
    reviewer: str
    rubric_version: str
    revision: int
    kind: EventKind
    revealed: bool
    """Whether its author had seen the judge and the colleagues by then."""
    assessment: Assessment
    reason: str = ""
    """Why a verdict was changed or an adjudication came out as it did."""
    queue_id: str
    created_at: AwareDatetime


class DraftFields(_Frozen):
    """What a reviewer has chosen and typed for one claim so far; everything may be missing."""

    judgement: Judgement | None = None
    error_kind: ErrorKind | None = None
    severity: Severity | None = None
    note: str = Field(default="", max_length=NOTE_MAX_CHARS)
    reason: str = Field(default="", max_length=NOTE_MAX_CHARS)


class Draft(_Frozen):
    """Work that is not a verdict yet, kept per reviewer."""

    trace_id: str
    claim_index: int
    reviewer: str
    rubric_version: str
    base_revision: int
    """How many verdicts on this claim its author had given when it was typed: a draft from before a verdict never comes back after it."""
    number: int
    """Grows with every change on the author's screen (milliseconds of its clock): of two drafts the later one stays."""
    fields: DraftFields
    saved_at: AwareDatetime


class Progress(_Frozen):
    """How far a queue is. Counted in items."""

    items: int = 0
    finished: int = 0
    """Judged by as many reviewers as the queue wants."""
    begun: int = 0
    """Judged by some, or reserved now."""
    mine: int = 0
    """Judged by the one who asks."""
    reserved: int = 0
    """Open on somebody's screen now."""
    disputes_open: int = 0
    disputes_settled: int = 0


class SeenClaim(_Frozen):
    """A claim as one reviewer may see it: what is blind is not there."""

    claim: ReviewClaim
    revealed: bool
    events: tuple[ReviewEvent, ...] = ()
    """The reviewer's own; after the reveal everybody's, in the order of time."""
    draft: Draft | None = None


class BlindVerdict(_Frozen):
    """A first verdict beside what the judge had said of the same claim: what agreement is computed from."""

    queue_id: str
    trace_id: str
    claim_index: int
    claim_text: str
    content_hash: str
    delivered: bool
    reviewer: str
    verdict: Judgement
    """``cannot_tell`` counts as missing for agreement."""
    error_kind: ErrorKind | None
    severity: Severity | None
    stratum: Stratum
    rubric_version: str
    judge_status: VerdictStatus | None
    judge_stance: Stance | None
    judge_confidence: int | None
    judge_model: str | None
    prompt_hash: str | None
    created_at: AwareDatetime


class VerdictFilters(_Frozen):
    """Which first verdicts agreement is computed from."""

    queue_id: str | None = None
    stratum: Stratum | None = None
    rubric_version: str | None = RUBRIC_VERSION
    judge_model: str | None = None
    prompt_hash: str | None = None
