"""Rulesets: contents by id, and the versions of each name.

Revision: 0005
Revises: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rulesets",
        sa.Column("ruleset_id", sa.String(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("ruleset_id", name="pk_rulesets"),
    )
    op.create_table(
        "ruleset_versions",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("ruleset_id", sa.String(), nullable=False),
        sa.Column("parent", sa.String()),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["ruleset_id"], ["rulesets.ruleset_id"], name="fk_ruleset_versions_ruleset_id"),
        sa.PrimaryKeyConstraint("name", "version", name="pk_ruleset_versions"),
    )
    op.create_index("ix_ruleset_versions_ruleset_id", "ruleset_versions", ["ruleset_id"])


def downgrade() -> None:
    op.drop_table("ruleset_versions")
    op.drop_table("rulesets")
