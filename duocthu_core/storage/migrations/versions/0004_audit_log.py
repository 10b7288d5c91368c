"""The audit log, whose lines can be neither changed nor deleted.

Revision: 0004
Revises: 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_ON_SQLITE = [
    f"CREATE TRIGGER audit_log_no_{what} BEFORE {what} ON audit_log BEGIN SELECT RAISE(ABORT, 'audit_log is append-only'); END"
    for what in ("update", "delete")
]
_ON_POSTGRESQL = [
    "CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'audit_log is append-only'; END $$",
    "CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only()",
]


def upgrade() -> None:
    op.create_table(
        "audit_log",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_log"),
    )
    op.create_index("ix_audit_log_action_id", "audit_log", ["action", "id"])
    op.create_index("ix_audit_log_target_id", "audit_log", ["target", "id"])
    for statement in _ON_POSTGRESQL if op.get_bind().dialect.name == "postgresql" else _ON_SQLITE:
        op.execute(statement)


def downgrade() -> None:
    op.drop_table("audit_log")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION audit_log_is_append_only()")
