"""What the evaluation page shows stands in its address: set, run, the run it is compared with, case, part of the page (spec 06)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, get_args

import streamlit as st
from pydantic import BaseModel, ConfigDict

EvalTab = Literal["runs", "people", "charts"]
TABS: tuple[EvalTab, ...] = get_args(EvalTab)
_ID = re.compile(r"[^\x00-\x1f]{1,120}")


class EvalAddress(BaseModel):
    """The state of the evaluation page. A part that makes no sense is treated as missing."""

    model_config = ConfigDict(frozen=True)

    tab: EvalTab = "runs"
    set: str | None = None
    """Name of an eval set."""
    run: str | None = None
    other: str | None = None
    """The run that ``run`` is held against: before and after."""
    case: str | None = None
    """Item id of the case that is laid open."""
    judge: str | None = None
    """Judge model and prompt hash of the agreement, with a space between; None: what judges now."""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> EvalAddress:
        """The address that ``query`` writes."""
        names = ("set", "run", "other", "case", "judge")
        texts = {name: value for name in names if (value := query.get(name)) and _ID.fullmatch(value)}
        tab = query.get("tab")
        return cls(tab=tab if tab in TABS else "runs", **texts)  # type: ignore[arg-type]

    def to_query(self) -> dict[str, str]:
        """The parts that are not the usual ones, as they stand in the address bar."""
        return {name: str(value) for name, value in self.model_dump(exclude_none=True, exclude_defaults=True).items()}


def eval_here() -> EvalAddress:
    """The address of this run of the page."""
    return EvalAddress.from_query(st.query_params.to_dict())


def eval_go(**changes: object) -> None:
    """Changes parts of the address; parts that are not ours (``lang``) stay."""
    address = eval_here().model_copy(update=changes)
    kept = {name: value for name, value in st.query_params.to_dict().items() if name not in EvalAddress.model_fields}
    st.query_params.from_dict({**kept, **address.to_query()})
