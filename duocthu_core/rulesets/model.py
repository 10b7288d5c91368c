"""Rulesets: everything a prompt engineer tunes, as one validated, content-addressed object (spec 01, "Rulesets")."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

GuardLevel = Literal["reject", "warn", "off"]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Prompts(_Section):
    """What models are told. ``{name}`` marks are filled by answering/prompts.py and verification/judge_prompts.py."""

    answer_system: str
    answer_rules: tuple[str, ...] = Field(min_length=10, max_length=10)
    answer_user: str
    answer_no_figures: str
    answer_list_mode: str
    repair: str
    judge_system: str
    judge_user: str
    completeness_system: str
    completeness_user: str
    sufficiency_system: str
    sufficiency_user: str
    untrusted: str
    """Ends every system prompt."""


class Thresholds(_Section):
    """The framework: what turns raw verdicts into statuses. Its hash is ``framework_version`` (spec 05)."""

    judge_min_confidence: int = Field(default=70, ge=0, le=100)
    judge_require_quote: bool = True
    accept_partial: bool = False
    objection_overlap_min: float = Field(default=0.5, ge=0, le=1)
    support_share_min: float = Field(default=0.6, ge=0, le=1)
    """``low_support``: least share of a claim's content words in the cited blocks."""
    support_missing_min: int = Field(default=3, ge=0, le=1_000)
    support_share_floor: float = Field(default=0.4, ge=0, le=1)


class ConversationRules(_Section):
    """Constants of spec 02."""

    focus_ttl_turns: int = Field(default=6, ge=0, le=1_000)
    recent_turns: int = Field(default=6, ge=1, le=1_000)
    summary_max_chars: int = Field(default=1600, ge=80, le=100_000)


class RetrievalRules(_Section):
    """How much evidence is shown and when names are offered."""

    max_blocks: int = Field(default=12, ge=1, le=200)
    search_limit: int = Field(default=20, ge=1, le=1_000)
    condition_drugs_max: int = Field(default=6, ge=1, le=200)
    offer_score_min: float = Field(default=82, ge=0, le=100)
    """rapidfuzz ratio from which a misspelt name is offered."""
    offers_max: int = Field(default=4, ge=1, le=50)
    sufficiency: bool = False


class GenerationRules(_Section):
    """Limits of a draft."""

    claim_max_chars: int = Field(default=1500, ge=100, le=100_000)
    max_output_tokens: int = Field(default=2048, ge=128, le=200_000)
    quick_replies_max: int = Field(default=4, ge=2, le=20)


class CacheRules(_Section):
    """The verification cache (spec 05)."""

    ttl_days: int = Field(default=30, ge=1, le=36_500)
    evidence_overlap_min: float = Field(default=1.0, ge=0, le=1)


class Ruleset(BaseModel):
    """One set of rules. ``ruleset_id`` is derived from the content; name, author and note are not part of it."""

    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))

    name: str
    author: str = ""
    note: str = ""
    parent: str | None = None
    schema_version: Literal[1] = 1
    prompts: Prompts
    thresholds: Thresholds = Thresholds()
    conversation: ConversationRules = ConversationRules()
    retrieval: RetrievalRules = RetrievalRules()
    generation: GenerationRules = GenerationRules()
    cache: CacheRules = CacheRules()
    guards: dict[str, GuardLevel] = Field(default_factory=dict)
    """Reject reason -> level; a guard that is not named rejects."""
    tables: dict[str, dict[str, Any]]
    """Phrase tables by file name: populations, sections, routes, units, comparators, negations, frequency, number_words, safety, dialogue,
    lookalikes, severity."""

    @cached_property
    def ruleset_id(self) -> str:
        """``sha256:…`` over the canonical JSON of everything but name, author, note and parent."""
        content = self.model_dump(mode="json", exclude={"name", "author", "note", "parent"})
        return "sha256:" + _digest(content)

    @cached_property
    def tables_id(self) -> str:
        """``sha256:…`` over the canonical JSON of the phrase tables: what is compiled from them alone serves all rulesets that share it."""
        return "sha256:" + _digest(self.tables)

    @cached_property
    def prompt_hash(self) -> str:
        """First 12 hex of sha256(system + "|" + user template) of the judge (spec 05)."""
        return hashlib.sha256((self.judge_system_prompt + "|" + self.prompts.judge_user).encode()).hexdigest()[:12]

    @cached_property
    def completeness_prompt_hash(self) -> str:
        """The same over the prompt that asks whether an answer is complete: it is judged with another prompt than claims are."""
        system = f"{self.prompts.completeness_system}\n\n{self.prompts.untrusted}"
        return hashlib.sha256((system + "|" + self.prompts.completeness_user).encode()).hexdigest()[:12]

    @cached_property
    def framework_version(self) -> str:
        """First 12 hex of sha256 over the canonical JSON of the thresholds (spec 05)."""
        return _digest(self.thresholds.model_dump(mode="json"))[:12]

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy whose hashes are its own: what was worked out for the rules that it was made from is not taken over."""
        copied = super().model_copy(update=update, deep=deep)
        for name, attribute in vars(type(self)).items():
            if isinstance(attribute, cached_property):
                vars(copied).pop(name, None)
        return copied

    @property
    def judge_system_prompt(self) -> str:
        """The judge's whole system prompt, untrusted rule at its end."""
        return f"{self.prompts.judge_system}\n\n{self.prompts.untrusted}"

    def guard_level(self, reason: str) -> GuardLevel:
        """The level of the guard that raises ``reason``."""
        return self.guards.get(reason, "reject")


def _digest(content: Any) -> str:
    canonical = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
