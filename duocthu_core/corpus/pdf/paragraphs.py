"""Lines of pages into passages: what a column, a page or a line's end broke is put together again, and each joint is recorded.

Where a line stands tells more than its words: a line that had room for the next word ended on purpose, a gap or an indent begins
something new. A figure is never put together from two lines, and a hyphen goes only where the whole word stands elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from duocthu_core.corpus.model import Repair
from duocthu_core.corpus.pdf.lines import BOLD, ITALIC, Line
from duocthu_core.corpus.pdf.page_numbers import Head
from duocthu_core.corpus.reading.passages import Emphasis, Pages, PageTurn, Passage, PassageKind, PlacedRepair, Sign
from duocthu_core.corpus.reading.quarantine import is_formula
from duocthu_core.corpus.reading.rules import OPEN_END_LENGTH, open_end
from duocthu_core.text.spans import Span

LINES_A_PAGE = 10_000
"""A passage's ``line`` is the page of the file times this, plus the number of the line in the page's text layer."""

_BULLET = re.compile(r"(?:[-+•▪◦●○·‣*–—]|\u2022)[ \t]+(?=\S)")
_ENUMERATED = re.compile(r"\(?(?:[0-9]{1,2}|[a-zđ])[.)]\s")
_STOPS = frozenset(".!?:;…")
_CLOSING = '"”’»)]'
_LABEL_START = re.compile(r"[^\W\d_][^:.;\n]{0,80}:(?:\s|\Z)")
_RANGE_GOES_ON = re.compile(r"[-–—]\s*[<>≤≥]?\s*\d")
_LABEL_IN_LINE = re.compile(r"[.;,]\s+[^\W\d_][^.;:]{0,30}:\Z")
"""A label that begins behind a sentence and ends its line: "… màng giả. Da:"."""
_WORD_END = re.compile(r"([^\W\d_]{2,})-\Z")
_WORD_START = re.compile(r"[^\W\d_]+")
_NUMBER_OPEN = re.compile(r"\d[/,]?\Z")
_NUMBER_GOES_ON = re.compile(r"[.,/]?\d")
_SHORT_LINE = 3
"""Characters of doubt about whether the next word would have fitted."""


class Arrival(NamedTuple):
    """What came before a line besides text: the running heads taken out, and what a person should look at."""

    heads: tuple[Head, ...] = ()
    notes: tuple[Note, ...] = ()
    after_gap: bool = False
    """Pages are missing before the line."""


class Note(NamedTuple):
    """Something about a page."""

    file_page: int
    page: int | None
    reason: str
    detail: str


class PlacedLine(NamedTuple):
    """A line and where it stands."""

    line: Line
    pages: Pages
    file_page: int
    sheet: int
    place: int
    """Its number among the lines of its sheet, from 0."""
    arrival: Arrival | None = None


def passages_of(lines: Sequence[PlacedLine], known_words: frozenset[str] = frozenset()) -> list[Passage]:
    """The passages of ``lines``, in order. ``known_words``: folded words that are whole without a hyphen, besides those in the lines."""
    joiner = _Joiner(_Vocabulary(lines, known_words))
    for line in lines:
        joiner.read(line)
    return joiner.finished()


class _Vocabulary:
    """Which words stand unbroken in the text at hand."""

    def __init__(self, lines: Sequence[PlacedLine], known_words: frozenset[str]) -> None:
        self._lines = lines
        self._known = known_words
        self._text: str | None = None

    def has(self, word: str) -> bool:
        folded = word.casefold()
        if folded in self._known:
            return True
        if self._text is None:
            self._text = "\n".join(placed.line.text for placed in self._lines).casefold()
        position = self._text.find(folded)
        while position >= 0:
            end = position + len(folded)
            if not self._text[position - 1 : position].isalpha() and not self._text[end : end + 1].isalpha():
                return True
            position = self._text.find(folded, end)
        return False


class _Joiner:
    """Reads lines and keeps the paragraph that they add up to."""

    def __init__(self, vocabulary: _Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._open: list[PlacedLine] = []
        self._done: list[Passage] = []
        self._split = False

    def read(self, placed: PlacedLine) -> None:
        if not self._open:
            self._open = [placed]
            return
        first, last = self._open[0], self._open[-1]
        if not _continues(first.line, last.line, placed.line):
            self._close()
            self._open = [placed]
        elif _splits_number(last.line, placed.line):
            self._close(split=True)
            self._split = True
            self._open = [placed]
        else:
            self._open.append(placed)

    def finished(self) -> list[Passage]:
        if self._open:
            self._close()
        return self._done

    def _close(self, *, split: bool = False) -> None:
        passage = _passage(self._open, self._vocabulary)
        if split or self._split:
            passage = passage.with_sign("split_number")
        elif self._done and _begins_inside(self._done[-1], passage):
            passage = passage.with_sign("scrambled_columns")
        self._split = False
        self._open = []
        if passage.text:
            self._done.append(passage)


# What goes on


def _continues(first: Line, last: Line, line: Line) -> bool:
    if last.kind != line.kind:
        return False
    if last.kind != "text":
        return not line.opens
    if last.level != line.level:
        return False
    if last.hyphen and line.text[0].islower():
        return True
    space = line.text.find(" ")
    full = last.room < (space if space >= 0 else len(line.text)) + 1 + _SHORT_LINE
    if ("=" in line.text or "=" in last.text or "=" in first.text) and _parts_formula(first, last, line, full=full):
        return False
    if last.text.endswith(":"):
        label_goes_on = last is not first and _LABEL_IN_LINE.search(last.text) is not None
        return full and not line.apart and (label_goes_on or line.text[0].isdigit() or _starts_lower(line.text))
    open_ended = last.text.rstrip(_CLOSING)[-1:] not in _STOPS
    if not _goes_on_in_type(last, line, full=full and open_ended):
        return False
    if _BULLET.match(line.text) is not None and not (open_ended and _is_inside_sentence(first, last, line, full=full)):
        return False
    lower = _starts_lower(line.text)
    if full and lower and not line.apart and (not line.opens or last.text.endswith((";", ","))):
        return True  # "S." and "aureus", "8 tuần;" and "mạch vành …": no sentence begins with a small letter
    if line.apart or not full:
        return open_ended and (lower or (not line.apart and open_end().search(last.text[-OPEN_END_LENGTH:]) is not None))
    if open_ended:
        return True
    if line.opens or line.emphasis or line.style or _ENUMERATED.match(line.text):
        return False
    return _LABEL_START.match(line.text) is None


def _parts_formula(first: Line, last: Line, line: Line, *, full: bool) -> bool:
    """Whether a formula ends or begins between the two: it is a passage of its own, with the rest of its line below it."""
    if "=" in line.text and is_formula(line.text):
        return True
    if "=" not in last.text and "=" not in first.text:
        return False
    return (is_formula(last.text) or is_formula(first.text)) and not (full and _starts_lower(line.text))


def _goes_on_in_type(last: Line, line: Line, *, full: bool) -> bool:
    """Whether the type allows the two to be one paragraph: bold headings and labels stand alone, unless they run over the line's end."""
    if (last.style ^ line.style) & BOLD or _opens_with(line, BOLD):
        return False
    if last.style & line.style & BOLD:
        return full
    if last.style & ITALIC and not line.style & ITALIC:
        return full or _opens_with(line, ITALIC)
    return True


def _opens_with(line: Line, style: int) -> bool:
    return bool(line.emphasis) and line.emphasis[0][0] == 0 and bool(line.emphasis[0][2] & style)


def _is_inside_sentence(first: Line, last: Line, line: Line, *, full: bool) -> bool:
    """ "… trong 17" and "- 20% liều", "(1 g" and "+ 2 g)": a sentence broken before its dash or plus, no item of a list."""
    if (full or last.text[-1].isdigit()) and _RANGE_GOES_ON.match(line.text) is not None:
        return True
    return full and not line.apart and (_BULLET.match(first.text) is None or last.text.count("(") > last.text.count(")"))


def _splits_number(last: Line, line: Line) -> bool:
    return (
        last.kind == line.kind == "text"
        and _NUMBER_OPEN.search(last.text[-2:]) is not None
        and _NUMBER_GOES_ON.match(line.text) is not None
        and (last.text[-1].isdigit() or line.text[0].isdigit())
    )


def _starts_lower(text: str) -> bool:
    return text[:1].islower() and text[1:2] not in (".", ")")


def _begins_inside(held: Passage, passage: Passage) -> bool:
    """A paragraph that starts inside a sentence, though the one before it is whole, has lost its beginning: columns were mixed."""
    return (
        passage.kind == "text"
        and held.kind in ("text", "item")
        and not (held.level or passage.level or held.is_emphasised)
        and not held.text.endswith(":")
        and _starts_lower(passage.text)
        and len(words := passage.text.split(None, 4)) > 3
        and not any(letter.isupper() for letter in words[0])
    )


# Putting together


class _Text:
    """A passage's text so far and what is known of it."""

    def __init__(self, first: PlacedLine) -> None:
        self.pieces: list[str] = []
        self.length = 0
        self.pages = first.pages
        self.turns: list[PageTurn] = []
        self.emphasis: list[Emphasis] = []
        self.repairs: list[PlacedRepair] = []
        self.signs: list[Sign] = []

    def add(self, placed: PlacedLine, start: int, *, drop_last: bool) -> None:
        """The text of ``placed`` from ``start`` on; ``drop_last``: without the hyphen at its end."""
        line = placed.line
        if placed.pages != self.pages:
            self.pages = placed.pages
            self.turns.append(PageTurn(self.length, placed.pages))
        shift = self.length - start
        end = len(line.text) - drop_last
        if line.style:
            self.emphasis.append(Emphasis(Span(self.length, self.length + end - start), bool(line.style & BOLD)))
        for begin, stop, style in line.emphasis:
            self.emphasis.append(Emphasis(Span(max(begin, start) + shift, min(stop, end) + shift), bool(style & BOLD)))
        if line.repairs:
            self.repairs += (PlacedRepair(offset + shift, repair_of(kind, out, put)) for offset, kind, out, put in line.repairs)
        if line.signs:
            self.signs += (Sign(max(offset + shift, 0), reason) for offset, reason in line.signs)
        self.write(line.text[start:end] if start or drop_last else line.text)

    def add_plain(self, placed: PlacedLine, following: PlacedLine) -> bool:
        """Adds a line of plain type that a space joins to the next, as most are; False where it is another."""
        line = placed.line
        if line.hyphen or line.style or line.emphasis or line.repairs or line.signs:
            return False
        if placed.pages is not self.pages or following.arrival is not None:
            return False
        self.length += len(line.text)
        self.repairs.append(PlacedRepair(self.length, _LINE_JOIN))
        self.length += 1
        self.pieces += (line.text, " ")
        return True

    def write(self, text: str) -> None:
        self.pieces.append(text)
        self.length += len(text)

    def repair(self, repair: Repair) -> None:
        self.repairs.append(PlacedRepair(self.length, repair))


def _passage(lines: Sequence[PlacedLine], vocabulary: _Vocabulary) -> Passage:
    first = lines[0]
    if len(lines) == 1 and _is_plain(first.line):
        return _plain_passage(first)
    text = _Text(first)
    kind: PassageKind = first.line.kind
    start = 0
    bullet = _BULLET.match(first.line.text) if kind == "text" else None
    if bullet is not None:
        text.repair(repair_of("markup", bullet.group(), ""))
        kind, start = "item", bullet.end()
    for index, placed in enumerate(lines):
        following = lines[index + 1] if index + 1 < len(lines) else None
        if following is not None and kind in ("text", "item") and not start and text.add_plain(placed, following):
            continue
        if following is None or kind in ("table", "formula"):
            text.add(placed, start, drop_last=False)
            if following is not None:
                text.write("\n")
        else:
            hyphenated = placed.line.hyphen and _is_broken_word(placed.line.text, following.line.text, vocabulary)
            text.add(placed, start, drop_last=hyphenated)
            _join(text, placed.line, following, hyphenated=hyphenated)
        start = 0
    return Passage(
        "".join(text.pieces),
        first.file_page * LINES_A_PAGE + first.line.number,
        first.pages,
        tuple(text.turns),
        _merged(text.emphasis),
        tuple(text.repairs),
        tuple(text.signs),
        kind,
        first.line.level,
    )


def _is_plain(line: Line) -> bool:
    """Whether a line is a passage as it stands."""
    return not (line.emphasis or line.signs or line.repairs) and line.kind == "text" and _BULLET.match(line.text) is None


def _plain_passage(placed: PlacedLine) -> Passage:
    line = placed.line
    emphasis = (Emphasis(Span(0, len(line.text)), bool(line.style & BOLD)),) if line.style else ()
    return Passage(line.text, placed.file_page * LINES_A_PAGE + line.number, placed.pages, emphasis=emphasis, level=line.level)


def _join(text: _Text, line: Line, following: PlacedLine, *, hyphenated: bool) -> None:
    if not line.hyphen or not following.line.text[0].islower():
        text.repair(_LINE_JOIN)
        text.write(" ")
    elif hyphenated:
        text.repair(repair_of("hyphenation", "-\n", ""))
    else:
        text.repair(repair_of("line_join", "\n", ""))
    if following.arrival is not None:
        for head in following.arrival.heads:
            text.repair(Repair(kind="page_header", removed=head.text, page=head.page))


def _is_broken_word(text: str, following: str, vocabulary: _Vocabulary) -> bool:
    """Whether the hyphen is the line's, not the word's: the whole word stands elsewhere."""
    head, tail = _WORD_END.search(text), _WORD_START.match(following)
    return head is not None and tail is not None and vocabulary.has(head[1] + tail.group())


def _merged(emphasis: Iterable[Emphasis]) -> tuple[Emphasis, ...]:
    """Stretches of one style on neighbouring lines as one."""
    merged: list[Emphasis] = []
    for (start, end), strong in emphasis:
        if start >= end:
            continue
        if merged and merged[-1].strong == strong and start - merged[-1].span.end <= 1:
            merged[-1] = Emphasis(Span(merged[-1].span.start, end), strong)
        else:
            merged.append(Emphasis(Span(start, end), strong))
    return tuple(merged)


@lru_cache(maxsize=4096)
def repair_of(kind: Any, removed: str, inserted: str) -> Repair:
    """One repair without a page; equal repairs are one object, a book has hundreds of thousands of them."""
    return Repair(kind=kind, removed=removed, inserted=inserted)


_LINE_JOIN = repair_of("line_join", "\n", " ")
