"""Conversation state (spec 02): turns, focus, and what is stored between turns. All immutable."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

Verbosity = Literal["concise", "detailed"]
FocusField = Literal["drug_id", "section_key", "population", "stated", "verbosity"]
PatientValueKind = Literal["age", "weight", "height", "gestational_age", "clcr"]


class Turn(BaseModel):
    """One utterance. A question and its answer are two turns."""

    model_config = ConfigDict(frozen=True)

    role: Literal["user", "assistant"]
    text: str
    at: AwareDatetime
    drug_id: str | None = None
    drug_name: str | None = None
    section_key: str | None = None
    evidence_ids: tuple[str, ...] = ()
    """Block ids of what answered it, so that a later turn can reuse the evidence."""
    trace_id: str | None = None


class PatientValue(BaseModel):
    """A value of the patient that was stated ("18 kg"), as a later turn may take it over."""

    model_config = ConfigDict(frozen=True)

    kind: PatientValueKind
    text: str
    """As typed."""
    low: float
    high: float
    """Equal where one value was stated. Ages in months, weights in kg, heights in cm, Clcr in ml/phút, gestational age in weeks."""
    said_at: int | None = None
    """``turn_count`` at which it was stated, where that was before the value that was stated last; None for one of that turn."""


class Focus(BaseModel):
    """What the conversation is about. ``set_at_turn`` holds, per field, the ``turn_count`` at which it was last *mentioned*."""

    model_config = ConfigDict(frozen=True)

    drug_id: str | None = None
    drug_name: str | None = None
    section_key: str | None = None
    population: str | None = None
    stated: tuple[PatientValue, ...] | None = None
    """Age, weight and the like of the patient; None where nothing was stated."""
    verbosity: Verbosity | None = None
    set_at_turn: dict[FocusField, int] = Field(default_factory=dict)
    phrase: dict[FocusField, str] = Field(default_factory=dict)
    """The words that set each field, for the reader."""


class PendingClarification(BaseModel):
    """A question that the product asked back and that the next turn may answer."""

    model_config = ConfigDict(frozen=True)

    question: str
    options: tuple[str, ...] = ()
    asked_at_turn: int
    drug_ids: tuple[str, ...] = ()
    """Candidates, where the question was which drug."""
    original_question: str = ""


class ConversationState(BaseModel):
    """A conversation between turns; ``version`` is what an optimistic save compares."""

    model_config = ConfigDict(frozen=True)

    conversation_id: str
    recent: tuple[Turn, ...] = ()
    summary: str = ""
    focus: Focus = Focus()
    turn_count: int = 0
    pending_overflow: tuple[Turn, ...] = ()
    pending_clarification: PendingClarification | None = None
    version: int = 0


class ConversationConflict(Exception):
    """Another writer saved this conversation since it was loaded. Reload, run the turn again on the new state, save once more."""


class ConversationHeading(BaseModel):
    """A line of the list of conversations."""

    model_config = ConfigDict(frozen=True)

    conversation_id: str
    title: str
    turn_count: int
    updated_at: datetime
