"""The contract inside another ASGI application: one process serves the pages and the contract (spec 05, 06)."""

from __future__ import annotations

from collections.abc import Callable

from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from duocthu_core.bootstrap import Services
from duocthu_core.service.application import create_app

_PATHS = ("/v1/{path:path}", "/healthz", "/metrics")


def contract_routes(services: Callable[[], Services]) -> list[Route]:
    """The contract's addresses as routes of the surrounding application; ``services`` is asked at the first request."""
    contract = _Contract(services)
    return [Route(path, contract, include_in_schema=False) for path in _PATHS]


class _Contract:
    """The contract, built when the first request comes."""

    def __init__(self, services: Callable[[], Services]) -> None:
        self._services = services
        self._app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if self._app is None:
            self._app = create_app(self._services())
        await self._app(scope, receive, send)
