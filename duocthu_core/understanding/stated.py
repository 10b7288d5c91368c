"""Values of the patient that a question states: age, weight, height, gestational age, creatinine clearance (spec 03; ``populations``).

The numbers stay as typed in ``Stated.text``; ``low`` and ``high`` only choose bands. They are in months (age), kilograms (weight),
centimetres (height), weeks (gestational age) and ml/phút (clearance). Where the writing is open ("bé 9t": tháng or tuổi) both readings
lie inside the range and ``unsure`` is set, so that the answer asks or shows every band.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from duocthu_core.text.folding import fold, strip_marks
from duocthu_core.text.spans import Span
from duocthu_core.understanding.amounts import BOUND, BOUNDS, NUMBER, RANGE_SIGN, value_of
from duocthu_core.understanding.model import Stated, StatedKind

MONTHS_PER_YEAR = 12.0
DAYS_PER_MONTH = 365.25 / 12
WEEKS_PER_MONTH = DAYS_PER_MONTH / 7
OLDEST_MONTHS = 150 * MONTHS_PER_YEAR
LIGHTEST_KG, HEAVIEST_KG = 0.3, 400.0
LARGEST_CLCR = 999.0
_LOOK_BACK = 400
_UNITS_IN_MONTHS = {"tuoi": 12.0, "nam": 12.0, "t": 12.0, "th": 1.0, "thang": 1.0, "tuan": 1 / WEEKS_PER_MONTH, "ngay": 1 / DAYS_PER_MONTH}
_YEAR_OR_MONTH_BELOW = 24.0

# All patterns run over folded text without marks: position for position the same text.
_UNIT = r"(?:nam tuoi|thang tuoi|tuan tuoi|ngay tuoi|tuoi|thang|tuan|ngay|nam)"
_AGE = re.compile(
    rf"(?<![^\W_])(?P<bound>{BOUND})?(?P<low>{NUMBER})"
    rf"(?:(?:\s{{0,2}}(?P<unit_low>{_UNIT}))?{RANGE_SIGN}(?P<high>{NUMBER}))?\s{{0,2}}(?P<unit>{_UNIT}|tuoi|th(?![^\W_])|t(?![^\W_]))(?![^\W_])"
    rf"(?P<half>\s{{1,2}}ruoi(?![^\W_]))?(?P<more>\s{{1,2}}(?:{NUMBER})\s{{0,2}}thang(?:\s{{1,2}}tuoi)?(?![^\W_]))?"
    r"(?P<after>\s{1,2}tro (?:len|xuong)(?![^\W_]))?"
)
_BARE_AGE = re.compile(
    rf"(?<![^\W_])(?:(?P<bound>ngoai|hon|gan|tren)\s{{1,2}}(?P<tens>[6-9]\d|1[01]\d)|len\s{{1,2}}(?P<years>{NUMBER}))(?![\w,.%/-])"
)
_NAMED_AGES = (
    (re.compile(r"(?<![^\W_])(?:chưa đầy tháng|chua day thang)(?![^\W_])"), 0.0, 1.0),
    (re.compile(r"(?<![^\W_])(?<!chưa )(?<!chua )(?:đầy tháng|day thang)(?![^\W_])"), 1.0, 1.0),
    (re.compile(r"(?<![^\W_])(?:thôi nôi|thoi noi)(?![^\W_])"), 12.0, 12.0),
)
_WEIGHT_UNIT = r"(?:kgs?|ky lo|ki lo|kilogam|kilogram|kilo|ky|ki|can)"
_WEIGHT = re.compile(
    rf"(?<![^\W_])(?P<bound>{BOUND})?(?P<low>{NUMBER})(?:(?:\s{{0,2}}(?:{_WEIGHT_UNIT}))?{RANGE_SIGN}(?P<high>{NUMBER}))?"
    rf"\s{{0,2}}(?P<unit>{_WEIGHT_UNIT})(?P<tenth>\s?\d(?!\d|[,.]\d|\s{{0,2}}(?:{_UNIT}|lan|vien|mg|mcg|g|ml|cc|goi|ong|h|gio|lit)(?![^\W_])))?"
    r"(?P<half>\s{1,2}ruoi)?(?P<after>\s{1,2}tro (?:len|xuong))?(?![^\W\d_])"
)
_GRAMS = re.compile(r"(?<![^\W_,.])(?P<grams>[1-5](?:[. ]?\d{3})|[5-9]\d{2})\s{0,2}(?:gram|gam|gr|g)(?![^\W_/])")
_HEIGHT = re.compile(r"(?<![^\W_,.])(?:(?P<metres>[12])\s?m\s?(?P<rest>\d{1,2})|(?P<cm>1\d{2}|[4-9]\d|2[0-2]\d)\s?cm)(?![^\W_])")
_GESTATION = re.compile(
    rf"(?<![^\W_])(?:tuoi thai|thai ky|mang thai|mang bau|co thai|co bau|thai|bau)"
    rf"(?:\s{{1,2}}(?:duoc|ky|nhi|khoang|gan|hon|tam|thang thu|tuan thu|o tuan|tuan|thang|la))?\s{{1,2}}(?P<low>{NUMBER})"
    rf"(?:{RANGE_SIGN}(?P<high>{NUMBER}))?(?:\s{{0,2}}(?P<unit>tuan|thang|w)(?![^\W_]))?"
    rf"|(?P<ordinal>thang|tuan) thu (?P<nth>{NUMBER}) (?:cua )?(?:thai|mang thai)"
    rf"|(?<![^\W_])(?P<week_low>{NUMBER})(?:{RANGE_SIGN}(?P<week_high>{NUMBER}))?\s{{0,2}}tuan (?:chinh theo )?(?:tuoi thai|thai)"
)
_PRETERM = re.compile(rf"(?:sinh|de) (?:non|thieu thang)[^.;\n]{{0,12}}?(?<![^\W_])(?P<low>{NUMBER})\s{{0,2}}tuan(?! tuoi)")


class _Context:
    """The words around a number, compiled for texts with marks or for texts without any."""

    def __init__(self, table: Mapping[str, Any], *, unmarked: bool) -> None:
        self.unmarked = unmarked

        def phrases(name: str) -> str:
            written = {fold(str(phrase)) for phrase in table[name]}
            forms = {strip_marks(phrase) for phrase in written} if unmarked else written
            return "|".join(re.escape(phrase) for phrase in sorted(forms, key=len, reverse=True))

        small = "khoảng|gần|hơn|được|thêm|từ|đến|là|mỗi|trong vòng|trong"
        small = strip_marks(small) if unmarked else small
        self.child = re.compile(rf"(?<![^\W_])(?:{phrases('child_words')})(?![^\W_])")
        self.person = re.compile(rf"(?<![^\W_])(?:{phrases('person_words')})(?![^\W_])")
        self.birth = re.compile(rf"(?<![^\W_])(?:{phrases('birth_words')})(?![^\W_])")
        self.weight = re.compile(rf"(?<![^\W_])(?:{phrases('weight_words')})(?![^\W_])")
        self.newborn = re.compile(rf"(?<![^\W_])(?:{phrases('newborn_words')})(?![^\W_])")
        self.duration_before = re.compile(rf"(?<![^\W_])(?:{phrases('duration_before')})(?:\s{{1,2}}(?:{small}))?\s{{0,2}}$")
        self.duration_after = re.compile(rf"\s{{0,2}}(?:{phrases('duration_after')})(?![^\W_])")
        self.change_before = re.compile(rf"(?<![^\W_])(?:{phrases('weight_change_before')})(?:\s{{1,2}}(?:{small}))?\s{{0,2}}$")
        self.per_weight_after = re.compile(rf"\s{{0,2}}(?:{phrases('per_weight_after')})")
        self.pregnant_before = re.compile(rf"(?<![^\W_])(?:{phrases('pregnancy_before')})(?:\s{{1,2}}(?:{small}))?\s{{0,2}}$")


class _Text:
    """A text in the three forms that the rules need; all of one length."""

    def __init__(self, text: str, contexts: tuple[_Context, _Context]) -> None:
        self.text = text
        self.folded = fold(text)
        self.bare = strip_marks(self.folded)
        self.context = contexts[1] if self.bare == self.folded else contexts[0]

    def before(self, position: int) -> str:
        """The last words before ``position``."""
        return self.folded[max(0, position - 40) : position]

    def after(self, position: int) -> str:
        """The first words from ``position`` on."""
        return self.folded[position : position + 24]

    def around(self, match: re.Match[str]) -> str:
        """The words about a match."""
        return self.folded[max(0, match.start() - 24) : match.end() + 16]

    def number(self, match: re.Match[str], group: str) -> float | None:
        """The value of a number group; in a text with marks its words must be number words as they are written."""
        if match[group] is None:
            return None
        return value_of(self.folded[match.start(group) : match.end(group)], unmarked=self.context.unmarked)

    def bound(self, match: re.Match[str]) -> str:
        """The bound word of a match, without marks; empty where the word as written is another ("gan" the liver, for "gần")."""
        if not match["bound"]:
            return ""
        written = self.folded[match.start("bound") : match.end("bound")].strip()
        if self.context.unmarked or written in BOUNDS:
            return strip_marks(written)
        return ""


class StatedReader:
    """Compiled once from the table ``populations``."""

    def __init__(self, populations: Mapping[str, Any]) -> None:
        table = populations["stated_context"]
        self._contexts = (_Context(table, unmarked=False), _Context(table, unmarked=True))
        names = {strip_marks(fold(str(name))) for name in populations["tags"]["suy_than"]["measured"]}
        names -= {strip_marks(fold(str(name))) for name in populations["stated_context"]["serum_levels"]}
        alternatives = "|".join(re.escape(name).replace(r"\ ", r"\s{1,2}") for name in sorted(names, key=len, reverse=True))
        self._clearance = re.compile(
            rf"(?<![^\W_])(?:{alternatives})(?:\s{{0,2}}(?:chi con|o muc|ml/phut|\(ml/phut\)|khoang|la|con|tu|:|=)){{0,3}}?\s{{0,2}}"
            rf"(?P<bound>{BOUND})?(?P<low>{NUMBER})(?:{RANGE_SIGN}(?P<high>{NUMBER}))?(?:\s{{0,2}}ml\s?/\s?(?:phut|min))?(?![^\W_])"
        )

    def read(self, text: str) -> tuple[Stated, ...]:
        """Every stated value of NFC ``text``, in order of place."""
        read = _Text(text, self._contexts)
        found: list[Stated] = []
        for finder in (_gestations, self._clearances, _weights, _heights, _ages):
            for stated in finder(read):
                if not any(stated.span.overlaps(other.span) for other in found[-_LOOK_BACK:]):
                    found.append(stated)
        return tuple(sorted(found, key=lambda stated: stated.span))

    def _clearances(self, read: _Text) -> Iterator[Stated]:
        for match in self._clearance.finditer(read.bare):
            values = _low_high(read, match)
            if values is not None and values[1] <= LARGEST_CLCR:
                low, high = _bounded(*values, read.bound(match), after=None, unit=1.0, largest=LARGEST_CLCR)
                yield _stated("clcr", read.text, Span(match.start(), match.end()), low, high)


def _low_high(read: _Text, match: re.Match[str]) -> tuple[float, float] | None:
    """Both ends of a value or a range, or None where a part is no number."""
    low = read.number(match, "low")
    high = read.number(match, "high") if match["high"] else low
    return None if low is None or high is None or low > high else (low, high)


def _ages(read: _Text) -> Iterator[Stated]:
    for match in _AGE.finditer(read.bare):
        if (stated := _age(match, read)) is not None:
            yield stated
    for match in _BARE_AGE.finditer(read.bare):
        if (stated := _bare_age(match, read)) is not None:
            yield stated
    for pattern, low, high in _NAMED_AGES:
        for match in pattern.finditer(read.folded):
            yield _stated("age", read.text, Span(match.start(), match.end()), low, high)


def _age(match: re.Match[str], read: _Text) -> Stated | None:
    """ "8 tuổi", "2 tuổi 3 tháng", "5 tuổi rưỡi", "6 tháng - 2 tuổi", "18 tháng" of a child, "67t"."""
    unit = match["unit"].split()[0]
    low = read.number(match, "low")
    high = read.number(match, "high") if match["high"] else low
    if low is None or high is None or not (_says_age(match) or _is_age_of_someone(read, match, unit)):
        return None
    factor = _UNITS_IN_MONTHS["tuoi" if match["unit"] in ("tuoi", "nam tuoi") else unit]
    factor_low = _UNITS_IN_MONTHS[match["unit_low"].split()[0]] if match["unit_low"] and match["high"] else factor
    added = factor / 2 if match["half"] else 0.0
    if match["more"]:
        added += value_of(match["more"].split("thang")[0].strip(), unmarked=True) or 0.0
    first, last = low * factor_low + (0.0 if match["high"] else added), high * factor + added
    if last > OLDEST_MONTHS or first > last:
        return None
    bound = read.bound(match)
    if unit == "t" and low < _YEAR_OR_MONTH_BELOW and not match["high"] and not bound:
        return _stated("age", read.text, Span(match.start("low"), match.end()), low, last, unsure=True)
    if bound == _OPEN_BOUND:
        return _stated("age", read.text, Span(match.start(), match.end()), 0.0, last + factor, unsure=True)
    first, last = _bounded(first, last, bound, after=match["after"], unit=factor, largest=OLDEST_MONTHS)
    return _stated("age", read.text, Span(match.start() if bound else match.start("low"), match.end()), first, last)


def _says_age(match: re.Match[str]) -> bool:
    return "tuoi" in match["unit"] or "tuoi" in (match["more"] or "")


def _is_age_of_someone(read: _Text, match: re.Match[str], unit: str) -> bool:
    """Whether "18 tháng", "67t" without "tuổi" is an age and no duration: a child or person stands near, or it is all that was said."""
    context, before, after = read.context, read.before(match.start("low")), read.after(match.end())
    if unit == "nam" and not match["more"]:
        return False
    if _is_whole(read.bare, match):
        return True
    if context.duration_before.search(before) or context.duration_after.match(after) or context.pregnant_before.search(before):
        return False
    around = read.around(match)
    return bool(context.child.search(around) or (unit in ("t", "th") and context.person.search(around)))


def _bare_age(match: re.Match[str], read: _Text) -> Stated | None:
    """ "cháu lên 5", "bà ngoài 70"."""
    around, span = read.around(match), Span(match.start(), match.end())
    if match["years"] is not None:
        years = read.number(match, "years")
        if years is None or years * MONTHS_PER_YEAR >= _CHILD_MONTHS or not read.context.child.search(around):
            return None
        return _stated("age", read.text, span, years * 12, years * 12)
    bound = read.bound(match)
    if not bound or not read.context.person.search(around):
        return None
    years = float(match["tens"])
    low, high = _bounded(years * 12, years * 12, bound, after=None, unit=12.0, largest=OLDEST_MONTHS)
    return _stated("age", read.text, span, low, high)


def _weights(read: _Text) -> Iterator[Stated]:
    for match in _WEIGHT.finditer(read.bare):
        if (stated := _weight(match, read)) is not None:
            yield stated
    for match in _GRAMS.finditer(read.bare):
        around = read.around(match)
        if read.context.newborn.search(around) and not read.context.change_before.search(read.before(match.start())):
            kilograms = float(re.sub(r"[. ]", "", match["grams"])) / 1000
            unsure = read.context.birth.search(around) is not None
            yield _stated("weight", read.text, Span(match.start(), match.end()), kilograms, kilograms, unsure=unsure)


def _weight(match: re.Match[str], read: _Text) -> Stated | None:
    """ "12 kg", "8kg5", "9 ký 2", "12 cân rưỡi", "10 - 12 kg"; no dose per kilogram and no change of weight."""
    context, before = read.context, read.before(match.start("low"))
    if context.change_before.search(before) or context.per_weight_after.match(read.after(match.end())):
        return None
    if match["unit"] == "can" and read.folded[match.start("unit") : match.end("unit")] != "cân":
        return None
    values = _low_high(read, match)
    if values is None:
        return None
    low, high = values
    if match["tenth"] and not match["high"] and low == int(low):
        low = high = low + int(match["tenth"].strip()) / 10
    if match["half"]:
        low, high = (low if match["high"] else low + 0.5), high + 0.5
    if not LIGHTEST_KG <= high <= HEAVIEST_KG:
        return None
    bound = read.bound(match)
    low, high = _bounded(low, high, bound, after=match["after"], unit=1.0, largest=HEAVIEST_KG)
    span = Span(match.start() if bound else match.start("low"), match.end())
    return _stated("weight", read.text, span, low, high, unsure=context.birth.search(read.around(match)) is not None)


def _heights(read: _Text) -> Iterator[Stated]:
    for match in _HEIGHT.finditer(read.bare):
        if match["cm"] is not None:
            if not read.context.weight.search(read.before(match.start())[-14:]):
                continue
            height = float(match["cm"])
        else:
            height = 100.0 * float(match["metres"]) + float(match["rest"]) * (10 if len(match["rest"]) == 1 else 1)
        yield _stated("height", read.text, Span(match.start(), match.end()), height, height)


def _gestations(read: _Text) -> Iterator[Stated]:
    for match in _GESTATION.finditer(read.bare):
        group = next(name for name in ("low", "nth", "week_low") if match[name])
        low = read.number(match, group)
        high = next((read.number(match, name) for name in ("high", "week_high") if match[name]), low)
        unit = "tuan" if "tuan" in match.group() or match["unit"] == "w" else "thang" if "thang" in match.group() else ""
        if low is None or high is None or not unit or read.context.duration_after.match(read.after(match.end())):
            continue
        if unit == "thang":
            low, high = (low - 1 if " thu " in match.group() else low) * WEEKS_PER_MONTH, high * WEEKS_PER_MONTH
        if 1 <= high <= 45 and low <= high:
            yield _stated("gestational_age", read.text, Span(match.start(), match.end()), low, high)
    for match in _PRETERM.finditer(read.bare):
        weeks = read.number(match, "low")
        if weeks is not None and 20 <= weeks <= 42:
            yield _stated("gestational_age", read.text, Span(match.start("low"), match.end()), weeks, weeks)


def _stated(kind: StatedKind, text: str, span: Span, low: float, high: float, *, unsure: bool = False) -> Stated:
    typed = span.of(text)
    start = span.start + len(typed) - len(typed.lstrip())
    end = span.end - (len(typed) - len(typed.rstrip()))
    return Stated(kind=kind, text=text[start:end], low=round(low, 4), high=round(high, 4), span=Span(start, end), unsure=unsure)


_BELOW = ("duoi", "<", "≤", "<=", "chua day", "chua toi", "chua den", "khong qua", "nho hon", "it hon", "toi da")
_ABOVE = ("tren", ">", "≥", ">=", "ngoai", "lon hon", "tu", "it nhat", "tren hoac bang", "toi thieu")
# "bé hơn 2 tuổi": a child of more than two years, or less than two years.
_OPEN_BOUND = "be hon"
_A_LITTLE_ABOVE = ("hon",)
_A_LITTLE_BELOW = ("gan",)
_NEARLY = 0.8
_CHILD_MONTHS = 18 * MONTHS_PER_YEAR


def _bounded(low: float, high: float, bound: str, *, after: str | None, unit: float, largest: float) -> tuple[float, float]:
    """The range that a bound word makes of a value: "dưới 2 tuổi", "từ 12 tuổi trở lên", "hơn 80 tuổi", "gần 1 tuổi"."""
    if after is not None:
        return (low, largest) if "len" in after else (0.0, high)
    if bound in _BELOW:
        return 0.0, high
    if bound in _ABOVE and low == high:
        return (low, min(largest, low + 120.0)) if bound == "ngoai" else (low, largest)
    if bound in _A_LITTLE_ABOVE and low == high:
        return low, (low + unit if low < _CHILD_MONTHS else largest)
    if bound in _A_LITTLE_BELOW and low == high:
        return low * _NEARLY, high
    return low, high


def _is_whole(bare: str, match: re.Match[str]) -> bool:
    """Whether the value is all that was said: the answer to a question that was asked back."""
    return not bare[: match.start()].strip(" .,!?") and not bare[match.end() :].strip(" .,!?ạa")
