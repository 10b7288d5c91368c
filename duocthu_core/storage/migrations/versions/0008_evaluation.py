"""Evaluation: sets, runs, results of items.

Revision: 0008
Revises: 0007
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "eval_sets",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("set_hash", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", "set_hash", name="pk_eval_sets"),
    )
    op.create_index("ix_eval_sets_created_at", "eval_sets", ["created_at"])
    op.create_table(
        "eval_runs",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("run_key", sa.String(), nullable=False),
        sa.Column("set_name", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_eval_runs"),
    )
    op.create_index("ix_eval_runs_set_name_started_at", "eval_runs", ["set_name", "started_at"])
    op.create_index("ix_eval_runs_run_key", "eval_runs", ["run_key"])
    op.create_table(
        "eval_results",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "item_id", name="pk_eval_results"),
        sa.ForeignKeyConstraint(["run_id"], ["eval_runs.run_id"], name="fk_eval_results_run_id", ondelete="CASCADE"),
    )


def downgrade() -> None:
    op.drop_table("eval_results")
    op.drop_table("eval_runs")
    op.drop_table("eval_sets")
