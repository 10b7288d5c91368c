"""Whom the server gives the files that pages offer: who signed in, where people sign in (spec 06, "Access")."""

from __future__ import annotations

import json

from starlette.requests import HTTPConnection
from starlette.types import Scope
from streamlit.web.server.starlette.starlette_websocket import _get_signed_cookie_with_chunks

from pages.frame.access import named_by_proxy, sign_in_is_configured
from pages.frame.opening import services_once_opened

_USER_COOKIE = "_streamlit_user"


def may_have_files(scope: Scope) -> bool:
    """Whether a request comes from somebody who may open a page."""
    connection = HTTPConnection(scope)
    if sign_in_is_configured():
        return _is_signed_in(connection)
    settings = services_once_opened().settings
    return not settings.proxy_user_header or named_by_proxy(connection.headers, settings) is not None


def _is_signed_in(connection: HTTPConnection) -> bool:
    """Whether the cookie that Streamlit signed at the sign-in comes with the request, whole."""
    cookie = _get_signed_cookie_with_chunks(dict(connection.cookies), _USER_COOKIE)
    return bool(cookie) and json.loads(cookie).get("is_logged_in") is True
