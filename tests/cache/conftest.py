"""The cache over every store: in memory, SQLite, PostgreSQL; with a clock that tests set."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from duocthu_core.cache.store import CacheStore, InMemoryCacheStore
from duocthu_core.cache.verification_cache import VerificationCache
from duocthu_core.storage.verification_cache import SqlCacheStore


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **by: float) -> None:
        """Moves on."""
        self.now += timedelta(**by)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def store(request: pytest.FixtureRequest) -> CacheStore:
    if request.param == "memory":
        return InMemoryCacheStore()
    return SqlCacheStore(request.getfixturevalue(f"{request.param}_database"))


@pytest.fixture
def cache(store: CacheStore, clock: Callable[[], datetime]) -> VerificationCache:
    return VerificationCache(store, clock=clock)
