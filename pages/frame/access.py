"""Who is at the screen and what they may do (spec 06, "Access"). Every page calls :func:`require` itself, before anything else.

Three ways to know a person, the first that is configured: OpenID Connect (``[auth]`` in Streamlit's secrets), a trusted proxy that names
them in a header, or nobody else than this machine.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NoReturn

import streamlit as st

from duocthu_core.access.model import LOCAL_USER, Role, User, account_key
from duocthu_core.access.session import email_of, is_over
from duocthu_core.settings import Settings
from duocthu_core.storage.errors import StorageUnavailable
from pages.frame import services as page_services
from pages.frame.shown_text import unmarked
from pages.frame.trouble import tell
from pages.frame.words import _

PROXY_SECRET_HEADER = "X-Duocthu-Proxy-Secret"  # noqa: S105 - the name of the header
_USER = "signed_in_user"


def require(role: Role) -> User:
    """The user, if they may do what ``role`` may; else the page ends here with what to do next."""
    user = _current_user()
    st.session_state[_USER] = user
    if not user.may(role):
        st.error(_("access.forbidden"), icon=":material/lock:")
        st.stop()
    return user


def user_of_this_run() -> User | None:
    """The user that :func:`require` let in."""
    return st.session_state.get(_USER)


def sign_in_is_configured() -> bool:
    """Whether people sign in with a provider (spec 06: "with OIDC configured")."""
    return st.secrets.load_if_toml_exists() and "auth" in st.secrets


def served_to_this_machine() -> bool:
    """Whether the browser runs on the machine that serves it; Streamlit gives no address for it then."""
    return st.context.ip_address is None


def named_by_proxy(headers: Mapping[str, str], settings: Settings) -> str | None:
    """The e-mail that the trusted proxy names; None where the request did not come through it."""
    secret = settings.proxy_secret.get_secret_value()
    given = headers.get(PROXY_SECRET_HEADER) or ""
    if not secret or not hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode()):
        return None
    return account_key(headers.get(settings.proxy_user_header) or "") or None


def _current_user() -> User:
    settings = page_services.services().settings
    if sign_in_is_configured():
        return _with_role(_signed_in(settings))
    if settings.proxy_user_header:
        email = named_by_proxy(_headers(), settings)
        if email is None:
            _end(_("access.not_through_proxy"))
        return _with_role(email)
    if not served_to_this_machine():
        # Without sign-in only this machine is served: config.toml binds to 127.0.0.1, and a server that was opened to a network by
        # hand must not hand out the local user's rights.
        _end(_("access.open_without_sign_in"))
    return LOCAL_USER


def _headers() -> Mapping[str, str]:
    return st.context.headers


def _signed_in(settings: Settings) -> str:
    """The e-mail of the person who signed in; else the page asks for it and ends."""
    claims = st.user.to_dict()
    if not st.user.is_logged_in:
        _ask_to_sign_in(_("access.please"))
    if is_over(claims, settings.session_hours, datetime.now(UTC)):
        _ask_to_sign_in(_("access.session_over"))
    email = email_of(claims)
    if email is None:
        _end(_("access.no_email"), may_leave=True)
    return email


def _with_role(email: str) -> User:
    """The person with the role that the database gives them; without one the page ends."""
    try:
        role = page_services.services().accounts.role_of(email)
    except StorageUnavailable as error:
        tell(error)
        st.stop()
    if role is None:
        _end(_("access.no_account", email=unmarked(email)), may_leave=sign_in_is_configured())
    return User(name=email, role=role)


def _ask_to_sign_in(why: str) -> NoReturn:
    st.title(_("access.title"), anchor=False)
    st.text(why)
    st.button(_("access.sign_in"), type="primary", on_click=st.login)
    st.stop()


def _end(why: str, *, may_leave: bool = False) -> NoReturn:
    st.error(why, icon=":material/lock:")
    if may_leave:
        st.button(_("access.sign_out"), on_click=st.logout)
    st.stop()
