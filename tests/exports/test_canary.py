"""What must not leave does not: a secret of the settings, personal data of a question; in no trace, file, export, log, metric or error."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from pathlib import Path

import pypdfium2
import pytest

from duocthu_core.bootstrap import Services, bootstrap
from duocthu_core.exports.audit_report import audit_report
from duocthu_core.exports.html_report import html_report
from duocthu_core.exports.pdf_report import pdf_report
from duocthu_core.exports.spans import spans_of
from duocthu_core.exports.traces import traces_csv, traces_jsonl
from duocthu_core.pipeline.trace import Trace
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.settings import load_settings
from tests.pipeline.corpora import small_corpus
from tests.servers.scripted_http import Exchange, ScriptedServer

SECRETS = {
    "DUOCTHU_OPENAI_API_KEY": "canary-key-8f3a77c1",
    "DUOCTHU_HTTP_TOKEN": "canary-token-8f3a77c1",
    "DUOCTHU_PROXY_SECRET": "canary-proxy-8f3a77c1",
}
PHONE, PERSON = "0912345678", "Nguyễn Văn Ba"
QUESTION = f"BN {PERSON}, SĐT {PHONE}: liều paracetamol uống cho người lớn?"


def tells_the_key(exchange: Exchange) -> None:
    """A provider that repeats what it was given, as some do."""
    said = {"error": {"message": f"Incorrect API key provided: {exchange.received.headers.get('Authorization')}", "type": "auth"}}
    exchange.send(401, json.dumps(said).encode())


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Services:
    for name, secret in SECRETS.items():
        monkeypatch.setenv(name, secret)
    monkeypatch.setenv("DUOCTHU_PROXY_USER_HEADER", "X-Forwarded-Email")
    with ScriptedServer(tells_the_key) as server:
        settings = load_settings(
            _env_file=None,
            data_dir=tmp_path,
            answer_provider="openai",
            answer_model="m",
            openai_base_url=f"{server.url}/v1",
            turn_budget_s=5,
        )
        built = bootstrap(settings, corpus=small_corpus())
        built.ask(QUESTION, "c")
        assert server.received
    return built


def everything_that_leaves(services: Services, folder: Path) -> dict[str, str]:
    trace = services.traces.of_conversation("c")[0]
    report = audit_report(trace, [], is_demo=True, made_at=datetime.now(UTC), made_by="local", ruleset=shipped_ruleset(), language="vi")
    files = {str(path): path.read_bytes().decode("utf-8", "replace") for path in folder.rglob("*") if path.is_file()}
    return files | {
        "jsonl": "".join(traces_jsonl([trace])),
        "csv": traces_csv([trace]).decode(),
        "html": html_report(report),
        "pdf": _words(pdf_report(report)),
        "spans": str([(span.name, dict(span.attributes or {}), span.status.description) for span in spans_of(trace)]),
        "metrics": services.metrics.exposition().decode(),
        "settings": repr(services.settings),
    }


def test_no_secret_and_no_personal_data_leave(services: Services, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        services.ask(QUESTION, "c")
    leaving = everything_that_leaves(services, tmp_path) | {"log": caplog.text}
    assert len(leaving) > 8
    for name, text in leaving.items():
        for hidden in (*SECRETS.values(), PHONE, PERSON):
            assert hidden not in text, name


def test_what_happened_is_told_all_the_same(services: Services) -> None:
    trace: Trace = services.traces.of_conversation("c")[0]
    assert (trace.outcome, trace.reject_reason) == ("abstained", "provider_unavailable")
    generation = trace.stage("generation")
    assert generation is not None
    assert "Incorrect API key provided" in (generation.calls[-1].error or "")
    assert "[ĐIỆN THOẠI]" in trace.question


def _words(pdf: bytes) -> str:
    document = pypdfium2.PdfDocument(pdf)
    try:
        return " ".join(page.get_textpage().get_text_bounded() for page in document) + str(document.get_metadata_dict())
    finally:
        document.close()
