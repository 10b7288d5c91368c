"""Where entries are kept: the Protocol and its implementation in memory."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from duocthu_core.cache.model import CacheEntry, CacheGroup, EntryFilters, EntryKind, Tier


class CacheTotals(BaseModel):
    """Age and size of the live entries."""

    model_config = ConfigDict(frozen=True)

    oldest: datetime | None
    newest: datetime | None
    payload_bytes: int


class CacheStore(Protocol):
    """Keeps one entry a key (claim_hash, tier) and knows nothing of staleness.

    :meth:`read` sees no entry whose time is over; the methods that lists are made of see it where they are asked to.
    """

    def read(self, tier: Tier, claim_hashes: Sequence[str], now: datetime) -> dict[str, CacheEntry]:
        """The live entries of these claims, by hash, in one statement."""
        ...

    def write(self, entries: Sequence[CacheEntry]) -> dict[tuple[str, Tier], datetime]:
        """Puts each entry in the place of the one with its key, whole; the time of creation of a key stays and is returned. The last of
        two entries with one key is written."""
        ...

    def page(self, now: datetime, filters: EntryFilters, limit: int = 50, offset: int = 0) -> list[CacheEntry]:
        """Entries, last written first."""
        ...

    def count(self, now: datetime, filters: EntryFilters) -> int:
        """How many entries :meth:`page` would list without a limit."""
        ...

    def entry(self, tier: Tier, claim_hash: str) -> CacheEntry | None:
        """The entry of a key, also where its time is over."""
        ...

    def worded(self, claims: Sequence[str], limit: int = 20) -> list[CacheEntry]:
        """Entries whose claim is one of ``claims``, letter for letter, under whatever key; last written first, expired ones included."""
        ...

    def groups(self, now: datetime) -> list[CacheGroup]:
        """Entries counted by what they were judged with."""
        ...

    def totals(self, now: datetime) -> CacheTotals:
        """Age and size of the live entries."""
        ...

    def prune(self, now: datetime) -> int:
        """Deletes the entries whose time is over and says how many there were."""
        ...


def last_of_each_key(entries: Sequence[CacheEntry]) -> list[CacheEntry]:
    """``entries`` with the last one of each key only."""
    return list({(entry.claim_hash, entry.tier): entry for entry in entries}.values())


def payload_bytes(entry: CacheEntry) -> int:
    """Size of the verdicts of ``entry`` as they are stored."""
    return sum(len(json_text(value)) for value in (entry.verification_raw, entry.verification_processed) if value is not None)


def json_text(value: object) -> str:
    """JSON in ASCII: every character that some database or driver would change is escaped."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


class InMemoryCacheStore:
    """A real, thread-safe store without a database."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, Tier], CacheEntry] = {}
        self._lock = threading.Lock()

    def read(self, tier: Tier, claim_hashes: Sequence[str], now: datetime) -> dict[str, CacheEntry]:
        found = ((claim_hash, self._entries.get((claim_hash, tier))) for claim_hash in claim_hashes)
        return {claim_hash: entry for claim_hash, entry in found if entry is not None and entry.expires_at > now}

    def write(self, entries: Sequence[CacheEntry]) -> dict[tuple[str, Tier], datetime]:
        created: dict[tuple[str, Tier], datetime] = {}
        with self._lock:
            for entry in last_of_each_key(entries):
                key = (entry.claim_hash, entry.tier)
                created[key] = self._entries.get(key, entry).created_at
                self._entries[key] = entry.model_copy(update={"created_at": created[key]})
        return created

    def page(self, now: datetime, filters: EntryFilters, limit: int = 50, offset: int = 0) -> list[CacheEntry]:
        return _last_written_first(entry for entry in self._all() if _meets(entry, filters, now))[offset : offset + limit]

    def count(self, now: datetime, filters: EntryFilters) -> int:
        return sum(_meets(entry, filters, now) for entry in self._all())

    def entry(self, tier: Tier, claim_hash: str) -> CacheEntry | None:
        return self._entries.get((claim_hash, tier))

    def worded(self, claims: Sequence[str], limit: int = 20) -> list[CacheEntry]:
        return _last_written_first(entry for entry in self._all() if entry.claim in claims)[:limit]

    def groups(self, now: datetime) -> list[CacheGroup]:
        live: Counter[tuple] = Counter()
        expired: Counter[tuple] = Counter()
        for entry in self._all():
            has_raw = entry.verification_raw is not None
            key = (entry.tier, entry.model, entry.prompt_hash, entry.framework_version, entry.schema_name, has_raw)
            (live if entry.expires_at > now else expired)[key] += 1
        names = ("tier", "model", "prompt_hash", "framework_version", "schema_name", "has_raw")
        return [
            CacheGroup.model_validate(dict(zip(names, key, strict=True)) | {"live": live[key], "expired": expired[key]})
            for key in live | expired
        ]

    def totals(self, now: datetime) -> CacheTotals:
        live = self._live(now)
        written = [entry.updated_at for entry in live]
        return CacheTotals(
            oldest=min(written, default=None), newest=max(written, default=None), payload_bytes=sum(map(payload_bytes, live))
        )

    def prune(self, now: datetime) -> int:
        with self._lock:
            over = [key for key, entry in self._entries.items() if entry.expires_at <= now]
            for key in over:
                del self._entries[key]
        return len(over)

    def _all(self) -> list[CacheEntry]:
        with self._lock:
            return list(self._entries.values())

    def _live(self, now: datetime) -> list[CacheEntry]:
        return [entry for entry in self._all() if entry.expires_at > now]


def _meets(entry: CacheEntry, filters: EntryFilters, now: datetime) -> bool:
    return (
        (entry.expires_at <= now) == filters.expired
        and filters.tier in (None, entry.tier)
        and (filters.kinds is None or _kind_of(entry) in filters.kinds)
        and (filters.written_after is None or entry.updated_at > filters.written_after)
        and (filters.written_until is None or entry.updated_at <= filters.written_until)
    )


def _kind_of(entry: CacheEntry) -> EntryKind:
    has_raw = entry.verification_raw is not None
    return EntryKind(model=entry.model, prompt_hash=entry.prompt_hash, framework_version=entry.framework_version, has_raw=has_raw)


def _last_written_first(entries: Iterable[CacheEntry]) -> list[CacheEntry]:
    return sorted(entries, key=lambda entry: (entry.updated_at, entry.claim_hash, entry.tier), reverse=True)
