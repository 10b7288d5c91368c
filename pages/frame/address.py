"""What is on a page stands in its address, so that a link shows a colleague the same thing (spec 06)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, get_args

import streamlit as st
from pydantic import BaseModel, ConfigDict

from duocthu_core.pipeline.trace import StageName

View = Literal["result", "why", "calls"]
_ID = re.compile(r"[A-Za-z0-9_.:-]{1,80}")
_NUMBER = re.compile(r"[0-9]{1,6}")


class Address(BaseModel):
    """The state of a page that shows turns. Every part may be missing; a part that makes no sense is treated as missing."""

    model_config = ConfigDict(frozen=True)

    conversation: str | None = None
    trace: str | None = None
    turn: int | None = None
    """Running number of the opened question, from 1."""
    stage: StageName | None = None
    view: View | None = None
    claim: int | None = None
    """Running number of the selected claim, from 1."""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Address:
        """The address that ``query`` writes, without the parts that nothing could have written."""
        stage, view = query.get("stage"), query.get("view")
        return cls(
            conversation=_matching(_ID, query.get("conversation")),
            trace=_matching(_ID, query.get("trace")),
            turn=_number(query.get("turn")),
            stage=stage if stage in get_args(StageName) else None,  # type: ignore[arg-type]
            view=view if view in get_args(View) else None,  # type: ignore[arg-type]
            claim=_number(query.get("claim")),
        )

    def to_query(self) -> dict[str, str]:
        """The parts that are set, as they stand in the address bar."""
        return {name: str(value) for name, value in self.model_dump(exclude_none=True).items()}


def here() -> Address:
    """The address of this run."""
    return Address.from_query(st.query_params.to_dict())


def go(address: Address) -> None:
    """Puts ``address`` into the address bar; parts that are not ours (``lang``) stay."""
    kept = {name: value for name, value in st.query_params.to_dict().items() if name not in Address.model_fields}
    st.query_params.from_dict({**kept, **address.to_query()})


def _matching(shape: re.Pattern[str], value: str | None) -> str | None:
    return value if value and shape.fullmatch(value) else None


def _number(value: str | None) -> int | None:
    number = int(value) if value and _NUMBER.fullmatch(value) else 0
    return number or None
