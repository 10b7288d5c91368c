"""The limit on a body, measured on the bytes received, before anything of them is parsed (spec 05, "HTTP")."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from duocthu_core.service.responses import problem

_READ_ON = 16
"""A body over the limit is read on, and thrown away, up to this many times the limit: a client that is still sending would else see a
broken connection instead of the answer."""


class BodyLimit:
    """Takes in the whole body of a request, chunked or not, and answers 413 where it is longer than ``max_bytes``."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body, received, gone = await self._received(receive)
        if gone:
            return
        if received > self._max_bytes:
            told = f"{received} bytes" if received < self._max_bytes * _READ_ON else f"{received} bytes and more"
            answer = problem(413, f"{told} are over the limit of {self._max_bytes}", {"Connection": "close"})
            await answer(scope, receive, send)
            return
        await self._app(scope, _given(body, receive), send)

    async def _received(self, receive: Receive) -> tuple[bytes, int, bool]:
        """The body as far as the limit goes, how many bytes there were, and whether the client went away."""
        kept = bytearray()
        received = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return b"", received, True
            part = message.get("body", b"")
            received += len(part)
            if received <= self._max_bytes:
                kept += part
            if not message.get("more_body", False) or received >= self._max_bytes * _READ_ON:
                return bytes(kept), received, False


def _given(body: bytes, receive: Receive) -> Receive:
    """A ``receive`` that gives the whole body at once, and then what else the client says."""
    given = False

    async def once() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return once
