"""``cache`` and ``serve`` as a script sees them (spec 01, "Command line"; 05)."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from duocthu_core.settings import load_settings
from duocthu_core.storage.audit import SqlAuditLog
from duocthu_core.storage.database import open_database
from tests.cli.test_cli import QUESTION, Shell, assert_one_line, shell
from tests.conftest import ROOT, case_ids, cases
from tests.servers.scripted_http import free_port

__all__ = ["shell"]

KEYS = cases("cache_key")
VERDICT: dict[str, Any] = {
    "claim": "Người lớn: uống 0,5 - 1 g/lần.",
    "drug_id": "paracetamol",
    "section_key": "lieu_luong_cach_dung",
    "evidence_urls": ["duocthu://bo-thu/paracetamol/1"],
    "tier": "free",
    "prompt_hash": "0123456789ab",
    "framework_version": "ba9876543210",
    "model": "offline/wording",
    "verification_raw": {"stance": "SUPPORTS"},
    "verification_processed": {"status": "supported"},
}
ASKED = {name: VERDICT[name] for name in ("claim", "drug_id", "section_key", "tier", "prompt_hash", "framework_version", "model")}


def run(shell: Shell, action: str, given: Any = "") -> dict[str, Any]:
    code, out, err = shell("cache", action, "--json", stdin=json.dumps(given, ensure_ascii=False) if given else "")
    assert (code, err, out.count("\n")) == (0, "", 1), err
    return json.loads(out)


def test_what_is_put_is_got(shell: Shell) -> None:
    stored = run(shell, "put", VERDICT)
    assert (stored["claim"], stored["schema_name"], stored["verification_raw"]) == (VERDICT["claim"], "duocthu-v1", {"stance": "SUPPORTS"})
    found = run(shell, "get", ASKED)
    assert (found["staleness"], found["rule"], found["action"], found["verification"]) == (
        "fresh",
        "all_equal",
        "use",
        {"status": "supported"},
    )
    assert found["entry"] == stored
    stale = run(shell, "get", ASKED | {"framework_version": "another"})
    assert (stale["staleness"], stale["action"], stale["verification"]) == ("stale_framework", "recompute", {"stance": "SUPPORTS"})
    assert run(shell, "get", ASKED | {"tier": "premium"})["staleness"] == "miss"


@pytest.mark.parametrize("case", KEYS, ids=case_ids(KEYS))
def test_each_case_of_the_key(shell: Shell, case: dict[str, Any]) -> None:
    put, get = (value if isinstance(value, dict) else {"claim": value} for value in (case["put"], case["get"]))
    tiers = {"T1": "free", "T2": "premium"}
    written = VERDICT | {"claim": put["claim"], "tier": tiers[put.get("tier", "T1")]}
    code, _, err = shell("cache", "put", "--json", stdin=json.dumps(written))
    if code == 2:
        assert_one_line(err, "no reader sees")
    found = run(shell, "get", ASKED | {"claim": get["claim"], "tier": tiers[get.get("tier", "T1")]})
    assert (found["staleness"] == "fresh") is case["served"]


def test_a_turn_of_the_command_line_fills_the_cache_and_uses_it(shell: Shell) -> None:
    _, first, _ = shell("ask", QUESTION, "--json")
    _, second, _ = shell("ask", QUESTION, "--json")
    assert [json.loads(trace)["totals"]["judge_calls"] for trace in (first, second)] == [2, 0]
    stats = run(shell, "stats")
    assert (stats["live"], stats["by_staleness"]["fresh"]) == (stats["by_tier"]["free"], stats["live"])
    assert stats["live"] >= 2, "a claim and the completeness of the answer"
    assert stats["judge"]["model"].startswith("offline/")


def test_stats_and_prune_of_an_empty_cache(shell: Shell) -> None:
    assert (run(shell, "stats")["live"], run(shell, "prune")) == (0, {"pruned": 0})


def test_a_prune_is_noted_in_the_audit_log(shell: Shell) -> None:
    run(shell, "prune")
    (line,) = SqlAuditLog(open_database(load_settings().effective_database_url)).recent()
    assert (line.actor, line.action, line.detail) == ("command line", "cache.prune", {"pruned": 0})


@pytest.mark.parametrize(
    ("action", "given", "word"),
    [
        ("get", "{", "JSON"),
        ("get", "[]", "object"),
        ("get", "{}", "claim"),
        ("get", json.dumps(ASKED | {"tier": "gold"}), "tier"),
        ("put", json.dumps({name: value for name, value in VERDICT.items() if name != "evidence_urls"}), "evidence_urls"),
        ("put", json.dumps(VERDICT | {"evidence_urls": []}), "evidence_urls"),
        ("put", json.dumps(VERDICT | {"prompt_hash": "abc"}), "prompt_hash"),
        ("put", json.dumps(VERDICT | {"verification_processed": "x" * 70_000}), "65536"),
        ("put", json.dumps(VERDICT | {"verification_processed": "HERE"}).replace('"HERE"', "NaN"), "verification_processed"),
        ("put", json.dumps(VERDICT | {"verification_processed": "HERE"}).replace("HERE", "\\ud800"), "verification_processed"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(shell: Shell, action: str, given: str, word: str) -> None:
    code, out, err = shell("cache", action, "--json", stdin=given)
    assert (code, out) == (2, "")
    assert_one_line(err, word)


def test_a_database_that_is_not_there_is_exit_code_1(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUOCTHU_DATABASE_URL", f"postgresql://user:canary@127.0.0.1:{free_port()}/duocthu")
    code, out, err = shell("cache", "stats", "--json")
    assert (code, out) == (1, "")
    assert_one_line(err, "DUOCTHU_DATABASE_URL")
    assert "canary" not in err


# serve


@contextmanager
def serving(folder: Path, *arguments: str, **environment: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The contract as a process of its own on a free port: its address and the process."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith("DUOCTHU_")}
    command = [sys.executable, "-m", "duocthu_core", "serve", "--port", "0", *arguments]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=bare | {"PYTHONPATH": str(ROOT), "DUOCTHU_DATA_DIR": str(folder / "data")} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        found = re.search(r"http://(\S+)", line := process.stderr.readline())
        assert found is not None, line
        yield f"http://127.0.0.1:{found[1].rsplit(':', 1)[1]}", process
    finally:
        process.kill()
        process.wait()


def test_serve_serves_the_contract_until_it_is_interrupted(tmp_path: Path) -> None:
    with serving(tmp_path) as (address, process):
        with httpx.Client(base_url=address, trust_env=False, timeout=30) as http:
            body = VERDICT | {"schema_name": "duocthu-v1"}
            assert http.post("/v1/verification_cache", json=body).status_code == 200
            asked = ASKED | {"schema_name": "duocthu-v1", "include_verification": True}
            answer = http.post("/v1/gather", json=asked).json()
            assert answer["brain_meta"]["verification_staleness"] == "fresh"
            assert answer["evidence"], "from the corpus that ships"
            assert http.get("/healthz").status_code == 200
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "", "")


def test_serve_for_other_machines_asks_for_the_token(tmp_path: Path) -> None:
    token = "a-token-of-sixteen-and-more"
    with serving(tmp_path, "--host", "0.0.0.0", DUOCTHU_HTTP_TOKEN=token) as (address, _):
        assert httpx.get(f"{address}/metrics", trust_env=False).status_code == 401
        assert httpx.get(f"{address}/metrics", headers={"Authorization": f"Bearer {token}"}, trust_env=False).status_code == 200


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--host", "0.0.0.0"], ["DUOCTHU_HTTP_TOKEN", "0.0.0.0"]),
        (["--host", "::"], ["DUOCTHU_HTTP_TOKEN"]),
        (["--port", "70000"], ["70000"]),
        (["--port", "-1"], ["-1"]),
        (["--port", "http"], ["http"]),
    ],
)
def test_serve_refuses_to_start_with_one_line(shell: Shell, arguments: list[str], words: list[str]) -> None:
    code, out, err = shell("serve", *arguments)
    assert (code, out) == (2, "")
    assert_one_line(err, *words)


def test_serve_on_a_host_that_is_none(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUOCTHU_HTTP_TOKEN", "a-token-of-sixteen-and-more")
    code, _, err = shell("serve", "--host", "no such host")
    assert code == 2
    assert_one_line(err, "no such host")


def test_a_port_that_is_taken_is_one_line_and_exit_code_1(shell: Shell, tmp_path: Path) -> None:
    with serving(tmp_path) as (address, _):
        port = address.rsplit(":", 1)[1]
        code, out, err = shell("serve", "--port", port)
    assert (code, out) == (1, "")
    assert_one_line(err, port, "--port")
