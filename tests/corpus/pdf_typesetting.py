"""Monographs as lines of type: headings, labels, paragraphs broken at a column's width, tables, formulas; with the damages of spec 07."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import fontpkg_be_vietnam_pro
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

from duocthu_core.corpus.model import SECTION_KEYS, Block, Monograph
from duocthu_core.corpus.reading.monographs import slug
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.text.folding import fold, strip_marks

REGULAR, BOLD, ITALIC = "BeVietnamPro-Regular", "BeVietnamPro-Bold", "BeVietnamPro-Italic"
BODY, HEADING, NAME = 8.5, 9.5, 12.0
LEADING = 10.4
WIDTH, HEIGHT = A4
MARGIN, GUTTER = 38.0, 18.0
COLUMN = (WIDTH - 2 * MARGIN - GUTTER) / 2
TOP, BOTTOM, HEAD = 780.0, 52.0, 808.0
FRONT = ("ten_chung_quoc_te", "ma_atc", "loai_thuoc")
_LONG_WORD = re.compile(r"[a-zđà-ỹ]{9,}[.,;:]?\Z")


@dataclass(frozen=True, slots=True)
class Damage:
    """What is wrong with the book. Numbers: on every so-manieth page; 0 for never."""

    next_drug_in_head: int = 5
    two_heads_in_line: int = 17
    no_head: int = 13
    only_number: int = 11
    hyphenation: bool = True
    heading_variants: bool = True
    """Every heading that the tables know, slips of scans included, one after the other."""
    lost_signs: bool = True
    """Rows of tables lose their "<"."""
    rows_across_columns: int = 7
    """Pages whose lines are written row by row over both columns, as a tool does that sorts by height."""


CLEAN = Damage(0, 0, 0, 0, hyphenation=False, heading_variants=False, lost_signs=False, rows_across_columns=0)


@dataclass(slots=True)
class MadeParagraph:
    """A paragraph as it was meant: its words, and the printed page of each."""

    section_key: str
    text: str
    kind: str
    words: list[str] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)


@dataclass(slots=True)
class MadeDrug:
    """A monograph as it was meant."""

    drug_id: str
    printed_name: str
    first_page: int = 0
    headings: list[tuple[str, str]] = field(default_factory=list)
    """(section key, heading as printed), in order."""
    paragraphs: list[MadeParagraph] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Run:
    text: str
    font: str
    size: float
    x: float


@dataclass(frozen=True, slots=True)
class SetLine:
    runs: tuple[Run, ...]
    above: float
    words: tuple[str, ...] = ()
    owner: int | None = None
    """Index of its paragraph in the monograph."""
    keep: int = 0
    """Lines below that must stand in the same column."""


class Headings:
    """Which heading of a section comes next."""

    def __init__(self, variants: bool) -> None:
        self._variants = variants
        self._next = {key: itertools.cycle(_known_headings(key)) for key in SECTION_KEYS}

    def printed(self, key: str, usual: str) -> str:
        return next(self._next[key]) if self._variants else usual


@lru_cache(maxsize=64)
def _known_headings(key: str) -> tuple[str, ...]:
    sections = shipped_ruleset().tables["sections"]
    entry = sections["sections"][key]
    shared = set(sections.get("shared_headings", ())) | {joint["phrase"] for joint in sections["joint"]}
    several = [heading for other in SECTION_KEYS if other != key for heading in _written(sections, other)]
    joint = {_letters(heading) for heading in shared}
    own = (heading for heading in _written(sections, key) if _letters(heading) not in joint and heading not in several)
    return tuple(own) or (entry["label_vi"],)


def _letters(heading: str) -> str:
    """A heading as a scan may have left it: no marks, no case."""
    return strip_marks(fold(heading))


def _written(sections: dict, key: str) -> list[str]:
    entry = sections["sections"][key]
    return [*entry["headings"], *entry.get("headings_ocr", ())]


class Typesetter:
    def __init__(self, damage: Damage, headings: Headings) -> None:
        self._damage = damage
        self._headings = headings
        self._lines: list[SetLine] = []
        self._drug = MadeDrug("", "")
        self._breaks = itertools.count()

    def monograph(self, monograph: Monograph, parts: Sequence[Iterable[Block]], syllable: str) -> tuple[MadeDrug, list[SetLine]]:
        name = f"{syllable}{monograph.name.lower()}" if syllable else monograph.name
        printed = name.upper() if "(" not in name else name.split("(")[0].upper() + "(" + name.split("(")[1]
        self._drug = MadeDrug(slug(name), printed)
        self._lines = []
        self._title(printed, NAME, 20.0, keep=4)
        for key in SECTION_KEYS:
            blocks = _long_paragraphs([[block for block in part if block.section_key == key] for part in parts])
            if blocks:
                self._section(key, blocks[:1] if key in FRONT else blocks)
        return self._drug, self._lines

    def _section(self, key: str, blocks: Sequence[Block]) -> None:
        heading = self._headings.printed(key, blocks[0].heading)
        self._drug.headings.append((key, heading))
        if key in FRONT:
            self._paragraph(key, [(f"{heading}:", BOLD), (blocks[0].text, REGULAR)], 2.0, skip=len(heading.split()))
            return
        self._title(heading, HEADING, 5.0, keep=2)
        before: tuple[str, ...] = ()
        for block in blocks:
            labels = tuple(block.label.split("\n")) if block.label else ()
            outer, inner = labels[:-1], labels[-1:]
            if outer != before[: len(outer)]:
                for label in outer:
                    self._paragraph(key, [(label, ITALIC)], 2.0, kind="label", keep=2)
            before = labels
            if block.kind == "table":
                self._table(key, inner, block.text)
            elif block.kind == "formula":
                self._formula(key, inner, block.text)
            else:
                self._paragraph(key, [*((label, ITALIC) for label in inner), (block.text, REGULAR)], 2.0)

    def _title(self, text: str, size: float, above: float, *, keep: int) -> None:
        for index, line in enumerate(_wrapped(text, COLUMN, BOLD, size)):
            self._lines.append(SetLine((Run(line, BOLD, size, 0.0),), above if index == 0 else 1.0, keep=keep))

    def _paragraph(
        self, key: str, styled: Sequence[tuple[str, str]], above: float, *, kind: str = "prose", skip: int = 0, keep: int = 0
    ) -> None:
        words = [(word, font) for text, font in styled for word in text.split()]
        made = MadeParagraph(key, " ".join(word for word, _ in words[skip:]), kind)
        self._drug.paragraphs.append(made)
        owner = len(self._drug.paragraphs) - 1
        for index, line in enumerate(self._broken(words)):
            meant = tuple(_as_extracted(word.whole) for word in line if word.whole)
            counted = meant[skip:] if index == 0 else meant
            self._lines.append(SetLine(_runs(line), above if index == 0 else 0.0, counted, owner, keep))

    def _broken(self, words: Sequence[tuple[str, str]]) -> Iterator[list[_Word]]:
        line: list[_Word] = []
        x = 0.0
        space = width_of(" ", REGULAR, BODY)
        for word, font in words:
            part = word
            if line and x + width_of(word, font, BODY) > COLUMN:
                if self._damage.hyphenation and (split := self._split(word, font, COLUMN - x)) is not None:
                    line.append(_Word(split[0], font, x, ""))
                    part = split[1]
                yield line
                line, x = [], 0.0
            line.append(_Word(part, font, x, word))
            x += width_of(part, font, BODY) + space
        if line:
            yield line

    def _split(self, word: str, font: str, room: float) -> tuple[str, str] | None:
        if _LONG_WORD.match(word) is None or next(self._breaks) % 3 == 0:
            return None
        for length in range(len(word) - 4, 3, -1):
            head = word[:length] + "-"
            if width_of(head, font, BODY) <= room:
                return head, word[length:]
        return None

    def _table(self, key: str, labels: Sequence[str], text: str) -> None:
        caption, *rows = text.split("\n")
        for label in labels:
            self._paragraph(key, [(label, ITALIC)], 2.0, kind="label", keep=2)
        self._paragraph(key, [(caption, BOLD)], 3.0, kind="caption", keep=2)
        made = MadeParagraph(key, "\n".join(rows), "table")
        self._drug.paragraphs.append(made)
        owner = len(self._drug.paragraphs) - 1
        cells = [row.split(" | ") for row in rows]
        columns = max(map(len, cells), default=1)
        for index, row in enumerate(cells):
            loses_sign = self._damage.lost_signs and index % 2
            printed = [re.sub(r"\A[<>≤≥] ?", "", cell) for cell in row] if loses_sign else row
            for number, (runs, words) in enumerate(_cell_lines(printed, columns)):
                self._lines.append(SetLine(runs, 4.0 if index == number == 0 else 0.0, words, owner))

    def _formula(self, key: str, labels: Sequence[str], text: str) -> None:
        caption, *lines = text.split("\n")
        self._paragraph(key, [*((label, ITALIC) for label in labels), (caption, REGULAR)], 2.0, keep=2)
        for line in lines:
            self._paragraph(key, [(line, REGULAR)], 6.0, kind="formula")


def _long_paragraphs(parts: Sequence[Sequence[Block]]) -> list[Block]:
    """The blocks of one section of several monographs: paragraphs run on with one another, tables and formulas stand alone."""
    found: list[Block] = []
    for row in itertools.zip_longest(*parts):
        blocks = [block for block in row if block is not None]
        prose = [block for block in blocks if block.kind == "prose"]
        if prose:
            rest = (f"{(block.label or '').replace(chr(10), ' ')} {block.text}".strip() for block in prose[1:])
            found.append(prose[0].model_copy(update={"text": " ".join((prose[0].text, *rest))}))
        found += (block for block in blocks if block.kind != "prose")
    return found


class _Word(NamedTuple):
    """A word, or a part of one: only its last part carries the ``whole``."""

    text: str
    font: str
    x: float
    whole: str


def _runs(line: Sequence[_Word]) -> tuple[Run, ...]:
    """Words of one font as one run."""
    runs: list[Run] = []
    for font, group in itertools.groupby(line, key=lambda word: word.font):
        words = list(group)
        runs.append(Run(" ".join(word.text for word in words), font, BODY, words[0].x))
    return tuple(runs)


def _cell_lines(row: Sequence[str], columns: int) -> Iterator[tuple[tuple[Run, ...], tuple[str, ...]]]:
    width = COLUMN / columns
    wrapped = [list(_wrapped(cell, width - 16)) for cell in row]
    for level in range(max(map(len, wrapped), default=0)):
        found = [(index * width, lines[level]) for index, lines in enumerate(wrapped) if level < len(lines)]
        words = tuple(_as_extracted(word) for _, text in found for word in text.split())
        yield tuple(Run(text, REGULAR, BODY, x) for x, text in found), words


def _wrapped(text: str, width: float, font: str = REGULAR, size: float = BODY) -> Iterator[str]:
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if line and width_of(longer, font, size) > width:
            yield line
            line = word
        else:
            line = longer
    if line:
        yield line


@lru_cache(maxsize=1)
def register_fonts() -> None:
    folder = Path(fontpkg_be_vietnam_pro.__file__).parent / "files"
    for name in (REGULAR, BOLD, ITALIC):
        pdfmetrics.registerFont(TTFont(name, str(folder / f"{name}.ttf")))


@lru_cache(maxsize=200_000)
def width_of(text: str, font: str, size: float) -> float:
    return pdfmetrics.stringWidth(text, font, size)


@lru_cache(maxsize=50_000)
def _as_extracted(word: str) -> str:
    """A word as its letters can be read back: the type has no Greek, so its place is empty."""
    face: Any = pdfmetrics.getFont(REGULAR)
    glyphs = face.face.charToGlyph
    return "".join(character if ord(character) in glyphs else "\ufffd" for character in word)
