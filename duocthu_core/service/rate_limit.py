"""How often one client may ask the contract: more gets 429 and when to come back (RFC 6585, section 4)."""

from __future__ import annotations

import math
import time

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.types import ASGIApp, Receive, Scope, Send

from duocthu_core.service.access import OPEN_PATHS
from duocthu_core.service.responses import problem


class RateLimit:
    """Counts the requests of each client address in a moving minute; each process counts for itself. 0: no limit."""

    def __init__(self, app: ASGIApp, per_minute: int) -> None:
        self._app = app
        self._limit = RateLimitItemPerMinute(per_minute) if per_minute else None
        self._counting = MovingWindowRateLimiter(MemoryStorage())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] == "http" and self._limit is not None and scope["path"] not in OPEN_PATHS:
            client = (scope.get("client") or ("?", 0))[0]
            if not self._counting.hit(self._limit, client):
                until = self._counting.get_window_stats(self._limit, client).reset_time
                seconds = max(1, math.ceil(until - time.time()))
                answer = problem(429, f"more than {self._limit.amount} requests in a minute", {"Retry-After": str(seconds)})
                await answer(scope, receive, send)
                return
        await self._app(scope, receive, send)
