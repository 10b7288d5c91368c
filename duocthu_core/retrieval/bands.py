"""Bands of age, weight, gestational age and creatinine clearance in labels, and whether a stated value selects them (spec 03).

"bé 8 tuổi" selects "6 - 8 tuổi" and "8 - 10 tuổi": both borders of a written range belong to it, a strict sign ("dưới 12 tuổi",
"> 21 kg") excludes its own number. Bands only choose blocks; no number read here reaches an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isinf
from typing import Any, Literal

from duocthu_core.retrieval.intervals import Bounded, BoundedNumbers, Interval, Unit, tokens
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.phrases import PhraseMatcher, Word
from duocthu_core.text.spans import Span
from duocthu_core.understanding.model import Stated, StatedKind

Selection = Literal["inside", "outside", "unknown"]

_WEEK_IN_MONTHS = 7 / 30.4375
_HEAVY = "nặng"
"""Grams are a body weight only right behind "nặng", "cân nặng"; elsewhere they are a dose."""
_NO_UNIT_FOLLOWS = frozenset({"", ":", ",", ")", ";", ".", "thì", "cho"})
_BETWEEN_MEASURE_AND_NUMBER = frozenset({":", "(", "=", "là", "từ", "khoảng", "ở", "mức"})


@dataclass(frozen=True, slots=True)
class Band:
    """One band of a label. Ages in months, weights in kg, clearance in ml/phút, gestational ages in weeks."""

    kind: StatedKind
    interval: Interval
    span: Span
    """Where it stands in the text that was read."""


class BandReader:
    """Reads the bands of a text with the words of one ruleset."""

    def __init__(self, ruleset: Ruleset) -> None:
        populations, units = ruleset.tables["populations"], ruleset.tables["units"]["units"]
        self._rules: Mapping[str, Any] = populations["bands"]
        self._numbers = BoundedNumbers(ruleset.tables["comparators"], ruleset.tables["number_words"], _vocabulary(self._rules, units))
        self._measures: PhraseMatcher[str] = PhraseMatcher(dict.fromkeys(populations["tags"]["suy_than"]["measured"], "clcr"))
        self._cues: PhraseMatcher[str] = PhraseMatcher(
            dict.fromkeys(self._rules["gestation_cues"], "gestation") | dict.fromkeys(self._rules["infusion_words"], "infusion")
        )
        self._not_after = _word_sequences(self._rules["not_after"])
        self._not_before = _word_sequences(self._rules["not_before"])
        self._weeks: tuple[float, float] = tuple(self._rules["gestation_weeks"])
        self.read = lru_cache(maxsize=4096)(self._read)
        self.age_tolerance: float = self._rules["age_tolerance"]
        self.normal_clearance_from: float = self._rules["normal_clearance_from"]

    def _read(self, text: str, about_patients: bool = False) -> tuple[Band, ...]:
        """The bands of NFC ``text``, in order.

        ``about_patients``: the text, or what governs it, names a group of some age, so that "6 tháng" is an age and no duration. A text
        that is nothing but one such amount in brackets ("(7 - 30 ngày):") is read as an age as well.
        """
        found = tokens(text)
        bounded = self._numbers.read(text)
        if not bounded:
            return ()
        context = _Context(
            found=found,
            about_patients=about_patients or _is_alone(found, bounded),
            measures=tuple(hit.span for hit in self._measures.find(text, found)),
            cues=frozenset(hit.value for hit in self._cues.find(text, found)),
        )
        bands = (self._band(amount, context) for amount in bounded)
        return tuple(band for band in bands if band is not None)

    def stated_interval(self, stated: Stated) -> Interval:
        """What the reader stated, with the open ends that the words give it ("dưới 1 tuổi") where they agree with the values."""
        plain = Interval(stated.low, stated.high)
        tolerance = self.tolerance(stated.kind)
        for band in self.read(stated.text, about_patients=True):
            same = band.kind == stated.kind and _ends_agree(band.interval, plain, tolerance)
            if same:
                return plain._replace(low_open=band.interval.low_open, high_open=band.interval.high_open)
        return plain

    def tolerance(self, kind: StatedKind) -> float:
        """How near two values of a kind are one: half a day of age (days are turned into months in more than one way), else nothing."""
        return self.age_tolerance if kind == "age" else 0.0

    def selects(self, band: Band, stated: Stated) -> Selection:
        """Whether the stated value lies in the band: ``outside`` only where none of it can; ``unknown`` where part of it may."""
        if band.kind != stated.kind:
            return "unknown"
        return compare(band.interval, self.stated_interval(stated), self.tolerance(stated.kind))

    def _band(self, amount: Bounded, context: _Context) -> Band | None:
        kind = self._kind(amount, context)
        if kind is None:
            return None
        interval = amount.interval
        if kind == "gestational_age":
            interval = interval._replace(low=_weeks(interval.low), high=_weeks(interval.high))
        return Band(kind, interval, amount.span)

    def _kind(self, amount: Bounded, context: _Context) -> StatedKind | None:
        name = amount.unit.name if amount.unit else None
        if name in (None, "clcr"):
            return "clcr" if self._is_clearance(amount, context) else None
        if self._is_part_of_something_else(amount, context):
            return None
        if name == "age":
            return self._age_kind(amount, context)
        if name == "mass" and _HEAVY not in (context.word(amount.first - 1), context.word(amount.first - 2)):
            return None
        return "weight"

    def _age_kind(self, amount: Bounded, context: _Context) -> StatedKind | None:
        unit = amount.unit
        assert unit is not None, "an age has a unit"
        in_weeks = abs(unit.factor - _WEEK_IN_MONTHS) < 1e-3
        if in_weeks and not unit.sure:
            ends = [_weeks(end) for end in (amount.interval.low, amount.interval.high) if not isinf(end)]
            if "gestation" in context.cues or all(self._weeks[0] <= end <= self._weeks[1] for end in ends):
                return "gestational_age"
        if unit.sure and in_weeks and "gestation" in context.cues and context.follows(amount, ("thai",)):
            return "gestational_age"
        return "age" if unit.sure or context.about_patients else None

    def _is_clearance(self, amount: Bounded, context: _Context) -> bool:
        if amount.unit is not None:
            return bool(context.measures) or "infusion" not in context.cues
        if context.word(amount.last) not in _NO_UNIT_FOLLOWS:
            return False
        return any(context.leads_to(measure, amount) for measure in context.measures)

    def _is_part_of_something_else(self, amount: Bounded, context: _Context) -> bool:
        return context.ends_with(amount.first, self._not_after) or context.begins_with(amount.last, self._not_before)


@dataclass(frozen=True, slots=True)
class _Context:
    """What stands around the amounts of one text."""

    found: Sequence[Word]
    about_patients: bool
    measures: tuple[Span, ...]
    cues: frozenset[str]

    def word(self, position: int) -> str:
        return self.found[position].folded if 0 <= position < len(self.found) else ""

    def follows(self, amount: Bounded, words_wanted: Iterable[str]) -> bool:
        return self.word(amount.last) in words_wanted

    def ends_with(self, position: int, sequences: Iterable[tuple[str, ...]]) -> bool:
        """Whether one of ``sequences`` ends right before ``position``."""
        return any(
            position >= len(words) and all(self.word(position - len(words) + index) == word for index, word in enumerate(words))
            for words in sequences
        )

    def begins_with(self, position: int, sequences: Iterable[tuple[str, ...]]) -> bool:
        """Whether one of ``sequences`` begins at ``position``."""
        return any(all(self.word(position + index) == word for index, word in enumerate(words)) for words in sequences)

    def leads_to(self, measure: Span, amount: Bounded) -> bool:
        """Whether nothing but a colon or a linking word parts the measured quantity from the amount, or the amount encloses it."""
        if amount.span.covers(measure):
            return True
        between = [token.folded for token in self.found if measure.end <= token.span.start and token.span.end <= amount.span.start]
        return measure.end <= amount.span.start and all(word in _BETWEEN_MEASURE_AND_NUMBER for word in between)


def compare(label: Interval, patient: Interval, tolerance: float = 0.0) -> Selection:
    """Whether ``patient`` lies in ``label``: wholly, not at all, or perhaps."""
    if label.disjoint(patient, tolerance):
        return "outside"
    return "inside" if label.covers(patient, tolerance) else "unknown"


def _weeks(months: float) -> float:
    return months if isinf(months) else round(months / _WEEK_IN_MONTHS, 2)


def _ends_agree(one: Interval, other: Interval, tolerance: float) -> bool:
    """An end that the words leave open agrees with any: values of a question are never infinite."""

    def near(a: float, b: float) -> bool:
        return isinf(a) or abs(a - b) <= tolerance

    return near(one.low, other.low) and near(one.high, other.high)


def _is_alone(found: Sequence[Word], bounded: Sequence[Bounded]) -> bool:
    """Whether a text is one amount in brackets."""
    if len(bounded) != 1 or not found or found[0].folded != "(":
        return False
    first, last = bounded[0].first, bounded[0].last
    return all(not token.folded[0].isalnum() for token in [*found[:first], *found[last:]])


def _vocabulary(rules: Mapping[str, Any], units: Mapping[str, Any]) -> dict[str, Unit]:
    sure = set(rules["sure_age_units"])
    vocabulary = {phrase: Unit("age", float(factor), phrase in sure) for phrase, factor in rules["age_units"].items()}
    vocabulary |= dict.fromkeys(units["g"]["aliases"], Unit("mass", 0.001, sure=False))
    vocabulary |= dict.fromkeys(units["kg"]["aliases"], Unit("weight", 1.0))
    return vocabulary | dict.fromkeys([*units["ml_phut"]["aliases"], *units["ml_phut_173"]["aliases"]], Unit("clcr", 1.0))


def _word_sequences(phrases: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(token.folded for token in tokens(phrase)) for phrase in phrases)
