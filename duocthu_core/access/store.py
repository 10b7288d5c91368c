"""Where accounts are kept: the port, and its twin in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

from duocthu_core.access.model import Account, AccountError, Role, account_key, comparable_email

LAST_ADMIN = "the last administrator stays one; make someone else administrator first"
UNKNOWN_ACCOUNT = "{email} has no account; list them with: python -m duocthu_core users list"


class AccountStore(Protocol):
    """E-mail → role. An e-mail is compared without regard to case (:func:`comparable_email`)."""

    def role_of(self, email: str) -> Role | None:
        """The role of ``email``; None where it has no account or is no e-mail."""
        ...

    def accounts(self) -> list[Account]:
        """Every account, by e-mail."""
        ...

    def set_role(self, email: str, role: Role, *, by: str) -> Account:
        """Makes or changes an account. Raises AccountError for no e-mail, or where the last administrator would lose the role."""
        ...

    def remove(self, email: str) -> None:
        """Removes an account. Raises AccountError for an unknown one, or for the last administrator's."""
        ...


class InMemoryAccountStore:
    """An :class:`AccountStore` that lasts as long as the process."""

    def __init__(self, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._clock = clock
        self._accounts: dict[str, Account] = {}
        self._lock = threading.Lock()

    def role_of(self, email: str) -> Role | None:
        account = self._accounts.get(account_key(email))
        return account.role if account else None

    def accounts(self) -> list[Account]:
        return sorted(self._accounts.values(), key=lambda account: account.email)

    def set_role(self, email: str, role: Role, *, by: str) -> Account:
        key, now = comparable_email(email), self._clock()
        with self._lock:
            before = self._accounts.get(key)
            if role != "admin":
                self._keep_an_admin_besides(before)
            created_at = before.created_at if before else now
            account = Account(email=key, role=role, created_at=created_at, updated_at=now, updated_by=by)
            self._accounts[key] = account
        return account

    def remove(self, email: str) -> None:
        with self._lock:
            account = self._accounts.get(account_key(email))
            if account is None:
                raise AccountError(UNKNOWN_ACCOUNT.format(email=email[:80]))
            self._keep_an_admin_besides(account)
            del self._accounts[account.email]

    def _keep_an_admin_besides(self, account: Account | None) -> None:
        if account is None or account.role != "admin":
            return
        if not any(other.role == "admin" and other.email != account.email for other in self._accounts.values()):
            raise AccountError(LAST_ADMIN)
