"""Turns as OpenInference spans, received by a collector on this machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from duocthu_core.exports.spans import SpanSender, send_now, spans_of
from tests.app import sample_traces as sample

TRACES = (*sample.conversation(), sample.hostile())


class Collector:
    """What a collector got, and what it answers."""

    def __init__(self) -> None:
        self.requests: list[ExportTraceServiceRequest] = []
        self.status = 200
        self.address = ""

    def spans(self) -> list[dict[str, str]]:
        return [
            {"name": span.name} | {each.key: each.value.string_value for each in span.attributes}
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


@pytest.fixture
def collector() -> Iterator[Collector]:
    got = Collector()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if got.status == 200:
                got.requests.append(ExportTraceServiceRequest.FromString(body))
            self.send_response(got.status)
            self.end_headers()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    got.address = f"http://127.0.0.1:{server.server_address[1]}/v1/traces"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield got
    server.shutdown()
    server.server_close()


def test_a_collector_receives_turn_stages_and_calls_with_openinference_attributes(collector: Collector) -> None:
    assert send_now(iter(TRACES), collector.address) == (len(TRACES), 0)
    spans = collector.spans()
    kinds = {span["name"]: span["openinference.span.kind"] for span in spans}
    assert kinds["turn"] == "CHAIN"
    assert kinds["retrieval"] == "RETRIEVER"
    assert kinds["guards"] == "GUARDRAIL"
    assert any(span["openinference.span.kind"] == "LLM" and span["llm.input_messages.1.message.content"] for span in spans)
    turn = next(span for span in spans if span.get("duocthu.trace_id") == TRACES[0].trace_id)
    assert turn["input.value"] == TRACES[0].question
    assert turn["session.id"] == TRACES[0].conversation_id


def test_a_trace_sent_twice_has_the_same_ids() -> None:
    first, second = spans_of(TRACES[0]), spans_of(TRACES[0])
    assert [span.context for span in first] == [span.context for span in second]
    assert len({span.context.span_id for span in first if span.context}) == len(first)
    assert all(span.parent is not None for span in first[1:])


def test_a_quarantined_block_is_not_sent() -> None:
    for trace in TRACES:
        locked = [block.text for block in trace.evidence if block.quarantined]
        retrieval = next((span for span in spans_of(trace) if span.name == "retrieval"), None)
        sent = str(dict(retrieval.attributes or {})) if retrieval else ""
        assert not any(text in sent for text in locked if text)


def test_turns_are_sent_in_the_background_and_on_closing(collector: Collector) -> None:
    sender = SpanSender.to(collector.address)
    sender.send(TRACES[0])
    sender.close()
    assert any(span["name"] == "turn" for span in collector.spans())


def test_a_collector_that_refuses_fails_nothing_and_is_counted(collector: Collector) -> None:
    collector.status = 400
    assert send_now(iter(TRACES[:2]), collector.address) == (0, 2)
    sender = SpanSender.to(collector.address)
    sender.send(TRACES[0])
    sender.close()
