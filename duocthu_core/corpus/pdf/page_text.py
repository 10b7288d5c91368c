"""What the text layer of one page holds: pieces of lines with their place, drawn lines, lines that lean (see :mod:`text_layer`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from duocthu_core.corpus.pdf.lines import is_clean

HYPHEN = "\ufffe"
"""What pdfium writes for a hyphen at the end of a line, in place of the hyphen and the line break."""


class Gap(NamedTuple):
    """A space: its offsets in the text of a piece, and where it lies."""

    start: int
    end: int
    x0: float
    x1: float


class Piece(NamedTuple):
    """A stretch of one line. Coordinates are points from the lower left corner of the page as it is looked at."""

    text: str
    line: int
    """Number of the line in the page's text layer, from 1."""
    x0: float
    x1: float
    y: float
    """The baseline."""
    size: float
    style: int
    """:data:`ITALIC` and :data:`BOLD` where all of it is set so."""
    emphasis: tuple[tuple[int, int, int], ...] = ()
    """(start, end, style) of a stretch at its beginning or end, where not all of it is set alike."""
    signs: tuple[tuple[int, str], ...] = ()
    """(offset, reason) of damage."""
    hyphen: bool = False
    """The line ends with a hyphen that may be the line's and not the word's."""
    gaps: tuple[Gap, ...] = ()
    """Spaces that are wide, but not so wide that they part the line."""


class Rule(NamedTuple):
    """A drawn line or the frame of a box."""

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(slots=True)
class PageText:
    """What a page holds."""

    width: float
    height: float
    text: str
    """The whole text layer, as pdfium gives it, lost characters marked."""
    pieces: list[Piece] = field(default_factory=list)
    turned: list[Piece] = field(default_factory=list)
    """Lines that lean, or run up or down the page: stamps, marks of a printer or a library."""
    rules: list[Rule] = field(default_factory=list)
    pictures: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether all of its text is in NFC, and none of its characters is lost, invisible or of no meaning outside its font."""
        return is_clean(self.text.replace("\r\n", " ").replace(HYPHEN, "-"))
