"""Conversations, traces, and the blocks that a trace's answer cites.

Revision: 0001
Revises: nothing
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "conversations",
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("turn_count", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("conversation_id", name="pk_conversations"),
    )
    op.create_index("ix_conversations_updated_at_conversation_id", "conversations", ["updated_at", "conversation_id"])
    op.create_table(
        "traces",
        sa.Column("trace_id", sa.String(), nullable=False),
        sa.Column("parent_trace_id", sa.String()),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("turn_index", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("searchable", sa.Text(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("reject_reason", sa.String()),
        sa.Column("ruleset_id", sa.String(), nullable=False),
        sa.Column("corpus_id", sa.String(), nullable=False),
        sa.Column("generator", sa.String(), nullable=False),
        sa.Column("judge", sa.String(), nullable=False),
        sa.Column("duration_ms", sa.Float(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("trace_id", name="pk_traces"),
    )
    for columns in (
        ["created_at", "trace_id"],
        ["conversation_id", "turn_index"],
        ["outcome", "created_at"],
        ["reject_reason", "created_at"],
        ["ruleset_id", "created_at"],
    ):
        op.create_index(f"ix_traces_{'_'.join(columns)}", "traces", columns)
    op.create_table(
        "trace_blocks",
        sa.Column("block_id", sa.String(), nullable=False),
        sa.Column("trace_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["trace_id"], ["traces.trace_id"], name="fk_trace_blocks_trace_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("block_id", "trace_id", name="pk_trace_blocks"),
    )
    op.create_index("ix_trace_blocks_trace_id", "trace_blocks", ["trace_id"])


def downgrade() -> None:
    op.drop_table("trace_blocks")
    op.drop_table("traces")
    op.drop_table("conversations")
