"""The contract inside another ASGI application: one process serves the pages and the contract (spec 05, 06)."""

from __future__ import annotations

from collections.abc import Callable

from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from duocthu_core.bootstrap import Services
from duocthu_core.service.application import create_app

_PATHS = ("/v1/{path:path}", "/healthz", "/metrics")


def contract_routes(services: Callable[[], Services], only_with_token: Callable[[], bool] = lambda: False) -> list[Route]:
    """The contract's addresses as routes of the surrounding application; ``services`` is asked at each request, so that another corpus
    that was chosen meanwhile is the one that answers. ``only_with_token``: nobody is let in for being on this machine (people sign in)."""
    contract = _Contract(services, only_with_token)
    return [Route(path, contract, include_in_schema=False) for path in _PATHS]


class _Contract:
    """The contract over the services of the moment: built when the first request comes, and anew when they were replaced."""

    def __init__(self, services: Callable[[], Services], only_with_token: Callable[[], bool]) -> None:
        self._services = services
        self._only_with_token = only_with_token
        self._built: tuple[Services, ASGIApp] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        services = self._services()
        if self._built is None or self._built[0] is not services:
            self._built = (services, create_app(services, only_with_token=self._only_with_token()))
        await self._built[1](scope, receive, send)
