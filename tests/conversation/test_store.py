"""The conversation store in memory passes the suite of every store."""

from __future__ import annotations

import pytest

from duocthu_core.conversation.store import ConversationStore, InMemoryConversationStore
from tests.conversation.store_suite import ConversationStoreSuite


class TestInMemoryConversationStore(ConversationStoreSuite):
    """Spec 02: "pass one shared test suite"."""

    @pytest.fixture
    def store(self) -> ConversationStore:
        return InMemoryConversationStore()
