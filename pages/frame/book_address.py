"""Where in the book the reader is: drug, section, block and search stand in the address (spec 06, page 8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import streamlit as st
from pydantic import BaseModel, ConfigDict

BookView = Literal["import"]
_LONGEST = 200


class BookAddress(BaseModel):
    """The state of the corpus page. Every part may be missing."""

    model_config = ConfigDict(frozen=True)

    q: str | None = None
    """What is searched for."""
    drug: str | None = None
    section: str | None = None
    block: str | None = None
    """Block id; it says drug and section too, and wins over them."""
    view: BookView | None = None
    book: str | None = None
    """Key of the imported book whose report is open."""
    job: str | None = None
    """Id of the import that is watched."""
    page: int | None = None
    """Page of the list of drugs, from 1."""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> BookAddress:
        """The address that ``query`` writes; a part that makes no sense is treated as missing."""
        texts = {name: query[name][:_LONGEST] for name in ("q", "drug", "section", "block", "book", "job") if query.get(name, "").strip()}
        view, page = query.get("view"), query.get("page", "")
        number = int(page) if page.isascii() and page.isdigit() and len(page) < 5 else 0
        return cls(**texts, view=view if view in get_args(BookView) else None, page=number or None)  # type: ignore[arg-type]

    def to_query(self) -> dict[str, str]:
        """The parts that are set, as they stand in the address bar."""
        return {name: str(value) for name, value in self.model_dump(exclude_none=True).items()}


def book_here() -> BookAddress:
    """The address of this run."""
    return BookAddress.from_query(st.query_params.to_dict())


def go_in_book(address: BookAddress) -> None:
    """Puts ``address`` into the address bar; parts that are not ours (``lang``) stay."""
    kept = {name: value for name, value in st.query_params.to_dict().items() if name not in BookAddress.model_fields}
    st.query_params.from_dict({**kept, **address.to_query()})
