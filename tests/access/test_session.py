"""Whom a provider's claims name, and for how long."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from duocthu_core.access.session import email_of, is_over

NOW = datetime(2026, 11, 30, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("claims", "email"),
    [
        ({"email": "Ds@Benhvien.vn"}, "ds@benhvien.vn"),
        ({"email": "ds@benhvien.vn", "email_verified": True}, "ds@benhvien.vn"),
        ({"email": "ds@benhvien.vn", "email_verified": False}, None),
        ({"email": "ds@benhvien.vn", "email_verified": "false"}, None),
        ({"sub": "1234"}, None),
        ({"email": None}, None),
        ({"email": "ds"}, None),
    ],
)
def test_only_an_email_that_the_provider_vouches_for_counts(claims: dict[str, object], email: str | None) -> None:
    assert email_of(claims) == email


@pytest.mark.parametrize(("ago", "over"), [(timedelta(0), False), (timedelta(hours=11, minutes=59), False), (timedelta(hours=12), True)])
def test_a_sign_in_lasts_as_long_as_the_setting_says(ago: timedelta, over: bool) -> None:
    assert is_over({"iat": (NOW - ago).timestamp()}, 12, NOW) is over


@pytest.mark.parametrize("claims", [{}, {"iat": "x"}, {"iat": True}, {"iat": 1e30}, {"iat": float("nan")}])
def test_a_sign_in_that_does_not_say_when_it_began_is_over(claims: dict[str, object]) -> None:
    assert is_over(claims, 12, NOW)


def test_the_time_of_signing_in_counts_before_the_time_of_the_token() -> None:
    assert is_over({"iat": NOW.timestamp(), "auth_time": (NOW - timedelta(hours=13)).timestamp()}, 12, NOW)
