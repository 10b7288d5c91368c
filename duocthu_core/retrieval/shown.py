"""Evidence and candidates of blocks, made once: the same blocks are shown over and over, and each is validated and hashed on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from duocthu_core.corpus.model import Block
from duocthu_core.retrieval.source import BlockSource

Made = TypeVar("Made")
_KEPT = 8_192


class Shown:
    """What was made of blocks. A block is told by its identity, and it must still be that very block of that very source: another corpus
    has others. Blocks never change."""

    def __init__(self) -> None:
        self._made: dict[tuple[object, ...], tuple[Block, BlockSource, object]] = {}

    def of(self, block: Block, source: BlockSource, how: tuple[object, ...], make: Callable[[], Made]) -> Made:
        """What ``make`` gives for this block; ``how``: everything else that it depends on."""
        key = (id(block), *how)
        held = self._made.get(key)
        if held is not None and held[0] is block and held[1] is source:
            return held[2]  # pyright: ignore[reportReturnType] - made under the same key
        if len(self._made) >= _KEPT:
            self._made.clear()
        made = make()
        self._made[key] = (block, source, made)
        return made
