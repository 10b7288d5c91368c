"""The blocks that a verdict was made over, as they stand in the book now (spec 05: a block's URL holds its content hash)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from duocthu_core.corpus.collection import Corpus

EvidenceState = Literal["same", "changed", "gone", "foreign"]
"""The block's text is the same; it is another one; the book has no such block; the address is none of this book's."""
_SCHEME = "duocthu://"
_BLOCK_ID_PARTS = 3


@dataclass(frozen=True)
class EvidenceNow:
    """One stored address and what stands there now."""

    url: str
    state: EvidenceState
    block_id: str = ""
    """Empty for a foreign address."""
    current_url: str | None = None
    """None where there is no such block."""


def evidence_now(urls: Iterable[str], corpus: Corpus) -> tuple[EvidenceNow, ...]:
    """Each address that an entry was judged over, compared with ``corpus``."""
    return tuple(_now(url, corpus) for url in urls)


def current_urls(found: Iterable[EvidenceNow]) -> tuple[str, ...]:
    """The addresses of today of the blocks that are still there."""
    return tuple(item.current_url for item in found if item.current_url is not None)


def _now(url: str, corpus: Corpus) -> EvidenceNow:
    if not url.startswith(_SCHEME):
        return EvidenceNow(url, "foreign")
    block_id = "/".join(url.removeprefix(_SCHEME).partition("?")[0].split("/")[-_BLOCK_ID_PARTS:])
    block = corpus.block(block_id)
    if block is None:
        return EvidenceNow(url, "gone", block_id)
    current = block.url(corpus.edition)
    return EvidenceNow(url, "same" if current == url else "changed", block_id, current)
