"""An audit report (spec 06, "Traces, exports"): one turn, its claims, blocks, verdicts, reviews, and hashes to derive again.

The report is data; HTML and PDF only draw it. Both carry the data inside, so that a file shows by itself whether it was altered: the data
must hash to the report's own hash, and drawing it again must give the same file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from duocthu_core.exports.traces import checked_claims, judged_claims
from duocthu_core.pipeline.outputs import EntailmentOutput
from duocthu_core.pipeline.told import told_in
from duocthu_core.pipeline.trace import Outcome, Trace
from duocthu_core.review.model import ReviewEvent
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.catalogue import Language
from duocthu_core.verification.model import RejectReason, Stance, VerdictStatus

DRAWN_BY = 1
"""Rises when the drawing changes: a file of an older one is told apart from an altered file."""


class ReportError(Exception):
    """A file that is no audit report, or no longer the one that was made; one line that says which."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ReportVerdict(_Part):
    """What the judge said of a claim."""

    status: VerdictStatus
    stance: Stance | None
    confidence: int | None
    quote: str


class ReportReview(_Part):
    """What a person said of a claim; ``claim`` is its number from 1, 0 for the whole turn."""

    claim: int
    reviewer: str
    kind: str
    judgement: str
    error_kind: str | None
    severity: str | None
    note: str
    at: AwareDatetime


class ReportClaim(_Part):
    """A claim of the draft."""

    number: int
    text: str
    citations: tuple[int, ...]
    findings: tuple[RejectReason, ...]
    verdict: ReportVerdict | None


class ReportBlock(_Part):
    """A block of evidence. The text of a quarantined one is not given: the printed page is."""

    index: int
    block_id: str
    url: str
    drug_name: str
    section_title: str
    page_start: int | None
    page_end: int | None
    page_estimated: bool
    quarantined: bool
    text: str


class ReportHashes(_Part):
    """What the turn ran under, and the turn itself."""

    trace_sha256: str
    ruleset_id: str
    judge_prompt_hash: str
    framework_version: str
    corpus_id: str


class ReportBody(_Part):
    """Everything of the report but its own hash."""

    report: str = "duocthu.audit"
    drawn_by: int = DRAWN_BY
    language: Language
    made_at: AwareDatetime
    made_by: str
    trace_id: str
    conversation_id: str
    turn_index: int
    asked_at: AwareDatetime
    question: str
    edition: str
    is_demo: bool
    generator: str
    judge: str
    outcome: Outcome
    reject_reason: RejectReason | None
    message: str
    answer: tuple[str, ...]
    """Lines of the delivered answer, with the numbers of the cited blocks."""
    notices: tuple[str, ...]
    claims: tuple[ReportClaim, ...]
    blocks: tuple[ReportBlock, ...]
    reviews: tuple[ReportReview, ...]
    disclaimer: str
    hashes: ReportHashes


class AuditReport(_Part):
    """A report and its hash."""

    body: ReportBody
    sha256: str
    """Over the canonical JSON of ``body``."""


def audit_report(
    trace: Trace,
    reviews: Iterable[ReviewEvent],
    *,
    is_demo: bool,
    made_at: AwareDatetime,
    made_by: str,
    ruleset: Ruleset,
    language: Language,
) -> AuditReport:
    """The report of one stored turn; ``ruleset`` words what the turn told its reader in ``language``."""
    told = told_in(trace, ruleset, language)
    entailment = trace.stage("entailment")
    judged = entailment.output if entailment and isinstance(entailment.output, EntailmentOutput) else None
    body = ReportBody(
        language=language,
        made_at=made_at,
        made_by=made_by,
        trace_id=trace.trace_id,
        conversation_id=trace.conversation_id,
        turn_index=trace.turn_index,
        asked_at=trace.created_at,
        question=trace.question,
        edition=trace.edition,
        is_demo=is_demo,
        generator=trace.models.generator,
        judge=trace.models.judge,
        outcome=trace.outcome,
        reject_reason=trace.reject_reason,
        message=told.question or told.message,
        answer=tuple(_answer_lines(trace)),
        notices=told.notices,
        claims=tuple(_claims(trace)),
        blocks=tuple(_blocks(trace)),
        reviews=tuple(map(_review, reviews)),
        disclaimer=told.disclaimer,
        hashes=ReportHashes(
            trace_sha256=sha256_of(trace),
            ruleset_id=trace.ruleset_id,
            judge_prompt_hash=judged.prompt_hash if judged else "",
            framework_version=judged.framework_version if judged else "",
            corpus_id=trace.corpus_id,
        ),
    )
    return AuditReport(body=body, sha256=sha256_of(body))


def sha256_of(document: BaseModel) -> str:
    """sha256 (hex) over the canonical JSON of a document: sorted keys, no white space, UTF-8."""
    canonical = json.dumps(document.model_dump(mode="json"), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def report_of(data: str | bytes) -> AuditReport:
    """The report that ``data`` (JSON) holds, its hash derived again. Raises :class:`ReportError`."""
    try:
        report = AuditReport.model_validate_json(data)
    except ValidationError as error:
        raise ReportError(f"no audit report ({error.error_count()} errors); give a file that the workbench exported") from None
    derived = sha256_of(report.body)
    if derived != report.sha256:
        raise ReportError(f"the report was altered: its data hash to {derived[:16]}…, it says {report.sha256[:16]}…")
    return report


def _answer_lines(trace: Trace) -> Iterable[str]:
    for block in trace.answer.blocks:
        yield block.title
        for claim in block.claims:
            label = f"{claim.label} " if claim.label else ""
            yield "• " + label + claim.text + " " + "".join(f"[{citation.index}]" for citation in claim.citations)


def _claims(trace: Trace) -> Iterable[ReportClaim]:
    verdicts = {verdict.claim_index: verdict for verdict in judged_claims(trace)}
    for claim in checked_claims(trace):
        verdict = verdicts.get(claim.claim_index)
        raw = verdict.raw if verdict else None
        said = verdict and ReportVerdict(
            status=verdict.status,
            stance=raw.stance if raw else None,
            confidence=raw.confidence if raw else None,
            quote=raw.evidence_quote if raw else "",
        )
        rejecting: list[RejectReason] = [finding.reason for finding in claim.findings if finding.level == "reject"]
        reasons = tuple(dict.fromkeys(rejecting))
        yield ReportClaim(number=claim.claim_index + 1, text=claim.text, citations=claim.citations, findings=reasons, verdict=said)


def _blocks(trace: Trace) -> Iterable[ReportBlock]:
    for evidence in trace.evidence:
        yield ReportBlock(
            index=evidence.index,
            block_id=evidence.block_id,
            url=evidence.url,
            drug_name=evidence.drug_name,
            section_title=evidence.section_title,
            page_start=evidence.page_start,
            page_end=evidence.page_end,
            page_estimated=evidence.page_estimated,
            quarantined=evidence.quarantined,
            text="" if evidence.quarantined else evidence.text,
        )


def _review(event: ReviewEvent) -> ReportReview:
    given = event.assessment
    return ReportReview(
        claim=max(event.claim_index + 1, 0),
        reviewer=event.reviewer,
        kind=event.kind,
        judgement=given.judgement,
        error_kind=given.error_kind,
        severity=given.severity,
        note=given.note,
        at=event.created_at,
    )
