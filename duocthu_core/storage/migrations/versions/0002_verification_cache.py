"""The verification cache.

Revision: 0002
Revises: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "verification_cache",
        sa.Column("claim_hash", sa.String(), nullable=False),
        sa.Column("tier", sa.String(), nullable=False),
        sa.Column("claim", sa.Text(), nullable=False),
        sa.Column("drug_id", sa.String()),
        sa.Column("section_key", sa.String()),
        sa.Column("evidence_urls", sa.Text(), nullable=False),
        sa.Column("evidence_hash", sa.String(), nullable=False),
        sa.Column("model", sa.String()),
        sa.Column("prompt_hash", sa.String(), nullable=False),
        sa.Column("framework_version", sa.String()),
        sa.Column("schema_name", sa.String(), nullable=False),
        sa.Column("verification_raw", sa.Text()),
        sa.Column("verification_processed", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("claim_hash", "tier", name="pk_verification_cache"),
    )
    op.create_index("ix_verification_cache_expires_at", "verification_cache", ["expires_at"])
    op.create_index("ix_verification_cache_updated_at", "verification_cache", ["updated_at"])


def downgrade() -> None:
    op.drop_table("verification_cache")
