"""The pages without a browser: real services over stores in memory, one set a test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from duocthu_core.access.store import InMemoryAccountStore
from duocthu_core.audit.log import InMemoryAuditLog
from duocthu_core.bootstrap import Services, bootstrap
from duocthu_core.cache.store import InMemoryCacheStore
from duocthu_core.conversation.store import InMemoryConversationStore
from duocthu_core.jobs.store import InMemoryJobStore
from duocthu_core.pipeline.trace_store import InMemoryTraceStore, InMemoryTurnStore
from duocthu_core.review.in_memory import InMemoryReviewStore
from duocthu_core.rulesets.store import InMemoryRulesetStore, RulesetLibrary
from duocthu_core.settings import load_settings
from pages.frame import access
from pages.frame import services as page_services
from tests.app import sample_traces as sample

SHELL = Path(__file__).resolve().parents[2] / "pages" / "_shell.py"
Opening = Callable[..., AppTest]


@pytest.fixture(scope="session")
def built() -> Services:
    """Services over the demo corpus and the offline model, without a database."""
    conversations, traces = InMemoryConversationStore(), InMemoryTraceStore()
    stores = {"conversations": conversations, "traces": traces, "turns": InMemoryTurnStore(conversations, traces)}
    stores["cache_store"] = InMemoryCacheStore()
    stores["review_store"] = InMemoryReviewStore()
    stores["audit"] = InMemoryAuditLog()
    stores["accounts"] = InMemoryAccountStore()
    stores["ruleset_store"] = InMemoryRulesetStore()
    return bootstrap(load_settings(_env_file=None), **stores)


@pytest.fixture
def services(built: Services, monkeypatch: pytest.MonkeyPatch) -> Services:
    """The services that the pages of this test use, with a sample conversation stored."""
    conversations, traces = InMemoryConversationStore(), InMemoryTraceStore()
    fresh = replace(
        built,
        conversations=conversations,
        traces=traces,
        turns=InMemoryTurnStore(conversations, traces),
        accounts=InMemoryAccountStore(),
        audit=InMemoryAuditLog(),
        job_store=InMemoryJobStore(),
        rulesets=RulesetLibrary(InMemoryRulesetStore()),
    )
    for trace in (*sample.conversation(), sample.hostile()):
        fresh.traces.save(trace)
    monkeypatch.setattr(page_services, "services", lambda: fresh)
    monkeypatch.setattr(access, "served_to_this_machine", lambda: True)
    page_services._kept_trace.clear()  # pyright: ignore[reportFunctionMemberAccess]
    return fresh


@pytest.fixture
def open_page(services: Services) -> Opening:
    """Opens the app at an address and runs it once; ``page`` is a file of ``pages``."""

    def opened(page: str = "", **query: str) -> AppTest:
        at = AppTest.from_file(SHELL, default_timeout=30)
        if page:
            at.run()
            at.switch_page(page)
        for name, value in query.items():
            at.query_params[name] = value
        return at.run()

    return opened
