"""Quotes of evidence: a quote counts only where it stands word for word (spec 04, "Check 2", last sentence)."""

from __future__ import annotations

from bisect import bisect_left

from duocthu_core.text.folding import collapse_spaces, is_invisible, nfc
from duocthu_core.text.numbers import cached_numeric_tokens
from duocthu_core.text.spans import Span


def find_quote(quote: str, text: str) -> Span | None:
    """Where ``quote`` stands in ``text`` at number and word borders, or None; the span points into ``text``.

    Both sides are compared in NFC with white space folded. Case and marks count. A blank quote, or one without a letter or a digit,
    stands nowhere. ``text`` is expected in NFC (as every stored block is); where it is not, the span points into its NFC form.
    """
    wanted = collapse_spaces(nfc(quote))
    if not any(character.isalnum() for character in wanted):
        return None
    stored = nfc(text)
    folded, origins = _spaces_folded(stored)
    tokens = cached_numeric_tokens(stored)
    starts = [token.span.start for token in tokens]
    position = folded.find(wanted)
    while position != -1:
        begin, end = origins[position], origins[position + len(wanted) - 1] + 1
        if _at_borders(stored, begin, end) and not any(_cut_by(tokens, starts, edge) for edge in (begin, end)):
            return Span(begin, end)
        position = folded.find(wanted, position + 1)
    return None


def _spaces_folded(text: str) -> tuple[str, list[int]]:
    """``text`` with each run of white space as one space, and for every character of it the position it came from."""
    characters: list[str] = []
    origins: list[int] = []
    spaced = False
    for position, character in enumerate(text):
        if character.isspace():
            if not spaced:
                characters.append(" ")
                origins.append(position)
            spaced = True
        else:
            characters.append(character)
            origins.append(position)
            spaced = False
    return "".join(characters), origins


def _at_borders(text: str, begin: int, end: int) -> bool:
    """Whether no word runs on over ``begin`` or ``end``, not even through characters that cannot be seen."""
    return not (_word_runs_over(text, begin)) and not (_word_runs_over(text, end))


def _word_runs_over(text: str, edge: int) -> bool:
    before, after = edge - 1, edge
    while before >= 0 and is_invisible(text[before]):
        before -= 1
    while after < len(text) and is_invisible(text[after]):
        after += 1
    return before >= 0 and after < len(text) and text[before].isalnum() and text[after].isalnum()


def _cut_by(tokens: tuple, starts: list[int], edge: int) -> bool:
    """Whether ``edge`` lies inside a numeric token ("5 mg" begins inside "0,5 mg")."""
    position = bisect_left(starts, edge) - 1
    return position >= 0 and tokens[position].span.start < edge < tokens[position].span.end
