"""Numeric tokens: what counts as one number, and when two are the same (spec 04, "Check 1", "What is one token").

Tokens are compared by :attr:`NumericToken.text`, character for character; nothing is parsed, rounded or converted. Only what a
reader cannot see is made equal: the kind of space inside a group of thousands, and the kind of hyphen inside a word.
The scan moves forward only, so its time is linear in the length of the text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal, NamedTuple

from duocthu_core.text.folding import has_invisible, is_invisible
from duocthu_core.text.spans import Span

NumberKind = Literal["number", "fraction", "power", "word", "suspicious", "enumerator", "unit"]
"""``number`` 0,5 · 1 500 · -20; ``fraction`` 1/2, ½; ``power`` 10⁶; ``word`` a name with digits (CYP3A4, 5-FU); ``suspicious`` looks like
a number and is not plainly one, so it never grounds; ``enumerator`` "1." at the head of a list item and ``unit`` m2: no facts."""


class NumericToken(NamedTuple):
    """One token with digits: its comparable writing, where it stands, and what it is."""

    text: str
    span: Span
    kind: NumberKind

    @property
    def is_fact(self) -> bool:
        """Whether a claim with this token needs a block that has it, and a block with it supports such a claim."""
        return self.kind not in ("enumerator", "unit")

    @property
    def is_quantity(self) -> bool:
        """Whether it is a plain number, fraction or power (no name with digits, nothing suspicious)."""
        return self.kind in ("number", "fraction", "power")


# Writings that may be glued to a number without making a word of it. This is syntax of tokens, no rule a prompt engineer tunes;
# tests/text/test_numbers.py holds it against the unit table.
def _listed(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


GLUED_UNITS = _listed(
    "mg mcg g gam gram gr gm kg ng mkg mgam mcgam miligam milligam miligram milligram microgam microgram nanogam nanogram",
    "kilogam kilogram kilôgam micrôgam µg μg ug ml mililít mililit cc lít lit l dl decilít đêxilít đvqt iu ui dvqt đv u miu",
    "mui mmol milimol micromol µmol μmol umol meq mosm mosmol mol giây phút min phut giờ tiếng h gio ngày hôm ngay tuần",
    "tuan tháng thang năm tuổi lần lượt liều đợt mũi viên nang vien gói ống lọ chai hũ đạn nhát xịt hơi thìa muỗng miếng",
    "tuýp tuyp túyp vỉ giọt giot oc c mmhg cm ºc ᵒc centimét phân mm milimét ly li m m2 m² mm3 mm³ cm2 cm² cm3 cm³ kcal cal",
    "kj pct ký kí kilo cân lan x mgpe phần mci kbq mbq gbq ci bq mv mmhg s ppm kiu gy mgy kda da nm µm μm",
)
_UNITS_WITH_DIGITS = frozenset({"m2", "m²", "mm3", "mm³", "cm2", "cm²", "cm3", "cm³", "0c"})
_HYPHENS = "-‐‑–−"
_VULGAR = "½¼¾⅐-⅟↉"
_FRACTION_SIGNS = "½¼¾⅓⅔⅛⅜⅝⅞⅕⅖⅗⅘⅙⅚⅐⅑⅒"
_RAISED = "⁰¹²³⁴-⁹"
_GROUP_SPACES = " \u00a0\u2007\u2009\u202f"
_INT = rf"(?:[1-9][0-9]{{0,2}}(?:[{_GROUP_SPACES}][0-9]{{3}}(?![0-9]))+|[0-9]+)"
_DECIMAL = rf"{_INT}(?:[.,·][0-9]+)*"
# A denominator may have a typesetter's thin space written as "~" (1/1~000).
_DENOMINATOR = rf"(?:[1-9][0-9]{{0,2}}(?:[~{_GROUP_SPACES}][0-9]{{3}}(?![0-9]))+|[0-9]+)(?:[.,][0-9]+)*"
_NUMBER = re.compile(
    rf"(?P<mixed>[0-9]+[ \u00a0]?[{_VULGAR}]|[0-9]+[ \u00a0][1-9]/[2-9](?![0-9/]))"
    rf"|(?P<fraction>{_DECIMAL}(?:[/⁄]{_DENOMINATOR})+)"
    rf"|(?P<power>{_DECIMAL}(?:\^[-+−]?[0-9]+|[⁺⁻]?[{_RAISED}]+|<sup>[-+−]?[0-9]+</sup>))"
    rf"|(?P<number>{_DECIMAL})"
)
# Where a token may begin: digits of any script, raised and lowered digits, fractions, numerals that are one character.
_NUMERAL = re.compile(rf"[\d{_VULGAR}{_RAISED}₀-₉①-⓿❶-➓Ⅰ-ↈ〇一二三四五六七八九十百千]")
_RUN = re.compile(rf"[^\W_]++(?:[{_HYPHENS}][^\W_]++)*+")
_ALNUM = re.compile(r"[^\W_]")
_NUMBER_PART = re.compile(rf"[xX]?[0-9]+[{_RAISED}{_VULGAR}]*(?P<unit>[^\W\d_]?[^\W_]*)$")
_HYPHEN = re.compile(rf"[{_HYPHENS}]")
_LOOK_ALIKE_PART = re.compile(r"[0-9][0-9OoIl]*[OoIl][0-9OoIl]*(?P<unit>[^\W\d_]*)$")
_ENUMERATOR = re.compile(r"[ \t]*\(?([0-9]{1,2})[.)](?:[ \t]+(?=[^\W\d_]{2})|\s*\Z)")
_LETTERS = re.compile(r"[^\W\d_]+")
# Characters outside what formulary text is written in; only with one of them a text can hide something.
_RARE = re.compile("[^\t\n\r -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u03ff\u1e00-\u1eff\u2010-\u2027\u2030-\u205f\u2070-\u22ff]")
_BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def numeric_tokens(text: str) -> tuple[NumericToken, ...]:
    """Every token of NFC ``text`` that has a digit, in order, with its span in ``text``.

    Texts with invisible characters are read without them; a token that had one inside, or a direction mark at its side, is suspicious.
    """
    if _RARE.search(text) is None or not has_invisible(text):
        return _scan(text)
    kept = [index for index, character in enumerate(text) if not is_invisible(character)]
    tokens = _scan("".join(text[index] for index in kept))
    return tuple(_mapped_back(token, text, kept) for token in tokens)


@lru_cache(maxsize=16384)
def cached_numeric_tokens(text: str) -> tuple[NumericToken, ...]:
    """:func:`numeric_tokens`, kept for texts that are asked for again (evidence blocks)."""
    return numeric_tokens(text)


def _mapped_back(token: NumericToken, text: str, kept: list[int]) -> NumericToken:
    start, end = kept[token.span.start], kept[token.span.end - 1] + 1
    hidden = end - start != token.span.end - token.span.start
    beside = text[start - 1 : start] in _BIDIRECTIONAL or text[end : end + 1] in _BIDIRECTIONAL
    touched = hidden or (beside and bool(text[start - 1 : start] or text[end : end + 1]))
    return NumericToken(token.text, Span(start, end), "suspicious" if touched else token.kind)


def _scan(text: str) -> tuple[NumericToken, ...]:
    found: list[NumericToken] = []
    position = plain_until = 0  # up to plain_until a run is already known to be numbers with units; it is not read again
    while (numeral := _NUMERAL.search(text, position)) is not None:
        if _is_enumerator(text, numeral.start()):
            end = _digits_end(text, numeral.start())
            found.append(NumericToken(text[numeral.start() : end], Span(numeral.start(), end), "enumerator"))
            position = end
            continue
        if numeral.start() >= plain_until:
            start = _run_start(text, numeral.start(), position)
            run = _RUN.match(text, start)
            end = run.end() if run else numeral.end()
            token, plain_until = _token_of_run(text, start, end, numeral.start(), position)
        else:
            token = _number_at(text, numeral.start(), position)
        found.append(token)
        position = token.span.end
    return tuple(found)


def _is_enumerator(text: str, numeral: int) -> bool:
    """Whether a figure at the head of a line numbers an item: a word follows that is no unit ("8. g mỗi ngày" is an amount)."""
    line = text.rfind("\n", max(0, numeral - 12), numeral) + 1
    if (line == 0 and numeral > 12) or text[line:numeral].strip(" \t("):
        return False
    match = _ENUMERATOR.match(text, line)
    if match is None or match.start(1) != numeral:
        return False
    word = _LETTERS.match(text, match.end())
    if word is None:
        return not text[:line].strip()
    return word.group().lower() not in GLUED_UNITS


def _digits_end(text: str, position: int) -> int:
    while position < len(text) and "0" <= text[position] <= "9":
        position += 1
    return position


def _run_start(text: str, position: int, floor: int) -> int:
    """Start of the run of letters, digits and inner hyphens that holds ``position``, not before ``floor``."""
    while position > floor:
        before = text[position - 1]
        if _ALNUM.match(before) or (before in _HYPHENS and position - 2 >= floor and _ALNUM.match(text[position - 2])):
            position -= 1
        else:
            break
    return position


def _token_of_run(text: str, start: int, end: int, numeral: int, floor: int) -> tuple[NumericToken, int]:
    """The first token of the run ``text[start:end]``, and up to where only numbers and units follow."""
    run = text[start:end]
    kind = _run_kind(run, text, end)
    if kind == "number":
        return _number_at(text, numeral, floor), end
    return NumericToken(_HYPHEN.sub("-", run) if kind == "word" else run, Span(start, end), kind), end


def _number_at(text: str, numeral: int, floor: int) -> NumericToken:
    match = _NUMBER.match(text, numeral)
    if match is None:  # a fraction sign or a raised digit of its own
        token_end = numeral + 1
        return NumericToken(text[numeral:token_end], Span(numeral, token_end), "fraction" if text[numeral] in _FRACTION_SIGNS else "word")
    kind = "fraction" if match.lastgroup in ("mixed", "fraction") else "power" if match.lastgroup == "power" else "number"
    sign = _sign_start(text, numeral, floor)
    written = text[sign : match.end()]
    marked = unicodedata.combining(text[match.end()]) != 0 or text[match.end()] == "\u20e3" if match.end() < len(text) else False
    return NumericToken(_canonical(written), Span(sign, match.end()), "suspicious" if marked else kind)


def _canonical(written: str) -> str:
    if written.isascii() and "~" not in written:
        return written
    for space in _GROUP_SPACES[1:] + "~":
        written = written.replace(space, " ")
    return written.replace("−", "-").replace("⁄", "/")


def _run_kind(run: str, text: str, end: int) -> NumberKind:
    """What a run of letters, digits and inner hyphens is; ``number`` when every part is a number, a number with its unit, or a unit."""
    if run.isascii() and run.isdigit():
        return "number"
    if any(_is_foreign(character) for character in run):
        return "suspicious"
    folded = run.lower()
    if folded in _UNITS_WITH_DIGITS:
        return "unit"
    numbers = True
    for part in _HYPHEN.split(run):
        match = _NUMBER_PART.match(part)
        if match is not None and _is_glued_unit(match.group("unit"), text, end):
            continue
        if part.lower() in GLUED_UNITS or all(character in _FRACTION_SIGNS for character in part):
            continue
        look_alike = _LOOK_ALIKE_PART.match(part)
        if look_alike is not None and (not look_alike.group("unit") or look_alike.group("unit").lower() in GLUED_UNITS):
            return "suspicious"
        numbers = False
    return "number" if numbers else "word"


def _is_glued_unit(unit: str, text: str, end: int) -> bool:
    folded = unit.lower()
    if not unit or folded in GLUED_UNITS:
        return True
    if folded == "o":  # "20o C": a lost degree sign
        return text[end : end + 2].strip().startswith("C")
    return folded.startswith("x") and (folded[1:].isdigit() or folded[1:] in GLUED_UNITS or _NUMBER_PART.match(folded[1:]) is not None)


@lru_cache(maxsize=1024)
def _is_foreign(character: str) -> bool:
    """A digit that is not ASCII, a one-character numeral, or a letter of a script that only imitates ours beside digits."""
    if character.isascii() or character in _HYPHENS:
        return False
    if character in _FRACTION_SIGNS or character in "⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉":
        return False
    if "Ⅰ" <= character <= "ↈ":
        return False
    if character.isnumeric():
        return True
    name = unicodedata.name(character, "")
    if name.startswith("GREEK"):
        return character in "ΟοΙιΡρ"
    return not name.startswith(("LATIN", "MICRO", "MASCULINE", "FEMININE", "MODIFIER"))


def _sign_start(text: str, number: int, floor: int) -> int:
    """Where the token begins when a sign belongs to it: "-20 °C" yes, "80 -100 mg", "500 mg -1 g" and a bullet no."""
    sign = number - 1
    if sign < floor or text[sign] not in "-−+" or _starts_in_word(text, sign):
        return number
    before = text[max(0, sign - 24) : sign]
    head = before.rstrip(" \u00a0\t")
    if not head or head.endswith("\n"):
        # At the head of a line a hyphen is a bullet, except before a temperature.
        return sign if _TEMPERATURE.match(text, number) else number
    if head == before and head[-1] not in "([<>≤≥=":
        return number
    if head[-1].isalnum() and _ENDS_IN_QUANTITY.search(head):
        return number
    return number if head[-1] in "%-–" else sign


_TEMPERATURE = re.compile(r"[0-9]+(?:[.,][0-9]+)?\s?(?:°|º|o\s?C|độ C|℃)")
_ENDS_IN_QUANTITY = re.compile(r"[0-9][^\W\d_]{0,8}$|[0-9]\s?[^\W\d_]{1,9}(?:/[^\W\d_]{1,6}){0,2}$")


def _starts_in_word(text: str, sign: int) -> bool:
    return sign > 0 and text[sign - 1].isalnum()
