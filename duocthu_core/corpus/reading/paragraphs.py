"""Lines of a source into passages: paragraphs put together again where a column, a page or a line broke them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from duocthu_core.corpus.model import Repair
from duocthu_core.corpus.reading import private_use
from duocthu_core.corpus.reading.markup import read_line
from duocthu_core.corpus.reading.page_headers import TURN, PagedText
from duocthu_core.corpus.reading.passages import Joint, Pages, Passage, PlacedRepair, joined, joined_lines
from duocthu_core.corpus.reading.rules import OPEN_END_LENGTH, open_end

_HEADING = re.compile(r"[ \t]*(#{1,6})[ \t]+(?=\S)")
_BULLET = re.compile(rf"[ \t]*(?:[-+•▪◦●○·‣*][ \t]+|[–—][ \t]+|[{private_use.ALWAYS}][ \t]*|[{private_use.AT_HEAD}][ \t]*(?=\D))(?=\S)")
_RULE = re.compile(r"[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,}|`{3,}[a-z]*)[ \t]*")
_TABLE_RULE = re.compile(r"[|\s:+-]*-[|\s:+-]*")
_PAGE_ONLY = re.compile(rf"[\s{TURN}]*")
_ENDS_SENTENCE = re.compile(r"[.!?:;…][\"”’»)\]]*\Z")
_LABEL_START = re.compile(r"[^\W\d_][^:.;\n]{0,80}:(?:\s|\Z)")
_ENUMERATED = re.compile(r"\(?(?:[0-9]{1,2}|[a-zđ])[.)]\s")
_NUMBERED_TITLE = re.compile(r"[0-9]{1,2}[.)][ ]+[^\W\d_]{2}")
_HYPHEN_END = re.compile(r"([^\W\d_]{2,})-\Z")
_WORD_START = re.compile(r"[^\W\d_]+")
_FULL_LINE = 60
"""A line shorter than this that ends a sentence ends its paragraph."""


class _Turns(Iterator[tuple[str, Pages]]):
    """The running heads still to come; ``pages`` is where the text stands now."""

    def __init__(self, paged: PagedText) -> None:
        self.pages = paged.before
        self._heads = iter([(header.raw, pages) for header, pages in paged.turns])

    def __next__(self) -> tuple[str, Pages]:
        head = next(self._heads)
        self.pages = head[1]
        return head


def read_passages(paged: PagedText) -> tuple[list[Passage], list[tuple[int, str]]]:
    """The passages of a text without running heads, in order, and (line, characters) of rules and fences that were left out."""
    dropped: list[tuple[int, str]] = []
    return list(_rejoined(_passages(paged, dropped), _words(paged.text))), dropped


def _passages(paged: PagedText, dropped: list[tuple[int, str]]) -> Iterator[Passage]:
    turns = _Turns(paged)
    blank = True
    table: list[Passage] = []
    for number, raw in enumerate(paged.text.split("\n"), start=1):
        is_row = raw.lstrip().startswith("|") and raw.count("|") > 1
        if table and not is_row:
            yield _table(table)
            table = []
            blank = True
        if _PAGE_ONLY.fullmatch(raw):
            for _ in range(raw.count(TURN)):
                next(turns)
            blank = True
        elif _RULE.fullmatch(raw):
            dropped.append((number, raw.strip()))
            blank = True
        elif is_row:
            row = read_line(raw, number, turns.pages, turns, is_row=True)
            if not _TABLE_RULE.fullmatch(row.text):
                table.append(row._replace(kind="table"))
            elif table:
                rule = PlacedRepair(len(table[-1].text), Repair(kind="markup", removed=raw.strip()))
                table[-1] = table[-1]._replace(repairs=(*table[-1].repairs, rule))
            else:
                dropped.append((number, row.text))
        else:
            passage = _text_passage(raw, number, turns)
            if passage.text:
                yield passage._replace(after_blank=blank)
                blank = False
            elif passage.repairs:
                dropped.append((number, raw.strip()))
    if table:
        yield _table(table)


def _text_passage(raw: str, number: int, turns: _Turns) -> Passage:
    pages = turns.pages
    heading = _HEADING.match(raw)
    bullet = None if heading else _BULLET.match(raw)
    mark = heading or bullet
    body = raw[mark.end() :] if mark else raw
    passage = read_line(body, number, pages, turns)
    if heading:
        return passage._replace(level=len(heading[1]))
    if bullet and passage.text:
        removed = Repair(kind="markup", removed=bullet.group())
        return Passage("", number, pages).joined(passage, "", removed)._replace(kind="item")
    return passage


def _table(rows: list[Passage]) -> Passage:
    return joined_lines(rows)._replace(kind="table")


def _rejoined(passages: Iterable[Passage], known_words: frozenset[str]) -> Iterator[Passage]:
    """The passages, each with its continuation on later lines; a figure is never put together from two lines."""
    lines: list[Passage] = []
    joints: list[Joint] = []
    for passage in passages:
        if not lines:
            lines = [passage]
        elif _splits_number(lines[-1], passage):
            yield joined(lines[0], joints).with_sign("split_number")
            lines, joints = [passage.with_sign("split_number")], []
        elif _continues(lines[0], lines[-1], passage):
            hyphenation = _is_hyphenated(lines[-1], passage, known_words)
            if hyphenation and joints:
                joints[-1] = joints[-1]._replace(passage=_without_hyphen(lines[-1]))
            elif hyphenation:
                lines[0] = _without_hyphen(lines[0])
            joints.append(_joint(lines[-1], passage, hyphenation=hyphenation))
            lines.append(passage)
        else:
            yield joined(lines[0], joints)
            lines, joints = [_checked_start(lines[-1], passage)], []
    if lines:
        yield joined(lines[0], joints)


def _continues(first: Passage, last: Passage, passage: Passage) -> bool:
    """Whether ``passage`` goes on with the paragraph whose first and last lines so far are given."""
    if not _is_flowing(first) or passage.kind != "text" or passage.level or last.text.endswith(":"):
        return False
    if not _ENDS_SENTENCE.search(last.text) and (_starts_lower(passage.text) or open_end().search(last.text[-OPEN_END_LENGTH:])):
        return not _LABEL_START.match(passage.text) or _starts_lower(passage.text)
    if (
        passage.after_blank
        or _LABEL_START.match(passage.text)
        or _ENUMERATED.match(passage.text)
        or passage.is_emphasised
        or last.is_emphasised
    ):
        return False
    return len(last.text) >= _FULL_LINE


def _is_flowing(passage: Passage) -> bool:
    return passage.kind in ("text", "item") and not passage.level


def _splits_number(last: Passage, passage: Passage) -> bool:
    """Whether a figure may stand in two lines, or a line that is only a figure may be a page number or the end of a dose."""
    if not (_is_flowing(last) and passage.kind == "text" and passage.text[0].isdigit()):
        return False
    if passage.text.isdigit() and not _ENDS_SENTENCE.search(last.text):
        return True
    return last.text[-1].isdigit() and _NUMBERED_TITLE.match(passage.text) is None


def _is_hyphenated(last: Passage, passage: Passage, known_words: frozenset[str]) -> bool:
    """Whether a hyphen at the end of a line is the line's, not the word's: the whole word stands elsewhere in the source."""
    hyphen = _HYPHEN_END.search(last.text)
    start = _WORD_START.match(passage.text)
    return hyphen is not None and start is not None and (hyphen[1] + start.group()).casefold() in known_words


def _without_hyphen(passage: Passage) -> Passage:
    return passage.part(0, len(passage.text) - 1)


def _joint(last: Passage, passage: Passage, *, hyphenation: bool) -> Joint:
    broken = "\n\n" if passage.after_blank else "\n"
    if hyphenation:
        return Joint("", passage, Repair(kind="hyphenation", removed="-" + broken))
    if _HYPHEN_END.search(last.text) and _starts_lower(passage.text):
        return Joint("", passage, Repair(kind="line_join", removed=broken))
    return Joint(" ", passage, Repair(kind="line_join", removed=broken, inserted=" "))


def _checked_start(held: Passage, passage: Passage) -> Passage:
    """A paragraph that starts inside a sentence, though the one before it is whole, has lost its beginning: columns were mixed."""
    begins_inside = (
        passage.kind == "text"
        and not passage.level
        and _is_flowing(held)
        and passage.after_blank
        and len(passage.text.split()) > 3
        and _starts_lower(passage.text)
        and not _ENUMERATED.match(passage.text)
        and not any(letter.isupper() for letter in passage.text.split()[0])
    )
    return passage.with_sign("scrambled_columns") if begins_inside else passage


def _starts_lower(text: str) -> bool:
    """Whether a text starts in the middle of a sentence (list letters "a)" apart)."""
    return text[:1].islower() and text[1:2] not in (".", ")")


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in re.findall(r"[^\W\d_]{5,}", text)) if "-\n" in text else frozenset()
