"""Every table, as the newest migration leaves it.

Documents are kept as JSON *text*, on PostgreSQL too: ``jsonb`` would reorder their keys and refuse the character U+0000, which a model may
write into a reply, and what is stored must come back unchanged. (``document::jsonb`` serves a query by hand.)
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


class UtcTimestamp(TypeDecorator[datetime]):
    """An aware time, stored in UTC on every database and read back in UTC. A time without an offset is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The time in UTC; SQLite, which has no time zones, gets it bare."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a time without an offset cannot be stored: {value.isoformat()}")
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - the base names it
        """The time in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def storable(text: str) -> str:
    """``text`` for a plain text column: PostgreSQL keeps no U+0000. Documents escape it and keep it."""
    return text.replace("\x00", "\ufffd")


conversations = Table(
    "conversations",
    metadata,
    Column("conversation_id", String, primary_key=True),
    Column("version", Integer, nullable=False),
    Column("title", Text, nullable=False),
    Column("turn_count", Integer, nullable=False),
    Column("updated_at", UtcTimestamp, nullable=False),
    Column("document", Text, nullable=False),
    Index(None, "updated_at", "conversation_id"),
)

traces = Table(
    "traces",
    metadata,
    Column("trace_id", String, primary_key=True),
    Column("parent_trace_id", String),
    Column("conversation_id", String, nullable=False),
    Column("turn_index", Integer, nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
    Column("question", Text, nullable=False),
    Column("searchable", Text, nullable=False),
    Column("outcome", String, nullable=False),
    Column("reject_reason", String),
    Column("ruleset_id", String, nullable=False),
    Column("corpus_id", String, nullable=False),
    Column("generator", String, nullable=False),
    Column("judge", String, nullable=False),
    Column("duration_ms", Float, nullable=False),
    Column("document", Text, nullable=False),
    Index(None, "created_at", "trace_id"),
    Index(None, "conversation_id", "turn_index"),
    Index(None, "outcome", "created_at"),
    Index(None, "reject_reason", "created_at"),
    Index(None, "ruleset_id", "created_at"),
)

trace_blocks = Table(
    "trace_blocks",
    metadata,
    Column("block_id", String, primary_key=True),
    Column("trace_id", String, ForeignKey("traces.trace_id", ondelete="CASCADE"), primary_key=True),
    Index(None, "trace_id"),
)

verification_cache = Table(
    "verification_cache",
    metadata,
    Column("claim_hash", String, primary_key=True),
    Column("tier", String, primary_key=True),
    Column("claim", Text, nullable=False),
    Column("drug_id", String),
    Column("section_key", String),
    Column("evidence_urls", Text, nullable=False),
    Column("evidence_hash", String, nullable=False),
    Column("model", String),
    Column("prompt_hash", String, nullable=False),
    Column("framework_version", String),
    Column("schema_name", String, nullable=False),
    Column("verification_raw", Text),
    Column("verification_processed", Text, nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
    Column("updated_at", UtcTimestamp, nullable=False),
    Column("expires_at", UtcTimestamp, nullable=False),
    Index(None, "expires_at"),
    Index(None, "updated_at"),
)

accounts = Table(
    "accounts",
    metadata,
    Column("email", String, primary_key=True),
    Column("role", String, nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
    Column("updated_at", UtcTimestamp, nullable=False),
    Column("updated_by", String, nullable=False),
)

audit_log = Table(
    "audit_log",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", UtcTimestamp, nullable=False),
    Column("actor", String, nullable=False),
    Column("action", String, nullable=False),
    Column("target", String, nullable=False),
    Column("detail", Text, nullable=False),
    Index(None, "action", "id"),
    Index(None, "target", "id"),
)
"""Append-only: the migration's triggers refuse a change or a deletion."""

rulesets = Table(
    "rulesets",
    metadata,
    Column("ruleset_id", String, primary_key=True),
    Column("document", Text, nullable=False),
)

ruleset_versions = Table(
    "ruleset_versions",
    metadata,
    Column("name", String, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("ruleset_id", String, ForeignKey("rulesets.ruleset_id"), nullable=False),
    Column("parent", String),
    Column("author", String, nullable=False),
    Column("note", Text, nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
    Index(None, "ruleset_id"),
)

ruleset_activations = Table(
    "ruleset_activations",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("ruleset_id", String),
    Column("name", String, nullable=False),
    Column("actor", String, nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
)
"""Which rules were put in force when and by whom; the newest row is in force, and without a ruleset it names those of the settings."""

ruleset_drafts = Table(
    "ruleset_drafts",
    metadata,
    Column("owner", String, primary_key=True),
    Column("base_id", String, primary_key=True),
    Column("revision", Integer, nullable=False),
    Column("document", Text, nullable=False),
    Column("updated_at", UtcTimestamp, nullable=False),
)
"""Edits of rules that are not saved yet, one a person and version."""

review_queues = Table(
    "review_queues",
    metadata,
    Column("queue_id", String, primary_key=True),
    Column("name", Text, nullable=False),
    Column("stratum", String, nullable=False),
    Column("reviewers_per_item", Integer, nullable=False),
    Column("rubric_version", String, nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
    Column("created_by", String, nullable=False),
    Column("document", Text, nullable=False),
)

review_items = Table(
    "review_items",
    metadata,
    Column("item_id", String, primary_key=True),
    Column("queue_id", String, ForeignKey("review_queues.queue_id"), nullable=False),
    Column("trace_id", String, nullable=False),
    Column("rubric_version", String, nullable=False),
    Column("position", Integer, nullable=False),
    Column("dispute", String, nullable=False),
    UniqueConstraint("queue_id", "position"),
    UniqueConstraint("queue_id", "trace_id"),
    Index(None, "trace_id", "rubric_version"),
)

review_claims = Table(
    "review_claims",
    metadata,
    Column("trace_id", String, primary_key=True),
    Column("claim_index", Integer, primary_key=True),
    Column("text", Text, nullable=False),
    Column("citations", Text, nullable=False),
    Column("delivered", Boolean),
    Column("content_hash", String, nullable=False),
    Column("judge_model", String),
    Column("prompt_hash", String),
    Column("judge", Text),
)

review_seats = Table(
    "review_seats",
    metadata,
    Column("item_id", String, ForeignKey("review_items.item_id"), primary_key=True),
    Column("purpose", String, primary_key=True),
    Column("reviewer", String, primary_key=True),
    Column("expires_at", UtcTimestamp, nullable=False),
    Column("finished", Boolean, nullable=False),
)

review_drafts = Table(
    "review_drafts",
    metadata,
    Column("trace_id", String, primary_key=True),
    Column("claim_index", Integer, primary_key=True),
    Column("reviewer", String, primary_key=True),
    Column("rubric_version", String, primary_key=True),
    Column("base_revision", Integer, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("saved_at", UtcTimestamp, nullable=False),
    Column("document", Text, nullable=False),
)

review_events = Table(
    "review_events",
    metadata,
    Column("event_id", String, primary_key=True),
    Column("trace_id", String, nullable=False),
    Column("claim_index", Integer, nullable=False),
    Column("reviewer", String, nullable=False),
    Column("rubric_version", String, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("kind", String, nullable=False),
    Column("revealed", Boolean, nullable=False),
    Column("judgement", String, nullable=False),
    Column("error_kind", String),
    Column("severity", String),
    Column("note", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("queue_id", String, ForeignKey("review_queues.queue_id"), nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
    UniqueConstraint("trace_id", "claim_index", "reviewer", "rubric_version", "revision", name="uq_review_events_key"),
    Index(None, "kind", "created_at"),
    Index(None, "queue_id"),
)
"""Append-only: the migration's triggers refuse a change or a deletion."""

turn_usage = Table(
    "turn_usage",
    metadata,
    Column("trace_id", String, ForeignKey("traces.trace_id", ondelete="CASCADE"), primary_key=True),
    Column("created_at", UtcTimestamp, nullable=False),
    Column("lookups", Integer, nullable=False),
    Column("served", Integer, nullable=False),
    Column("reprocessed", Integer, nullable=False),
    Column("calls_saved", Integer, nullable=False),
    Column("tokens_saved", Integer, nullable=False),
    Column("judge_calls", Integer, nullable=False),
    Column("input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("cost_saved_usd", Float),
    Column("cost_usd", Float),
    Index(None, "created_at"),
)
"""One row a turn that is no replay; the figures stand in its trace too, which is too long to be read for sums."""

eval_sets = Table(
    "eval_sets",
    metadata,
    Column("name", String, primary_key=True),
    Column("set_hash", String, primary_key=True),
    Column("created_at", UtcTimestamp, nullable=False),
    Column("document", Text, nullable=False),
    Index(None, "created_at"),
)

eval_runs = Table(
    "eval_runs",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("run_key", String, nullable=False),
    Column("set_name", String, nullable=False),
    Column("status", String, nullable=False),
    Column("started_at", UtcTimestamp, nullable=False),
    Column("document", Text, nullable=False),
    Index(None, "set_name", "started_at"),
    Index(None, "run_key"),
)

eval_results = Table(
    "eval_results",
    metadata,
    Column("run_id", String, ForeignKey("eval_runs.run_id", ondelete="CASCADE"), primary_key=True),
    Column("item_id", String, primary_key=True),
    Column("document", Text, nullable=False),
)
"""One row an item of a run, written once, as soon as the item is finished."""

eval_gates = Table(
    "eval_gates",
    metadata,
    Column("run_id", String, ForeignKey("eval_runs.run_id", ondelete="CASCADE"), primary_key=True),
    Column("baseline_id", String, primary_key=True),
    Column("document", Text, nullable=False),
)
"""What the gate says of a run, held to a baseline."""

jobs = Table(
    "jobs",
    metadata,
    Column("job_id", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("subject", Text, nullable=False),
    Column("status", String, nullable=False),
    Column("arguments", Text, nullable=False),
    Column("about", Text, nullable=False),
    Column("error", Text),
    Column("submitted_by", String, nullable=False),
    Column("submitted_at", UtcTimestamp, nullable=False),
    Column("ended_at", UtcTimestamp),
    Index(None, "submitted_at", "job_id"),
    Index(None, "status"),
    Index(None, "subject", "submitted_at"),
)

job_parts = Table(
    "job_parts",
    metadata,
    Column("job_id", String, ForeignKey("jobs.job_id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("arguments", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("done", Integer, nullable=False, default=0),
    Column("attempts", Integer, nullable=False, default=0),
    Column("finished", Boolean, nullable=False, default=False),
    Column("counts", Text, nullable=False, default="{}"),
)
"""What is done of a job; the queue's own tables (``procrastinate_…``) only say who works next."""
