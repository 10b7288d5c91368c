"""A passage: one paragraph, list item, heading or table of a source, with what was done to it and on which page it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from duocthu_core.corpus.model import Repair
from duocthu_core.text.spans import Span

_CONTENT = re.compile(r"[^\W_]")

PassageKind = Literal["text", "item", "table", "formula"]


class Pages(NamedTuple):
    """Printed pages on which a place of the text stands: one page, or the two of a spread that cannot be told apart; None where unknown."""

    first: int | None = None
    last: int | None = None


UNKNOWN_PAGES = Pages()


class PageTurn(NamedTuple):
    """From ``offset`` on, the text stands on ``pages``."""

    offset: int
    pages: Pages


class Emphasis(NamedTuple):
    """A stretch that was set in italics or, ``strong``, in bold."""

    span: Span
    strong: bool


class PlacedRepair(NamedTuple):
    """A repair and the offset in the passage's text where it was made."""

    offset: int
    repair: Repair


class Sign(NamedTuple):
    """A sign of damage at ``offset``: ``lost_sign``, ``noise_near_digits``, ``split_number``, ``scrambled_columns``, ``formula``."""

    offset: int
    reason: str


class Passage(NamedTuple):
    """Text without markup or running heads. All offsets are code points of ``text``."""

    text: str
    line: int
    """First line in the source, from 1."""
    pages: Pages = UNKNOWN_PAGES
    """Where the text begins."""
    turns: tuple[PageTurn, ...] = ()
    emphasis: tuple[Emphasis, ...] = ()
    repairs: tuple[PlacedRepair, ...] = ()
    signs: tuple[Sign, ...] = ()
    kind: PassageKind = "text"
    level: int = 0
    """Heading level that the markup gave, 0 for none."""
    after_blank: bool = True
    """Whether a blank line, or the head of the file, stood before it."""

    @property
    def last_pages(self) -> Pages:
        """Where the text ends."""
        return self.turns[-1].pages if self.turns else self.pages

    @property
    def printed_pages(self) -> tuple[int | None, int | None]:
        """First and last printed page."""
        return self.pages.first, self.last_pages.last

    @property
    def is_emphasised(self) -> bool:
        """Whether all letters and digits of the text were set in bold or italics."""
        if not self.emphasis:
            return bool(self.text) and _CONTENT.search(self.text) is None
        return bool(self.text) and _CONTENT.search(_outside(self.text, [e.span for e in self.emphasis])) is None

    @property
    def is_strong(self) -> bool:
        """Whether all letters and digits of the text were set in bold."""
        if not self.emphasis:
            return bool(self.text) and _CONTENT.search(self.text) is None
        return bool(self.text) and _CONTENT.search(_outside(self.text, [e.span for e in self.emphasis if e.strong])) is None

    def part(self, start: int, end: int) -> Passage:
        """The passage ``text[start:end]`` without white space around it, with the pages, repairs and signs of that stretch.

        Parts that follow one another without a gap keep every repair and sign exactly once.
        """
        last = end >= len(self.text)
        begin, stop = start, min(end, len(self.text))
        while begin < stop and self.text[begin].isspace():
            begin += 1
        while stop > begin and self.text[stop - 1].isspace():
            stop -= 1

        def inside(offset: int) -> bool:
            return start <= offset < end or (last and offset >= end)

        def moved(offset: int) -> int:
            return min(max(offset - begin, 0), stop - begin)

        pages = self.pages
        for turn in self.turns:
            if turn.offset <= begin:
                pages = turn.pages
        clipped = ((Span(max(e.span.start, begin), min(e.span.end, stop)), e.strong) for e in self.emphasis)
        return self._replace(
            text=self.text[begin:stop],
            pages=pages,
            turns=tuple(PageTurn(t.offset - begin, t.pages) for t in self.turns if begin < t.offset < stop),
            emphasis=tuple(Emphasis(Span(s.start - begin, s.end - begin), strong) for s, strong in clipped if s.start < s.end),
            repairs=tuple(PlacedRepair(moved(r.offset), r.repair) for r in self.repairs if inside(r.offset)),
            signs=tuple(Sign(moved(s.offset), s.reason) for s in self.signs if inside(s.offset)),
        )

    def joined(self, other: Passage, between: str, repair: Repair | None = None) -> Passage:
        """This passage, ``between``, and ``other``; ``repair`` is recorded at the joint."""
        return joined(self, [Joint(between, other, repair)])

    def with_sign(self, reason: str, offset: int = 0) -> Passage:
        """The same with one more sign of damage."""
        return self._replace(signs=(*self.signs, Sign(offset, reason)))


class Joint(NamedTuple):
    """A passage that is put behind another."""

    between: str
    """The characters between the two."""
    passage: Passage
    repair: Repair | None = None


def joined(first: Passage, others: Iterable[Joint]) -> Passage:
    """``first`` and the others behind it as one passage, in time linear in their length. Kind, level and line are those of ``first``."""
    texts = [first.text]
    turns, emphasis, repairs, signs = list(first.turns), list(first.emphasis), list(first.repairs), list(first.signs)
    length = len(first.text)
    pages = first.last_pages
    for between, other, repair in others:
        if repair is not None:
            repairs.append(PlacedRepair(length, repair))
        length += len(between)
        if other.pages != pages:
            turns.append(PageTurn(length, other.pages))
        turns += (PageTurn(t.offset + length, t.pages) for t in other.turns)
        emphasis += (Emphasis(Span(e.span.start + length, e.span.end + length), e.strong) for e in other.emphasis)
        repairs += (PlacedRepair(r.offset + length, r.repair) for r in other.repairs)
        signs += (Sign(s.offset + length, s.reason) for s in other.signs)
        texts += (between, other.text)
        length += len(other.text)
        pages = other.last_pages
    return first._replace(text="".join(texts), turns=tuple(turns), emphasis=tuple(emphasis), repairs=tuple(repairs), signs=tuple(signs))


def joined_lines(passages: Sequence[Passage]) -> Passage:
    """Passages as lines of one. They were lines in the source, so no repair is recorded."""
    return passages[0] if len(passages) == 1 else joined(passages[0], [Joint("\n", passage) for passage in passages[1:]])


def _outside(text: str, spans: list[Span]) -> str:
    kept: list[str] = []
    position = 0
    for span in sorted(spans):
        kept.append(text[position : max(position, span.start)])
        position = max(position, span.end)
    return "".join(kept) + text[position:]
