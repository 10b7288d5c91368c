"""What is refused, with which code, and that nothing of it is stored: 413, 422, 404, 405, 500 (spec 05, "HTTP")."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from duocthu_core.cache.model import CacheEntry, Tier
from duocthu_core.cache.store import InMemoryCacheStore
from duocthu_core.service.application import create_app
from tests.servers.contract_server import client_of, served
from tests.service.conftest import ASKED, WRITTEN, services_over

LIMIT = 64 * 1024
WRITE, GATHER = "/v1/verification_cache", "/v1/gather"
JSON = {"Content-Type": "application/json"}


def body_of(size: int, filler: str) -> bytes:
    """A valid body of exactly ``size`` bytes, its verdict made of ``filler``."""
    empty = json.dumps(WRITTEN | {"verification_processed": ""}, ensure_ascii=False).encode()
    room = size - len(empty)
    text = filler * (room // len(filler.encode()))
    text += "x" * (room - len(text.encode()))
    body = json.dumps(WRITTEN | {"verification_processed": text}, ensure_ascii=False).encode()
    assert len(body) == size
    return body


def chunks(body: bytes, size: int = 1000) -> Iterator[bytes]:
    for start in range(0, len(body), size):
        yield body[start : start + size]


def nothing_is_stored(http: httpx.Client) -> bool:
    return http.post(GATHER, json=ASKED).json()["brain_meta"]["verification_staleness"] == "miss"


# 413


@pytest.mark.parametrize("filler", ["x", "ắ", "💊"], ids=["1 byte", "3 bytes", "4 bytes"])
@pytest.mark.parametrize("chunked", [False, True], ids=["whole", "chunked"])
def test_the_limit_counts_bytes_and_is_allowed_itself(memory_http: httpx.Client, filler: str, chunked: bool) -> None:
    for size, code in ((LIMIT + 1, 413), (LIMIT, 200)):
        body = body_of(size, filler)
        answer = memory_http.post(WRITE, content=chunks(body) if chunked else body, headers=JSON)
        assert answer.status_code == code, answer.text
        if code == 413:
            assert answer.json() == {"detail": f"{LIMIT + 1} bytes are over the limit of {LIMIT}"}
            assert nothing_is_stored(memory_http)


def test_escapes_count_as_the_bytes_that_they_are(memory_http: httpx.Client) -> None:
    escaped = json.dumps(WRITTEN | {"verification_processed": "ắ" * 11_000}).encode()
    assert len(escaped) > LIMIT > len(json.loads(escaped)["verification_processed"].encode())
    assert memory_http.post(WRITE, content=escaped, headers=JSON).status_code == 413


def test_the_limit_comes_before_the_parsing_and_holds_for_both_endpoints(memory_http: httpx.Client) -> None:
    for path in (WRITE, GATHER):
        assert memory_http.post(path, content=b"{" * (LIMIT + 1), headers=JSON).status_code == 413
        assert memory_http.post(path, content=b"{" * LIMIT, headers=JSON).status_code == 422


def test_a_client_that_is_still_sending_gets_its_answer(memory_http: httpx.Client) -> None:
    answer = memory_http.post(WRITE, content=chunks(b"x" * 900_000, 10_000), headers=JSON)
    assert answer.status_code == 413
    answer = memory_http.post(WRITE, content=b"x" * 900_000, headers=JSON)
    assert answer.status_code == 413


def test_a_body_without_end_is_not_read_for_ever(tmp_path: Path) -> None:
    app = create_app(services_over(InMemoryCacheStore(), tmp_path))
    with served(app) as address, socket.create_connection(("127.0.0.1", int(address.rsplit(":", 1)[1])), timeout=20) as connection:
        connection.sendall(b"POST /v1/gather HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n")
        connection.sendall(b"Content-Length: 1000000000\r\n\r\n" + b"x" * (LIMIT * 16))
        assert connection.recv(1000).startswith(b"HTTP/1.1 413")


def test_the_limit_is_a_setting(tmp_path: Path) -> None:
    services = services_over(InMemoryCacheStore(), tmp_path, VERIFICATION_CACHE_MAX_PAYLOAD_KB=1)
    with client_of(create_app(services)) as http:
        assert http.post(WRITE, content=body_of(1024, "x"), headers=JSON).status_code == 200
        assert http.post(WRITE, content=body_of(1025, "x"), headers=JSON).status_code == 413


# 422


@pytest.mark.parametrize("field", ["claim", "evidence_urls", "tier", "prompt_hash", "verification_processed"])
def test_each_required_field_of_a_write_is_required(memory_http: httpx.Client, field: str) -> None:
    answer = memory_http.post(WRITE, json={name: value for name, value in WRITTEN.items() if name != field})
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["body", field]


@pytest.mark.parametrize(
    "changes",
    [
        {"claim": ""},
        {"claim": "   "},
        {"claim": "?!."},
        {"claim": 5},
        {"claim": None},
        {"claim": "liều \u0000"},
        {"evidence_urls": []},
        {"evidence_urls": ["", " / "]},
        {"evidence_urls": "duocthu://x"},
        {"evidence_urls": [None]},
        {"tier": "gold"},
        {"tier": "FREE"},
        {"prompt_hash": "abc"},
        {"verification_processed": None},
        {"schema_name": "didi-v2"},
        {"model": 5},
        {"framework_version": []},
    ],
    ids=str,
)
def test_a_write_that_is_wrong_is_422_and_stored_nowhere(memory_http: httpx.Client, changes: dict[str, Any]) -> None:
    answer = memory_http.post(WRITE, json=WRITTEN | changes)
    assert answer.status_code == 422, answer.text
    assert answer.json()["detail"][0]["msg"]
    assert nothing_is_stored(memory_http)


@pytest.mark.parametrize(
    "changes",
    [
        {"claim": ""},
        {"claim": " \n"},
        {"claim": None},
        {"max_evidence": -1},
        {"max_evidence": 51},
        {"max_evidence": "3"},
        {"max_evidence": 2.5},
        {"max_evidence": True},
        {"run_nli": "yes"},
        {"include_verification": 1},
        {"tier": None},
        {"tier": "gold"},
        {"schema_name": "v1"},
        {"prompt_hash": 5},
    ],
    ids=str,
)
def test_a_gather_that_is_wrong_is_422(memory_http: httpx.Client, changes: dict[str, Any]) -> None:
    assert memory_http.post(GATHER, json=ASKED | changes).status_code == 422


def test_the_tier_is_required_only_with_the_verification(memory_http: httpx.Client) -> None:
    answer = memory_http.post(GATHER, json={"claim": "x", "include_verification": True})
    assert answer.status_code == 422
    assert "tier is required with include_verification" in answer.text
    assert memory_http.post(GATHER, json={"claim": "x", "include_verification": False}).status_code == 200


NOT_JSON = {
    "nothing": b"",
    "half": b'{"claim": "x"',
    "list": b"[]",
    "number": b"3",
    "no utf-8": b'{"claim": "\xff"}',
    "deep": b"[" * 30_000 + b"]" * 30_000,
    "deep objects": b'{"a":' * 9_000 + b"1" + b"}" * 9_000,
    "long number": b'{"claim": ' + b"1" * 60_000 + b"}",
    "prose": "Liều paracetamol?".encode(),
}


@pytest.mark.parametrize("body", NOT_JSON.values(), ids=NOT_JSON.keys())
@pytest.mark.parametrize("path", [WRITE, GATHER])
def test_what_is_no_json_object_is_422(memory_http: httpx.Client, path: str, body: bytes) -> None:
    answer = memory_http.post(path, content=body, headers=JSON)
    assert answer.status_code == 422, answer.text
    assert answer.json()["detail"]


@pytest.mark.parametrize(
    "value",
    ["NaN", "Infinity", "-Infinity", "1e400", "9" * 5000, '"\\ud800"', '{"\\udfff": 1}', "[" * 300 + "]" * 300],
    ids=["NaN", "Infinity", "-Infinity", "1e400", "5000 digits", "half a pair", "half a pair as key", "300 deep"],
)
@pytest.mark.parametrize("field", ["verification_processed", "verification_raw", "claim"])
def test_values_that_no_store_can_give_back_are_422(memory_http: httpx.Client, field: str, value: str) -> None:
    body = json.dumps(WRITTEN | {field: "HERE"}).replace('"HERE"', value)
    answer = memory_http.post(WRITE, content=body.encode(), headers=JSON)
    assert answer.status_code == 422, answer.text
    assert nothing_is_stored(memory_http)


@pytest.mark.parametrize("depth", [200, *range(248, 260)])
def test_a_deep_verdict_comes_back_or_is_refused(memory_http: httpx.Client, depth: int) -> None:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    code = memory_http.post(WRITE, json=WRITTEN | {"verification_processed": value}).status_code
    assert code in (200, 422)
    found = memory_http.post(GATHER, json=ASKED).json()["brain_meta"]
    assert found["verification"] == (value if code == 200 else None)


def test_a_body_that_is_not_said_to_be_json_is_422(memory_http: httpx.Client) -> None:
    body = json.dumps(WRITTEN).encode()
    for content_type in ("text/plain", "application/x-www-form-urlencoded"):
        assert memory_http.post(WRITE, content=body, headers={"Content-Type": content_type}).status_code == 422
    assert nothing_is_stored(memory_http)


def test_what_was_sent_is_not_repeated(memory_http: httpx.Client) -> None:
    answer = memory_http.post(WRITE, json=WRITTEN | {"tier": "canary-7319"})
    assert answer.status_code == 422
    assert "canary-7319" not in answer.text


# 404, 405, 500


def test_other_addresses_and_methods(memory_http: httpx.Client) -> None:
    assert memory_http.get("/v1/nothing").status_code == 404
    assert memory_http.get(WRITE).status_code == 405
    assert memory_http.delete(GATHER).status_code == 405


class Defective(InMemoryCacheStore):
    """A store with a defect of its own."""

    def read(self, tier: Tier, claim_hashes: Sequence[str], now: datetime) -> dict[str, CacheEntry]:
        raise KeyError("canary-5521")

    def write(self, entries: Sequence[CacheEntry]) -> dict[tuple[str, Tier], datetime]:
        raise KeyError("canary-5521")


def test_anything_else_is_500_and_its_cause_stands_in_the_log_only(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with client_of(create_app(services_over(Defective(), tmp_path))) as http:
        for path, body in ((WRITE, WRITTEN), (GATHER, ASKED)):
            answer = http.post(path, json=body)
            assert answer.status_code == 500
            assert answer.json() == {"detail": "internal error; the server's log says which"}
        assert "canary-5521" in caplog.text
        assert http.post(GATHER, json=ASKED | {"include_verification": False}).status_code == 200
