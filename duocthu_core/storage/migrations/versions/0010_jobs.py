"""Jobs and their parts. On PostgreSQL the upgrade also makes the tables of the job queue, which are the library's own.

Revision: 0010
Revises: 0009
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_QUEUE_TABLES = ("procrastinate_periodic_defers", "procrastinate_events", "procrastinate_jobs", "procrastinate_workers")
_QUEUE_TYPES = ("procrastinate_job_to_defer_v1", "procrastinate_job_status", "procrastinate_job_event_type")
_DROP_QUEUE_FUNCTIONS = r"""
DO $$
DECLARE each regprocedure;
BEGIN
    FOR each IN SELECT oid::regprocedure FROM pg_proc
        WHERE proname LIKE 'procrastinate\_%' AND pronamespace = current_schema()::regnamespace
    LOOP EXECUTE 'DROP FUNCTION ' || each || ' CASCADE'; END LOOP;
END $$
"""


def upgrade() -> None:
    op.create_table(
        "jobs",
        sa.Column("job_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("error", sa.Text()),
        sa.Column("submitted_by", sa.String(), nullable=False),
        sa.Column("submitted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("job_id", name="pk_jobs"),
    )
    op.create_index("ix_jobs_submitted_at_job_id", "jobs", ["submitted_at", "job_id"])
    op.create_index("ix_jobs_status", "jobs", ["status"])
    op.create_table(
        "job_parts",
        sa.Column("job_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("finished", sa.Boolean(), nullable=False),
        sa.Column("counts", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", "number", name="pk_job_parts"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.job_id"], name="fk_job_parts_job_id", ondelete="CASCADE"),
    )


def downgrade() -> None:
    op.drop_table("job_parts")
    op.drop_table("jobs")
    if op.get_bind().dialect.name == "postgresql":
        op.execute(f"DROP TABLE IF EXISTS {', '.join(_QUEUE_TABLES)} CASCADE")
        op.execute(_DROP_QUEUE_FUNCTIONS)
        op.execute(f"DROP TYPE IF EXISTS {', '.join(_QUEUE_TYPES)} CASCADE")
