"""What the review page shows stands in its address: queue, item, claim, and whether it is adjudicated (spec 06)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

import streamlit as st
from pydantic import BaseModel, ConfigDict

_ID = re.compile(r"[A-Za-z0-9_.:-]{1,80}")
_NUMBER = re.compile(r"[1-9][0-9]{0,3}")


class ReviewAddress(BaseModel):
    """The state of the review page. A part that makes no sense is treated as missing."""

    model_config = ConfigDict(frozen=True)

    queue: str | None = None
    item: str | None = None
    claim: int | None = None
    """Running number of the shown claim, from 1."""
    task: Literal["adjudicate"] | None = None

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> ReviewAddress:
        """The address that ``query`` writes."""
        ids = {name: value for name in ("queue", "item") if (value := query.get(name)) and _ID.fullmatch(value)}
        claim = query.get("claim", "")
        return cls(
            queue=ids.get("queue"),
            item=ids.get("item"),
            claim=int(claim) if _NUMBER.fullmatch(claim) else None,
            task="adjudicate" if query.get("task") == "adjudicate" else None,
        )

    def to_query(self) -> dict[str, str]:
        """The parts that are set, as they stand in the address bar."""
        return {name: str(value) for name, value in self.model_dump(exclude_none=True).items()}


def review_here() -> ReviewAddress:
    """The address of this run."""
    return ReviewAddress.from_query(st.query_params.to_dict())


def review_go(address: ReviewAddress) -> None:
    """Puts ``address`` into the address bar; parts that are not ours (``lang``) stay."""
    kept = {name: value for name, value in st.query_params.to_dict().items() if name not in ReviewAddress.model_fields}
    st.query_params.from_dict({**kept, **address.to_query()})
