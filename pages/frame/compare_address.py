"""What is compared stands in the address, so that a link shows a colleague the same (spec 06, page 2): two stored turns, or what is run on
two sides. Rules are named by their id, which never changes its content."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal, get_args

import streamlit as st
from pydantic import BaseModel, ConfigDict

from duocthu_core.bootstrap import ModelChoice
from duocthu_core.pipeline.trace import Outcome
from duocthu_core.pipeline.trace_store import TraceFilters
from duocthu_core.tuning.sides import StoredTurns

CompareView = Literal["pair", "question", "turns", "set"]
VIEWS: tuple[CompareView, ...] = get_args(CompareView)
MOST_TURNS = 1000
USUAL_TURNS = 50
_ID = re.compile(r"[A-Za-z0-9_.:-]{1,80}")
_NAME_LENGTH = 120
_WORDS_LENGTH = 300


class CompareAddress(BaseModel):
    """The state of the Compare page. Every part may be missing; a part that makes no sense is treated as missing."""

    model_config = ConfigDict(frozen=True)

    view: CompareView = "pair"
    a: str | None = None
    """Trace id of side A."""
    b: str | None = None
    rules_a: str | None = None
    """Ruleset id without ``sha256:``, or a name."""
    rules_b: str | None = None
    models_a: ModelChoice = "configured"
    models_b: ModelChoice = "configured"
    of: str | None = None
    """Trace id of the turn that is run on both sides."""
    set: str | None = None
    """Name of an eval set."""
    words: str | None = None
    outcome: Outcome | None = None
    n: int = USUAL_TURNS
    until: datetime | None = None
    """The moment before which the stored turns were taken."""
    begun: Literal["1"] | None = None
    """Whether the list of pairs was asked for."""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> CompareAddress:
        """The address that ``query`` writes."""
        texts = {name: query[name][:_NAME_LENGTH] for name in ("rules_a", "rules_b", "set") if query.get(name, "").strip()}
        ids = {name: query[name] for name in ("a", "b", "of") if _ID.fullmatch(query.get(name, ""))}
        chosen: dict[str, Any] = {name: query[name] for name in ("models_a", "models_b") if query.get(name) in get_args(ModelChoice)}
        if query.get("outcome") in get_args(Outcome):
            chosen["outcome"] = query["outcome"]
        if query.get("words", "").strip():
            chosen["words"] = query["words"][:_WORDS_LENGTH]
        usual: CompareView = "set" if "set" in texts and "a" not in ids else "pair"
        view = query.get("view")
        return cls(
            view=view if view in VIEWS else usual,  # type: ignore[arg-type]
            n=_number(query.get("n")),
            until=_moment(query.get("until")),
            begun="1" if query.get("begun") == "1" else None,
            **texts,
            **ids,
            **chosen,
        )

    def to_query(self) -> dict[str, str]:
        """The parts that are not the usual ones, as they stand in the address bar."""
        given = self.model_dump(exclude_none=True, exclude_defaults=True)
        return {name: value.isoformat() if isinstance(value, datetime) else str(value) for name, value in given.items()}

    @property
    def stored_turns(self) -> StoredTurns:
        """Which stored turns the address names."""
        filters = TraceFilters(words=self.words or "", outcomes=(self.outcome,) if self.outcome else ())
        return StoredTurns(filters=filters, limit=self.n, until=self.until)

    @property
    def pair_is_open(self) -> bool:
        """Whether two turns are laid side by side."""
        return self.a is not None and self.b is not None


def compare_here() -> CompareAddress:
    """The address of this run of the page."""
    return CompareAddress.from_query(st.query_params.to_dict())


def compare_go(**changes: object) -> None:
    """Changes parts of the address; parts that are not ours (``lang``) stay."""
    address = compare_here().model_copy(update=changes)
    kept = {name: value for name, value in st.query_params.to_dict().items() if name not in CompareAddress.model_fields}
    query = address.to_query()
    if address.view != CompareAddress.from_query(query).view:
        query["view"] = address.view
    st.query_params.from_dict({**kept, **query})


def _number(value: str | None) -> int:
    number = int(value) if value and value.isascii() and value.isdigit() and len(value) < 8 else USUAL_TURNS
    return max(1, min(number, MOST_TURNS))


def _moment(value: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if value else None
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment
