"""Many writers at once: one row a key, one payload whole, no exception (spec 05, "What this must reach")."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import httpx

from duocthu_core.cache.verification_cache import VerificationCache
from duocthu_core.storage.database import Database
from duocthu_core.storage.verification_cache import SqlCacheStore
from tests.cache.verdicts import verdict
from tests.service.conftest import ASKED, WRITTEN

WRITERS, KEYS = 50, 10


def test_fifty_writers_on_ten_keys_leave_ten_whole_rows(database: Database) -> None:
    cache = VerificationCache(SqlCacheStore(database))

    def write(writer: int) -> None:
        for turn in range(KEYS):
            mine = {"by": writer}
            cache.put(
                verdict(
                    claim=f"Liều {(writer + turn) % KEYS} mg.",
                    verification_raw=mine,
                    verification_processed=mine,
                    model=str(writer),
                    evidence_urls=(f"duocthu://{writer}",),
                )
            )

    with ThreadPoolExecutor(WRITERS) as pool:
        assert list(pool.map(write, range(WRITERS))) == [None] * WRITERS
    entries = cache.page(limit=100)
    assert sorted(entry.claim for entry in entries) == [f"Liều {number} mg." for number in range(KEYS)]
    for entry in entries:
        by = int(entry.model or "")
        assert (entry.verification_raw, entry.verification_processed, entry.evidence_urls) == (
            {"by": by},
            {"by": by},
            (f"duocthu://{by}",),
        )


def test_fifty_writers_over_http_are_all_answered(http: httpx.Client) -> None:
    def write(writer: int) -> int:
        body = WRITTEN | {"claim": f"Liều {writer % KEYS} mg", "verification_processed": {"by": writer}, "model": str(writer)}
        return http.post("/v1/verification_cache", json=body).status_code

    with ThreadPoolExecutor(WRITERS) as pool:
        assert set(pool.map(write, range(WRITERS))) == {200}
    for key in range(KEYS):
        found = http.post("/v1/gather", json=ASKED | {"claim": f"Liều {key} mg", "max_evidence": 0}).json()["brain_meta"]
        assert found["verification"] == {"by": int(found["verification_model"])}
        assert found["verification"]["by"] % KEYS == key
