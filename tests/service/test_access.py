"""Who may ask: this machine, or who holds the token (spec 05: loopback by default)."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from duocthu_core.bootstrap import Services
from duocthu_core.cache.store import InMemoryCacheStore
from duocthu_core.service.access import check_binding, is_loopback
from duocthu_core.service.application import create_app
from duocthu_core.service.mounting import contract_routes
from duocthu_core.settings import SettingsError, load_settings
from tests.servers.contract_server import client_of, served
from tests.service.conftest import ASKED, WRITTEN, services_over

TOKEN = "a-token-of-sixteen-and-more"
GUARDED = (("POST", "/v1/gather"), ("POST", "/v1/verification_cache"), ("GET", "/metrics"), ("GET", "/v1/openapi.json"), ("GET", "/x"))


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[httpx.Client]:
    with client_of(create_app(services_over(InMemoryCacheStore(), tmp_path, DUOCTHU_HTTP_TOKEN=TOKEN))) as client:
        yield client


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost", "LOCALHOST", "::1%lo"])
def test_this_machine(host: str) -> None:
    assert is_loopback(host)
    check_binding(host, "")


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "192.168.1.4", "10.0.0.1", "example.com", "localhost.example.com", "", "127.0.0.1.nip.io"]
)
def test_other_machines_need_a_token(host: str) -> None:
    assert not is_loopback(host)
    with pytest.raises(SettingsError, match="DUOCTHU_HTTP_TOKEN"):
        check_binding(host, "")
    check_binding(host, TOKEN)


@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", "Bearer x", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN.upper()}"],
)
def test_without_the_token_nothing_is_served(guarded: httpx.Client, authorization: str | None) -> None:
    headers = {} if authorization is None else {"Authorization": authorization}
    for method, path in GUARDED:
        answer = guarded.request(method, path, headers=headers)
        assert (answer.status_code, answer.headers.get("WWW-Authenticate")) == (401, "Bearer"), (method, path)
        assert TOKEN not in answer.text


def test_with_the_token_everything_is_served(guarded: httpx.Client) -> None:
    guarded.headers["Authorization"] = f"Bearer {TOKEN}"
    assert guarded.post("/v1/verification_cache", json=WRITTEN).status_code == 200
    assert guarded.post("/v1/gather", json=ASKED).json()["brain_meta"]["verification_staleness"] == "fresh"
    assert guarded.get("/metrics", headers={"Authorization": f"bearer  {TOKEN}"}).status_code == 200


def test_a_probe_needs_no_token(guarded: httpx.Client) -> None:
    assert guarded.get("/healthz").status_code == 200


def test_a_body_is_not_read_for_who_may_not_ask(guarded: httpx.Client) -> None:
    assert guarded.post("/v1/gather", content=b"x" * 100_000).status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.nip.io:8090"},
        {"Host": "localhost@evil.example"},
        {"Host": "[::2]:80"},
        {"X-Forwarded-For": "203.0.113.7"},
        {"Forwarded": "for=203.0.113.7"},
        {"X-Real-IP": "203.0.113.7"},
    ],
    ids=str,
)
def test_without_a_token_set_only_this_machine_is_served(memory_http: httpx.Client, headers: dict[str, str]) -> None:
    answer = memory_http.post("/v1/gather", json=ASKED, headers=headers)
    assert (answer.status_code, "DUOCTHU_HTTP_TOKEN" in answer.text) == (403, True)
    assert memory_http.post("/v1/gather", json=ASKED, headers={"Host": "localhost:8090"}).status_code == 200
    assert memory_http.post("/v1/gather", json=ASKED, headers={"Host": "[::1]:8090"}).status_code == 200


def own_address() -> str:
    """An address of this machine that is not its loopback; skips where there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("203.0.113.1", 9))
        except OSError:
            pytest.skip("this machine has no address but its loopback")
        return probe.getsockname()[0]


def mounted(services: Services) -> Starlette:
    """Another application that serves the contract beside its own pages."""
    return Starlette(routes=contract_routes(lambda: services))


def test_within_another_server_that_others_reach_nothing_is_served_without_a_token(tmp_path: Path) -> None:
    address = own_address()
    with served(mounted(services_over(InMemoryCacheStore(), tmp_path)), host="0.0.0.0") as local:
        port = local.rsplit(":", 1)[1]
        assert httpx.post(f"{local}/v1/gather", json=ASKED, trust_env=False).status_code == 200
        for host in (f"{address}:{port}", f"localhost:{port}"):
            answer = httpx.post(f"http://{address}:{port}/v1/gather", json=ASKED, headers={"Host": host}, trust_env=False)
            assert answer.status_code == 403, host


def test_within_another_server_every_address_is_the_same(tmp_path: Path) -> None:
    with client_of(mounted(services_over(InMemoryCacheStore(), tmp_path))) as http:
        assert http.post("/v1/verification_cache", json=WRITTEN).status_code == 200
        assert http.post("/v1/gather", json=ASKED).json()["brain_meta"]["verification_staleness"] == "fresh"
        assert http.post("/v1/gather", content=b"x" * 70_000).status_code == 413
        assert http.get("/healthz").status_code == 200
        assert "duocthu_cache_writes_total 1.0" in http.get("/metrics").text
        assert "/v1/gather" in http.get("/v1/openapi.json").json()["paths"]
        assert http.get("/v2/other").status_code == 404


@pytest.mark.parametrize("token", ["short", "x" * 15, "a token with spaces in it", "mật-khẩu-dài-hơn-mười-sáu"])
def test_a_token_that_is_easy_to_guess_stops_the_start_and_is_not_shown(monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.setenv("DUOCTHU_HTTP_TOKEN", token)
    with pytest.raises(SettingsError, match=r"^DUOCTHU_HTTP_TOKEN: .*16 ASCII characters") as caught:
        load_settings(_env_file=None)
    assert token not in str(caught.value)
