"""Markup out of a line: emphasis, tags, escapes, simple LaTeX. Every removal is a repair; no digit is changed (spec 07).

What cannot be taken out without touching a figure stays as it stands, with a sign of damage.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape

from duocthu_core.corpus.model import Repair
from duocthu_core.corpus.reading import glyph_names
from duocthu_core.corpus.reading.page_headers import TURN
from duocthu_core.corpus.reading.passages import Emphasis, Pages, PageTurn, Passage, PlacedRepair, Sign
from duocthu_core.corpus.reading.private_use import bullet_for, is_bullet, is_private
from duocthu_core.text.folding import nfc
from duocthu_core.text.spans import Span

_TAGS = "br|b|i|u|em|strong|span|p|div|font|a|center|small|big|ins|del|mark"
_ATTRIBUTES = r"(?:[ \t]+[a-zA-Z-]{1,20}[ \t]*=[ \t]*(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'))*"
_MARKUP = re.compile(
    rf"(?P<turn>{TURN})"
    r"|\\(?P<escaped>[\\`*_{}\[\]()#+\-.!|<>~$&])"
    r"|(?P<stars>\*{1,3})"
    r"|<(?P<script>su[bp])>(?P<scripted>[^<>\n]{0,40})</su[bp]>"
    rf"|(?P<tag></?(?:{_TAGS}|su[bp]){_ATTRIBUTES}[ \t]*/?>)"
    r"|(?P<comment><!--[^\n]{0,300}?-->)"
    r"|\$(?P<math>[^$\n]{1,200})\$"
    r"|(?P<image>!\[[^\]\n]{0,200}\]\([^)\n]{0,400}\))"
    r"|\[(?P<linked>[^\]\n]{1,200})\]\((?:https?:|mailto:|#)[^)\s]{0,400}\)"
    r"|(?P<entity>&(?:lt|gt|amp|nbsp|quot|le|ge|deg|micro|plusmn|times|ndash|mdash|#[0-9]{1,6});)"
    rf"|(?P<glyph>{glyph_names.PATTERN})"
    r"|(?P<spaces>[ \t]*\t[ \t]*| {2,})"
    r"|(?P<odd>[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ue000-\uf8ff])"
)
_SIGNED_DIGITS = re.compile(r"[-+−]?[0-9]+\Z")
_LATEX = {
    "leq": "≤", "le": "≤", "leqslant": "≤", "geq": "≥", "ge": "≥", "geqslant": "≥", "lt": "<", "gt": ">", "neq": "≠", "pm": "±",
    "times": "×", "cdot": "·", "approx": "≈", "sim": "~", "mu": "µ", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "circ": "°",
    "degree": "°", "rightarrow": "→", "to": "→", "infty": "∞", "div": "÷", "quad": " ", "mathrm": "", "text": "", "rm": "", "mathbf": "",
}  # fmt: skip
_LATEX_COMMAND = re.compile(r"\\(?:([a-zA-Z]{1,20})|([ ,;:!%]))")
_LATEX_DEGREE = re.compile(r"\^[ ]?\{?[ ]?\\circ[ ]?\}?")
_LATEX_POWER = re.compile(r"(?<=[0-9])[ ]?\^[ ]?(?:\{[ ]?([-+]?[0-9]{1,3})[ ]?\}|([0-9]))")
_COLUMN_GAP = 3
LOST = "\ufffd"
"""Stands for a sign that the source lost."""


@dataclass(slots=True)
class _Output:
    """The text so far, and what happened on the way."""

    text: list[str] = field(default_factory=list)
    length: int = 0
    last: str = ""
    last_visible: str = ""
    removed_before: bool = False
    turned_before: bool = False
    repairs: list[PlacedRepair] = field(default_factory=list)
    signs: list[Sign] = field(default_factory=list)
    turns: list[PageTurn] = field(default_factory=list)

    def write(self, piece: str) -> None:
        if not piece:
            return
        visible = piece.strip()
        split_by_markup = self.removed_before and self.last.isdigit() and piece[0].isdigit()
        split_by_page = self.turned_before and self.last_visible.isdigit() and visible[:1].isdigit()
        if split_by_markup or split_by_page:
            self.sign("noise_near_digits")
        self.text.append(piece)
        self.length += len(piece)
        self.last = piece[-1]
        self.removed_before = False
        if visible:
            self.last_visible = visible[-1]
            self.turned_before = False

    def repair(self, kind: str, removed: str, inserted: str = "") -> None:
        self.repairs.append(PlacedRepair(self.length, Repair.model_validate({"kind": kind, "removed": removed, "inserted": inserted})))
        self.removed_before = True
        self.write(inserted)
        self.removed_before = True

    def sign(self, reason: str) -> None:
        self.signs.append(Sign(self.length, reason))


def read_line(raw: str, line: int, pages: Pages, turns: Iterator[tuple[str, Pages]], *, is_row: bool = False) -> Passage:
    """One line of a source (:data:`~page_headers.TURN` for each running head) as a passage.

    ``turns`` yields, for each running head, its characters and the pages after it. Wide gaps in a row of a table are no sign of damage.
    """
    out = _Output()
    stars = _emphasis_marks(raw)
    opened: list[tuple[int, int]] = []
    emphasis: list[Emphasis] = []
    gaps = 0
    position = 0
    for match in _MARKUP.finditer(raw):
        out.write(raw[position : match.start()])
        position = match.end()
        kind = match.lastgroup
        if kind == "turn":
            _turn_page(out, turns)
        elif kind == "stars":
            _star(out, match, stars, opened, emphasis)
        elif kind == "spaces":
            gaps += len(match.group()) >= _COLUMN_GAP and bool(out.length) and match.end() < len(raw)
            _repair_spaces(out, match.group(), at_edge=not out.length or match.end() == len(raw))
        else:
            _remove(out, match)
    out.write(raw[position:])
    if gaps >= 2 and not is_row:
        out.sign("scrambled_columns")
    text = "".join(out.text)
    composed = nfc(text)
    if composed != text:  # a mark met its letter across markup that was removed; offsets no longer hold to the character
        out.sign("noise_near_digits")
    passage = Passage(
        composed,
        line,
        pages,
        tuple(out.turns),
        tuple(e for e in emphasis if e.span.start < e.span.end),
        tuple(out.repairs),
        tuple(out.signs),
    )
    return passage.part(0, len(passage.text))


def _turn_page(out: _Output, turns: Iterator[tuple[str, Pages]]) -> None:
    removed, pages = next(turns, ("", Pages()))
    repair = Repair(kind="page_header", removed=removed, page=pages.first)
    out.repairs.append(PlacedRepair(out.length, repair))
    out.turns.append(PageTurn(out.length, pages))
    out.turned_before = True


def _star(out: _Output, match: re.Match[str], stars: dict[int, str], opened: list[tuple[int, int]], emphasis: list[Emphasis]) -> None:
    role = stars.get(match.start())
    if role is None and len(match.group()) == 1:
        out.write(match.group())  # a footnote's sign, as in "1 g *"
        return
    out.repair("markup", match.group())
    if role == "open":
        opened.append((out.length, len(match.group())))
    elif opened:
        start, width = opened.pop()
        emphasis.append(Emphasis(Span(start, out.length), width > 1))


def _repair_spaces(out: _Output, spaces: str, *, at_edge: bool) -> None:
    if at_edge:
        out.write(" ")
        return
    out.repairs.append(PlacedRepair(out.length, Repair(kind="white_space", removed=spaces, inserted=" ")))
    out.write(" ")


def _remove(out: _Output, match: re.Match[str]) -> None:
    raw = match.group()
    kind = match.lastgroup
    if kind == "escaped":
        out.repair("markup", raw, match["escaped"])
    elif kind == "scripted":
        _script(out, match)
    elif kind == "math":
        translated = _translated(match["math"])
        if translated is None:
            out.sign("formula")
            out.write(raw)
        else:
            out.repair("markup", raw, translated)
    elif kind == "linked":
        out.repair("markup", raw, match["linked"])
    elif kind == "entity":
        out.repair("markup", raw, unescape(raw))
    elif kind == "glyph":
        out.repair("markup", raw, glyph_names.letter(raw))
    elif kind == "odd":
        if raw == "\u00ad":
            out.repair("hyphenation", raw)
        elif is_private(raw):
            _private(out, match)
        else:
            out.repair("white_space", raw)
    elif raw.lower().startswith("<br"):
        out.repair("markup", raw, " ")
    else:
        out.repair("markup", raw)


def _private(out: _Output, match: re.Match[str]) -> None:
    """A character that only its font gave a meaning: a bullet, or a sign that is lost."""
    if is_bullet(match.string, match.start()):
        out.repair("markup", match.group(), bullet_for(match.string, match.start()))
    else:
        out.repair("markup", match.group(), LOST)
        out.sign("lost_sign")


def _script(out: _Output, match: re.Match[str]) -> None:
    """Raised and lowered text. Raised figures behind a figure are a power; lowered ones behind a figure cannot be told from it."""
    content = re.sub(r"\\([*_#])", r"\1", match["scripted"])
    if not (out.last.isdigit() and content.lstrip("+-−")[:1].isdigit()):
        out.repair("markup", match.group(), content)
    elif match["script"] == "sup" and _SIGNED_DIGITS.match(content):
        out.repair("markup", match.group(), "^" + content)
    else:
        out.sign("noise_near_digits")
        out.write(match.group())


def _translated(math: str) -> str | None:
    """The plain text of simple LaTeX (``\\leq 4``); None for a formula."""
    text = _LATEX_DEGREE.sub("°", math)
    text = _LATEX_POWER.sub(lambda power: "^" + (power[1] or power[2]), text)
    unknown = False

    def command(match: re.Match[str]) -> str:
        nonlocal unknown
        if match[2] is not None:
            return "%" if match[2] == "%" else " "
        unknown = unknown or match[1] not in _LATEX
        return _LATEX.get(match[1], "")

    text = _LATEX_COMMAND.sub(command, text)
    if unknown or any(sign in text for sign in "\\_=") or re.search(r"\^(?![0-9+-])", text):
        return None
    text = text.replace("{", "").replace("}", "")
    return " ".join(text.split())


def _emphasis_marks(raw: str) -> dict[int, str]:
    """Which runs of asterisks open or close emphasis, by their position; the others are characters of the text ("1 g *")."""
    roles: dict[int, str] = {}
    open_runs: list[tuple[int, int]] = []
    for match in _MARKUP.finditer(raw):
        if match.lastgroup != "stars":
            continue
        width = len(match.group())
        before, after = raw[match.start() - 1 : match.start()], raw[match.end() : match.end() + 1]
        can_close = bool(before) and not before.isspace()
        can_open = bool(after) and not after.isspace()
        depth = next((depth for depth, run in enumerate(reversed(open_runs)) if run[1] == width), None)
        if can_close and depth is not None:
            del open_runs[len(open_runs) - depth :]
            position, _ = open_runs.pop()
            roles[position], roles[match.start()] = "open", "close"
        elif can_open:
            open_runs.append((match.start(), width))
    return roles
