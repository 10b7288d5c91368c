"""One page of a PDF as its text layer has it: pieces of lines with their place, letters and signs of damage.

pdfium decides what a line is; a line with a wide gap in it (two columns, the cells of a table) comes as several pieces. Nothing is
left out and no digit is changed: raised figures and lost characters are marked, not mended.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from operator import sub
from statistics import median_low
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from duocthu_core.corpus.pdf import pdfium_calls as calls
from duocthu_core.corpus.pdf.lines import BOLD, ITALIC, LOST
from duocthu_core.corpus.pdf.page_text import HYPHEN, Gap, PageText, Piece, Rule

_LINE = re.compile(r"[^\r\n\ufffe\x02]+")
_HYPHENS = (HYPHEN, "\x02")
_ODD = re.compile("[\0\ud800-\udfff]")
_SPACE = re.compile(" +")
ENDS_IN_HYPHEN = re.compile(r"[^\W\d_]{2}-\Z")
_TWO_DIGITS = re.compile(r"\d(?=\d)")
_SIZE_OF_HEIGHT = 0.8
"""Size of the type as a part of the height of its line."""
_LOOSE_PITCH = 1.04
"""A line set so much wider than the page's other lines may have a gap in it."""
_WIDE_GAP = 1.4
"""In sizes of the type: wider is no space between words, but in a stretched line."""
_NOTED_GAP = 0.6
_NARROWEST_SPACE = 0.1
_BOLD_NAME = re.compile(rb"bold|black|heavy|demi", re.IGNORECASE)
_ITALIC_NAME = re.compile(rb"italic|oblique|slanted", re.IGNORECASE)
_BOLD_WEIGHT = 600
_ITALIC_FLAG = 1 << 6
_RAISED = 0.12
"""Part of the type's size by which a figure stands off its neighbour's baseline."""
_SMALLER = 0.82
_NARROW = 0.2
"""A line whose letters are so narrow, as a part of their height, may run up the page."""
_HIGH = 1.5
"""And one so much higher than the others may be a stamp across it."""
_LEANING = 10.0
"""Degrees."""


def read_page_text(page: Any) -> PageText:
    """The text layer of a :class:`pypdfium2.PdfPage`. Raises :class:`pypdfium2.PdfiumError` for a page that cannot be read."""
    text_page = page.get_textpage()
    try:
        reader = _PageReader(page, text_page.raw)
        return reader.read()
    finally:
        text_page.close()


class _Line(NamedTuple):
    """A line of the text layer: its characters, where they stand, and how the first of them is set."""

    start: int
    end: int
    number: int
    hyphen: bool
    objects: int
    apart: bool
    """Its objects stand apart from one another."""
    x0: float
    x1: float
    y: float
    height: float
    pitch: float
    """Average width of a character."""
    style: int
    words: _Objects | None = None
    """Where its words stand, where every word is an object of its own."""


class _Objects(NamedTuple):
    """The text objects of a line from left to right, and the gaps between them."""

    lefts: list[float]
    rights: list[float]
    gaps: list[float]

    def stand_apart(self, height: float) -> bool:
        """Whether a gap lies between two of them, or one stands before the one it follows."""
        return max(self.gaps) > _NOTED_GAP * _SIZE_OF_HEIGHT * height or min(self.gaps) <= -height

    def are_words(self, height: float) -> bool:
        """Whether spaces part them all: as many objects as words are words only then."""
        return min(self.gaps) > _NARROWEST_SPACE * height


_BOXES = calls.Places(ctypes.c_float)
_LAST_BOXES = calls.Places(ctypes.c_float)
_ORIGINS = calls.Places(ctypes.c_double)
_EDGES = calls.Places(ctypes.c_double)


class _PageReader:
    def __init__(self, page: Any, raw: Any) -> None:
        self._page = page
        self._raw = raw
        self._at = calls.reference_to(raw)
        self._rotation = page.get_rotation()
        self._width, self._height = page.get_size()
        self._box = pdfium.FS_RECTF()
        self._box_at = ctypes.byref(self._box)
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._origin_at = (ctypes.byref(self._x), ctypes.byref(self._y))
        self._unused = ctypes.byref(ctypes.c_double())
        self._flags = ctypes.c_int()
        self._font_name = ctypes.create_string_buffer(256)
        self._font_at = (ctypes.byref(self._font_name), 256, ctypes.byref(self._flags))
        self._styles: dict[tuple[bytes, int], int] = {}
        self._sizes: dict[float, float] = {}
        self._left, self._bottom = page.get_cropbox()[:2] if self._rotation else (0.0, 0.0)

    def read(self) -> PageText:
        text = self._text()
        found = PageText(self._width, self._height, text)
        lines = self._lines(text)
        usual = median_low([line.pitch for line in lines]) * _LOOSE_PITCH if lines else 0.0
        high = median_low([line.height for line in lines]) * _HIGH if lines else 0.0
        for line in lines:
            pitch = line.pitch
            if (pitch < _NARROW * line.height or line.height > high) and self._is_turned(line):
                found.turned.append(self._piece(text, line, line.start, line.end, ()))
            elif (not line.apart and pitch <= usual) or self._has_no_gap(line):
                raised = self._raised(text, line) if line.objects > 1 and line.words is None else ()
                found.pieces.append(self._piece(text, line, line.start, line.end, raised))
            else:
                found.pieces += self._pieces(text, line)
        self._read_drawn(found, sum(line.objects for line in lines))
        return found

    # The characters

    def _text(self) -> str:
        count = calls.count_characters(self._at)
        if count <= 0:
            return ""
        buffer = (ctypes.c_ushort * (2 * count + 2))()
        units = pdfium.FPDFText_GetText(self._raw, 0, count, buffer) - 1
        if units == count:
            text = bytes(buffer)[: 2 * units].decode("utf-16-le", "surrogatepass")
            if len(text) == count and _ODD.search(text) is None:
                return text
        # Characters without any meaning, or beyond 16 bits: offsets in the text are no longer those of the characters.
        codes = calls.counted(calls.code_of, self._at, range(count))
        hyphens = calls.counted(calls.is_hyphen, self._at, range(count))
        return "".join(map(_character, codes, hyphens))

    # A line

    def _lines(self, text: str) -> list[_Line]:
        spans = list(_line_spans(text))
        places = self._turned_places(spans) if self._rotation else self._places(spans)
        at, count_objects_in, style_at = self._at, calls.count_objects_in, self._style_at
        found: list[_Line] = []
        for (start, end, number, hyphen), (x0, x1, y, height) in zip(spans, places, strict=True):
            count = count_objects_in(at, start, end - start)
            apart, words = count > 1 and bool(self._rotation), None
            if count > 1 and not self._rotation:
                objects = self._objects(count)
                apart = objects.stand_apart(height)
                words = objects if count == text.count(" ", start, end) + 1 and objects.are_words(height) else None
            pitch = (x1 - x0) / (end - start)
            found.append(_Line(start, end, number, hyphen, count, apart, x0, x1, y, height, pitch, style_at(start), words))
        return found

    def _places(self, spans: Sequence[tuple[int, int, int, bool]]) -> Iterator[tuple[float, float, float, float]]:
        """Left and right edge of each line, and baseline and height of its first character."""
        count, at = len(spans), self._at
        firsts, lasts = [span[0] for span in spans], [span[1] - 1 for span in spans]
        calls.each(calls.loose_box, at, firsts, _BOXES.field(0, count))
        calls.each(calls.loose_box, at, lasts, _LAST_BOXES.field(0, count))
        calls.each(calls.origin, at, firsts, _ORIGINS.field(0, count), _ORIGINS.field(1, count))
        boxes, last_boxes = _BOXES.read(count), _LAST_BOXES.read(count)
        lefts, tops, rights, bottoms = boxes[::4], boxes[1::4], boxes[2::4], boxes[3::4]
        heights = map(sub, tops, bottoms)
        return zip(map(min, lefts, last_boxes[::4]), map(max, rights, last_boxes[2::4]), _ORIGINS.read(count)[1::4], heights, strict=True)

    def _turned_places(self, spans: Sequence[tuple[int, int, int, bool]]) -> Iterator[tuple[float, float, float, float]]:
        """The same on a page that is shown turned."""
        for start, end, _, _ in spans:
            left, right, bottom, top = self._loose(start)
            last_left, last_right, _, _ = self._loose(end - 1)
            yield min(left, last_left), max(right, last_right), self._origin(start)[1], top - bottom

    def _objects(self, count: int) -> _Objects:
        """The objects that pdfium counted last."""
        unused = repeat(self._unused)
        calls.each(calls.object_box, self._at, range(count), _EDGES.field(0, count), unused, _EDGES.field(1, count), unused)
        edges = _EDGES.read(count)
        lefts, rights = edges[::4], edges[1::4]
        return _Objects(lefts, rights, list(map(sub, lefts[1:], rights)))

    def _is_turned(self, line: _Line) -> bool:
        """Whether the line leans, or runs up or down the page."""
        angle = math.degrees(calls.angle(self._at, line.start)) + self._rotation
        return min(angle % 360, -angle % 360) > _LEANING

    def _has_no_gap(self, line: _Line) -> bool:
        """Whether none of the spaces between the words of a line is so wide that it is noted."""
        if line.words is None:
            return False
        size = self._size_at(line.start, line.height)
        return max(line.words.gaps) <= _NOTED_GAP * size and min(line.words.gaps) >= -size

    def _pieces(self, text: str, line: _Line) -> Iterator[Piece]:
        cuts, gaps = self._cuts(text, line)
        raised = self._raised(text, line) if line.objects > 1 and line.words is None else ()
        begin = line.start
        for gap_start, gap_end in (*cuts, (line.end, line.end)):
            if begin < gap_start:
                inside = tuple(Gap(g.start - begin, g.end - begin, g.x0, g.x1) for g in gaps if begin < g.start and g.end < gap_start)
                yield self._piece(text, line, begin, gap_start, raised)._replace(gaps=inside)
            begin = gap_end

    def _piece(self, text: str, line: _Line, start: int, end: int, raised: tuple[int, ...]) -> Piece:
        y, style, height = line.y, line.style, line.height
        x0, x1 = line.x0, line.x1
        if (start, end) != (line.start, line.end):
            x0, _, bottom, top = self._loose(start)
            x1 = self._loose(end - 1)[1]
            if start != line.start:
                y, style, height = self._origin(start)[1], self._style_at(start), top - bottom
        emphasis: tuple[tuple[int, int, int], ...] = ()
        if line.objects > 1:
            style, emphasis = self._style(text, start, end, style)
        signs = tuple((index - start, "noise_near_digits") for index in raised if start <= index < end) if raised else ()
        dissolved = line.hyphen and end == line.end
        content = text[start:end] + "-" if dissolved else text[start:end]
        hyphen = dissolved or (content[-1] == "-" and ENDS_IN_HYPHEN.search(content) is not None)
        size = self._size_at(start, height)
        return Piece(content, line.number, x0, x1, y, size, style, emphasis, signs, hyphen)

    def _cuts(self, text: str, line: _Line) -> tuple[list[tuple[int, int]], list[Gap]]:
        """Where a gap parts the line: a wide space that pdfium made up, or that stands between two objects. Behind them the spaces that are
        somewhat wide. (A stretched line is put together again where its column is known.)"""
        cuts: list[tuple[int, int]] = []
        gaps: list[Gap] = []
        size = self._size_at(line.start, line.height)
        widest, noted = _WIDE_GAP * size, _NOTED_GAP * size
        spaces = [match.span() for match in _SPACE.finditer(text, line.start, line.end)]
        if not line.apart:
            spaces = [(start, behind) for start, behind in spaces if calls.is_generated(self._at, start) == 1]
        for (start, behind), (x0, x1) in zip(spaces, self._beside(line, spaces), strict=True):
            if x1 - x0 > widest or x1 - x0 < -size:
                cuts.append((start, behind))
            elif x1 - x0 > noted:
                gaps.append(Gap(start, behind, x0, x1))
        return cuts, gaps

    def _beside(self, line: _Line, spaces: Sequence[tuple[int, int]]) -> Iterable[tuple[float, float]]:
        """Where the characters before and behind each space end and begin."""
        if line.words is not None and line.apart:
            return zip(line.words.rights, line.words.lefts[1:])  # noqa: B905 - the last word has none behind it
        if self._rotation:
            return ((self._loose(start - 1)[1], self._loose(behind)[0]) for start, behind in spaces)
        count = len(spaces)
        calls.each(calls.loose_box, self._at, [start - 1 for start, _ in spaces], _BOXES.field(0, count))
        calls.each(calls.loose_box, self._at, [behind for _, behind in spaces], _LAST_BOXES.field(0, count))
        return zip(_BOXES.read(count)[2::4], _LAST_BOXES.read(count)[::4], strict=True)

    def _raised(self, text: str, line: _Line) -> tuple[int, ...]:
        """Figures that stand higher, lower or smaller than the figure before them: 10⁶ is no 106."""
        found: list[int] = []
        for match in _TWO_DIGITS.finditer(text, line.start, line.end):
            index = match.start() + 1
            height, other = self._height_of(index), self._height_of(index - 1)
            off = abs(self._origin(index)[1] - self._origin(index - 1)[1])
            if off > _RAISED * max(height, other) or min(height, other) < _SMALLER * max(height, other):
                found.append(index)
        return tuple(found)

    def _style(self, text: str, start: int, end: int, first: int) -> tuple[int, tuple[tuple[int, int, int], ...]]:
        last = self._style_at(end - 1)
        if first == last:
            return first, ()
        if first:  # a label at the beginning ("**Mã ATC:** N02BE01"): it ends at a border of words
            spaces = [match.span() for match in _SPACE.finditer(text, start, end)]
            change = next((index for index, (_, behind) in enumerate(spaces) if self._style_at(behind) != first), None)
            if change is not None and self._style_at(spaces[change][0] - 1) != first:
                change = change - 1 if change else None  # it changed inside a word
            border = start if change is None else spaces[change][0]
            if border > start:
                return 0, ((0, border - start, first),)
        if last:
            border = end
            for match in reversed(list(_SPACE.finditer(text, start, end))):
                if self._style_at(match.end()) != last:
                    break
                border = match.end()
            if border < end:
                return 0, ((border - start, end - start, last),)
        return 0, ()

    # One character

    def _loose(self, index: int) -> tuple[float, float, float, float]:
        """Left, right, bottom, top."""
        box = self._box
        calls.loose_box(self._at, index, self._box_at)
        if not self._rotation:
            return box.left, box.right, box.bottom, box.top
        (x0, y0), (x1, y1) = self._turned(box.left, box.bottom), self._turned(box.right, box.top)
        return min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)

    def _origin(self, index: int) -> tuple[float, float]:
        calls.origin(self._at, index, *self._origin_at)
        return self._turned(self._x.value, self._y.value) if self._rotation else (self._x.value, self._y.value)

    def _turned(self, x: float, y: float) -> tuple[float, float]:
        """A place on a page that is shown turned."""
        x, y = x - self._left, y - self._bottom
        if self._rotation == 90:
            return y, self._height - x
        if self._rotation == 180:
            return self._width - x, self._height - y
        return self._width - y, x

    def _size_at(self, index: int, height: float) -> float:
        """Size of the type in points, as it is seen: some files set type of size 1 and enlarge it."""
        key = round(height, 2)
        size = self._sizes.get(key)
        if size is None:
            nominal = calls.font_size(self._at, index)
            seen = nominal if 0.6 * height < nominal < 1.5 * height else _SIZE_OF_HEIGHT * height
            size = self._sizes[key] = round(seen, 1) or 1.0
        return size

    def _height_of(self, index: int) -> float:
        _, _, bottom, top = self._loose(index)
        return top - bottom

    def _style_at(self, index: int) -> int:
        calls.font_info(self._at, index, *self._font_at)
        key = (self._font_name.value, self._flags.value)
        style = self._styles.get(key)
        if style is None:
            name, flags = key
            bold = _BOLD_NAME.search(name) is not None or (not name and calls.font_weight(self._at, index) >= _BOLD_WEIGHT)
            italic = _ITALIC_NAME.search(name) is not None or bool(flags & _ITALIC_FLAG)
            style = self._styles[key] = BOLD * bold + ITALIC * italic
        return style

    # What is drawn

    def _read_drawn(self, found: PageText, text_objects: int) -> None:
        """Drawn lines and pictures. A page with no more objects than its lines have text objects has none."""
        page = self._page.raw
        count = calls.count_drawn(calls.reference_to(page))
        if count <= text_objects:
            return
        edges = [ctypes.c_float() for _ in range(4)]
        for index in range(count):
            drawn = pdfium.FPDFPage_GetObject(page, index)
            kind = pdfium.FPDFPageObj_GetType(drawn)
            if kind == pdfium.FPDF_PAGEOBJ_IMAGE:
                found.pictures += 1
            elif kind == pdfium.FPDF_PAGEOBJ_PATH and pdfium.FPDFPageObj_GetBounds(drawn, *edges):
                x0, y0, x1, y1 = (edge.value for edge in edges)
                if self._rotation:
                    (x0, y0), (x1, y1) = self._turned(x0, y0), self._turned(x1, y1)
                found.rules.append(Rule(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))


def _line_spans(text: str) -> Iterator[tuple[int, int, int, bool]]:
    """First character, end, number, and whether a hyphen was taken off, of each line; without white space around it."""
    for number, match in enumerate(_LINE.finditer(text), start=1):
        start, end = match.span()
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        if start < end:
            yield start, end, number, end == match.end() and text[end : end + 1] in _HYPHENS


def _character(code: int, hyphen: int) -> str:
    if hyphen == 1:
        return HYPHEN
    if code == 0 or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        return LOST
    return chr(code)
