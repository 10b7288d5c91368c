"""Counters for Prometheus, fed from finished traces and from the HTTP contract (spec 05, "HTTP"; 04, the extractive counter).

Labels are codes out of closed lists, never text: no question, drug or person shows in a metric.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from duocthu_core.pipeline.outputs import CacheLookup, CacheOutput, RepairOutput
from duocthu_core.pipeline.trace import ModelCall, StageRecord, Trace

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
_SECONDS = (0.001, 0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120)


class Metrics:
    """The counters of one process. Safe to share between threads."""

    def __init__(self) -> None:
        registry = CollectorRegistry()
        self._registry = registry
        self._turns = Counter("duocthu_turns", "Finished turns.", ["outcome", "reject_reason"], registry=registry)
        self._turn_seconds = Histogram("duocthu_turn_seconds", "Wall clock of a turn.", buckets=_SECONDS, registry=registry)
        self._extractive = Counter(
            "duocthu_answer_extractive", "Turns answered by quoting the source, without a generator.", registry=registry
        )
        self._stages = Counter("duocthu_stages", "Stages of finished turns.", ["stage", "status"], registry=registry)
        self._stage_seconds = Histogram(
            "duocthu_stage_seconds", "Wall clock of a stage that ran.", ["stage"], buckets=_SECONDS, registry=registry
        )
        self._calls = Counter("duocthu_model_calls", "Calls to models.", ["purpose", "provider", "result"], registry=registry)
        self._tokens = Counter("duocthu_model_tokens", "Tokens of answered calls.", ["purpose", "provider", "direction"], registry=registry)
        self._cost = Counter("duocthu_model_cost_usd", "Cost of answered calls whose price is known.", ["purpose"], registry=registry)
        self._lookups = Counter("duocthu_cache_lookups", "Look-ups of verdicts.", ["source", "staleness", "action"], registry=registry)
        self._calls_saved = Counter("duocthu_cache_calls_saved", "Judge calls that the cache made needless.", registry=registry)
        self._tokens_saved = Counter("duocthu_cache_tokens_saved", "Tokens that the cache saved.", registry=registry)
        self._failures = Counter("duocthu_cache_failures", "Turns in which the cache failed.", ["warning"], registry=registry)
        self._writes = Counter("duocthu_cache_writes", "Verdicts written over HTTP.", registry=registry)
        self._requests = Counter("duocthu_http_requests", "Requests to the HTTP contract.", ["path", "code"], registry=registry)

    def observe_turn(self, trace: Trace) -> None:
        """Counts a finished turn."""
        self._turns.labels(trace.outcome, trace.reject_reason or "").inc()
        self._turn_seconds.observe(trace.totals.duration_ms / 1000)
        if trace.outcome == "extractive":
            self._extractive.inc()
        for record in trace.stages:
            self._observe_stage(record)

    def observe_lookup(self, staleness: str, action: str) -> None:
        """Counts a look-up over HTTP."""
        self._lookups.labels("http", staleness, action).inc()

    def observe_write(self) -> None:
        """Counts a verdict written over HTTP."""
        self._writes.inc()

    def observe_request(self, path: str, code: int) -> None:
        """Counts a request; ``path`` is one of the contract's own paths, never what a stranger asked for."""
        self._requests.labels(path, str(code)).inc()

    def exposition(self) -> bytes:
        """Everything in the text format of Prometheus."""
        return generate_latest(self._registry)

    def _observe_stage(self, record: StageRecord) -> None:
        self._stages.labels(record.name, record.status).inc()
        if record.status != "skipped":
            self._stage_seconds.labels(record.name).observe(record.duration_ms / 1000)
        for call in record.calls:
            self._observe_call(call)
        if isinstance(record.output, CacheOutput):
            self._calls_saved.inc(record.output.calls_saved)
            self._tokens_saved.inc(record.output.tokens_saved)
            self._observe_lookups(record.output.lookups + ((record.output.completeness,) if record.output.completeness else ()))
        elif isinstance(record.output, RepairOutput):
            self._observe_lookups(record.output.lookups)
        for warning in record.warnings:
            if warning.startswith("cache_"):
                self._failures.labels(warning).inc()

    def _observe_lookups(self, lookups: tuple[CacheLookup, ...]) -> None:
        for lookup in lookups:
            self._lookups.labels("turn", lookup.staleness, lookup.action).inc()

    def _observe_call(self, call: ModelCall) -> None:
        purpose = call.request.purpose
        self._calls.labels(purpose, call.provider, call.error_kind or "answered").inc()
        if call.response is not None:
            self._tokens.labels(purpose, call.provider, "input").inc(call.response.input_tokens)
            self._tokens.labels(purpose, call.provider, "output").inc(call.response.output_tokens)
            self._cost.labels(purpose).inc(call.cost_usd or 0.0)
