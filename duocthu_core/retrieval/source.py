"""What retrieval needs of a corpus (spec 01: "what they need from outside they name as a Protocol of their own")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from duocthu_core.corpus.model import Block, Monograph


class BlockSource(Protocol):
    """Monographs and blocks of one edition, found by key."""

    @property
    def edition(self) -> str:
        """Name of the edition, for addresses of blocks."""
        ...

    @property
    def edition_mark(self) -> str:
        """What every citation of this edition says beside its page; empty for the book itself."""
        ...

    @property
    def monographs(self) -> Mapping[str, Monograph]:
        """By drug_id."""
        ...

    @property
    def blocks(self) -> Iterable[Block]:
        """Every block, in book order."""
        ...

    def blocks_of(self, drug_id: str, section_key: str | None = None) -> Sequence[Block]:
        """The blocks of a drug or of one of its sections, in book order; empty where there is none."""
        ...

    def block(self, block_id: str) -> Block | None:
        """The block of this id."""
        ...

    def name_of(self, drug_id: str) -> str:
        """The Vietnamese name of a drug."""
        ...
