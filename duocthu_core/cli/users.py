"""``users``: who may sign in, with which role; also how the first administrator is made (spec 06, "Access")."""

from __future__ import annotations

import sys

from duocthu_core.access.model import AccountError, Role
from duocthu_core.access.store import AccountStore
from duocthu_core.cli.errors import DONE, BadInput
from duocthu_core.cli.lines import print_json
from duocthu_core.settings import Settings
from duocthu_core.storage.accounts import SqlAccountStore
from duocthu_core.storage.database import open_database

BY = "command line"
"""Who changed an account from here: whoever may run commands on the server."""


def opened_accounts(settings: Settings) -> AccountStore:
    """The accounts of the configured database."""
    return SqlAccountStore(open_database(settings.effective_database_url))


def run_set(accounts: AccountStore, email: str, role: Role) -> int:
    """Makes or changes an account; BadInput for no e-mail or the last administrator."""
    try:
        account = accounts.set_role(email, role, by=BY)
    except AccountError as error:
        raise BadInput(str(error)) from None
    sys.stderr.write(f"{account.email} is {account.role}\n")
    return DONE


def run_remove(accounts: AccountStore, email: str) -> int:
    """Removes an account; BadInput for an unknown one or the last administrator's."""
    try:
        accounts.remove(email)
    except AccountError as error:
        raise BadInput(str(error)) from None
    sys.stderr.write(f"{email} has no account any more\n")
    return DONE


def run_list(accounts: AccountStore) -> int:
    """Prints every account as JSON."""
    print_json([account.model_dump(mode="json") for account in accounts.accounts()])
    return DONE
