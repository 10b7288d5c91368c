"""An HTTP server on the loopback whose next answers a test sets: also the answers that no well-behaved server gives."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Received:
    """A request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float
    """Its arrival, by ``time.monotonic``."""


class Exchange:
    """One request being answered: what an answer writes to."""

    def __init__(self, handler: BaseHTTPRequestHandler, received: Received, stopping: threading.Event) -> None:
        self._handler = handler
        self.received = received
        self._stopping = stopping

    def send(self, status: int, body: bytes, content_type: str = "application/json", headers: dict[str, str] | None = None) -> None:
        """A whole answer."""
        self.start(status, len(body), content_type, headers)
        self.write(body)

    def start(self, status: int, length: int, content_type: str = "application/json", headers: dict[str, str] | None = None) -> None:
        """The status and headers of an answer of ``length`` bytes."""
        self._handler.send_response(status)
        self._handler.send_header("Content-Type", content_type)
        self._handler.send_header("Content-Length", str(length))
        for name, value in (headers or {}).items():
            self._handler.send_header(name, value)
        self._handler.end_headers()

    def write(self, body: bytes) -> None:
        """A part of the body."""
        self._handler.wfile.write(body)
        self._handler.wfile.flush()

    def wait(self, seconds: float) -> None:
        """Sleeps, but not past the server's end."""
        self._stopping.wait(seconds)

    def drip(self, body: bytes, every_s: float) -> None:
        """An answer that arrives one byte every ``every_s`` seconds: no read of it ever times out."""
        self.start(200, len(body))
        for index in range(len(body)):
            if self._stopping.wait(every_s):
                return
            self.write(body[index : index + 1])

    def reset(self) -> None:
        """Closes the connection with a reset, unanswered."""
        connection = self._handler.connection
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        self._handler.close_connection = True
        self._handler.wfile = _Nowhere()  # type: ignore[assignment]

    def hang_up(self) -> None:
        """Ends the connection after what was written so far."""
        self._handler.close_connection = True
        self._handler.connection.shutdown(socket.SHUT_RDWR)


class _Nowhere:
    """Where the handler's last flush goes once its connection is closed."""

    closed = True

    def write(self, data: bytes) -> int:
        return len(data)

    def flush(self) -> None: ...

    def close(self) -> None: ...


Answer = Callable[[Exchange], None]


@dataclass
class ScriptedServer:
    """Answers each request with the next of ``script``, then with ``default``; keeps what it received."""

    default: Answer
    script: deque[Answer] = field(default_factory=deque)
    received: list[Received] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=lambda: self._server.serve_forever(poll_interval=0.02), daemon=True)

    @property
    def url(self) -> str:
        """Its address, without a path."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def then(self, *answers: Answer) -> None:
        """Appends to the script."""
        self.script.extend(answers)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                """Tests print nothing."""

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                received = Received(self.path, {name.lower(): value for name, value in self.headers.items()}, body, time.monotonic())
                server.received.append(received)
                answer = server.script.popleft() if server.script else server.default
                try:
                    answer(Exchange(self, received, server._stopping))
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

        return Handler


def free_port() -> int:
    """A port of the loopback on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def stay_silent(exchange: Exchange) -> None:
    """Never answers."""
    exchange.wait(3600)


def reset(exchange: Exchange) -> None:
    """Closes the connection, unanswered."""
    exchange.reset()


def html_with_status_200(exchange: Exchange) -> None:
    """What a captive portal or a proxy answers in a server's place."""
    exchange.send(200, b"<!DOCTYPE html><html><body>Please sign in to the hospital network</body></html>", "text/html")


def half_a_json(exchange: Exchange) -> None:
    """A body that ends in the middle of its JSON, by its own length."""
    exchange.send(200, b'{"output": {"message": {"role": "assistant", "con')


def broken_off(exchange: Exchange) -> None:
    """A body shorter than its announced length, then the end of the connection."""
    exchange.start(200, 4096)
    exchange.write(b'{"output": {"message"')
    exchange.hang_up()
