"""The verification cache in the database (spec 05)."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy import ColumnElement, RowMapping, Select, and_, bindparam, case, delete, false, func, or_, select

from duocthu_core.cache.model import CacheEntry, CacheGroup, EntryFilters, EntryKind, Tier
from duocthu_core.cache.store import CacheTotals, json_text, last_of_each_key
from duocthu_core.storage.database import Database
from duocthu_core.storage.tables import verification_cache
from duocthu_core.storage.upserts import insert_or

_c = verification_cache.c
# Made once: building a statement costs as much as running it (spec 05, "What this must reach").
_LIVE = select(verification_cache).where(_c.tier == bindparam("tier"), _c.expires_at > bindparam("now"))
_LIVE_ONE = _LIVE.where(_c.claim_hash == bindparam("claim_hash"))
_LIVE_SEVERAL = _LIVE.where(_c.claim_hash.in_(bindparam("claim_hashes", expanding=True)))
_LAST_WRITTEN_FIRST = (_c.updated_at.desc(), _c.claim_hash.desc(), _c.tier.desc())
_JSON_COLUMNS = ("evidence_urls", "verification_raw", "verification_processed")
_log = logging.getLogger(__name__)


class SqlCacheStore:
    """A :class:`duocthu_core.cache.store.CacheStore` on SQLite or PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, tier: Tier, claim_hashes: Sequence[str], now: datetime) -> dict[str, CacheEntry]:
        wanted: dict[str, Any] = {"tier": tier, "now": now}
        one = len(claim_hashes) == 1
        wanted |= {"claim_hash": claim_hashes[0]} if one else {"claim_hashes": list(claim_hashes)}
        with self._database.reading() as connection:
            rows = connection.execute(_LIVE_ONE if one else _LIVE_SEVERAL, wanted).mappings().all()
        return {entry.claim_hash: entry for entry in map(_entry_of, rows) if entry is not None}

    def write(self, entries: Sequence[CacheEntry]) -> dict[tuple[str, Tier], datetime]:
        # One order for all writers: two of them with the same keys wait for each other instead of locking each other out.
        rows = sorted(map(_row_of, last_of_each_key(entries)), key=lambda row: (row["claim_hash"], row["tier"]))
        with self._database.writing() as connection:
            new = insert_or(connection, verification_cache)
            # Everything but the key and the time of creation; the times of an UPSERT are set here, no column default fires on it.
            changed = {name: column for name, column in new.excluded.items() if name not in ("claim_hash", "tier", "created_at")}
            upsert = new.on_conflict_do_update(index_elements=["claim_hash", "tier"], set_=changed)
            written = connection.execute(upsert.returning(_c.claim_hash, _c.tier, _c.created_at), rows).all()
        return {(row.claim_hash, row.tier): row.created_at for row in written}

    def page(self, now: datetime, filters: EntryFilters, limit: int = 50, offset: int = 0) -> list[CacheEntry]:
        query = select(verification_cache).where(*_conditions(filters, now)).order_by(*_LAST_WRITTEN_FIRST).limit(limit).offset(offset)
        return self._entries(query)

    def count(self, now: datetime, filters: EntryFilters) -> int:
        query = select(func.count()).select_from(verification_cache).where(*_conditions(filters, now))
        with self._database.reading() as connection:
            return connection.execute(query).scalar_one()

    def entry(self, tier: Tier, claim_hash: str) -> CacheEntry | None:
        return next(iter(self._entries(select(verification_cache).where(_c.claim_hash == claim_hash, _c.tier == tier))), None)

    def worded(self, claims: Sequence[str], limit: int = 20) -> list[CacheEntry]:
        return self._entries(select(verification_cache).where(_c.claim.in_(claims)).order_by(*_LAST_WRITTEN_FIRST).limit(limit))

    def groups(self, now: datetime) -> list[CacheGroup]:
        has_raw = _c.verification_raw.is_not(None).label("has_raw")
        kind = (_c.tier, _c.model, _c.prompt_hash, _c.framework_version, _c.schema_name, has_raw)
        live = func.sum(case((_c.expires_at > now, 1), else_=0))
        query = select(*kind, live.label("live"), (func.count() - live).label("expired")).group_by(*kind)
        with self._database.reading() as connection:
            return [CacheGroup.model_validate(dict(row)) for row in connection.execute(query).mappings()]

    def totals(self, now: datetime) -> CacheTotals:
        size = func.sum(func.length(_c.verification_processed) + func.coalesce(func.length(_c.verification_raw), 0))
        query = select(
            func.min(_c.updated_at).label("oldest"),
            func.max(_c.updated_at).label("newest"),
            func.coalesce(size, 0).label("payload_bytes"),
        ).where(_c.expires_at > now)
        with self._database.reading() as connection:
            return CacheTotals.model_validate(dict(connection.execute(query).mappings().one()))

    def _entries(self, query: Select[Any]) -> list[CacheEntry]:
        with self._database.reading() as connection:
            rows = connection.execute(query).mappings().all()
        return [entry for entry in map(_entry_of, rows) if entry is not None]

    def prune(self, now: datetime) -> int:
        with self._database.writing() as connection:
            return len(connection.execute(delete(verification_cache).where(_c.expires_at <= now).returning(_c.claim_hash)).all())


def _conditions(filters: EntryFilters, now: datetime) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [_c.expires_at <= now if filters.expired else _c.expires_at > now]
    if filters.tier is not None:
        conditions.append(_c.tier == filters.tier)
    if filters.kinds is not None:
        conditions.append(or_(false(), *map(_of_kind, filters.kinds)))
    if filters.written_after is not None:
        conditions.append(_c.updated_at > filters.written_after)
    if filters.written_until is not None:
        conditions.append(_c.updated_at <= filters.written_until)
    return conditions


def _of_kind(kind: EntryKind) -> ColumnElement[bool]:
    raw = _c.verification_raw
    return and_(
        _c.prompt_hash == kind.prompt_hash,
        _c.model.is_not_distinct_from(kind.model),
        _c.framework_version.is_not_distinct_from(kind.framework_version),
        raw.is_not(None) if kind.has_raw else raw.is_(None),
    )


def _row_of(entry: CacheEntry) -> dict[str, Any]:
    row = entry.model_dump()
    texts = {name: None if row[name] is None else json_text(row[name]) for name in _JSON_COLUMNS}
    return row | texts


def _entry_of(row: RowMapping) -> CacheEntry | None:
    """The entry of a row; a row that cannot be read is as good as none, and is written over by the next verdict."""
    try:
        documents = {name: None if row[name] is None else json.loads(row[name]) for name in _JSON_COLUMNS}
        return CacheEntry.model_validate(dict(row) | documents)
    except (ValueError, ValidationError):
        _log.warning("verification cache: the row %s (%s) cannot be read and is passed over", row["claim_hash"], row["tier"])
        return None
