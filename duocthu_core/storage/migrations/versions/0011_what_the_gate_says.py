"""What the gate says of evaluation runs, so that every process shows it; jobs are found by what they work on.

Revision: 0011
Revises: 0010
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "eval_gates",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("baseline_id", sa.String(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "baseline_id", name="pk_eval_gates"),
        sa.ForeignKeyConstraint(["run_id"], ["eval_runs.run_id"], name="fk_eval_gates_run_id", ondelete="CASCADE"),
    )
    op.create_index("ix_jobs_subject_submitted_at", "jobs", ["subject", "submitted_at"])


def downgrade() -> None:
    op.drop_index("ix_jobs_subject_submitted_at", "jobs")
    op.drop_table("eval_gates")
