"""From chosen lines to claims: governing labels in front, then the line exactly as the book has it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from duocthu_core.language_models.offline.reading import Item
from duocthu_core.text.figures import amounts
from duocthu_core.text.phrases import words

_PARENTHESIS = re.compile(r"\s?\([^()]*\)")
_TRAILING = re.compile(r"[;,\s]+$")


@dataclass(frozen=True)
class WordedClaim:
    """A claim as it goes into the reply."""

    text: str
    index: int
    drug_id: str | None


def worded(items: Sequence[Item], *, no_figures: bool, with_drug: bool, max_chars: int, name_words: Collection[str]) -> list[WordedClaim]:
    """Claims for ``items`` in the order of the book; neighbours that make up one sentence become one claim.

    ``no_figures``: figures in brackets are left out, and a line that has others is left out whole. A line over ``max_chars`` is left
    out rather than cut.
    """
    claims: list[WordedClaim] = []
    for item in _joined(sorted(items, key=lambda item: item.place)):
        text = _claim_text(item, name_words if no_figures else None)
        if text is not None and len(text) <= max_chars:
            claims.append(WordedClaim(text, item.block.index, item.block.drug_id if with_drug else None))
    return list(dict.fromkeys(claims))


def _joined(items: Sequence[Item]) -> list[Item]:
    """Parts of one sentence that stand side by side, put together again as they were."""
    joined: list[Item] = []
    for item in items:
        before = joined[-1] if joined else None
        if before is not None and _is_next_part(before, item):
            whole = Item(**{**before.__dict__, "span": before.span._replace(end=item.span.end)})
            joined[-1] = whole
        else:
            joined.append(item)
    return joined


def _is_next_part(before: Item, after: Item) -> bool:
    if before.block.index != after.block.index or before.sentence_start != after.sentence_start:
        return False
    between = before.block.text[before.span.end : after.span.start]
    return before.heads == after.heads and not between.strip(" ;")


def _claim_text(item: Item, name_words: Collection[str] | None) -> str | None:
    text = " ".join(_TRAILING.sub("", item.text).split("\n"))
    heads = [head for head in item.heads if not _repeats(head, item.labels)]
    if name_words is not None:
        heads = [head for head in heads if not amounts(head, name_words)]
        reduced = without_figures(text, name_words)
        if reduced is None:
            return None
        text = reduced
    return " ".join([*(f"{head}:" for head in heads), text])


def _repeats(head: str, labels: Sequence[str]) -> bool:
    """Whether a label of the line itself says the governing label again ("Trẻ em:" before "Trẻ em 6 - 8 tuổi:")."""
    wanted = [word.folded for word in words(head)]
    return any([word.folded for word in words(label)][: len(wanted)] == wanted for label in labels)


def without_figures(text: str, name_words: Collection[str]) -> str | None:
    """``text`` without the brackets that hold amounts; None where amounts stand outside brackets too, or nothing is left."""
    if not amounts(text, name_words):
        return text
    reduced = _PARENTHESIS.sub(lambda match: "" if amounts(match.group(), name_words) else match.group(), text).strip()
    return reduced if not amounts(reduced, name_words) and any(character.isalpha() for character in reduced) else None
