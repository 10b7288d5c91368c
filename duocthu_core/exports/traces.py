"""Traces as JSONL, without loss and byte for byte the same when exported again; and their claims as a table for a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from duocthu_core.pipeline.outputs import RepairOutput
from duocthu_core.pipeline.trace import Trace
from duocthu_core.pipeline.trace_store import NO_FILTERS, TraceFilters, TraceStore
from duocthu_core.text.csv_table import csv_table
from duocthu_core.verification.model import CheckedClaim, Finding, Verdict

_PAGE = 200
CSV_HEADER = (
    "trace_id",
    "created_at_utc",
    "conversation_id",
    "turn",
    "question",
    "outcome",
    "reject_reason",
    "drug_ids",
    "section",
    "claim",
    "claim_text",
    "cited_blocks",
    "findings",
    "judge_status",
    "judge_stance",
    "judge_confidence",
    "delivered",
    "generator",
    "judge",
    "ruleset_id",
    "corpus_id",
    "duration_ms",
    "model_calls",
    "cost_usd",
)
"""One row a claim; a turn without a claim has one row."""


class TraceImportError(Exception):
    """A file that cannot be imported; one line that names the line and what to do. Nothing was stored."""


class ImportCount(NamedTuple):
    """What an import did."""

    new: int
    known: int
    """Stored before, with the same content."""


class TraceLine(BaseModel):
    """One line of an export."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    record: Literal["trace"] = "trace"
    trace: Trace


def stored_traces(store: TraceStore, filters: TraceFilters = NO_FILTERS) -> Iterator[Trace]:
    """Every stored trace that meets ``filters``, oldest first, one page in memory at a time."""
    count = store.count(filters)
    for end in range(count, 0, -_PAGE):
        start = max(end - _PAGE, 0)
        for heading in reversed(store.recent(end - start, start, filters)):
            trace = store.load(heading.trace_id)
            if trace is not None:
                yield trace


def traces_jsonl(traces: Iterable[Trace]) -> Iterator[str]:
    """One line a trace."""
    return (TraceLine(trace=trace).model_dump_json() + "\n" for trace in traces)


def import_traces(store: TraceStore, lines: Iterable[str]) -> ImportCount:
    """Stores what :func:`traces_jsonl` wrote. A trace that is stored already stays, and must be the same.

    Raises :class:`TraceImportError` for a line that is no trace or that differs from the stored one, and stores nothing then.
    """
    read = list(_read(lines))
    fresh: dict[str, Trace] = {}
    known = 0
    for number, trace in read:
        before = fresh.get(trace.trace_id) or store.load(trace.trace_id)
        if before is None:
            fresh[trace.trace_id] = trace
        elif before == trace:
            known += 1
        else:
            raise TraceImportError(f"line {number}: trace {trace.trace_id} is stored with another content; take the line out")
    for trace in fresh.values():
        store.save(trace)
    return ImportCount(len(fresh), known)


def _read(lines: Iterable[str]) -> Iterator[tuple[int, Trace]]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield number, TraceLine.model_validate_json(line).trace
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"])) or "the line"
            raise TraceImportError(f"line {number}: no exported trace ({place}: {first['msg']}); export it again") from None


def traces_csv(traces: Iterable[Trace]) -> bytes:
    """One row a claim, for a spreadsheet."""
    return csv_table(CSV_HEADER, (row for trace in traces for row in _rows(trace)))


def _rows(trace: Trace) -> Iterator[list[object]]:
    resolved = trace.resolved
    head = [trace.trace_id, trace.created_at.isoformat(), trace.conversation_id, trace.turn_index, trace.question, trace.outcome]
    head += [trace.reject_reason, " ".join(resolved.drug_ids), resolved.section_key]
    tail = [trace.models.generator, trace.models.judge, trace.ruleset_id, trace.corpus_id, round(trace.totals.duration_ms, 1)]
    tail += [trace.totals.model_calls, trace.totals.cost_usd]
    claims = checked_claims(trace)
    verdicts = {verdict.claim_index: verdict for verdict in judged_claims(trace)}
    blocks = {evidence.index: evidence.block_id for evidence in trace.evidence}
    delivered = trace.outcome in ("answered", "extractive")
    for claim in claims:
        cited = " ".join(blocks.get(index, f"[{index}]") for index in claim.citations)
        findings = " ".join(dict.fromkeys(f"{finding.level}:{finding.reason}" for finding in claim.findings))
        verdict = verdicts.get(claim.claim_index)
        raw = verdict.raw if verdict else None
        said = [verdict.status if verdict else None, raw.stance if raw else None, raw.confidence if raw else None]
        yield [*head, claim.claim_index + 1, claim.text, cited, findings, *said, delivered, *tail]
    if not claims:
        yield [*head, *[None] * 7, delivered, *tail]


def checked_claims(trace: Trace) -> list[CheckedClaim]:
    """The claims of the last draft that was checked, with what grounding and guards found."""
    by_index: dict[int, CheckedClaim] = {}
    for name in ("grounding", "guards"):
        record = trace.stage(name)
        for claim in getattr(record.output, "claims", ()) if record else ():
            before = by_index.get(claim.claim_index)
            findings = (before.findings if before else ()) + claim.findings
            by_index[claim.claim_index] = claim.model_copy(update={"findings": tuple(_once(findings))})
    repaired = _repaired(trace)
    return list(repaired.claims) if repaired is not None else [by_index[index] for index in sorted(by_index)]


def _once(findings: Iterable[Finding]) -> list[Finding]:
    found: list[Finding] = []
    for finding in findings:
        if finding not in found:
            found.append(finding)
    return found


def judged_claims(trace: Trace) -> list[Verdict]:
    """What the judge made of them."""
    repaired = _repaired(trace)
    if repaired is not None:
        return list(repaired.verdicts)
    record = trace.stage("entailment")
    return list(getattr(record.output, "verdicts", ())) if record else []


def _repaired(trace: Trace) -> RepairOutput | None:
    record = trace.stage("repair")
    output = record.output if record else None
    return output if isinstance(output, RepairOutput) and output.claims else None
