"""What each turn used of the judge and what the cache saved it, beside its trace; the turns that are stored already are read once.

Revision: 0007
Revises: 0006
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_COUNTS = ("lookups", "served", "reprocessed", "calls_saved", "tokens_saved", "judge_calls", "input_tokens", "output_tokens")
_READ_AT_ONCE = 200


def upgrade() -> None:
    table = op.create_table(
        "turn_usage",
        sa.Column("trace_id", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in _COUNTS),
        sa.Column("cost_saved_usd", sa.Float()),
        sa.Column("cost_usd", sa.Float()),
        sa.ForeignKeyConstraint(["trace_id"], ["traces.trace_id"], name="fk_turn_usage_trace_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("trace_id", name="pk_turn_usage"),
    )
    op.create_index("ix_turn_usage_created_at", "turn_usage", ["created_at"])
    _read_stored_turns(op.get_bind(), table)


def downgrade() -> None:
    op.drop_table("turn_usage")


def _read_stored_turns(connection: sa.Connection, table: sa.Table) -> None:
    traces = sa.table(
        "traces",
        sa.column("trace_id", sa.String),
        sa.column("parent_trace_id", sa.String),
        sa.column("created_at", sa.DateTime(timezone=True)),
        sa.column("document", sa.Text),
    )
    last = ""
    while True:
        query = sa.select(traces.c.trace_id, traces.c.created_at, traces.c.document).where(traces.c.parent_trace_id.is_(None))
        rows = connection.execute(query.where(traces.c.trace_id > last).order_by(traces.c.trace_id).limit(_READ_AT_ONCE)).all()
        if not rows:
            return
        connection.execute(
            table.insert(), [{"trace_id": row.trace_id, "created_at": row.created_at} | _usage(row.document) for row in rows]
        )
        last = rows[-1].trace_id


def _usage(document: str) -> dict[str, Any]:
    trace = json.loads(document)
    totals = trace.get("totals") or {}
    saved: dict[str, Any] = {}
    lookups: list[dict[str, Any]] = []
    for output in (record.get("output") or {} for record in trace.get("stages") or ()):
        if output.get("stage") == "cache":
            saved = output
            lookups += [*output.get("lookups", ()), *([output["completeness"]] if output.get("completeness") else [])]
        elif output.get("stage") == "repair":
            lookups += output.get("lookups", ())
    return {
        "lookups": len(lookups),
        "served": sum(lookup.get("action") == "served" for lookup in lookups),
        "reprocessed": sum(lookup.get("action") == "reprocessed" for lookup in lookups),
        "calls_saved": saved.get("calls_saved", 0),
        "tokens_saved": saved.get("tokens_saved", 0),
        "cost_saved_usd": saved.get("cost_saved_usd"),
        **{name: totals.get(name, 0) for name in ("judge_calls", "input_tokens", "output_tokens")},
        "cost_usd": totals.get("cost_usd"),
    }
