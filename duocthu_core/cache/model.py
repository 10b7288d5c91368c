"""What is kept, what is asked and what is answered (spec 05, "Key and entry", "Staleness at read")."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, JsonValue

from duocthu_core.cache.hashing import DEFAULT_PROFILE, HashProfile, normalised_urls

Tier = Literal["free", "premium"]
Staleness = Literal["fresh", "stale_framework", "stale_prompt", "miss"]
StalenessRule = Literal[
    "all_equal",
    "framework_differs",
    "framework_not_given",
    "prompt_differs",
    "prompt_not_given",
    "model_differs",
    "raw_missing",
    "no_row",
    "expired",
    "claim_differs",
    "profile_differs",
    "claim_refused",
]
"""Which rule said so."""
CacheAction = Literal["use", "recompute", "judge"]
"""What the pipeline does: use the processed verdict, compute it anew from the raw one, or ask the judge."""


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("the character U+0000 cannot be stored")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("half a character (a lone surrogate) cannot be stored") from None
    return text


def _some_url(urls: tuple[str, ...]) -> tuple[str, ...]:
    if not normalised_urls(urls):
        raise ValueError("at least one evidence URL is needed")
    return urls


def _finite(value: JsonValue) -> JsonValue:
    _storable(json.dumps(value, ensure_ascii=False, allow_nan=False))
    return value


def _something(value: JsonValue) -> JsonValue:
    if value is None:
        raise ValueError("null is no verdict")
    return _finite(value)


PlainText = Annotated[str, AfterValidator(_storable)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class VerdictToKeep(_Frozen):
    """A verdict of a judge that ran and answered whole, as it is handed in."""

    claim: PlainText = Field(min_length=1)
    drug_id: PlainText | None = None
    section_key: PlainText | None = None
    evidence_urls: Annotated[tuple[PlainText, ...], Field(min_length=1), AfterValidator(_some_url)]
    tier: Tier
    prompt_hash: PlainText = Field(min_length=4)
    verification_processed: Annotated[JsonValue, AfterValidator(_something)]
    verification_raw: Annotated[JsonValue, AfterValidator(_finite)] = None
    model: PlainText | None = None
    framework_version: PlainText | None = None
    schema_name: HashProfile = DEFAULT_PROFILE


class CacheEntry(_Frozen):
    """A stored verdict. Its claim, drug and section are kept to be shown and compared; only the hash and the tier are its key."""

    claim: str
    claim_hash: str
    drug_id: str | None
    section_key: str | None
    evidence_urls: tuple[str, ...]
    evidence_hash: str
    tier: Tier
    model: str | None
    prompt_hash: str
    framework_version: str | None
    schema_name: str
    verification_raw: JsonValue
    verification_processed: JsonValue
    created_at: AwareDatetime
    updated_at: AwareDatetime
    expires_at: AwareDatetime


class CacheQuery(_Frozen):
    """A claim whose verdict is wanted, and what it would be judged with now."""

    claim: str
    drug_id: str | None = None
    section_key: str | None = None
    tier: Tier
    prompt_hash: str | None = None
    framework_version: str | None = None
    model: str | None = None
    """The judge's model id; None where the caller does not say, and then it is not compared."""
    schema_name: HashProfile = DEFAULT_PROFILE
    evidence_urls: tuple[str, ...] | None = None
    """The blocks at hand; None where the caller judges the overlap itself."""


class CacheAnswer(_Frozen):
    """What the cache knows about one claim."""

    claim_hash: str
    """Empty for a claim that is refused."""
    tier: Tier
    staleness: Staleness
    rule: StalenessRule
    entry: CacheEntry | None = None
    overlap: float | None = None
    """Shared part of the evidence, 0 to 1; None where the query named none or there is no entry."""
    enough_overlap: bool = True
    """False: "fresh, but other evidence", which is treated as a miss."""

    @property
    def verification(self) -> JsonValue:
        """What comes back: the processed verdict of a fresh entry, the raw one of a stale framework, else None."""
        if self.entry is None:
            return None
        return {"fresh": self.entry.verification_processed, "stale_framework": self.entry.verification_raw}.get(self.staleness)

    @property
    def action(self) -> CacheAction:
        """What the pipeline does with it."""
        if not self.enough_overlap:
            return "judge"
        actions: dict[Staleness, CacheAction] = {"fresh": "use", "stale_framework": "recompute"}
        return actions.get(self.staleness, "judge")


class CacheGroup(_Frozen):
    """How many entries were judged with the same model, prompt and framework."""

    tier: Tier
    model: str | None
    prompt_hash: str
    framework_version: str | None
    schema_name: str
    has_raw: bool
    live: int
    expired: int


class EntryKind(_Frozen):
    """What an entry was judged with, as far as its worth depends on it."""

    model: str | None
    prompt_hash: str
    framework_version: str | None
    has_raw: bool


class EntryFilters(_Frozen):
    """Which entries a list shows: those that meet every filter that is set."""

    tier: Tier | None = None
    expired: bool = False
    """True: the entries whose time is over and that are not pruned yet; False: the live ones."""
    kinds: tuple[EntryKind, ...] | None = None
    """Only entries of one of these kinds; None: of all."""
    written_after: AwareDatetime | None = None
    written_until: AwareDatetime | None = None


class CurrentJudge(_Frozen):
    """What claims are judged with now, or would be under other rules."""

    prompt_hash: str
    framework_version: str
    model: str | None = None
    completeness_prompt_hash: str | None = None
    """The prompt that asks whether an answer is complete: entries made with it are judged by it."""

    def prompt_for(self, stored: str) -> str:
        """The prompt that an entry made with the prompt ``stored`` is compared with."""
        return stored if stored == self.completeness_prompt_hash else self.prompt_hash


class CacheStats(_Frozen):
    """The cache as a whole, seen from one judge."""

    live: int
    expired: int
    by_tier: dict[Tier, int]
    """Live entries."""
    by_staleness: dict[Staleness, int]
    """Live entries: what a request with the current judge would find; expired ones are its ``miss``."""
    oldest: AwareDatetime | None
    newest: AwareDatetime | None
    """Earliest and latest write of a live entry."""
    payload_bytes: int


class Standing(_Frozen):
    """An entry and what it is worth to one judge."""

    entry: CacheEntry
    staleness: Staleness
    """``miss`` for an entry whose time is over: no request finds it."""
    rule: StalenessRule
    time_left: timedelta
    """Until it expires; zero where its time is over."""
