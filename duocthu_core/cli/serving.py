"""``serve``: the HTTP contract alone (spec 01, "Command line"; 05, "HTTP")."""

from __future__ import annotations

import contextlib
import logging
import socket
import sys

import uvicorn

from duocthu_core.bootstrap import bootstrap
from duocthu_core.cli.errors import DONE, FAILED, BadInput
from duocthu_core.service.access import check_binding
from duocthu_core.service.application import create_app
from duocthu_core.settings import Settings

_BACKLOG = 128
_MAX_PORT = 65_535


def run_serve(settings: Settings, host: str, port: int) -> int:
    """Serves until it is stopped. Port 0 takes a free one; standard error says which.

    Raises BadInput for an address that is none, SettingsError where other machines would reach it without a token.
    """
    if not 0 <= port <= _MAX_PORT:
        raise BadInput(f"--port {port}: give a number from 0 to {_MAX_PORT}")
    check_binding(host, settings.http_token.get_secret_value())
    listening = _socket(host, port)
    if listening is None:
        return FAILED
    with listening:
        app = create_app(bootstrap(settings))
        logging.getLogger("duocthu_core").setLevel(logging.INFO)
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, server_header=False, lifespan="off"))
        sys.stderr.write(f"the HTTP contract is served at http://{_shown(listening)}\n")
        sys.stderr.flush()
        # uvicorn ends every request and then gives the signal back.
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[listening])
    return DONE


def _socket(host: str, port: int) -> socket.socket | None:
    """A listening socket; None, and one line on standard error, where the address is taken."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (socket.gaierror, UnicodeError):
        raise BadInput(f"--host {host}: no address of this machine; give 127.0.0.1") from None
    opened = socket.socket(family, kind, protocol)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(_BACKLOG)
    except OSError as error:
        opened.close()
        sys.stderr.write(f"duocthu: {host}:{port} cannot be served on ({error.strerror}); give another --port or --host\n")
        return None
    return opened


def _shown(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
