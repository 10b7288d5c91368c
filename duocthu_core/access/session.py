"""How long a sign-in lasts, and whom a provider's claims name (OpenID Connect Core 1.0, sections 2 and 5.1)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from duocthu_core.access.model import AccountError, comparable_email


def email_of(claims: Mapping[str, object]) -> str | None:
    """The e-mail that a provider vouches for; None where it gives none or says that it has not verified it."""
    if claims.get("email_verified", True) not in (True, "true"):
        return None
    try:
        return comparable_email(str(claims.get("email") or ""))
    except AccountError:
        return None


def is_over(claims: Mapping[str, object], hours: float, now: datetime) -> bool:
    """Whether a sign-in has lasted ``hours``. One that does not say when it began is over: it cannot be shown to be fresh."""
    began = claims.get("auth_time") or claims.get("iat")
    if not isinstance(began, int | float) or isinstance(began, bool):
        return True
    try:
        return now - datetime.fromtimestamp(began, UTC) >= timedelta(hours=hours)
    except (OverflowError, OSError, ValueError):
        return True
