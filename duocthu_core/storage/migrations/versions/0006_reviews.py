"""Reviews: queues, items, claims, seats, drafts, verdicts.

Revision: 0006
Revises: 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_ON_SQLITE = [
    f"CREATE TRIGGER review_events_no_{what} BEFORE {what} ON review_events BEGIN SELECT RAISE(ABORT, 'review_events is append-only'); END"
    for what in ("update", "delete")
]
_ON_POSTGRESQL = [
    "CREATE FUNCTION review_events_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'review_events is append-only'; END $$",
    "CREATE TRIGGER review_events_append_only BEFORE UPDATE OR DELETE ON review_events "
    "FOR EACH ROW EXECUTE FUNCTION review_events_is_append_only()",
]


def upgrade() -> None:
    op.create_table(
        "review_queues",
        sa.Column("queue_id", sa.String(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("stratum", sa.String(), nullable=False),
        sa.Column("reviewers_per_item", sa.Integer(), nullable=False),
        sa.Column("rubric_version", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("queue_id", name="pk_review_queues"),
    )
    op.create_table(
        "review_items",
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("queue_id", sa.String(), nullable=False),
        sa.Column("trace_id", sa.String(), nullable=False),
        sa.Column("rubric_version", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("dispute", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("item_id", name="pk_review_items"),
        sa.ForeignKeyConstraint(["queue_id"], ["review_queues.queue_id"], name="fk_review_items_queue_id"),
        sa.UniqueConstraint("queue_id", "position", name="uq_review_items_queue_id_position"),
        sa.UniqueConstraint("queue_id", "trace_id", name="uq_review_items_queue_id_trace_id"),
    )
    op.create_index("ix_review_items_trace_id_rubric_version", "review_items", ["trace_id", "rubric_version"])
    op.create_table(
        "review_claims",
        sa.Column("trace_id", sa.String(), nullable=False),
        sa.Column("claim_index", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("citations", sa.Text(), nullable=False),
        sa.Column("delivered", sa.Boolean()),
        sa.Column("content_hash", sa.String(), nullable=False),
        sa.Column("judge_model", sa.String()),
        sa.Column("prompt_hash", sa.String()),
        sa.Column("judge", sa.Text()),
        sa.PrimaryKeyConstraint("trace_id", "claim_index", name="pk_review_claims"),
    )
    op.create_table(
        "review_seats",
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("reviewer", sa.String(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("item_id", "purpose", "reviewer", name="pk_review_seats"),
        sa.ForeignKeyConstraint(["item_id"], ["review_items.item_id"], name="fk_review_seats_item_id"),
    )
    op.create_table(
        "review_drafts",
        sa.Column("trace_id", sa.String(), nullable=False),
        sa.Column("claim_index", sa.Integer(), nullable=False),
        sa.Column("reviewer", sa.String(), nullable=False),
        sa.Column("rubric_version", sa.String(), nullable=False),
        sa.Column("base_revision", sa.Integer(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("trace_id", "claim_index", "reviewer", "rubric_version", name="pk_review_drafts"),
    )
    op.create_table(
        "review_events",
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("trace_id", sa.String(), nullable=False),
        sa.Column("claim_index", sa.Integer(), nullable=False),
        sa.Column("reviewer", sa.String(), nullable=False),
        sa.Column("rubric_version", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("revealed", sa.Boolean(), nullable=False),
        sa.Column("judgement", sa.String(), nullable=False),
        sa.Column("error_kind", sa.String()),
        sa.Column("severity", sa.String()),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("queue_id", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("event_id", name="pk_review_events"),
        sa.ForeignKeyConstraint(["queue_id"], ["review_queues.queue_id"], name="fk_review_events_queue_id"),
        sa.UniqueConstraint("trace_id", "claim_index", "reviewer", "rubric_version", "revision", name="uq_review_events_key"),
    )
    op.create_index("ix_review_events_kind_created_at", "review_events", ["kind", "created_at"])
    op.create_index("ix_review_events_queue_id", "review_events", ["queue_id"])
    for statement in _ON_POSTGRESQL if op.get_bind().dialect.name == "postgresql" else _ON_SQLITE:
        op.execute(statement)


def downgrade() -> None:
    for table in ("review_events", "review_drafts", "review_seats", "review_claims", "review_items", "review_queues"):
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION review_events_is_append_only()")
