"""Rulesets in the database: each content once under its id, each save a row of its own (spec 01, "Rulesets")."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from pydantic import ValidationError
from sqlalchemy import Connection, func, insert, select

from duocthu_core.rulesets.drafts import DraftStore
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.store import Activation, RulesetConflict, RulesetHeading, StoredRulesetError, heading_of
from duocthu_core.storage.database import Database
from duocthu_core.storage.ruleset_drafts import SqlDraftStore
from duocthu_core.storage.tables import ruleset_activations, ruleset_versions, rulesets, storable
from duocthu_core.storage.upserts import insert_or

_v = ruleset_versions.c
_a = ruleset_activations.c
_HEADING = [_v[name] for name in RulesetHeading.model_fields]


class SqlRulesetStore:
    """A :class:`duocthu_core.rulesets.store.RulesetStore` on SQLite or PostgreSQL."""

    def __init__(self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._database = database
        self._clock = clock
        self.drafts: DraftStore = SqlDraftStore(database, clock)

    def save(self, ruleset: Ruleset, expected_head: str | None) -> RulesetHeading:
        with self._database.writing() as connection:
            head = _head(connection, ruleset.name)
            if (head.ruleset_id if head else None) != expected_head:
                raise RulesetConflict(ruleset.name, head)
            if head is not None and head.ruleset_id == ruleset.ruleset_id:
                return head
            saved = heading_of(ruleset, (head.version if head else 0) + 1, self._clock())
            content = {"ruleset_id": saved.ruleset_id, "document": ruleset.model_dump_json(exclude={"name", "author", "note", "parent"})}
            connection.execute(insert_or(connection, rulesets).values(content).on_conflict_do_nothing())
            row = saved.model_dump() | {"author": storable(saved.author), "note": storable(saved.note)}
            new = insert_or(connection, ruleset_versions).values(row).on_conflict_do_nothing().returning(_v.version)
            # The number of the version is its key: of two who save at once, the database lets one through.
            if connection.execute(new).first() is None:
                raise RulesetConflict(ruleset.name, _head(connection, ruleset.name))
        return saved

    def load(self, ruleset_id: str) -> Ruleset | None:
        query = (
            select(rulesets.c.document, *_HEADING)
            .join(ruleset_versions, _v.ruleset_id == rulesets.c.ruleset_id)
            .where(rulesets.c.ruleset_id == ruleset_id)
            .order_by(_v.created_at.desc(), _v.version.desc())
            .limit(1)
        )
        with self._database.reading() as connection:
            row = connection.execute(query).mappings().one_or_none()
        if row is None:
            return None
        heading = RulesetHeading.model_validate({name: row[name] for name in RulesetHeading.model_fields})
        return _ruleset_of(row["document"], heading)

    def heads(self) -> list[RulesetHeading]:
        newest = select(_v.name, func.max(_v.version).label("version")).group_by(_v.name).subquery()
        query = select(*_HEADING).join(newest, (newest.c.name == _v.name) & (newest.c.version == _v.version))
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(_v.created_at.desc(), _v.name.desc())).mappings().all()
        return [RulesetHeading.model_validate(dict(row)) for row in rows]

    def history(self, name: str) -> list[RulesetHeading]:
        with self._database.reading() as connection:
            rows = connection.execute(select(*_HEADING).where(_v.name == name).order_by(_v.version.desc())).mappings().all()
        return [RulesetHeading.model_validate(dict(row)) for row in rows]

    def ids_beginning(self, prefix: str) -> list[str]:
        c = rulesets.c.ruleset_id
        query = select(c).where(c.startswith(prefix, autoescape=True)).order_by(c).limit(2)
        with self._database.reading() as connection:
            return list(connection.execute(query).scalars())

    def activate(self, ruleset_id: str | None, name: str, actor: str) -> Activation:
        created_at = self._clock()
        row = {"ruleset_id": ruleset_id, "name": storable(name), "actor": storable(actor), "created_at": created_at}
        with self._database.writing() as connection:
            number = connection.execute(insert(ruleset_activations).values(row).returning(_a.number)).scalar_one()
        return Activation(number=number, ruleset_id=ruleset_id, name=name, actor=actor, created_at=created_at)

    def activations(self, limit: int = 20) -> list[Activation]:
        query = select(ruleset_activations).order_by(_a.number.desc()).limit(limit)
        with self._database.reading() as connection:
            return [Activation.model_validate(dict(row)) for row in connection.execute(query).mappings()]


def _head(connection: Connection, name: str) -> RulesetHeading | None:
    query = select(*_HEADING).where(_v.name == name).order_by(_v.version.desc()).limit(1)
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else RulesetHeading.model_validate(dict(row))


def _ruleset_of(document: str, heading: RulesetHeading) -> Ruleset:
    try:
        content = Ruleset.model_validate_json(document[:-1] + ',"name":""}')
    except ValidationError as error:
        raise StoredRulesetError(
            f"ruleset {heading.ruleset_id} was stored in a form that this version cannot read ({error.error_count()} errors)"
        ) from None
    ruleset = content.model_copy(update=heading.model_dump(include={"name", "author", "note", "parent"}))
    if ruleset.ruleset_id != heading.ruleset_id:
        raise StoredRulesetError(
            f"ruleset {heading.ruleset_id} has content of another id ({ruleset.ruleset_id}): the database was changed by hand"
        )
    return ruleset
