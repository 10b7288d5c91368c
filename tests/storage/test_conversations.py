"""The conversation store on SQLite and on PostgreSQL: the suite that every store passes, and what only a database can get wrong."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from duocthu_core.conversation.store import ConversationStore
from duocthu_core.storage.conversations import SqlConversationStore
from duocthu_core.storage.database import Database
from duocthu_core.storage.errors import StoredConversationError
from tests.conversation.store_suite import ConversationStoreSuite, full_state


class TestSqlConversationStore(ConversationStoreSuite):
    """Spec 02: "pass one shared test suite"."""

    @pytest.fixture
    def store(self, database: Database) -> ConversationStore:
        return SqlConversationStore(database)


def test_two_stores_on_one_database_see_each_other(database: Database) -> None:
    saved = SqlConversationStore(database).save(full_state())
    assert SqlConversationStore(database).load(saved.conversation_id) == saved


def test_a_stored_conversation_that_cannot_be_read_is_named(database: Database) -> None:
    store = SqlConversationStore(database)
    saved = store.save(full_state())
    with database.writing() as connection:
        connection.execute(text('UPDATE conversations SET document = \'{"turn_count": "many"}\''))
    with pytest.raises(StoredConversationError, match=f"conversation {saved.conversation_id} was stored in a form"):
        store.load(saved.conversation_id)
    assert len(store.headings()) == 1
