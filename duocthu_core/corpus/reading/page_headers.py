"""Running heads and page numbers: out of the text, into the page of each place (spec 07, "What real text looks like").

A running head is known by the book's mark ("DTQGVN 2") with a drug name and a page number beside it: ``DTQGVN 2 Paracetamol 1119``,
``1120 **Paracetamol** DTQGVN 2``, or both pages of a spread in one line. The name is not used: it may be the next drug's. A line that
is only a number counts as a page only where it goes on the sequence; otherwise it may be a dose and stays in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from duocthu_core.corpus.reading.passages import Pages

TURN = "\x1e"
"""Stands in the text where a running head was taken out; no source keeps this character."""
_WINDOW = 140
"""Characters beside the mark that can belong to a running head."""
_LINE_END = r"(?=[ \t]*(?:\n|\Z))"
_RIGHT_STRONG = re.compile(r"[ \t]{1,4}\*\*[^*\n]{1,100}\*\*[ \t]{1,4}(?P<page>[1-9][0-9]{0,3})(?=[ \t\n]|\Z)")
# A name without bold may be a sentence that goes on: it counts only with the page number at the end of the line.
_RIGHT_PLAIN = re.compile(rf"[ \t]{{1,4}}(?P<name>[^\W\d_][^*\n:;.]{{0,100}}?)[ \t]{{1,4}}(?P<page>[1-9][0-9]{{0,3}}){_LINE_END}")
_THUMB = re.compile(rf"[ \t]{{1,4}}(?:\*\*[^*\n]{{1,60}}\*\*|[^\W\d_]){_LINE_END}")
_STRAY = re.compile(rf"[ \t]{{1,4}}\*\*[^*\n]{{1,60}}\*\*{_LINE_END}")
_NUMBER = re.compile(r"(?<![\d,./-])[1-9][0-9]{0,3}(?=[ \t])")
_LEFT_NAME = re.compile(r"[ \t]{1,4}(?:\*\*[^*\n]{1,100}\*\*|[^\W\d_][^*\n:;.\d]{0,70})[ \t]{1,4}\Z")
_ONLY_NUMBER = re.compile(r"^[ \t]*[-–—*_ ]{0,3}(?P<page>[1-9][0-9]{0,3})[-–—*_ ]{0,3}[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PageHeader:
    """A running head: its characters, where they stood in the source, and its page numbers (none, one, or the two of a spread)."""

    start: int
    end: int
    raw: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PagedText:
    """A text whose running heads are each replaced by :data:`TURN`, with the pages before the first and after each of them."""

    text: str
    before: Pages
    turns: tuple[tuple[PageHeader, Pages], ...]
    problems: tuple[tuple[int, str], ...]
    """(line, what) for numbers that do not go on the sequence."""


def take_out_headers(text: str, marks: Sequence[str], page_words: Sequence[str]) -> PagedText:
    """``text`` without its running heads, and the printed page of every stretch between them.

    The stretch before the first head stands on the page before it. Of a spread's two numbers the first head that carries them opens
    the left page and the second the right one; where they stand only once and the book goes on, both pages are given.
    """
    headers = _headers(text, tuple(marks), tuple(page_words))
    before, pages, problems = _pages_after(headers)
    pieces: list[str] = []
    position = 0
    for header in headers:
        pieces += (text[position : header.start], TURN)
        position = header.end
    pieces.append(text[position:])
    lines = [(text.count("\n", 0, headers[index].start) + 1, what) for index, what in problems]
    return PagedText("".join(pieces), before, tuple(zip(headers, pages, strict=True)), tuple(lines))


def _headers(text: str, marks: tuple[str, ...], page_words: tuple[str, ...]) -> list[PageHeader]:
    marked = list(_marked_headers(text, marks))
    worded = [_header(text, m.start(), m.end(), (int(m["page"]),)) for m in _worded(page_words).finditer(text)]
    certain = sorted((h for h in (*marked, *worded)), key=lambda header: header.start)
    return sorted((*certain, *_numbers_in_sequence(text, certain)), key=lambda header: header.start)


@lru_cache(maxsize=8)
def _mark_pattern(marks: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(r"[ \t]{1,3}".join(map(re.escape, mark.split())) for mark in marks) or r"(?!)")


@lru_cache(maxsize=8)
def _worded(page_words: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(map(re.escape, page_words)) or r"(?!)"
    return re.compile(
        rf"^[ \t]*(?:<!--[ \t]*)?[-–—*_\[ ]{{0,4}}(?:{words})[ \t:]{{0,3}}(?P<page>[1-9][0-9]{{0,3}})[-–—*_\] ]{{0,4}}(?:-->)?[ \t]*$",
        re.M | re.I,
    )


def _marked_headers(text: str, marks: tuple[str, ...]) -> Iterator[PageHeader]:
    found = list(_mark_pattern(marks).finditer(text))
    index = 0
    floor = 0
    while index < len(found):
        first = last = found[index]
        if index + 1 < len(found) and not text[first.end() : found[index + 1].start()].strip(" \t"):
            index += 1
            last = found[index]
        index += 1
        ceiling = found[index].start() if index < len(found) else len(text)
        start, left = _left(text, first.start(), floor)
        end, right = _right(text, last.end(), ceiling)
        yield _header(text, start, end, (*left, *right))
        floor = end


def _left(text: str, mark: int, floor: int) -> tuple[int, tuple[int, ...]]:
    """Start and number of what stands before a mark: the last number there that only a name parts from the mark."""
    begin = max(floor, text.rfind("\n", 0, mark) + 1, mark - _WINDOW)
    window = text[begin:mark]
    for number in reversed(list(_NUMBER.finditer(window))):
        name = _LEFT_NAME.match(window, number.end())
        if name is not None and (name.group().lstrip()[0] == "*" or name.group().lstrip()[0].isupper()):
            return begin + number.start(), (int(number.group()),)
    return mark, ()


def _right(text: str, end: int, ceiling: int) -> tuple[int, tuple[int, ...]]:
    """End and number of what stands behind a mark, a thumb index letter or a stray name at the end of the line included."""
    ceiling = min(ceiling, end + _WINDOW)
    line_end = text.find("\n", end, ceiling)
    ceiling = line_end if line_end >= 0 else ceiling
    window = text[end:ceiling]
    match = _RIGHT_STRONG.match(window)
    if match is None and (plain := _RIGHT_PLAIN.match(window)) is not None and plain["name"][0].isupper() and _ends_line(text, ceiling):
        match = plain
    if match is None:
        stray = _STRAY.match(window) if _ends_line(text, ceiling) else None
        return end + (stray.end() if stray else 0), ()
    thumb = _THUMB.match(window, match.end()) if _ends_line(text, ceiling) else None
    return end + (thumb.end() if thumb else match.end()), (int(match["page"]),)


def _ends_line(text: str, position: int) -> bool:
    return position >= len(text) or text[position] == "\n"


def _header(text: str, start: int, end: int, numbers: tuple[int, ...]) -> PageHeader:
    return PageHeader(start, end, text[start:end].strip(), numbers)


def _numbers_in_sequence(text: str, certain: list[PageHeader]) -> list[PageHeader]:
    """Lines of one number that go on the page sequence: each must be the page after the one before it.

    Without any certain head the sequence must have two numbers at least; a lone number is no page.
    """
    candidates = [_header(text, m.start(), m.end(), (int(m["page"]),)) for m in _ONLY_NUMBER.finditer(text)]
    if not candidates:
        return []
    if not certain:
        runs = _runs(candidates)
        best = max(runs, key=len)
        return best if len(best) > 1 else []
    taken: list[PageHeader] = []
    page: int | None = certain[0].numbers[0] - 1 if certain[0].numbers else None
    pending = iter((*certain, None))
    ahead = next(pending)
    for candidate in candidates:
        while ahead is not None and ahead.start < candidate.start:
            page = ahead.numbers[0] if ahead.numbers else page
            ahead = next(pending)
        following = ahead.numbers[0] if ahead is not None and ahead.numbers else None
        if page is not None and candidate.numbers[0] == page + 1 and (following is None or following > candidate.numbers[0]):
            taken.append(candidate)
            page = candidate.numbers[0]
    return taken


def _runs(candidates: list[PageHeader]) -> list[list[PageHeader]]:
    runs: list[list[PageHeader]] = []
    for candidate in candidates:
        for run in runs[-3:]:
            if candidate.numbers[0] == run[-1].numbers[0] + 1:
                run.append(candidate)
                break
        else:
            runs.append([candidate])
    return runs


def _pages_after(headers: list[PageHeader]) -> tuple[Pages, list[Pages], list[tuple[int, str]]]:
    pages: list[Pages] = []
    problems: list[tuple[int, str]] = []
    numbered = [header.numbers for header in headers if header.numbers]
    first = numbered[0][0] - 1 if numbered and numbered[0][0] > 1 else None
    before = current = Pages(first, first)
    for index, header in enumerate(headers):
        if header.numbers:
            page = _next_page(header.numbers, current.last)
            if current.last is not None and page < current.last:
                problems.append((index, f"page {page} after page {current.last}: the page number is not used"))
            else:
                if pages and current.last is not None and page > current.last + 1:
                    problems.append((index, f"page {page} after page {current.last}: pages are missing between them"))
                current = Pages(page, page)
        pages.append(current)
    return before, _with_open_spreads(headers, pages), problems


def _next_page(numbers: tuple[int, ...], current: int | None) -> int:
    """The page that a head opens: of a spread the right page only after the left one was opened."""
    if numbers[-1] != numbers[0] + 1:
        return numbers[0]
    return numbers[-1] if current is not None and numbers[0] <= current < numbers[-1] else numbers[0]


def _with_open_spreads(headers: list[PageHeader], pages: list[Pages]) -> list[Pages]:
    """A spread whose head stands once, before a later page: its text may stand on either page."""
    opened = list(pages)
    for index, header in enumerate(headers[:-1]):
        if len(header.numbers) > 1 and header.numbers[-1] == header.numbers[0] + 1 and pages[index].first == header.numbers[0]:
            following = next((later.numbers[0] for later in headers[index + 1 :] if later.numbers), None)
            if following is not None and following > header.numbers[-1]:
                opened[index] = Pages(header.numbers[0], header.numbers[-1])
    return opened
