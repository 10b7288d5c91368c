"""Accounts, on every store alike (spec 06, "Access")."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.access.model import ROLES, AccountError, User, account_key, comparable_email
from duocthu_core.access.store import AccountStore, InMemoryAccountStore
from duocthu_core.storage.accounts import SqlAccountStore
from duocthu_core.storage.database import Database

NOW = datetime(2026, 11, 30, 8, tzinfo=UTC)


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def accounts(request: pytest.FixtureRequest) -> AccountStore:
    if request.param == "memory":
        return InMemoryAccountStore(clock=lambda: NOW)
    return SqlAccountStore(request.getfixturevalue(f"{request.param}_database"), clock=lambda: NOW)


def test_an_account_is_found_whatever_the_case_of_its_email(accounts: AccountStore) -> None:
    accounts.set_role("DuocSi@Benhvien.VN ", "reviewer", by="command line")
    assert accounts.role_of("duocsi@benhvien.vn") == "reviewer"
    assert [account.email for account in accounts.accounts()] == ["duocsi@benhvien.vn"]


@pytest.mark.parametrize(
    "email", ["", "duocsi", "@benhvien.vn", "ds@benhvien", "a b@benhvien.vn", "ds@benhvien.vn\n", "ds\x00@benhvien.vn"]
)
def test_who_has_no_account_has_no_role(accounts: AccountStore, email: str) -> None:
    accounts.set_role("khac@benhvien.vn", "admin", by="command line")
    assert accounts.role_of(email) is None


def test_a_letter_that_only_looks_the_same_is_another_person(accounts: AccountStore) -> None:
    accounts.set_role("an@benhvien.vn", "admin", by="command line")
    assert accounts.role_of("аn@benhvien.vn") is None  # the first letter is Cyrillic


def test_a_changed_role_keeps_when_the_account_was_made_and_says_who_changed_it(accounts: AccountStore) -> None:
    first = accounts.set_role("a@benhvien.vn", "viewer", by="command line")
    second = accounts.set_role("a@benhvien.vn", "engineer", by="b@benhvien.vn")
    assert (second.created_at, second.role, second.updated_by) == (first.created_at, "engineer", "b@benhvien.vn")


def test_the_last_administrator_stays(accounts: AccountStore) -> None:
    accounts.set_role("a@benhvien.vn", "admin", by="command line")
    for change in (lambda: accounts.set_role("A@benhvien.vn", "viewer", by="x"), lambda: accounts.remove("a@benhvien.vn")):
        with pytest.raises(AccountError, match="last administrator"):
            change()
    accounts.set_role("b@benhvien.vn", "admin", by="a@benhvien.vn")
    accounts.remove("a@benhvien.vn")
    assert accounts.role_of("a@benhvien.vn") is None


def test_an_unknown_account_cannot_be_removed(accounts: AccountStore) -> None:
    with pytest.raises(AccountError, match="has no account"):
        accounts.remove("ai@benhvien.vn")


def test_two_administrators_who_remove_each_other_at_once_leave_one(database: Database) -> None:
    accounts = SqlAccountStore(database)
    names = ["a@benhvien.vn", "b@benhvien.vn"]
    for name in names:
        accounts.set_role(name, "admin", by="command line")

    def tried(change: Callable[[], None]) -> bool:
        try:
            change()
        except AccountError:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(tried, [lambda name=name: accounts.remove(name) for name in names]))
    assert sorted(done) == [False, True]
    assert len(accounts.accounts()) == 1


def test_a_role_may_do_what_every_role_before_it_may() -> None:
    allowed = {role: [needed for needed in ROLES if User(name="a", role=role).may(needed)] for role in ROLES}
    assert allowed == {
        "viewer": ["viewer"],
        "reviewer": ["viewer", "reviewer"],
        "engineer": ["viewer", "reviewer", "engineer"],
        "admin": ["viewer", "reviewer", "engineer", "admin"],
    }


@given(st.text())
def test_any_text_is_an_email_in_one_form_or_none(written: str) -> None:
    key = account_key(written)
    assert key == "" or comparable_email(key) == key
