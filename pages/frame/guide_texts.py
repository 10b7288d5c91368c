"""The guide's texts (``data/guide``): our own, in both languages, read once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

from duocthu_core.verification.model import RejectReason
from pages.frame.words import language

FOLDER = Path(__file__).resolve().parents[2] / "data" / "guide"
REASONS_PART = "ly-do"
"""The part that holds the entry of every reject reason."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Words(_Frozen):
    """A text in both languages."""

    vi: str = Field(min_length=1)
    en: str = Field(min_length=1)

    @property
    def said(self) -> str:
        """The text in the reader's language."""
        return self.en if language() == "en" else self.vi


class GuideBlock(_Frozen):
    """One piece of a part: exactly one of these is set."""

    say: Words | None = None
    note: Words | None = None
    steps: tuple[Words, ...] = ()
    list: tuple[Words, ...] = ()
    run: str = ""
    """Commands or a file, to copy as they stand."""

    @model_validator(mode="after")
    def _is_one_thing(self) -> GuideBlock:
        if sum(bool(value) for value in (self.say, self.note, self.steps, self.list, self.run)) != 1:
            raise ValueError(self.__class__.__name__)
        return self


class GuidePart(_Frozen):
    """A chapter of the guide."""

    part_id: str
    title: Words
    pages: tuple[str, ...] = ()
    """Files of ``pages`` that it leads to."""
    blocks: tuple[GuideBlock, ...]


class ReasonEntry(_Frozen):
    """What lies behind a reject reason."""

    means: Words
    example: Words
    next: Words


class _Guide(_Frozen):
    parts: tuple[GuidePart, ...]


class _Reasons(_Frozen):
    reasons: dict[RejectReason, ReasonEntry]


@cache
def guide_parts() -> tuple[GuidePart, ...]:
    """The chapters, in their order."""
    return _Guide.model_validate(yaml.safe_load((FOLDER / "guide.yaml").read_text(encoding="utf-8"))).parts


@cache
def reason_entries() -> dict[RejectReason, ReasonEntry]:
    """The entry of each reject reason, in the order of the checks."""
    return _Reasons.model_validate(yaml.safe_load((FOLDER / "reasons.yaml").read_text(encoding="utf-8"))).reasons


def guide_link(reason: str) -> str:
    """Where the guide explains ``reason``, relative to any page, in the reader's language."""
    return f"huong-dan?reason={reason}&lang={language()}"
