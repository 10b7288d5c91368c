"""What the checks say (spec 04): findings with a span on both sides, bindings, verdicts."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from duocthu_core.text.spans import Span

RejectReason = Literal[
    "no_drug",
    "ambiguous_drug",
    "no_evidence",
    "missing_page",
    "quarantined",
    "out_of_scope",
    "reverse_relation",
    "insufficient_evidence",
    "malformed_output",
    "provider_unavailable",
    "request_budget_exhausted",
    "invalid_citation",
    "uncited_claim",
    "ungrounded_number",
    "unit_mismatch",
    "comparator_mismatch",
    "population_mismatch",
    "route_mismatch",
    "negation_mismatch",
    "ranking_claim",
    "absence_as_safety",
    "dropped_label",
    "other_item",
    "low_support",
    "suppressed_number",
    "unsupported_drug",
    "unsupported_claim",
    "incomplete_answer",
]

FindingLevel = Literal["reject", "warn"]
DetailKind = Literal["number", "unit", "bound", "population", "route", "negation", "label", "drug", "wording"]
Stance = Literal["SUPPORTS", "PARTIAL", "CONTRADICTS", "NOT_FOUND"]
VerdictStatus = Literal["supported", "unsupported", "not_run"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class EvidenceSpan(_Frozen):
    """A place in one evidence block; ``span`` is None where the finding is that nothing stands there."""

    index: int
    span: Span | None = None
    text: str = ""


class Finding(_Frozen):
    """One objection of a check to one claim."""

    reason: RejectReason
    level: FindingLevel = "reject"
    token: str | None = None
    """The words of the claim that it is about."""
    claim_span: Span | None = None
    evidence: tuple[EvidenceSpan, ...] = ()
    message: str = ""
    """Key of the sentence for a reader in the message catalogue; ``params`` fills it."""
    params: dict[str, str] = {}


class BoundDetail(_Frozen):
    """One number, unit, bound, population or route of a claim and where it stands in a cited block."""

    kind: DetailKind
    text: str
    claim_span: Span
    found: bool
    evidence: EvidenceSpan | None = None
    """Where it was found; for a miss, what stands there instead, if anything does."""
    reason: RejectReason | None = None
    note: str = ""
    params: dict[str, str] = {}


class BlockCount(_Frozen):
    """A cell of the claim × block matrix: details of the claim found in this cited block."""

    index: int
    found: int
    total: int


class ClaimBinding(_Frozen):
    """A claim bound to its blocks: every detail with both its ends."""

    claim_index: int
    text: str
    citations: tuple[int, ...]
    details: tuple[BoundDetail, ...] = ()
    counts: tuple[BlockCount, ...] = ()


class CheckedClaim(_Frozen):
    """A claim and the findings of a check about it."""

    claim_index: int
    text: str
    citations: tuple[int, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def rejected(self) -> bool:
        """Whether any finding rejects."""
        return any(finding.level == "reject" for finding in self.findings)


class RawVerdict(_Frozen):
    """What the judge said about one claim, untouched."""

    index: int
    stance: Stance
    confidence: int
    evidence_quote: str
    reasoning: str = ""


class Verdict(_Frozen):
    """A claim's status after the ruleset's thresholds were applied to the raw verdict."""

    claim_index: int
    status: VerdictStatus
    raw: RawVerdict | None = None
    why: str = ""
    """Code: ``supported`` | ``stance`` | ``below_confidence`` | ``no_quote`` | ``quote_not_found``
    | ``judge_malformed`` | ``provider_unavailable`` | ``request_budget_exhausted``."""
    quote: EvidenceSpan | None = None
    from_cache: bool = False


class MissingEvidence(_Frozen):
    """An objection of the judge that the answer leaves something out."""

    description: str
    evidence_quote: str


class CheckedObjection(_Frozen):
    """An objection after it was itself checked (spec 04, check 3)."""

    objection: MissingEvidence
    accepted: bool
    why: str
    """Code: ``accepted`` | ``quote_not_in_evidence`` | ``too_little_overlap`` | ``number_not_in_quote`` | ``already_said``."""
    quote: EvidenceSpan | None = None
