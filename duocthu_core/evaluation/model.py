"""An eval set: conversations with what is expected of their turns (spec 06, page 6).

``turns`` and ``expect`` are hashed apart: other turns must be run again, other expectations only scored again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from duocthu_core.language_models.port import ModelErrorKind, Purpose

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
SECTION_PLACE = r"^[a-z0-9-]+/[a-z0-9_]+$"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class GoldFact(_Frozen):
    """Something the answer must say: figures and words under a label of a section. The blocks that say so are looked up at load."""

    at: str = Field(pattern=SECTION_PLACE)
    """``paracetamol/lieu_luong_cach_dung``: drug and section."""
    label: str = ""
    """Words that govern the figures, in the block and in the answer: a population, band, condition."""
    route: str = ""
    figures: tuple[Words, ...] = ()
    """Exactly as they stand in the block."""
    terms: tuple[Words, ...] = ()
    """Words that must stand there, in any case of letters."""
    page: int | None = None
    """Printed page of the block, checked at load."""
    if_answered: bool = False
    """Counts only where the turn was answered."""
    pinned: dict[str, str] = Field(default_factory=dict)
    """Block id -> content hash it was written for; another hash makes the gold stale."""


class Forbidden(_Frozen):
    """What a delivered answer must not hold."""

    figures: tuple[Words, ...] = ()
    cite: tuple[Words, ...] = ()
    """Block ids, ``*`` for any part: ``paracetamol/*``."""


class Expectation(_Frozen):
    """What is expected of one turn. A turn without one is run and not scored."""

    outcome: tuple[Words, ...] = ("answered",)
    """Any of these: ``answered``, ``clarification``, ``abstained:out_of_scope``, ``abstained:*`` …"""
    drug: str | None = None
    """Which drug the turn must be taken to be about (its id)."""
    section: str | None = None
    population: str | None = None
    inherited: tuple[Literal["drug_id", "section_key", "population"], ...] = ()
    """Fields that must be carried over from earlier turns."""
    facts: tuple[GoldFact, ...] = ()
    cite: tuple[Words, ...] = ()
    """Further blocks that may be cited (``*`` for any part), beside those of the facts."""
    pages: tuple[int, ...] = ()
    """Printed pages that must be named, by a citation or by a notice."""
    forbid: Forbidden = Forbidden()


class ScriptedClaim(_Frozen):
    """A claim that a scripted model makes; blocks by id, because an index depends on what was retrieved."""

    text: str
    blocks: tuple[str, ...] = ()
    indices: tuple[int, ...] = ()
    """Indices as they stand, for a model that invents one."""
    drug_id: str | None = None


class ScriptedReply(_Frozen):
    """What a model said or how it failed, for cases that only a bad model causes. The pipeline around it is the real one."""

    purpose: Purpose
    claims: tuple[ScriptedClaim, ...] | None = None
    """A generator's draft."""
    sufficient: bool = True
    stances: tuple[Literal["SUPPORTS", "PARTIAL", "CONTRADICTS", "NOT_FOUND"], ...] | None = None
    """A judge's verdicts, one a claim, each quoting the claim's first block."""
    missing: tuple[tuple[str, str], ...] | None = None
    """A judge's objections: description and quote."""
    text: str | None = None
    """The reply as it stands, for one that is malformed."""
    stop_reason: Literal["end_turn", "max_tokens", "other"] = "end_turn"
    error: ModelErrorKind | None = None


class EvalTurn(_Frozen):
    """One question of a conversation."""

    q: Words
    expect: Expectation | None = None
    replies: tuple[ScriptedReply, ...] = ()
    """Replies for the turn's model calls, in order for each purpose; a purpose without any asks the run's own model."""


class EvalItem(_Frozen):
    """One conversation; ``author`` and ``second_reader`` say who wrote the gold and who read it again (None: nobody did)."""

    id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=80)]
    turns: tuple[EvalTurn, ...] = Field(min_length=1)
    tags: tuple[str, ...] = ()
    generator: Literal["disabled"] | None = None
    """``disabled``: the item is run without a generator, whatever model runs."""
    pages_lost: tuple[Words, ...] = ()
    """Blocks (``*`` for any part) whose printed page is taken away in this item's corpus."""
    author: str = ""
    second_reader: str | None = None

    @property
    def scripted(self) -> bool:
        """Whether the case brings its own model or corpus, so that it measures the checks and not the run's model."""
        return any(turn.replies for turn in self.turns) or self.generator is not None or bool(self.pages_lost)

    @property
    def turns_hash(self) -> str:
        """``sha256:…`` over what is run."""
        turns = [turn.model_dump(mode="json", exclude={"expect"}) for turn in self.turns]
        return content_hash([turns, self.generator, self.pages_lost])

    @property
    def expect_hash(self) -> str:
        """``sha256:…`` over what is expected."""
        return content_hash([turn.expect.model_dump(mode="json") if turn.expect else None for turn in self.turns])

    @property
    def scored_turns(self) -> tuple[int, ...]:
        """Positions (from 0) of the turns with an expectation."""
        return tuple(position for position, turn in enumerate(self.turns) if turn.expect is not None)


def content_hash(value: Any) -> str:
    """``sha256:…`` over the canonical JSON of ``value``."""
    canonical = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()


def hash_of_items(items: Iterable[EvalItem]) -> str:
    """The id of a set: what is run and what is expected of every item, in any order of the file."""
    return content_hash(sorted([item.id, item.turns_hash, item.expect_hash] for item in items))
