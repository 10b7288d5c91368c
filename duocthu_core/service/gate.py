"""What stands before every address of the server: headers that browsers obey, and no file for who may not have it (spec 06, "Access").

A page asks for the sign-in itself; files that a page offers for download lie at addresses of their own.
"""

from __future__ import annotations

from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from duocthu_core.service.responses import problem

FILES = ("/media/", "/_stcore/upload_file/")
SECURITY_HEADERS = {
    # Streamlit's own scripts and styles need "unsafe-inline" and "unsafe-eval"; what counts here is that nothing foreign is ever loaded,
    # sent to, framed or posted to.
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' ws: wss: data: blob:; worker-src 'self' blob:; "
        "frame-ancestors 'none'; object-src 'none'; base-uri 'self'; form-action 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Gate:
    """ASGI: adds the headers, and answers 401 where a file is asked for by somebody whom ``may_have_files`` does not know."""

    def __init__(self, app: ASGIApp, may_have_files: Callable[[Scope], bool]) -> None:
        self._app = app
        self._may_have_files = may_have_files

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if scope["path"].startswith(FILES) and not self._may_have_files(scope):
            await problem(401, "sign in first")(scope, receive, send_with_headers)
            return
        await self._app(scope, receive, send_with_headers)
