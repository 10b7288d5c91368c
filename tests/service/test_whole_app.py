"""``uvicorn app:app``: one process serves the pages and the contract (spec 01, 06 "Streamlit facts")."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import httpx

from tests.conftest import ROOT
from tests.servers.scripted_http import free_port
from tests.service.conftest import ASKED, WRITTEN

_START_S = 90


def test_pages_and_contract_are_served_by_one_process(tmp_path: Path) -> None:
    port = free_port()
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("DUOCTHU_", "STREAMLIT_"))}
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "app:app", "--port", str(port)],
            cwd=ROOT,
            env=bare | {"DUOCTHU_DATA_DIR": str(tmp_path)},
            stdout=log,
            stderr=log,
        )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=30) as http:
            _wait(http, process, tmp_path / "log")
            assert http.post("/v1/verification_cache", json=WRITTEN).status_code == 200
            assert http.post("/v1/gather", json=ASKED).json()["brain_meta"]["verification_staleness"] == "fresh"
            assert http.post("/v1/gather", content=b"x" * 70_000).status_code == 413
            assert http.get("/healthz").json()["status"] == "ok"
            assert "duocthu_cache_writes_total 1.0" in http.get("/metrics").text
            assert http.get("/metrics", headers={"Host": "evil.example"}).status_code == 403
            assert "<title>" in http.get("/").text
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait(http: httpx.Client, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if http.get("/_stcore/health").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    raise AssertionError(f"the server did not start:\n{log.read_text(encoding='utf-8', errors='replace')[-2000:]}")
