"""A client that asks too often is told when to come back; probes are always answered."""

from __future__ import annotations

from pathlib import Path

from duocthu_core.cache.store import InMemoryCacheStore
from duocthu_core.service.application import create_app
from tests.service.conftest import client_of, services_over


def test_more_than_the_limit_gets_429_and_when_to_come_back(tmp_path: Path) -> None:
    services = services_over(InMemoryCacheStore(), tmp_path, http_requests_per_minute=3)
    with client_of(create_app(services)) as client:
        codes = [client.get("/metrics").status_code for _ in range(5)]
        assert codes == [200, 200, 200, 429, 429]
        refused = client.post("/v1/gather", json={})
        assert refused.status_code == 429
        assert 1 <= int(refused.headers["Retry-After"]) <= 60
        assert client.get("/healthz").status_code == 200


def test_without_a_limit_nobody_is_counted(tmp_path: Path) -> None:
    services = services_over(InMemoryCacheStore(), tmp_path, http_requests_per_minute=0)
    with client_of(create_app(services)) as client:
        assert {client.get("/metrics").status_code for _ in range(20)} == {200}
