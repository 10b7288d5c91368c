"""Eval sets, runs and results in the database: each whole, as JSON, beside the columns that lists are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from sqlalchemy import select

from duocthu_core.evaluation.gate_report import GateReport
from duocthu_core.evaluation.results import EvalRun, ItemResult, StoredSet
from duocthu_core.storage.database import Database
from duocthu_core.storage.errors import StorageUnavailable
from duocthu_core.storage.tables import eval_gates, eval_results, eval_runs, eval_sets
from duocthu_core.storage.upserts import insert_or

_Stored = TypeVar("_Stored", bound=BaseModel)


class SqlEvalStore:
    """A :class:`duocthu_core.evaluation.results.EvalStore` on SQLite or PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save_set(self, stored: StoredSet) -> None:
        row = {"name": stored.name, "set_hash": stored.set_hash, "created_at": stored.created_at, "document": stored.model_dump_json()}
        with self._database.writing() as connection:
            connection.execute(insert_or(connection, eval_sets).values(row).on_conflict_do_nothing())

    def sets(self) -> list[StoredSet]:
        query = select(eval_sets.c.document).order_by(eval_sets.c.created_at.desc(), eval_sets.c.name.desc())
        with self._database.reading() as connection:
            documents = connection.execute(query).scalars().all()
        return [_read(StoredSet, document, "an eval set") for document in documents]

    def save_run(self, run: EvalRun) -> None:
        row = {
            "run_id": run.run_id,
            "run_key": run.identity.key,
            "set_name": run.identity.set_name,
            "status": run.status,
            "started_at": run.started_at,
            "document": run.model_dump_json(),
        }
        with self._database.writing() as connection:
            new = insert_or(connection, eval_runs).values(row)
            changed = {"status": new.excluded.status, "document": new.excluded.document}
            connection.execute(new.on_conflict_do_update(index_elements=["run_id"], set_=changed))

    def run(self, run_id: str) -> EvalRun | None:
        with self._database.reading() as connection:
            document = connection.execute(select(eval_runs.c.document).where(eval_runs.c.run_id == run_id)).scalar_one_or_none()
        return None if document is None else _read(EvalRun, document, f"run {run_id}")

    def runs(self, set_name: str | None = None) -> list[EvalRun]:
        query = select(eval_runs.c.document).order_by(eval_runs.c.started_at.desc(), eval_runs.c.run_id.desc())
        if set_name is not None:
            query = query.where(eval_runs.c.set_name == set_name)
        with self._database.reading() as connection:
            documents = connection.execute(query).scalars().all()
        return [_read(EvalRun, document, "a run") for document in documents]

    def save_result(self, run_id: str, result: ItemResult) -> None:
        self.save_results(run_id, [result])

    def save_results(self, run_id: str, results: Sequence[ItemResult]) -> None:
        rows = [{"run_id": run_id, "item_id": result.item_id, "document": result.model_dump_json()} for result in results]
        if not rows:
            return
        with self._database.writing() as connection:
            connection.execute(insert_or(connection, eval_results).on_conflict_do_nothing(), rows)

    def results(self, run_id: str) -> list[ItemResult]:
        query = select(eval_results.c.document).where(eval_results.c.run_id == run_id).order_by(eval_results.c.item_id)
        with self._database.reading() as connection:
            documents = connection.execute(query).scalars().all()
        # A database sorts by its collation; ids are compared as Python does everywhere else.
        return sorted((_read(ItemResult, document, f"a result of run {run_id}") for document in documents), key=lambda item: item.item_id)

    def finished_items(self, run_id: str) -> frozenset[str]:
        query = select(eval_results.c.item_id).where(eval_results.c.run_id == run_id)
        with self._database.reading() as connection:
            return frozenset(connection.execute(query).scalars())

    def save_gate(self, run_id: str, baseline_id: str, report: GateReport) -> None:
        row = {"run_id": run_id, "baseline_id": baseline_id, "document": report.model_dump_json()}
        with self._database.writing() as connection:
            new = insert_or(connection, eval_gates).values(row)
            changed = {"document": new.excluded.document}
            connection.execute(new.on_conflict_do_update(index_elements=["run_id", "baseline_id"], set_=changed))

    def gate(self, run_id: str, baseline_id: str) -> GateReport | None:
        c = eval_gates.c
        query = select(c.document).where(c.run_id == run_id, c.baseline_id == baseline_id)
        with self._database.reading() as connection:
            document = connection.execute(query).scalar_one_or_none()
        return None if document is None else _read(GateReport, document, f"what the gate said of run {run_id}")


def _read(form: type[_Stored], document: str, what: str) -> _Stored:
    try:
        return form.model_validate_json(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the document"
        raise StorageUnavailable(f"{what} was stored in a form that this version cannot read ({place}: {first['msg']})") from None
