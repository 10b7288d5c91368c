"""Which rules answer everybody, and edits of rules that are not saved yet.

Revision: 0009
Revises: 0008
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ruleset_activations",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("ruleset_id", sa.String()),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_ruleset_activations"),
    )
    op.create_table(
        "ruleset_drafts",
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("base_id", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("owner", "base_id", name="pk_ruleset_drafts"),
    )


def downgrade() -> None:
    op.drop_table("ruleset_drafts")
    op.drop_table("ruleset_activations")
