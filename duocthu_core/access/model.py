"""Roles and the people who have them (spec 06, "Access")."""

from __future__ import annotations

import unicodedata
from datetime import datetime
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

Role = Literal["viewer", "reviewer", "engineer", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
"""From the least to the most; a role may do what every role before it may."""
_EMAIL_MAX_CHARS = 254
"""RFC 5321, 4.5.3.1.3: a path of 256 octets with its brackets."""


class AccountError(Exception):
    """An account that cannot be kept or changed so; the message is one line that says what to do."""


class Account(BaseModel):
    """One person who may sign in: their e-mail in the one form that is compared, and their role."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    email: str
    role: Role
    created_at: datetime
    updated_at: datetime
    updated_by: str


class User(BaseModel):
    """Who is at the screen: how they are named in the audit log, and what they may do."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    role: Role

    def may(self, role: Role) -> bool:
        """Whether this person's role reaches ``role``."""
        return reaches(self.role, role)


LOCAL_USER = User(name="local", role="admin")
"""The one user of a fresh machine, which answers to nobody but itself."""


def reaches(role: Role, needed: Role) -> bool:
    """Whether ``role`` may do what ``needed`` may."""
    return ROLES.index(role) >= ROLES.index(needed)


def comparable_email(written: str) -> str:
    """An e-mail in the form that is compared: NFC, trimmed, lower case. Raises AccountError for what is no e-mail.

    Letters that only look like others are kept apart: "а" (Cyrillic) is not "a".
    """
    email = unicodedata.normalize("NFC", written).strip().lower()
    name, at, host = email.rpartition("@")
    whole = bool(name and at and "." in host.strip(".")) and len(email) <= _EMAIL_MAX_CHARS
    if not whole or any(sign.isspace() or not sign.isprintable() or sign in '<>",;:\\' for sign in email):
        raise AccountError(f"{written.strip()[:80]!r} is no e-mail address; give one like ten@benhvien.vn")
    return email


def account_key(email: str) -> str:
    """The form that is compared, or "" for what is no e-mail and so has no account."""
    try:
        return comparable_email(email)
    except AccountError:
        return ""
