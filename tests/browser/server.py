"""The product as a reader starts it: ``streamlit run app.py`` on a free port, with a data folder of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from duocthu_core.bootstrap import bootstrap
from duocthu_core.settings import load_settings
from tests.app import sample_traces as sample

ROOT = Path(__file__).resolve().parents[2]
_START_S = 60


@contextmanager
def running_server(data_dir: Path, *, port: int | None = None, arguments: Sequence[str] = (), **settings: str) -> Iterator[str]:
    """Starts the server over the sample turns and gives its address, on ``port`` or a free one.

    ``arguments`` are added to the command, ``settings`` are environment variables.
    """
    store_samples(data_dir, settings.get("DUOCTHU_DATABASE_URL", ""))
    port = port or free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("DUOCTHU_", "STREAMLIT_"))}
    environment |= {"DUOCTHU_DATA_DIR": str(data_dir), **settings}
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port), *arguments]
    with (data_dir / "server.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_until_healthy(address, process, data_dir / "server.log")
            yield address
            died = process.poll()
            assert died is None, f"the server ended by itself with {died}:\n{_end_of(data_dir / 'server.log')}"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(timeout=20)


def store_samples(data_dir: Path, database_url: str = "") -> None:
    """Stores the sample turns where the server will look for them."""
    given = {"DUOCTHU_DATABASE_URL": database_url} if database_url else {}
    services = bootstrap(load_settings(_env_file=None, DUOCTHU_DATA_DIR=data_dir, **given))
    for trace in (*sample.conversation(), sample.hostile()):
        services.traces.save(trace)


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_healthy(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
                return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.1)
    raise AssertionError(f"the server did not start ({process.poll()}):\n{_end_of(log)}")


def _end_of(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")[-2000:]
