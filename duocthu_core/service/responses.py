"""JSON answers and one answer for each way to fail (spec 05, "HTTP"): 413, 422, 503, 500; 401 and 403 for who may not ask."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from duocthu_core.cache.verification_cache import PayloadTooLarge
from duocthu_core.storage.errors import StorageUnavailable

_log = logging.getLogger(__name__)
_RETRY_AFTER_S = "5"


class AsciiJson(Response):
    """JSON in ASCII, so that a verdict comes back as it was stored, characters that no encoding holds included."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


def problem(code: int, detail: str, headers: dict[str, str] | None = None) -> AsciiJson:
    """An error in one line."""
    return AsciiJson({"detail": detail}, code, headers)


def invalid(_request: Request, error: Exception) -> Response:
    """422: what is wrong with each field. What was sent is not repeated: it may hold what no JSON can."""
    assert isinstance(error, RequestValidationError)
    named = [{name: found[name] for name in ("loc", "msg", "type")} for found in error.errors()]
    return AsciiJson({"detail": jsonable_encoder(named)}, 422)


def too_large(_request: Request, error: Exception) -> Response:
    """413."""
    return problem(413, str(error))


def unreachable(_request: Request, error: Exception) -> Response:
    """503: the next try may succeed without a restart."""
    return problem(503, str(error), {"Retry-After": _RETRY_AFTER_S})


EXCEPTION_HANDLERS: dict[Any, Callable[[Request, Exception], Response]] = {
    RequestValidationError: invalid,
    PayloadTooLarge: too_large,
    StorageUnavailable: unreachable,
}


class ErrorBoundary:
    """The outermost layer: counts every answer, and turns what nothing else caught into a 500 whose cause stands in the log only."""

    def __init__(self, app: ASGIApp, observe: Callable[[str, int], None]) -> None:
        self._app = app
        self._observe = observe

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        code = 0

        async def watched(message: Message) -> None:
            nonlocal code
            if message["type"] == "http.response.start":
                code = message["status"]
                MutableHeaders(scope=message).setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception:
            _log.exception("HTTP contract: %s %s failed", scope["method"], scope["path"])
            if code == 0:
                await problem(500, "internal error; the server's log says which")(scope, receive, watched)
        finally:
            self._observe(scope["path"], code or 500)
