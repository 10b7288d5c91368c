"""Small PDF files, drawn line by line, for what one page can do to a reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pypdfium2
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from duocthu_core.corpus.pdf.columns import sheets_of
from duocthu_core.corpus.pdf.lines import Line
from duocthu_core.corpus.pdf.page_text import PageText
from duocthu_core.corpus.pdf.text_layer import read_page_text
from tests.corpus.pdf_typesetting import BOLD, REGULAR, register_fonts, width_of

LEFT, RIGHT = 40.0, 305.0
"""Where the two columns of a drawn page begin."""


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text at a place, in points from the lower left corner."""

    x: float
    y: float
    text: str
    font: str = REGULAR
    size: float = 9.0
    turned: float = 0.0
    """Degrees."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A drawn line."""

    x0: float
    y0: float
    x1: float
    y1: float


def draw(path: Path, *pages: Sequence[Text | Stroke], size: tuple[float, float] = A4, rotation: int = 0) -> Path:
    """A file of these pages."""
    register_fonts()
    canvas = Canvas(str(path), pagesize=size)
    for page in pages:
        canvas.setPageRotation(rotation)
        for drawn in page:
            if isinstance(drawn, Stroke):
                canvas.line(drawn.x0, drawn.y0, drawn.x1, drawn.y1)
                continue
            canvas.saveState()
            canvas.translate(drawn.x, drawn.y)
            canvas.rotate(drawn.turned)
            canvas.setFont(drawn.font, drawn.size)
            canvas.drawString(0, 0, drawn.text)
            canvas.restoreState()
        canvas.showPage()
    canvas.save()
    return path


def column(x: float, top: float, *lines: str, leading: float = 11.0, font: str = REGULAR) -> list[Text]:
    """Lines one below the other."""
    return [Text(x, top - leading * index, line, font) for index, line in enumerate(lines)]


def words_apart(x: float, y: float, text: str, width: float) -> list[Text]:
    """A line stretched to ``width``, every word an object of its own."""
    register_fonts()
    words = text.split(" ")
    spare = width - sum(width_of(word, REGULAR, 9.0) for word in words)
    found: list[Text] = []
    for word in words:
        found.append(Text(x, y, word))
        x += width_of(word, REGULAR, 9.0) + spare / max(len(words) - 1, 1)
    return found


def heading(x: float, y: float, text: str) -> Text:
    """A heading in bold."""
    return Text(x, y, text, BOLD, 10.0)


def page_text(path: Path, index: int = 0) -> PageText:
    """The text layer of a page."""
    return read_page_text(pypdfium2.PdfDocument(path)[index])


def lines_of(path: Path, index: int = 0) -> list[Line]:
    """The lines of a page in reading order."""
    return [line for sheet in sheets_of(page_text(path, index)) for line in sheet.lines]


def texts_of(path: Path, index: int = 0) -> list[str]:
    """The texts of a page's lines in reading order."""
    return [line.text for line in lines_of(path, index)]
