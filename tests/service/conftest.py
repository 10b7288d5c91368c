"""The contract over real HTTP, on SQLite and on PostgreSQL, with a clock that a test sets."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from duocthu_core.audit.log import InMemoryAuditLog
from duocthu_core.bootstrap import Services, bootstrap
from duocthu_core.cache.store import CacheStore, InMemoryCacheStore
from duocthu_core.cache.verification_cache import VerificationCache
from duocthu_core.conversation.store import InMemoryConversationStore
from duocthu_core.pipeline.trace_store import InMemoryTraceStore, InMemoryTurnStore
from duocthu_core.service.application import create_app
from duocthu_core.settings import load_settings
from duocthu_core.storage.verification_cache import SqlCacheStore
from tests.cache.conftest import Clock, clock
from tests.pipeline.corpora import small_corpus
from tests.servers.contract_server import client_of

__all__ = ["clock"]

CLAIM = "Người lớn: paracetamol uống 0,5 - 1 g/lần, tối đa 4 g/ngày."
URL = "duocthu://bo-thu/paracetamol/lieu_luong_cach_dung/1?h=sha256:" + "a" * 64
PROCESSED: dict[str, Any] = {"status": "supported", "notes": ["\u0000", "≥ 10² ½ 💊", None, 1e22, 1.0]}
RAW: dict[str, Any] = {"stance": "SUPPORTS", "confidence": 97}
WRITTEN: dict[str, Any] = {
    "claim": CLAIM,
    "evidence_urls": [URL],
    "tier": "free",
    "prompt_hash": "0123456789ab",
    "framework_version": "ba9876543210",
    "model": "bedrock/nova",
    "verification_raw": RAW,
    "verification_processed": PROCESSED,
}
ASKED: dict[str, Any] = {
    "claim": CLAIM,
    "max_evidence": 3,
    "run_nli": False,
    "include_verification": True,
    "tier": "free",
    "prompt_hash": "0123456789ab",
    "framework_version": "ba9876543210",
}


def services_over(store: CacheStore, folder: Path, clock: Clock | None = None, **changes: Any) -> Services:
    """Services that keep conversations in memory and verdicts in ``store``; ``changes`` are settings and parts."""
    parts = {name: changes.pop(name) for name in ("judge", "corpus") if name in changes}
    settings = load_settings(_env_file=None, DUOCTHU_DATA_DIR=folder, **changes)
    conversations, traces = InMemoryConversationStore(), InMemoryTraceStore()
    if clock is not None:
        limit = settings.verification_cache_max_payload_kb * 1024
        parts["verification_cache"] = VerificationCache(store, ttl=timedelta(days=30), max_payload_bytes=limit, clock=clock)
    return bootstrap(
        settings,
        conversations=conversations,
        traces=traces,
        turns=InMemoryTurnStore(conversations, traces),
        cache_store=store,
        audit=InMemoryAuditLog(),
        **({"corpus": small_corpus()} | parts),
    )


@pytest.fixture
def services(database: Any, tmp_path: Path, clock: Clock) -> Services:
    """Services over each database."""
    return services_over(SqlCacheStore(database), tmp_path, clock)


@pytest.fixture
def http(services: Services) -> Iterator[httpx.Client]:
    """A client of the contract over each database."""
    with client_of(create_app(services)) as client:
        yield client


@pytest.fixture
def memory_http(tmp_path: Path) -> Iterator[httpx.Client]:
    """A client of the contract without a database, for what no database changes."""
    with client_of(create_app(services_over(InMemoryCacheStore(), tmp_path))) as client:
        yield client
