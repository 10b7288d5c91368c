"""What the page of kept verdicts shows stands in its address (spec 06, page 5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal, get_args

import streamlit as st
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from duocthu_core.cache.model import Staleness, Tier
from duocthu_core.cache.verification_cache import ANY_AGE, Ages

Part = Literal["entries", "lookup", "savings", "prune"]
PARTS: tuple[Part, ...] = get_args(Part)
Age = Literal["day", "week", "month", "older"]
AGES: dict[Age, Ages] = {
    "day": Ages(less_than=timedelta(days=1)),
    "week": Ages(at_least=timedelta(days=1), less_than=timedelta(days=7)),
    "month": Ages(at_least=timedelta(days=7), less_than=timedelta(days=30)),
    "older": Ages(at_least=timedelta(days=30)),
}
Period = Literal["7", "30", "90", "all"]
PERIODS: tuple[Period, ...] = get_args(Period)
_ENTRY = re.compile(r"(?:free|premium)\.[0-9a-f]{64}")
_KEYS = re.compile(r"[a-z0-9_+-]{1,400}")
_CLAIM_MAX = 2000


class CacheAddress(BaseModel):
    """The state of the page. Every part may be missing; a part that makes no sense is treated as missing."""

    model_config = ConfigDict(frozen=True)

    part: Part = "entries"
    staleness: Staleness | None = None
    tier: Tier | None = None
    age: Age | None = None
    page: int = 1
    entry: str | None = None
    """``tier.claim_hash`` of the entry that is open."""
    claim: str | None = None
    """Words that are looked up by hand, with the drugs, sections and tier of their key."""
    drug: str | None = None
    section: str | None = None
    period: Period = "30"

    @field_validator("page", mode="before")
    @classmethod
    def _counted_from_one(cls, value: Any) -> Any:
        if not str(value).isdecimal() or not 1 <= int(value) <= 999_999:
            raise ValueError("page")
        return value

    @field_validator("entry")
    @classmethod
    def _a_key(cls, value: str | None) -> str | None:
        if value is not None and _ENTRY.fullmatch(value) is None:
            raise ValueError("entry")
        return value

    @field_validator("drug", "section")
    @classmethod
    def _joined_keys(cls, value: str | None) -> str | None:
        if value is not None and _KEYS.fullmatch(value) is None:
            raise ValueError("key")
        return value

    @field_validator("claim")
    @classmethod
    def _not_too_long(cls, value: str | None) -> str | None:
        return value[:_CLAIM_MAX] if value else None

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> CacheAddress:
        """The address that ``query`` writes, without the parts that nothing could have written."""
        given = {name: value for name, value in query.items() if name in cls.model_fields}
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            wrong = {str(found["loc"][0]) for found in error.errors()}
            return cls.model_validate({name: value for name, value in given.items() if name not in wrong})

    def to_query(self) -> dict[str, str]:
        """The parts that are not as they are anyway, as they stand in the address bar."""
        return {name: str(value) for name, value in self.model_dump(exclude_defaults=True).items()}

    @property
    def ages(self) -> Ages:
        """The bounds of the chosen age."""
        return AGES[self.age] if self.age else ANY_AGE


def cache_here() -> CacheAddress:
    """The address of this run."""
    return CacheAddress.from_query(st.query_params.to_dict())


def cache_go(**changes: Any) -> None:
    """Changes parts of the address; parts that are not ours (``lang``) stay."""
    address = CacheAddress.model_validate(cache_here().model_dump() | changes)
    kept = {name: value for name, value in st.query_params.to_dict().items() if name not in CacheAddress.model_fields}
    st.query_params.from_dict({**kept, **address.to_query()})
