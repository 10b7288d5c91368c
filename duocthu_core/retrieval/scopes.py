"""Whom a label speaks of: population tags, bands and routes of a label line, and the patient of a question.

A label may name several patients ("Người lớn và trẻ em trên 2 tuổi"): each is an alternative, and one that fits is enough. Within an
alternative everything must fit. What a label does not say leaves the block open, and an open block stays (spec 03).
Words, tags and their relations are the ruleset's ``populations`` and ``routes`` tables.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import inf
from typing import Any

from duocthu_core.retrieval.bands import Band, BandReader, Selection, compare
from duocthu_core.retrieval.intervals import Interval
from duocthu_core.retrieval.routes import Route, Routes
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.phrases import PhraseMatcher
from duocthu_core.understanding.model import Question, ResolvedQuestion, Stated, StatedKind, patient_values

AGE_AXIS = "age"
_ADULT_FROM_MONTHS = 18 * 12
_ADULT_FROM_KG = 30
"""Below it a patient is taken for a child (populations table, notes of ``weight_examples``)."""
_CHOOSING: frozenset[StatedKind] = frozenset({"age", "weight", "gestational_age", "clcr"})
"""Values that choose bands; a height does not."""
_BY_BIRTH = frozenset({"tre_so_sinh_thieu_thang", "tre_so_sinh_du_thang"})
"""Groups that an age alone does not tell apart."""
Tag = str
_Reading = tuple[tuple[str, bool], ...]
"""Per phrase: (tag, whether the phrase means it; False where it only covers the words of another)."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """One patient that a label means: all of its tags and bands must fit."""

    tags: frozenset[Tag]
    bands: tuple[Band, ...]


@dataclass(frozen=True)
class Scope:
    """What one label says: its alternatives (none where it names no patient) and its routes."""

    alternatives: tuple[Alternative, ...] = ()
    routes: frozenset[Route] = frozenset()

    @cached_property
    def says_something(self) -> bool:
        """Whether the label limits its text to a patient or a route."""
        return bool(self.alternatives or self.routes)

    @cached_property
    def tags(self) -> frozenset[Tag]:
        """Every tag it names."""
        return frozenset(tag for alternative in self.alternatives for tag in alternative.tags)

    @cached_property
    def kinds(self) -> frozenset[StatedKind]:
        """The kinds of its bands."""
        return frozenset(band.kind for alternative in self.alternatives for band in alternative.bands)


@dataclass(frozen=True)
class Patient:
    """The patient of a question, as far as it says."""

    tags: frozenset[Tag] = frozenset()
    stated: tuple[Stated, ...] = ()
    age: tuple[Interval, ...] = ()
    """Ages the patient can have, in months: from the stated age, else from the population; empty where nothing is known."""
    age_is_stated: bool = False
    groups: frozenset[Tag] = frozenset()
    """Tags whose doses are not those of anyone else (suy_than, phu_nu_co_thai, …)."""

    @cached_property
    def is_child(self) -> bool:
        """Whether the patient is surely no adult: by age or group, else by a stated weight that no adult has."""
        if self.age:
            return all(age.high <= _ADULT_FROM_MONTHS for age in self.age)
        return any(value.kind == "weight" and value.high < _ADULT_FROM_KG for value in self.stated)

    @cached_property
    def is_described(self) -> bool:
        """Whether anything is known about the patient."""
        return bool(self.tags or self.stated)


class ScopeReader:
    """Reads labels and questions with the words of one ruleset. Thread-safe; what was read is remembered."""

    def __init__(self, ruleset: Ruleset) -> None:
        self._table: Mapping[str, Any] = ruleset.tables["populations"]
        self.tag_table: Mapping[str, Any] = self._table["tags"]
        self.bands = BandReader(ruleset)
        self._populations = PhraseMatcher(_population_phrases(self.tag_table))
        self.routes = Routes(ruleset)
        self._inside: dict[Tag, Tag] = {row["in"]: row["of"] for row in self._table["inside"]}
        self._incompatible = frozenset(frozenset(pair) for pair in self._table["incompatible"])
        self._apart = frozenset(frozenset(pair) for pair in self._table["not_interchangeable"])
        self._ages = _ages_of_tags(self._table["age_to_tag"], self._table["bands"]["age_units"], self._inside)
        joiners = frozenset(self._table["bands"]["label_joiners"])
        self._joiner = re.compile("|".join(_joiner_pattern(joiner) for joiner in sorted(joiners)), re.IGNORECASE)
        self._bounds = PhraseMatcher(dict.fromkeys(_bounds_with_joiner(ruleset.tables["comparators"]["bounds"], joiners), True))
        self._groups = frozenset(ruleset.tables["sections"]["retrieval"]["groups"])
        self.read = lru_cache(maxsize=32_768)(self._read)

    # --- labels -----------------------------------------------------------------------------------------------------------------

    def _read(self, label: str, about_patients: bool = False) -> Scope:
        """What ``label`` (one line) says. ``about_patients``: a label above it names a group of some age."""
        routes = self.routes.named_in(label)
        pieces = [piece for joined in self._parts(label) for piece in self._comma_parts(joined)]
        of_people = about_patients or any(self._on_age_axis(self.tags_in(piece)) for piece in pieces)
        read = (Alternative(self.tags_in(piece), self.bands.read(piece, of_people)) for piece in pieces)
        alternatives = tuple(self._with_measured_tag(part) for part in read if part.tags or part.bands)
        return Scope(alternatives, routes)

    def tags_in(self, text: str) -> frozenset[Tag]:
        """Population tags that ``text`` names; of an outer and an inner group ("trẻ em", "sơ sinh") only the inner."""
        found = {tag for hit in self._populations.find(text) for tag, means in hit.value if means}
        return frozenset(found - {outer for tag in found for outer in self.outer_tags(tag)})

    def outer_tags(self, tag: Tag) -> tuple[Tag, ...]:
        """The groups that ``tag`` lies in, nearest first."""
        outer: list[Tag] = []
        while (tag := self._inside.get(tag, "")) and tag not in outer:
            outer.append(tag)
        return tuple(outer)

    def _parts(self, label: str) -> list[str]:
        """The label parted at its joiners, where two sides or more name somebody; "hoặc lớn hơn" is a bound and parts nothing."""
        bounds = [hit.span for hit in self._bounds.find(label)]
        parts: list[str] = []
        begin = 0
        for joiner in self._joiner.finditer(label):
            if not any(bound.start <= joiner.start() < bound.end for bound in bounds):
                parts.append(label[begin : joiner.start()].strip())
                begin = joiner.end()
        parts.append(label[begin:].strip())
        named = [part for part in parts if part and (self.tags_in(part) or self.bands.read(part))]
        return named if len(named) > 1 else [label]

    def _comma_parts(self, part: str) -> list[str]:
        """A comma parts patients only where both sides name a group of one axis ("phụ nữ có thai, cho con bú"); else it adds conditions."""
        pieces: list[str] = []
        axes: set[str] = set()
        for piece in re.split(r",\s", part):
            found = {self._axis(tag) for tag in self.tags_in(piece)}
            if pieces and not found & axes:
                pieces[-1] = f"{pieces[-1]}, {piece}"
                axes |= found
            else:
                pieces.append(piece)
                axes = found
        return pieces

    def _with_measured_tag(self, alternative: Alternative) -> Alternative:
        """A clearance band below normal speaks of renal impairment though it names no group."""
        if not any(band.kind == "clcr" for band in alternative.bands) or alternative.tags & {"suy_than", "loc_mau", "than_binh_thuong"}:
            return alternative
        return Alternative(alternative.tags | {"suy_than"}, alternative.bands)

    def _axis(self, tag: Tag) -> str:
        return self.tag_table[tag]["axis"]

    def _on_age_axis(self, tags: Iterable[Tag]) -> bool:
        return any(self._axis(tag) == AGE_AXIS for tag in tags)

    # --- the patient ------------------------------------------------------------------------------------------------------------

    def patients(self, question: Question, resolved: ResolvedQuestion) -> tuple[Patient, ...]:
        """Whom the question is about: one patient, or one for each group where several are asked about ("người lớn và trẻ em")."""
        asked = [tag for tag in question.populations if tag in self.tag_table]
        values = patient_values(question, resolved)
        if question.population is None and resolved.population is None and len(asked) > 1:
            return tuple(self._patient({tag}, self._values_of(values, tag)) for tag in asked)
        named = {tag for tag in (*asked, question.population, resolved.population) if tag is not None and tag in self.tag_table}
        return (self._patient(named, values),)

    def _patient(self, named: set[Tag], values: Iterable[Stated]) -> Patient:
        # A single doubtful value (a weight at birth) chooses nothing; a doubtful range holds both its readings.
        stated = [value for value in values if value.kind in _CHOOSING and not (value.unsure and value.low == value.high)]
        tags = set(named)
        ages = [self.bands.stated_interval(value) for value in stated if value.kind == "age"]
        if any(value.kind == "clcr" and value.low < self.bands.normal_clearance_from for value in stated):
            tags.add("suy_than")
        age_tags = {tag for tag in tags if self._axis(tag) == AGE_AXIS}
        if ages:
            tags = (tags - age_tags) | {tag for age in ages for tag in self._tags_of_age(age)} | (age_tags & _BY_BIRTH)
        elif age_tags:
            ages = [self._older_than_newborn(self._ages[tag], tag, stated) for tag in age_tags if tag in self._ages]
        groups = frozenset(tag for tag in tags if tag in self._groups)
        is_stated = any(value.kind == "age" for value in stated)
        return Patient(frozenset(tags), tuple(stated), tuple(ages), is_stated, groups)

    def _values_of(self, values: Iterable[Stated], tag: Tag) -> list[Stated]:
        """Of several groups ("bé 7 tuổi và người lớn"), the values that may be this one's: an age that fits."""
        own = self._ages.get(tag)
        return [
            value
            for value in values
            if value.kind != "age" or own is None or not own.disjoint(self.bands.stated_interval(value), self.bands.tolerance("age"))
        ]

    def _older_than_newborn(self, ages: Interval, tag: Tag, stated: Iterable[Stated]) -> Interval:
        """A child heavier than any newborn is older than one."""
        newborn = self._ages["tre_so_sinh"]
        heavy = any(value.kind == "weight" and value.low >= self._table["bands"]["newborn_below_kg"] for value in stated)
        return ages._replace(low=newborn.high, low_open=True) if tag == "tre_em" and heavy else ages

    def _tags_of_age(self, age: Interval) -> set[Tag]:
        tolerance = self.bands.tolerance("age")
        fitting = (tag for tag, ages in self._ages.items() if not ages.disjoint(age, tolerance))
        return {tag for tag in fitting if tag not in _BY_BIRTH}

    # --- fitting ----------------------------------------------------------------------------------------------------------------

    def selects(self, scope: Scope, patient: Patient) -> Selection:
        """Whether a label speaks of the patient; ``unknown`` where it does not say or the question does not."""
        if not scope.alternatives or not patient.is_described:
            return "unknown"
        found = {self._alternative_selects(alternative, patient) for alternative in scope.alternatives}
        return "inside" if "inside" in found else "unknown" if "unknown" in found else "outside"

    def _alternative_selects(self, alternative: Alternative, patient: Patient) -> Selection:
        verdicts: list[Selection] = [self._age_selects(alternative, patient), *self._band_verdicts(alternative, patient)]
        own = [tag for tag in alternative.tags if not (patient.age and self._axis(tag) == AGE_AXIS)]
        if any(self.are_incompatible(tag, of_patient) for tag in alternative.tags for of_patient in self._fixed_tags(patient)):
            return "outside"
        for tag in own:
            verdicts.append("inside" if self.includes(tag, patient.tags) else "unknown")
        if "outside" in verdicts:
            return "outside"
        return "inside" if "inside" in verdicts and "unknown" not in verdicts else "unknown"

    def is_wider(self, scope: Scope, governing: Iterable[Scope]) -> bool:
        """Whether a label without a band only says again, less closely, what a band in force says ("Trẻ …" under "2 - 3 tháng tuổi:")."""
        in_force = [band for above in governing for alternative in above.alternatives for band in alternative.bands]
        if scope.kinds or not in_force:
            return False
        ages = [self._ages[tag] for tag in scope.tags if tag in self._ages]
        named = {tag for above in governing for tag in above.tags}
        if any(self.are_incompatible(tag, other) for tag in scope.tags for other in named):
            return False
        banded = [band.interval for band in in_force if band.kind == "age"]
        return bool(ages) and all(any(compare(age, band, self.bands.tolerance("age")) == "inside" for age in ages) for band in banded)

    def _fixed_tags(self, patient: Patient) -> frozenset[Tag]:
        """Tags that exclude others by themselves; where an age was stated, ages are compared and not the words for them."""
        if not patient.age_is_stated:
            return patient.tags
        return frozenset(tag for tag in patient.tags if self._axis(tag) != AGE_AXIS or tag in _BY_BIRTH)

    def _age_selects(self, alternative: Alternative, patient: Patient) -> Selection:
        of_tags = [self._ages[tag] for tag in alternative.tags if tag in self._ages]
        ages = [_within(band.interval, of_tags) for band in alternative.bands if band.kind == "age"] or of_tags
        if not ages:
            return "inside"
        if not patient.age:
            return "unknown"
        found = {compare(label, own, self.bands.tolerance("age")) for label in ages for own in patient.age}
        return "inside" if "inside" in found else "unknown" if "unknown" in found else "outside"

    def _band_verdicts(self, alternative: Alternative, patient: Patient) -> list[Selection]:
        by_kind: dict[StatedKind, list[Band]] = defaultdict(list)
        for band in alternative.bands:
            if band.kind != "age":
                by_kind[band.kind].append(band)
        verdicts: list[Selection] = []
        for kind, bands in by_kind.items():
            found = {self.bands.selects(band, value) for band in bands for value in patient.stated if value.kind == kind}
            verdicts.append("inside" if "inside" in found else "outside" if found == {"outside"} else "unknown")
        return verdicts

    def are_incompatible(self, tag: Tag, other: Tag) -> bool:
        """Whether one patient cannot be both, by the table or because the groups they lie in cannot."""
        ours, theirs = (tag, *self.outer_tags(tag)), (other, *self.outer_tags(other))
        return any(frozenset((one, two)) in self._incompatible for one in ours for two in theirs)

    def is_apart(self, tag: Tag, other: Tag) -> bool:
        """Whether a figure for one group is no figure for the other."""
        ours, theirs = (tag, *self.outer_tags(tag)), (other, *self.outer_tags(other))
        pairs = (frozenset((one, two)) for one in ours for two in theirs)
        return any(pair in self._apart for pair in pairs) or self.are_incompatible(tag, other)

    def includes(self, tag: Tag, of_patient: Iterable[Tag]) -> bool:
        """Whether the patient belongs to the group ``tag``: names it or one inside it."""
        return any(tag == own or tag in self.outer_tags(own) for own in of_patient)

    def is_related(self, tag: Tag, of_patient: Iterable[Tag]) -> bool:
        """Whether ``tag`` is the patient's group, one around it or one inside it."""
        return any(tag == own or tag in self.outer_tags(own) or own in self.outer_tags(tag) for own in of_patient)


def _joiner_pattern(joiner: str) -> str:
    """A joining word stands alone; a slash joins unless it belongs to a unit (ml/phút)."""
    if joiner == "/":
        return r"/(?!\s?(?:phút|kg|ngày|lần|giờ|ml|m2|[0-9]))"
    if not joiner[0].isalpha():
        return re.escape(joiner)
    return rf"(?<!\w){re.escape(joiner)}(?!\w)"


def _bounds_with_joiner(bounds: Mapping[str, Any], joiners: frozenset[str]) -> list[str]:
    phrases = (phrase for entry in bounds.values() for place in ("before", "after") for phrase in entry.get(place, ()))
    return [phrase for phrase in phrases if joiners & set(phrase.split())]


def _population_phrases(tags: Mapping[str, Any]) -> dict[str, _Reading]:
    readings: dict[str, dict[str, bool]] = defaultdict(dict)
    for tag, entry in tags.items():
        keeps = set(entry.get("negated_keeps_tag", ()))
        covering = [phrase for phrase in [*entry.get("not_trigger", ()), *entry.get("negated", ())] if phrase not in keeps]
        meaning = [*entry["phrases"], *keeps, *(short for short, how in entry.get("abbreviations", {}).items() if how == "sure")]
        for phrase in covering:
            readings[phrase.lower()].setdefault(tag, False)
        for phrase in meaning:
            readings[phrase.lower()][tag] = True
    return {phrase: tuple(sorted(reading.items())) for phrase, reading in readings.items()}


def _ages_of_tags(rows: Iterable[Mapping[str, str]], units: Mapping[str, float], inside: Mapping[Tag, Tag]) -> dict[Tag, Interval]:
    """Ages in months that each tag of the age axis can have, from ``age_to_tag``; a group has the ages of the groups inside it."""

    def months(written: str) -> float:
        number, unit = written.split()
        return float(number) * units[unit]

    spans: dict[Tag, list[Interval]] = defaultdict(list)
    for row in rows:
        high = months(row["below"]) if "below" in row else months(row["to"]) if "to" in row else inf
        interval = Interval(months(row["from"]), high, high_open="below" in row)
        for tag in (row.get("tag"), row.get("also")):
            if tag:
                spans[tag].append(interval)
    for inner, outer in inside.items():
        if inner in spans:
            spans[outer] += spans[inner]
        elif outer in spans:
            spans[inner] += spans[outer]
    return {tag: _hull(found) for tag, found in spans.items()}


def _within(band: Interval, of_tags: list[Interval]) -> Interval:
    """A band without an upper end goes no further than its group ("Trẻ em từ 1 tuổi trở lên" ends where childhood does), and so below."""
    if not of_tags:
        return band
    group = _hull(of_tags)
    if band.high == inf:
        band = band._replace(high=group.high, high_open=group.high_open)
    return band._replace(low=group.low, low_open=group.low_open) if band.low == -inf else band


def _hull(intervals: list[Interval]) -> Interval:
    low = min(intervals, key=lambda one: (one.low, one.low_open))
    high = max(intervals, key=lambda one: (one.high, not one.high_open))
    return Interval(low.low, high.high, low.low_open, high.high_open)
