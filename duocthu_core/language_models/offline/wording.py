"""From chosen lines to claims: governing labels in front, then the line exactly as the book has it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from duocthu_core.language_models.offline.reading import Item
from duocthu_core.text.figures import FigureWords, amounts
from duocthu_core.text.phrases import words
from duocthu_core.text.sentences import items as line_items
from duocthu_core.text.sentences import sentences
from duocthu_core.text.spans import Span

_ENUMERATIONS = frozenset({"tac_dung_khong_mong_muon"})
_PARENTHESIS = re.compile(r"\s?\([^()]*\)")
# A bracket whose figure the next words qualify ("(0,5 - 5%) ở người lớn"): without it they would qualify something else.
_QUALIFIED_PARENTHESIS = re.compile(r"\([^()]*\)(?=\s(?:ở|cho|với|trong|khi|của)\b)")
_STRENGTH = re.compile(r"\d\s?(?:mg|g|ml|microgam|mcg|đvqt|%)(?![^\W\d_])")
_TRAILING = re.compile(r"[;,\s]+$")


@dataclass(frozen=True)
class NoFigures:
    """How amounts are kept out of claims."""

    names: FigureWords
    turns_round: Callable[[str], bool]
    """Whether a part of a sentence makes an exception to the rest."""


@dataclass(frozen=True)
class WordedClaim:
    """A claim as it goes into the reply."""

    text: str
    index: int
    drug_id: str | None


def worded(items: Sequence[Item], *, no_figures: NoFigures | None, with_drug: bool, max_chars: int) -> list[WordedClaim]:
    """Claims for ``items`` in the order of the book; neighbours that make up one sentence become one claim.

    ``no_figures``: see :func:`without_figures`; a line that cannot do without its amounts is left out. A line over ``max_chars`` is
    parted at its semicolons and full stops; a part that is still longer is left out rather than cut.
    """
    claims: list[WordedClaim] = []
    for item in _joined(sorted(items, key=lambda item: item.place)):
        text = _claim_text(item, no_figures)
        texts = [] if text is None else [text] if len(text) <= max_chars else _parts_of(item, no_figures)
        drug_id = item.block.drug_id if with_drug else None
        claims += [WordedClaim(part, item.block.index, drug_id) for part in texts if len(part) <= max_chars]
    return list(dict.fromkeys(claims))


def _parts_of(item: Item, no_figures: NoFigures | None) -> list[str]:
    """The claims for the parts of one long line."""
    parts = [replace(item, span=Span(item.span.start + part.start, item.span.start + part.end)) for part in line_items(item.text)]
    return [text for part in parts if (text := _claim_text(part, no_figures)) is not None]


def _joined(items: Sequence[Item]) -> list[Item]:
    """Parts of one sentence that stand side by side, put together again as they were."""
    joined: list[Item] = []
    for item in items:
        before = joined[-1] if joined else None
        if before is not None and _is_next_part(before, item):
            joined[-1] = replace(before, span=Span(before.span.start, item.span.end))
        else:
            joined.append(item)
    return joined


def _is_next_part(before: Item, after: Item) -> bool:
    if before.block.index != after.block.index or before.sentence_start != after.sentence_start:
        return False
    between = before.block.text[before.span.end : after.span.start]
    return before.heads == after.heads and not between.strip(" ;")


def _claim_text(item: Item, no_figures: NoFigures | None) -> str | None:
    text = " ".join(_TRAILING.sub("", item.text).split("\n"))
    heads = [head for head in item.heads if not _repeats(head, item.labels)]
    if any(has_amount(head) for head in item.block.label_lines) and item.heads == item.block.label_lines:
        # "Thuốc đạn 25 mg:" is no dose of the line; the line stands alone, and the block's own label is printed in front of it.
        heads = []
    if no_figures is not None:
        heads = [head for head in heads if not amounts(head, no_figures.names)]
        reduced = without_figures(text, no_figures, is_enumeration=item.block.section_key in _ENUMERATIONS)
        if reduced is None:
            return None
        text = reduced
    return " ".join([*(f"{head}:" for head in heads), text])


def has_amount(label: str) -> bool:
    """Whether a label holds the figure of a strength or a dose, which would read like one of the line's own."""
    return _STRENGTH.search(label) is not None


def _repeats(head: str, labels: Sequence[str]) -> bool:
    """Whether a label of the line itself says the governing label again ("Trẻ em:" before "Trẻ em 6 - 8 tuổi:")."""
    wanted = [word.folded for word in words(head)]
    return any([word.folded for word in words(label)][: len(wanted)] == wanted for label in labels)


def without_figures(text: str, rule: NoFigures, *, is_enumeration: bool = False) -> str | None:
    """``text`` without its amounts, or None where nothing can be said without them.

    Brackets that hold nothing but an amount are left out. Parts between semicolons stand on their own, so those with other amounts are left
    out, but not one that turns the rest round ("…; trừ khi Clcr < 30 ml/phút"); sentences that were quoted together stay together
    or go together. In an enumeration (adverse reactions) what stands before the first amount is kept up to its comma: more of a sentence
    is never cut, because what follows a comma may turn it round ("…, nếu Clcr > 30 ml/phút").
    """
    if not amounts(text, rule.names):
        return text
    reduced = [_sentence_without_figures(span.of(text), rule, is_enumeration) for span in sentences(text)]
    kept = [sentence for sentence in reduced if sentence is not None]
    return " ".join(kept) if kept and len(kept) == len(reduced) else None


def _sentence_without_figures(sentence: str, rule: NoFigures, is_enumeration: bool) -> str | None:
    kept: list[str] = []
    for span in line_items(sentence):
        part = span.of(sentence).rstrip("; ")
        reduced = _part_without_figures(part, rule.names, is_enumeration)
        if reduced is not None:
            kept.append(reduced)
        elif rule.turns_round(part):
            return None
    return "; ".join(kept) if kept else None


def _part_without_figures(part: str, names: FigureWords, is_enumeration: bool) -> str | None:
    qualified = any(amounts(match.group(), names) for match in _QUALIFIED_PARENTHESIS.finditer(part))
    reduced = _PARENTHESIS.sub(lambda match: "" if amounts(match.group(), names) else match.group(), part).strip()
    if not qualified and not amounts(reduced, names):
        return reduced if _says_something(reduced) else None
    return _enumerated(part, names) if is_enumeration else None


def _enumerated(part: str, names: FigureWords) -> str | None:
    """The members of an enumeration before the first that has an amount, and that member itself up to its bracket."""
    first = amounts(part, names)[0].span.start
    bracket, comma = part.rfind("(", 0, first), part.rfind(",", 0, first)
    kept = part[: bracket if bracket > comma else max(comma, 0)].strip(" ,")
    return kept if _says_something(kept) and not amounts(kept, names) else None


def _says_something(text: str) -> bool:
    """Whether more is left than a label."""
    return any(character.isalpha() for character in text[text.rfind(": ") + 1 :]) and not text.endswith(":")
