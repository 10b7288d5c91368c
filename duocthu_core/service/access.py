"""Who may use the contract: this machine, or who holds the token (spec 05: loopback by default, a bearer token elsewhere)."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from duocthu_core.service.responses import problem
from duocthu_core.settings import SettingsError

TOKEN_VARIABLE = "DUOCTHU_HTTP_TOKEN"  # noqa: S105 - the name of the setting
OPEN_PATHS = frozenset({"/healthz"})
"""For probes, which hold no token; it tells nothing but whether the service works."""
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")
_SCHEME = "bearer "


def is_loopback(host: str) -> bool:
    """Whether ``host``, a name or an address, is this machine and no other."""
    bare = host.strip().lower().removeprefix("[").removesuffix("]").split("%")[0]
    try:
        return ipaddress.ip_address(bare).is_loopback
    except ValueError:
        return bare == "localhost"


def check_binding(host: str, token: str) -> None:
    """Raises SettingsError where the contract would be reached from other machines without a token."""
    if not token and not is_loopback(host):
        raise SettingsError(f"{TOKEN_VARIABLE}: needed to serve on {host}, which other machines reach; set it, or serve on 127.0.0.1")


class Access:
    """Lets a request through with the token where one is set; without one, only from this machine to this machine.

    The second rule also holds where the contract is served within another server, whose binding it cannot know. A request that a proxy
    passed on, or that names another host (as a page of a rebound domain would), is not from this machine. ``only_with_token`` takes the
    second rule away: where people sign in, being on this machine says nothing.
    """

    def __init__(self, app: ASGIApp, token: str, *, only_with_token: bool = False) -> None:
        self._app = app
        self._token = token.encode()
        self._only_with_token = only_with_token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] == "http" and scope["path"] not in OPEN_PATHS:
            headers = Headers(scope=scope)
            if (self._token or self._only_with_token) and not self._has_token(headers):
                answer = problem(401, "a bearer token is needed", {"WWW-Authenticate": "Bearer"})
                await answer(scope, receive, send)
                return
            if not self._token and not self._only_with_token and not _is_local(scope, headers):
                await problem(403, f"only this machine may ask while {TOKEN_VARIABLE} is not set")(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _has_token(self, headers: Mapping[str, str]) -> bool:
        given = headers.get("authorization", "")
        if not self._token:
            return False
        if given[: len(_SCHEME)].lower() != _SCHEME:
            return False
        return hmac.compare_digest(given[len(_SCHEME) :].strip().encode("latin-1", "replace"), self._token)


def _is_local(scope: Scope, headers: Mapping[str, str]) -> bool:
    client, server = scope.get("client"), scope.get("server")
    if not client or not server or any(name in headers for name in _FORWARDED):
        return False
    return is_loopback(client[0]) and is_loopback(server[0]) and is_loopback(_host_of(headers.get("host", "")))


def _host_of(header: str) -> str:
    """The host of a Host header, without its port."""
    if header.startswith("["):
        return header.partition("]")[0] + "]"
    return header.rpartition(":")[0] or header
