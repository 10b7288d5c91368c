"""Who is at the screen and what they may do (spec 06, "Access"). Every page calls :func:`require` itself, before anything else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NoReturn

import streamlit as st

from pages.frame.words import _

Role = Literal["viewer", "reviewer", "engineer", "admin"]
_RANK: dict[Role, int] = {"viewer": 0, "reviewer": 1, "engineer": 2, "admin": 3}


@dataclass(frozen=True)
class User:
    """One person: how they are named in the audit log, and what they may do."""

    name: str
    role: Role

    def may(self, role: Role) -> bool:
        """Whether this person's role reaches ``role``."""
        return _RANK[self.role] >= _RANK[role]


LOCAL_USER = User(name="local", role="admin")
"""The one user of a fresh machine, which answers to nobody but itself."""


def require(role: Role) -> User:
    """The user, if they may do what ``role`` may; else the page ends here with what to do next."""
    user = _current_user()
    if not user.may(role):
        st.error(_("access.forbidden"), icon=":material/lock:")
        st.stop()
    return user


def _current_user() -> User:
    if _sign_in_is_configured():
        if not st.user.is_logged_in:
            _ask_to_sign_in()
        return User(name=str(st.user.get("email") or st.user.get("sub") or ""), role="viewer")
    if not served_to_this_machine():
        # Without sign-in only this machine is served: config.toml binds to 127.0.0.1, and a server that was opened to a network by
        # hand must not hand out the local user's rights.
        st.error(_("access.open_without_sign_in"), icon=":material/lock:")
        st.stop()
    return LOCAL_USER


def _ask_to_sign_in() -> NoReturn:
    st.title(_("access.title"), anchor=False)
    st.text(_("access.please"))
    st.button(_("access.sign_in"), type="primary", on_click=st.login)
    st.stop()


def served_to_this_machine() -> bool:
    """Whether the browser runs on the machine that serves it; Streamlit gives no address for it then."""
    return st.context.ip_address is None


def _sign_in_is_configured() -> bool:
    return st.secrets.load_if_toml_exists() and "auth" in st.secrets
