"""Traces as OpenTelemetry spans with OpenInference attributes, so that Phoenix or Langfuse read them (spec 06, "Traces, exports").

One span a turn, below it one a stage, below that one a model call. Ids are derived from the trace's own id: sent twice, it is the same
trace. What goes out is what is stored: personal data masked, no credential.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from openinference.semconv.trace import DocumentAttributes, MessageAttributes, OpenInferenceSpanKindValues, SpanAttributes
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, TraceFlags
from opentelemetry.trace.status import Status, StatusCode

from duocthu_core.pipeline.trace import ModelCall, StageName, StageRecord, Trace
from duocthu_core.retrieval.model import Evidence

_RESOURCE = Resource({"service.name": "duocthu-workbench", "openinference.project.name": "duocthu-workbench"})
_SCOPE = InstrumentationScope("duocthu_core")
_JSON = "application/json"
_KINDS: dict[StageName, OpenInferenceSpanKindValues] = {
    "retrieval": OpenInferenceSpanKindValues.RETRIEVER,
    "grounding": OpenInferenceSpanKindValues.GUARDRAIL,
    "guards": OpenInferenceSpanKindValues.GUARDRAIL,
    "scope": OpenInferenceSpanKindValues.GUARDRAIL,
    "entailment": OpenInferenceSpanKindValues.EVALUATOR,
    "completeness": OpenInferenceSpanKindValues.EVALUATOR,
}
_log = logging.getLogger(__name__)


class SpanSender:
    """Sends traces to a collector in the background; a collector that fails or is away never holds up or fails a turn."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._processor = BatchSpanProcessor(exporter)

    @classmethod
    def to(cls, endpoint: str) -> SpanSender:
        """A sender to an OTLP endpoint over HTTP (``http://host:4318/v1/traces``)."""
        return cls(OTLPSpanExporter(endpoint=endpoint))

    def send(self, trace: Trace) -> None:
        """Hands the spans of ``trace`` over. Never raises."""
        try:
            for span in spans_of(trace):
                self._processor.on_end(span)
        except Exception:
            _log.exception("trace %s was not handed to the collector", trace.trace_id)

    def close(self) -> None:
        """Sends what is left and stops."""
        self._processor.shutdown()


def send_now(traces: Iterator[Trace], endpoint: str) -> tuple[int, int]:
    """Sends stored traces to a collector one by one and waits for it; how many arrived, and how many did not."""
    exporter = OTLPSpanExporter(endpoint=endpoint)
    sent = failed = 0
    for trace in traces:
        arrived = exporter.export(spans_of(trace)) is SpanExportResult.SUCCESS
        sent, failed = sent + arrived, failed + (not arrived)
    exporter.shutdown()
    return sent, failed


def spans_of(trace: Trace) -> list[ReadableSpan]:
    """The spans of one turn, the turn's own first."""
    root = _context(trace, "turn")
    about, status = _turn_attributes(trace), _status(trace.stopped_at)
    spans = [_span("turn", root, None, start=trace.created_at, duration_ms=trace.totals.duration_ms, attributes=about, status=status)]
    for number, record in enumerate(trace.stages):
        if record.status == "skipped":
            continue
        context = _context(trace, f"stage-{number}")
        about, status = _stage_attributes(record, trace), _status(record)
        spans.append(
            _span(record.name, context, root, start=record.started_at, duration_ms=record.duration_ms, attributes=about, status=status)
        )
        for place, call in enumerate(record.calls):
            inner, name = _context(trace, f"stage-{number}-call-{place}"), f"{call.request.purpose} {call.model}"
            about = _call_attributes(call)
            status = Status(StatusCode.ERROR, call.error) if call.error else Status(StatusCode.OK)
            spans.append(_span(name, inner, context, start=call.started_at, duration_ms=call.duration_ms, attributes=about, status=status))
    return spans


def _span(
    name: str,
    context: SpanContext,
    parent: SpanContext | None,
    *,
    start: datetime,
    duration_ms: float,
    attributes: dict[str, Any],
    status: Status,
) -> ReadableSpan:
    return ReadableSpan(
        name=name,
        context=context,
        parent=parent,
        resource=_RESOURCE,
        attributes={key: value for key, value in attributes.items() if value is not None},
        kind=SpanKind.INTERNAL,
        instrumentation_scope=_SCOPE,
        status=status,
        start_time=_nanoseconds(start),
        end_time=_nanoseconds(start + timedelta(milliseconds=duration_ms)),
    )


def _context(trace: Trace, place: str) -> SpanContext:
    trace_id = hashlib.sha256(trace.trace_id.encode()).digest()[:16]
    span_id = hashlib.sha256(f"{trace.trace_id}/{place}".encode()).digest()[:8]
    return SpanContext(int.from_bytes(trace_id), int.from_bytes(span_id), is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))


def _status(record: StageRecord | None) -> Status:
    return Status(StatusCode.ERROR, record.why.code) if record is not None and record.status == "failed" else Status(StatusCode.OK)


def _turn_attributes(trace: Trace) -> dict[str, Any]:
    about = {
        "outcome": trace.outcome,
        "reject_reason": trace.reject_reason,
        "ruleset_id": trace.ruleset_id,
        "corpus_id": trace.corpus_id,
        "drug_ids": trace.resolved.drug_ids,
        "section_key": trace.resolved.section_key,
    }
    answered = " ".join(claim.text for block in trace.answer.blocks for claim in block.claims)
    return {
        SpanAttributes.OPENINFERENCE_SPAN_KIND: OpenInferenceSpanKindValues.CHAIN.value,
        SpanAttributes.SESSION_ID: trace.conversation_id,
        SpanAttributes.INPUT_VALUE: trace.question,
        SpanAttributes.OUTPUT_VALUE: answered or trace.clarifying_question or trace.message,
        SpanAttributes.METADATA: _json(about),
        "duocthu.trace_id": trace.trace_id,
        "duocthu.outcome": trace.outcome,
        "duocthu.reject_reason": trace.reject_reason,
    }


def _stage_attributes(record: StageRecord, trace: Trace) -> dict[str, Any]:
    kind = _KINDS.get(record.name, OpenInferenceSpanKindValues.CHAIN)
    attributes: dict[str, Any] = {
        SpanAttributes.OPENINFERENCE_SPAN_KIND: kind.value,
        SpanAttributes.OUTPUT_VALUE: None if record.output is None else record.output.model_dump_json(),
        SpanAttributes.OUTPUT_MIME_TYPE: _JSON,
        "duocthu.stage.status": record.status,
        "duocthu.stage.why": record.why.code,
    }
    if record.name == "retrieval":
        attributes |= {SpanAttributes.INPUT_VALUE: trace.question} | _documents(trace.evidence)
    return attributes


def _documents(evidence: Sequence[Evidence]) -> dict[str, Any]:
    attributes: dict[str, Any] = {}
    for place, block in enumerate(evidence):
        prefix = f"{SpanAttributes.RETRIEVAL_DOCUMENTS}.{place}."
        attributes[prefix + DocumentAttributes.DOCUMENT_ID] = block.block_id
        attributes[prefix + DocumentAttributes.DOCUMENT_CONTENT] = "" if block.quarantined else block.text
        about = {"drug_id": block.drug_id, "section_key": block.section_key, "page_start": block.page_start, "page_end": block.page_end}
        attributes[prefix + DocumentAttributes.DOCUMENT_METADATA] = _json(about)
    return attributes


def _call_attributes(call: ModelCall) -> dict[str, Any]:
    said, request = call.response, call.request
    messages = {}
    for place, (role, text) in enumerate((("system", request.system), ("user", request.user))):
        prefix = f"{SpanAttributes.LLM_INPUT_MESSAGES}.{place}."
        messages |= {prefix + MessageAttributes.MESSAGE_ROLE: role, prefix + MessageAttributes.MESSAGE_CONTENT: text}
    if said is not None:
        prefix = f"{SpanAttributes.LLM_OUTPUT_MESSAGES}.0."
        messages |= {prefix + MessageAttributes.MESSAGE_ROLE: "assistant", prefix + MessageAttributes.MESSAGE_CONTENT: said.text}
    parameters = {"temperature": request.temperature, "max_output_tokens": request.max_output_tokens}
    return messages | {
        SpanAttributes.OPENINFERENCE_SPAN_KIND: OpenInferenceSpanKindValues.LLM.value,
        SpanAttributes.LLM_MODEL_NAME: call.model,
        SpanAttributes.LLM_PROVIDER: call.provider,
        SpanAttributes.LLM_INVOCATION_PARAMETERS: _json(parameters),
        SpanAttributes.INPUT_VALUE: request.user,
        SpanAttributes.OUTPUT_VALUE: said.text if said else None,
        SpanAttributes.LLM_FINISH_REASON: said.stop_reason if said else None,
        SpanAttributes.LLM_TOKEN_COUNT_PROMPT: said.input_tokens if said else None,
        SpanAttributes.LLM_TOKEN_COUNT_COMPLETION: said.output_tokens if said else None,
        SpanAttributes.LLM_TOKEN_COUNT_TOTAL: said.input_tokens + said.output_tokens if said else None,
        SpanAttributes.LLM_COST_TOTAL: call.cost_usd,
        "duocthu.error_kind": call.error_kind,
    }


def _json(about: dict[str, Any]) -> str:
    return json.dumps(about, ensure_ascii=False, sort_keys=True)


def _nanoseconds(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000) * 1_000
