"""A formulary as a PDF, made by other software than the reader's: two columns, running heads, and every damage of spec 07.

The text is a corpus's own. With the file comes what stands in it and on which printed page, word by word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from duocthu_core.corpus.collection import Corpus
from tests.corpus.pdf_typesetting import (
    BODY,
    BOLD,
    BOTTOM,
    COLUMN,
    GUTTER,
    HEAD,
    LEADING,
    MARGIN,
    REGULAR,
    TOP,
    WIDTH,
    Damage,
    Headings,
    MadeDrug,
    SetLine,
    Typesetter,
    register_fonts,
    width_of,
)

_SYLLABLES = (
    "", "Ben", "Cor", "Dex", "Fen", "Gal", "Hex", "Ket", "Lan", "Mel", "Nor", "Oxa", "Pra", "Ral", "Sul", "Tri", "Val", "Zol", "Bro", "Cil",
    "Dor", "Eto", "Flu", "Glu",
)  # fmt: skip
"""In front of a name they make another drug's."""


@dataclass(slots=True)
class MadeBook:
    """The file and what stands in it."""

    path: Path
    pages: int
    first_page: int
    drugs: list[MadeDrug]
    heads: dict[int, str]
    """The running head of each printed page; pages without one are left out."""


def make_book(
    path: Path,
    corpus: Corpus,
    *,
    first_page: int = 101,
    pages: int | None = None,
    damage: Damage | None = None,
    justified: bool = False,
    drugs_in_one: int = 1,
) -> MadeBook:
    """Writes the monographs of ``corpus`` to ``path``, over and over under other names until ``pages`` are full.

    ``drugs_in_one``: how many monographs' texts make one, for monographs and paragraphs as long as a real formulary's.
    """
    register_fonts()
    damage = damage or Damage()
    canvas = Canvas(str(path), pagesize=A4, pageCompression=1)
    press = _Press(canvas, first_page, damage, justified)
    for drug, lines in _monographs(corpus, damage, drugs_in_one, endless=pages is not None):
        press.print_monograph(drug, lines)
        if pages is not None and press.full_pages >= pages:
            break
    press.close()
    canvas.save()
    return MadeBook(path, press.full_pages, first_page, press.drugs, press.heads)


def _monographs(corpus: Corpus, damage: Damage, drugs_in_one: int, *, endless: bool) -> Iterator[tuple[MadeDrug, list[SetLine]]]:
    order = list(corpus.monographs)
    headings = Headings(damage.heading_variants)
    for syllable in _SYLLABLES if endless else _SYLLABLES[:1]:
        for first in range(len(order)):
            parts = [order[(first + 7 * step) % len(order)] for step in range(drugs_in_one)]
            monograph = corpus.monographs[parts[0]]
            yield Typesetter(damage, headings).monograph(monograph, [corpus.blocks_of(drug_id) for drug_id in parts], syllable)


class _Press:
    def __init__(self, canvas: Canvas, first_page: int, damage: Damage, justified: bool) -> None:
        self.drugs: list[MadeDrug] = []
        self.heads: dict[int, str] = {}
        self.full_pages = 0
        self._canvas = canvas
        self._page = first_page
        self._damage = damage
        self._justified = justified
        self._column = 0
        self._y = TOP
        self._placed: list[tuple[float, float, SetLine, bool]] = []
        self._names: list[str] = []
        self._name = ""

    def print_monograph(self, drug: MadeDrug, lines: Sequence[SetLine]) -> None:
        self.drugs.append(drug)
        self._name = drug.printed_name.capitalize()
        for index, line in enumerate(lines):
            self._step(line.above + LEADING, (1 + line.keep) * LEADING)
            if index == 0:
                drug.first_page = self._page
            self._names.append(self._name)
            follows = index + 1 < len(lines) and lines[index + 1].owner == line.owner and line.owner is not None
            self._placed.append((MARGIN + self._column * (COLUMN + GUTTER), self._y, line, follows))
            if line.owner is not None:
                made = drug.paragraphs[line.owner]
                made.words += line.words
                made.pages += [self._page] * len(line.words)

    def close(self) -> None:
        if self._placed:
            self._print_page()

    def _step(self, height: float, needed: float) -> None:
        if self._y - height - needed + LEADING < BOTTOM:
            if self._column == 0:
                self._column = 1
            else:
                self._print_page()
                self._column = 0
            self._y = TOP
            height = LEADING
        self._y -= height

    def _print_page(self) -> None:
        self._print_head()
        if _falls_on(self._damage.rows_across_columns, self._page):
            self._placed.sort(key=lambda placed: (-placed[1], placed[0]))
        for x, y, line, follows in self._placed:
            self._draw(x, y, line, stretch=self._justified and follows)
        self._canvas.showPage()
        self._placed, self._names = [], []
        self._page += 1
        self.full_pages += 1

    def _draw(self, x: float, y: float, line: SetLine, *, stretch: bool) -> None:
        if not stretch or len(line.runs) > 1:
            for run in line.runs:
                self._canvas.setFont(run.font, run.size)
                self._canvas.drawString(x + run.x, y, run.text)
            return
        run = next(iter(line.runs))
        words = run.text.split(" ")
        self._canvas.setFont(run.font, run.size)
        spare = COLUMN - sum(width_of(word, run.font, run.size) for word in words)
        gap = spare / (len(words) - 1) if len(words) > 1 else 0.0
        for word in words:
            self._canvas.drawString(x, y, word)
            x += width_of(word, run.font, run.size) + gap

    def _print_head(self) -> None:
        page, damage = self._page, self._damage
        if _falls_on(damage.no_head, page):
            return
        first, last = self._names[0], self._names[-1]
        name = last if _falls_on(damage.next_drug_in_head, page) else first
        if _falls_on(damage.only_number, page):
            parts = [(WIDTH / 2, str(page), REGULAR)]
        elif _falls_on(damage.two_heads_in_line, page):
            left = page if page % 2 == 0 else page - 1
            parts = [
                (MARGIN, str(left), BOLD),
                (MARGIN + 30, name, BOLD),
                (MARGIN + 190, "DTQGVN 2", REGULAR),
                (MARGIN + 270, "DTQGVN 2", REGULAR),
                (MARGIN + 350, name, BOLD),
                (WIDTH - MARGIN - 22, str(left + 1), BOLD),
            ]
        elif page % 2 == 0:
            parts = [(MARGIN, str(page), BOLD), (WIDTH / 2 - 60, name, BOLD), (WIDTH - MARGIN - 50, "DTQGVN 2", REGULAR)]
        else:
            parts = [(MARGIN, "DTQGVN 2", REGULAR), (WIDTH / 2 - 60, name, BOLD), (WIDTH - MARGIN - 22, str(page), BOLD)]
        for x, text, font in parts:
            self._canvas.setFont(font, BODY)
            self._canvas.drawString(x, HEAD, text)
        self.heads[page] = " ".join(text for _, text, _ in parts)


def _falls_on(every: int, page: int) -> bool:
    return every > 0 and page % every == 0
