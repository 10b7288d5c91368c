"""A provider that fails, end to end: settings, boto3, the turn, the stored trace (spec 01 "Models", 04 "Budget")."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from duocthu_core.bootstrap import Services, bootstrap
from duocthu_core.pipeline.trace import Trace
from duocthu_core.settings import load_settings
from tests.pipeline.corpora import small_corpus
from tests.servers import converse_server as bedrock
from tests.servers import scripted_http as http
from tests.servers.scripted_http import Answer, ScriptedServer

ACCESS_KEY, SECRET_KEY = "AKIAIOSFODNN7CANARY0", "canary/K7MDENG/bPxRfiCYEXAMPLESECRET0000"
QUESTION = "Liều paracetamol uống cho người lớn?"


@pytest.fixture
def converse(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ScriptedServer]:
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    with bedrock.converse_server() as server:
        yield server


def services_at(server: ScriptedServer, tmp_path: Path, budget_s: float) -> Services:
    settings = load_settings(
        answer_provider="bedrock",
        answer_model="vendor.model",
        bedrock_region="ap-southeast-1",
        bedrock_endpoint_url=server.url,
        data_dir=tmp_path / "data",
        turn_budget_s=budget_s,
    )
    return bootstrap(settings, corpus=small_corpus())


def turn_at(server: ScriptedServer, tmp_path: Path, budget_s: float) -> tuple[Trace, Services]:
    services = services_at(server, tmp_path, budget_s)
    return services.ask(QUESTION, "c"), services


FAILURES: list[tuple[str, Answer, str, str, float]] = [
    ("throttled", bedrock.throttled, "provider_unavailable", "ThrottlingException", 20),
    ("access denied", bedrock.access_denied, "provider_unavailable", "AccessDeniedException", 20),
    ("time-out", http.stay_silent, "request_budget_exhausted", "", 1),
    ("closed connection", http.reset, "provider_unavailable", "Connection", 20),
    ("HTML with status 200", http.html_with_status_200, "malformed_output", "sign in", 20),
    ("half a JSON", http.half_a_json, "malformed_output", "output", 20),
    ("cut off", bedrock.cut_off, "malformed_output", "", 20),
    ("signature", bedrock.signature_refused, "provider_unavailable", "InvalidSignatureException", 20),
]


@pytest.mark.parametrize(("answer", "reason", "words", "budget_s"), [case[1:] for case in FAILURES], ids=[case[0] for case in FAILURES])
def test_each_failure_ends_in_its_own_reason_inside_the_budget(
    converse: ScriptedServer, tmp_path: Path, answer: Answer, reason: str, words: str, budget_s: float
) -> None:
    converse.default = answer
    started = time.monotonic()
    trace, services = turn_at(converse, tmp_path, budget_s)
    assert time.monotonic() - started < budget_s + 5
    assert (trace.outcome, trace.reject_reason) == ("abstained", reason)
    generation = trace.stage("generation")
    assert generation is not None
    assert generation.status == "failed"
    assert words in (generation.calls[-1].error or "")
    assert trace.message
    assert trace.disclaimer
    assert_no_credential(trace, services, tmp_path)


def assert_no_credential(trace: Trace, services: Services, tmp_path: Path) -> None:
    stored = services.traces.load(trace.trace_id)
    assert stored == trace
    written = trace.model_dump_json() + repr(services.settings)
    for secret in (ACCESS_KEY, SECRET_KEY, "AWS4-HMAC-SHA256"):
        assert secret not in written
        for file in (tmp_path / "data").iterdir():
            assert secret.encode() not in file.read_bytes()


def test_without_credentials_the_reader_is_told_that_it_could_not_run(
    converse: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    trace, _ = turn_at(converse, tmp_path, 20)
    assert trace.reject_reason == "provider_unavailable"
    assert converse.received == []


def _both(claims: str, judged: str) -> Answer:
    """Answers the generator with ``claims`` and the judge with ``judged``, told apart by their system prompts."""

    def answer(exchange: Any) -> None:
        asked = exchange.received.body["system"][0]["text"]
        text = claims if "soạn câu trả lời" in asked else judged
        exchange.send(200, bedrock.reply(text))

    return answer


def test_a_judge_that_fails_after_a_good_draft_fails_closed(converse: ScriptedServer, tmp_path: Path) -> None:
    claims = (
        '{"claims": [{"text": "Người lớn, uống: 0,5 - 1 g/lần, cách 4 - 6 giờ một lần; tối đa 4 g/ngày.", "citations": [1],'
        ' "drug_id": null}], "evidence_sufficient": true, "clarifying_question": null, "quick_replies": []}'
    )
    converse.default = _both(claims, "Tôi nghĩ là đúng.")
    trace, _ = turn_at(converse, tmp_path, 20)
    assert (trace.outcome, trace.reject_reason) == ("abstained", "malformed_output")
    entailment = trace.stage("entailment")
    assert entailment is not None
    assert entailment.status == "failed"
    assert trace.totals.input_tokens == 2 * 812
