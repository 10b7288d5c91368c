"""How storage fails: each error one line that says what happened and what to do; never a credential of the database's URL."""

from __future__ import annotations


class StorageUnavailable(Exception):
    """The database cannot be used now; the next try may succeed without a restart."""


class SchemaOutdated(StorageUnavailable):
    """The database answers, but its tables are missing, older or newer than this version's."""


class StoredConversationError(Exception):
    """A stored conversation that this version cannot read."""
