"""Unsaved edits of rules in the database, one row a person and version."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime

from pydantic import ValidationError
from sqlalchemy import Connection, RowMapping, delete, select, update

from duocthu_core.rulesets.drafts import DraftOvertaken, KeptDraft
from duocthu_core.storage.database import Database
from duocthu_core.storage.tables import ruleset_drafts, storable
from duocthu_core.storage.upserts import insert_or

_c = ruleset_drafts.c
_log = logging.getLogger(__name__)


class SqlDraftStore:
    """A :class:`duocthu_core.rulesets.drafts.DraftStore` on SQLite or PostgreSQL."""

    def __init__(self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._database = database
        self._clock = clock

    def keep(self, owner: str, draft: KeptDraft) -> KeptDraft:
        kept = draft.model_copy(update={"revision": draft.revision + 1, "updated_at": self._clock()})
        changed = {"revision": kept.revision, "document": storable(kept.model_dump_json()), "updated_at": kept.updated_at}
        with self._database.writing() as connection:
            if draft.revision:
                own = (_c.owner == owner) & (_c.base_id == draft.base_id) & (_c.revision == draft.revision)
                written = connection.execute(update(ruleset_drafts).where(own).values(changed)).rowcount
            else:
                row = {"owner": owner, "base_id": draft.base_id, **changed}
                new = insert_or(connection, ruleset_drafts).values(row).on_conflict_do_nothing().returning(_c.revision)
                written = connection.execute(new).first() is not None
            if not written:
                raise DraftOvertaken(_kept(connection, owner, draft.base_id))
        return kept

    def of(self, owner: str, base_id: str) -> KeptDraft | None:
        with self._database.reading() as connection:
            return _kept(connection, owner, base_id)

    def all_of(self, owner: str) -> list[KeptDraft]:
        query = select(_c.document, _c.revision).where(_c.owner == owner).order_by(_c.updated_at.desc(), _c.base_id)
        with self._database.reading() as connection:
            rows = connection.execute(query).mappings().all()
        return [kept for row in rows if (kept := _read(row)) is not None]

    def drop(self, owner: str, base_id: str) -> None:
        with self._database.writing() as connection:
            connection.execute(delete(ruleset_drafts).where((_c.owner == owner) & (_c.base_id == base_id)))


def _kept(connection: Connection, owner: str, base_id: str) -> KeptDraft | None:
    query = select(_c.document, _c.revision).where((_c.owner == owner) & (_c.base_id == base_id))
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else _read(row)


def _read(row: RowMapping) -> KeptDraft | None:
    try:
        return KeptDraft.model_validate_json(row["document"])
    except ValidationError:
        _log.warning("a draft of rules was kept in a form that this version cannot read")
        return None
