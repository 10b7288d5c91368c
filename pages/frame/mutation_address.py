"""What is spoiled in the mutation lab, and which survivor is open, stand in the address (spec 06, page 7): the seed makes a link show a
colleague the same run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import streamlit as st
from pydantic import BaseModel, ConfigDict

from duocthu_core.evaluation.mutation_lab import DEFAULT_PER_KIND, DEFAULT_SEED

MutationView = Literal["lab", "by_hand"]
VIEWS: tuple[MutationView, ...] = get_args(MutationView)
MOST_PER_KIND = 200
_LONGEST = 120


class MutationAddress(BaseModel):
    """The state of the mutation lab. Every part may be missing."""

    model_config = ConfigDict(frozen=True)

    view: MutationView = "lab"
    drug: str | None = None
    section: str | None = None
    trace: str | None = None
    """A stored turn; it wins over drug and section."""
    rules: str | None = None
    """Id or name of the rules that check; None: those in force."""
    seed: int = DEFAULT_SEED
    n: int = DEFAULT_PER_KIND
    run: Literal["1"] | None = None
    survivor: str | None = None

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> MutationAddress:
        """The address that ``query`` writes; a part that makes no sense is treated as missing."""
        texts = {name: query[name][:_LONGEST] for name in ("drug", "section", "trace", "rules", "survivor") if query.get(name, "").strip()}
        return cls(
            view="by_hand" if query.get("view") == "by_hand" else "lab",
            seed=_number(query.get("seed"), DEFAULT_SEED, 999_999),
            n=max(1, _number(query.get("n"), DEFAULT_PER_KIND, MOST_PER_KIND)),
            run="1" if query.get("run") == "1" else None,
            **texts,
        )

    def to_query(self) -> dict[str, str]:
        """The parts that are not the usual ones, as they stand in the address bar."""
        return {name: str(value) for name, value in self.model_dump(exclude_none=True, exclude_defaults=True).items()}

    @property
    def run_key(self) -> tuple[object, ...]:
        """What decides what a run finds."""
        return self.drug, self.section, self.trace, self.seed, self.n


def mutation_here() -> MutationAddress:
    """The address of this run of the page."""
    return MutationAddress.from_query(st.query_params.to_dict())


def mutation_go(**changes: object) -> None:
    """Changes parts of the address; parts that are not ours (``lang``) stay."""
    address = mutation_here().model_copy(update=changes)
    kept = {name: value for name, value in st.query_params.to_dict().items() if name not in MutationAddress.model_fields}
    st.query_params.from_dict({**kept, **address.to_query()})


def _number(value: str | None, usual: int, most: int) -> int:
    return min(int(value), most) if value and value.isascii() and value.isdigit() and len(value) < 8 else usual
