"""Reading a request's body: whatever is no JSON is 422, also what Python's reader cannot take (too deep, too long a number, no UTF-8)."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response


class JsonRoute(APIRoute):
    """A route whose body is read strictly."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, given the request with the strict reader."""
        handler = super().get_route_handler()

        async def read_strictly(request: Request) -> Response:
            return await handler(_JsonRequest(request.scope, request.receive))

        return read_strictly


class _JsonRequest(Request):
    async def json(self) -> Any:
        body = await self.body()
        try:
            return json.loads(body, parse_constant=_refused)
        except json.JSONDecodeError:
            raise
        except (ValueError, RecursionError) as error:
            raise json.JSONDecodeError(str(error), "", 0) from None


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
