"""One line of the audit log (spec 06, "Access": "Audit log of writes")."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue, field_validator

from duocthu_core.text.folding import nfc

_ACTION = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+")


class AuditEntry(BaseModel):
    """What was done, as it is handed in."""

    model_config = ConfigDict(frozen=True)

    actor: str = Field(min_length=1, max_length=320)
    """Name of the person, as the sign-in gives it (an e-mail), or ``local`` on a machine of one's own."""
    action: str = Field(max_length=80)
    """What was done, as ``room.verb``: ``cache.prune``, ``ruleset.save``, ``review.verdict``."""
    target: str = Field(default="", max_length=400)
    """What it was done to, as an id; empty for a thing of which there is one."""
    detail: dict[str, JsonValue] = Field(default_factory=dict)
    """What a later reader needs to know: figures, ids, a reason. Never a secret, never a whole text."""

    @field_validator("action")
    @classmethod
    def _a_code(cls, value: str) -> str:
        if _ACTION.fullmatch(value) is None:
            raise ValueError("an action is written as room.verb, in lower case")
        return value


class AuditLine(AuditEntry):
    """What was done, as it is kept."""

    id: int
    """Running number: a later line has a higher one."""
    at: AwareDatetime
    """When it was written down, in UTC."""


class AuditFilters(BaseModel):
    """Which lines a list shows: those that meet every filter that is set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    actor: str | None = None
    action: str | None = None
    """A whole action (``cache.prune``), or a room with its point (``cache.``) for all actions of it."""
    target: str | None = None


NO_FILTERS = AuditFilters()


def entry_of(actor: str, action: str, target: str = "", detail: Mapping[str, JsonValue] | None = None) -> AuditEntry:
    """What was done, checked; raises ValueError for an action that is no code."""
    return AuditEntry(actor=_storable(actor), action=action, target=_storable(target), detail=dict(detail or {}))


def _storable(text: str) -> str:
    """``text`` without what no column holds: a line is worth more than half a character."""
    return nfc(text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode())
