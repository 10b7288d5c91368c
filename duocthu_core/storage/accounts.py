"""Accounts in the database (spec 06, "Access")."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, select, text

from duocthu_core.access.model import Account, AccountError, Role, account_key, comparable_email
from duocthu_core.access.store import LAST_ADMIN, UNKNOWN_ACCOUNT
from duocthu_core.storage.database import Database
from duocthu_core.storage.tables import accounts, storable
from duocthu_core.storage.upserts import insert_or


class SqlAccountStore:
    """An :class:`duocthu_core.access.store.AccountStore` on SQLite or PostgreSQL."""

    def __init__(self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._database = database
        self._clock = clock

    def role_of(self, email: str) -> Role | None:
        with self._database.reading() as connection:
            return connection.execute(select(accounts.c.role).where(accounts.c.email == account_key(email))).scalar_one_or_none()

    def accounts(self) -> list[Account]:
        with self._database.reading() as connection:
            rows = connection.execute(select(accounts).order_by(accounts.c.email)).mappings()
            return [Account.model_validate(dict(row)) for row in rows]

    def set_role(self, email: str, role: Role, *, by: str) -> Account:
        key, now = comparable_email(email), self._clock()
        changed = {"role": role, "updated_at": now, "updated_by": storable(by)}
        with self._database.writing() as connection:
            if role != "admin":
                _keep_an_admin_besides(connection, key)
            new = insert_or(connection, accounts).values({"email": key, "created_at": now} | changed)
            statement = new.on_conflict_do_update(index_elements=["email"], set_=changed).returning(accounts)
            return Account.model_validate(dict(connection.execute(statement).mappings().one()))

    def remove(self, email: str) -> None:
        key = account_key(email)
        with self._database.writing() as connection:
            _keep_an_admin_besides(connection, key)
            if connection.execute(delete(accounts).where(accounts.c.email == key).returning(accounts.c.email)).first() is None:
                raise AccountError(UNKNOWN_ACCOUNT.format(email=email[:80]))


def _keep_an_admin_besides(connection: Connection, email: str) -> None:
    """Raises where ``email`` is the last administrator. Two who remove each other at once wait for one another here."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE"))
    admins = set(connection.execute(select(accounts.c.email).where(accounts.c.role == "admin")).scalars())
    if admins == {email}:
        raise AccountError(LAST_ADMIN)
