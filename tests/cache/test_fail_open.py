"""A failing cache is a miss with a warning."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from duocthu_core.cache.fail_open import FailOpenCache
from duocthu_core.cache.model import CacheEntry, Tier
from duocthu_core.cache.store import InMemoryCacheStore
from duocthu_core.cache.verification_cache import VerificationCache
from duocthu_core.storage.database import open_database
from duocthu_core.storage.verification_cache import SqlCacheStore
from tests.cache.verdicts import query, verdict
from tests.servers.scripted_http import free_port


class Broken(InMemoryCacheStore):
    """A store with a defect of its own."""

    def read(self, tier: Tier, claim_hashes: Sequence[str], now: datetime) -> dict[str, CacheEntry]:
        raise KeyError("defect")

    def write(self, entries: Sequence[CacheEntry]) -> dict[tuple[str, Tier], datetime]:
        raise KeyError("defect")


def test_a_cache_that_works_gives_answers_and_no_warnings() -> None:
    cache = FailOpenCache(VerificationCache(InMemoryCacheStore()))
    assert cache.put_all([verdict()]) == []
    answers, warnings = cache.get_all([query(), query(claim="khác")])
    assert [answer.action for answer in answers] == ["use", "judge"]
    assert warnings == []


def test_a_database_that_does_not_answer_is_a_miss_for_every_claim() -> None:
    database = open_database(f"postgresql://user:canary@127.0.0.1:{free_port()}/duocthu", prepare=False)
    cache = FailOpenCache(VerificationCache(SqlCacheStore(database)))
    answers, (warning,) = cache.get_all([query(), query(claim="khác")])
    assert [(answer.staleness, answer.action) for answer in answers] == [("miss", "judge")] * 2
    assert warning.startswith("verification cache, read: the database postgresql://127.0.0.1:")
    assert "canary" not in warning
    (warning,) = cache.put_all([verdict()])
    assert warning.startswith("verification cache, write: the database")


def test_tables_that_are_missing_are_a_miss(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'empty.sqlite3'}", prepare=False)
    answers, (warning,) = FailOpenCache(VerificationCache(SqlCacheStore(database))).get_all([query()])
    assert answers[0].action == "judge"
    assert "db upgrade" in warning


def test_a_defect_of_the_store_is_a_miss_too() -> None:
    cache = FailOpenCache(VerificationCache(Broken()))
    assert cache.get_all([query()])[1] == ["verification cache, read: 'defect'"]
    assert cache.put_all([verdict()]) == ["verification cache, write: 'defect'"]


def test_a_verdict_that_is_refused_does_not_keep_the_others_out() -> None:
    cache = FailOpenCache(VerificationCache(InMemoryCacheStore()))
    warnings = cache.put_all([verdict(claim="Liều\u200b"), verdict(), verdict(claim="dài", verification_processed="x" * 70_000)])
    assert [warning.split(": ")[1] for warning in warnings] == [
        "the claim holds a character that no reader sees (zero-width, bidirectional or control)",
        "70517 bytes are more than the limit of 65536",
    ]
    assert cache.get_all([query()])[0][0].action == "use"
