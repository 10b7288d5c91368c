"""The HTTP contract on a free port of the loopback, as another backend meets it: real bytes over a real socket."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import uvicorn
from starlette.types import ASGIApp

_START_S = 20


@contextmanager
def served(app: ASGIApp, host: str = "127.0.0.1") -> Iterator[str]:
    """Serves ``app`` and gives its address; stopped afterwards."""
    server = uvicorn.Server(uvicorn.Config(app, host=host, port=0, log_config=None, access_log=False, lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + _START_S
    while not server.started:
        assert thread.is_alive(), "the server ended while starting"
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.01)
    try:
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(timeout=_START_S)


@contextmanager
def client_of(app: ASGIApp) -> Iterator[httpx.Client]:
    """A client of ``app`` while it is served."""
    with served(app) as address, httpx.Client(base_url=address, timeout=60, trust_env=False) as client:
        yield client
