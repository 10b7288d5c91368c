"""What the pipeline needs of a verification cache, in its own words (spec 05). The cache itself stands above and implements it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from pydantic import JsonValue

CacheStaleness = Literal["fresh", "stale_framework", "stale_prompt", "miss"]
CacheUse = Literal["use", "recompute", "judge"]
"""What to do with what is known: use it, compute the status anew from what the judge said, or ask the judge."""


@dataclass(frozen=True)
class JudgedWith:
    """What a verdict was, or would now be, made with; a stored one may not say all of it."""

    prompt_hash: str
    framework_version: str | None
    model: str | None
    """``provider/model_id``."""


@dataclass(frozen=True)
class WantedVerdict:
    """A claim (or the completeness of a whole answer) whose verdict is wanted."""

    text: str
    drug_id: str | None
    section_key: str | None
    evidence_urls: tuple[str, ...]
    judged_with: JudgedWith
    """The judge, prompt and thresholds of this turn."""


@dataclass(frozen=True)
class KnownVerdict:
    """What the cache knows about one of them."""

    claim_hash: str
    staleness: CacheStaleness
    rule: str
    """Which rule said so, as a code."""
    use: CacheUse
    overlap: float | None = None
    """Shared part of the evidence, 0 to 1; None where nothing is stored."""
    enough_overlap: bool = True
    stored_with: JudgedWith | None = None
    evidence_urls: tuple[str, ...] = ()
    """The blocks that the stored verdict was made over."""
    raw: JsonValue = None
    processed: JsonValue = None
    updated_at: datetime | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True)
class JudgedVerdict:
    """A verdict to keep: of a judge that ran and answered whole."""

    wanted: WantedVerdict
    raw: JsonValue
    processed: JsonValue


class VerdictCache(Protocol):
    """Keeps verdicts between turns. No method raises: what goes wrong is a miss, and is said in the list of problems."""

    def look_up(self, wanted: Sequence[WantedVerdict]) -> tuple[list[KnownVerdict], list[str]]:
        """What is known about each, in order and with one statement; and what went wrong."""
        ...

    def keep(self, judged: Sequence[JudgedVerdict]) -> list[str]:
        """Stores what can be stored; returns what went wrong."""
        ...
