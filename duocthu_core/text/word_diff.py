"""Two texts word by word. What belongs together, such as a dose with its unit and bound, is one word and is never split."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict
from rapidfuzz.distance import Indel

from duocthu_core.text.numbers import numeric_tokens
from duocthu_core.text.spans import Span

_WORD = re.compile(r"\s+|[^\W_]+|[^\w\s]|_")
Whole = Callable[[str], Sequence[Span]]
"""Places of a text that may not be split."""


class DiffPiece(BaseModel):
    """A run of words that both texts have, or only one of them."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["same", "removed", "added"]
    text: str


def numbers_whole(text: str) -> list[Span]:
    """The figures of a text: "0,5" is one word, whatever its comma."""
    return [token.span for token in numeric_tokens(text)]


def word_diff(before: str, after: str, whole: Whole = numbers_whole) -> tuple[DiffPiece, ...]:
    """The pieces that turn ``before`` into ``after``: without the added ones they are ``before``, without the removed ones ``after``.

    ``whole`` names the places that stay in one piece; they are compared as written.
    """
    old, new = words_of(before, whole(before)), words_of(after, whole(after))
    pieces: list[DiffPiece] = []
    removed = added = ""

    def changed() -> None:
        pieces.extend([DiffPiece(kind="removed", text=removed)] if removed else [])
        pieces.extend([DiffPiece(kind="added", text=added)] if added else [])

    for operation in Indel.opcodes(old, new):
        left = "".join(old[operation.src_start : operation.src_end])
        if operation.tag == "equal":
            changed()
            removed = added = ""
            pieces.append(DiffPiece(kind="same", text=left))
        else:
            removed += left
            added += "".join(new[operation.dest_start : operation.dest_end])
    changed()
    return tuple(pieces)


def words_of(text: str, whole: Sequence[Span] = ()) -> list[str]:
    """``text`` as words, signs and spaces, each place of ``whole`` in one piece; joined they are the text."""
    words: list[str] = []
    position = 0
    for span in _joined(whole):
        words += _WORD.findall(text, position, span.start)
        words.append(text[span.start : span.end])
        position = span.end
    return words + _WORD.findall(text, position)


def _joined(spans: Sequence[Span]) -> list[Span]:
    """``spans`` in order, those that overlap as one."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if joined and span.start < joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        elif span.end > span.start:
            joined.append(span)
    return joined
