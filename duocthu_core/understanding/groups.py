"""Patient groups and routes in a question (tables ``populations`` and ``routes``; spec 02 "Phrase tables", 03 "Understanding")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from duocthu_core.text.folding import fold, strip_marks
from duocthu_core.understanding.lexicon import Hit, Lexicon, TextWords, uncancelled
from duocthu_core.understanding.model import Stated
from duocthu_core.understanding.stated import DAYS_PER_MONTH, MONTHS_PER_YEAR, OLDEST_MONTHS
from duocthu_core.understanding.syllables import is_vietnamese_syllable

_NEAR_WORDS = 3
_CHILD_WEIGHT_KG = 30.0
_AGE_UNITS_MONTHS = {"ngày": 1 / DAYS_PER_MONTH, "tháng": 1.0, "tuổi": MONTHS_PER_YEAR}


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of a question: ``tags`` all of them, ``tag`` the one that decides, or None where several are asked about."""

    tags: tuple[str, ...] = ()
    tag: str | None = None
    hits: tuple[Hit, ...] = ()


class PopulationReader:
    """Reads groups from phrases and from stated values. Compiled once from the table."""

    def __init__(self, table: Mapping[str, Any], lexicon: Lexicon) -> None:
        self._tags: Mapping[str, Any] = table["tags"]
        for tag, entry in self._tags.items():
            _add_with_cancels(lexicon, "population", tag, entry, kept=entry.get("negated_keeps_tag", ()))
        self._contexts = {tag: entry.get("abbreviation_context", {}) for tag, entry in self._tags.items()}
        self._outer = {entry["in"]: entry["of"] for entry in table["inside"]}
        self._incompatible = {frozenset(pair) for pair in table["incompatible"]}
        self._priority = [str(axis) for axis in table["question_priority"]]
        self._ages = [_AgeBand.of(entry) for entry in table["age_to_tag"]]
        self._adolescence = min(_months(entry["from"]) for entry in table["age_to_tag"] if "tag" not in entry)
        self._joiners = {fold(str(word)) for word in table["stated_context"]["group_joiners"]}
        self._child_words = {fold(str(word)) for word in table["stated_context"]["child_words"]}
        self._normal_clearance = float(table["bands"]["normal_clearance_from"])

    def read(self, text: TextWords, found: Mapping[str, Sequence[Hit]], stated: Sequence[Stated]) -> Groups:
        """The groups that ``text`` names or that its stated values give."""
        hits = [hit for hit in _uncancelled(found, "population") if hit.entry.table == "population" and self._abbreviation_fits(text, hit)]
        hits = _without_covered(hits)
        named = list(dict.fromkeys(hit.value for hit in hits))
        given = [tag for value in stated if (tag := self._tag_of(text, value, named)) is not None]
        tags = tuple(dict.fromkeys([*named, *given]))
        return Groups(tags, self._deciding(text, tags, hits), tuple(hits))

    def tag_of_age(self, low: float, high: float) -> str | None:
        """The group of an age in months, or of a range of ages where all of it is one group; None where it may be child or adult."""
        if high >= OLDEST_MONTHS and low < self._adolescence:
            high = self._adolescence
        if low == high:
            tags = {band.tag for band in self._ages if band.tag and band.low <= low < band.high}
        else:
            tags = {band.tag for band in self._ages if band.tag and band.low < high and low < band.high}
            tags -= {inner for inner in tags if self._outer.get(inner) in tags}
        return tags.pop() if len(tags) == 1 else None

    def _tag_of(self, text: TextWords, stated: Stated, named: Sequence[str]) -> str | None:
        if stated.kind == "age":
            return self.tag_of_age(stated.low, stated.high)
        if stated.kind == "clcr":
            return "suy_than" if stated.low < self._normal_clearance else "than_binh_thuong"
        if stated.kind == "gestational_age":
            newborn = any(tag.startswith("tre_so_sinh") for tag in named)
            return "tre_so_sinh" if newborn else "phu_nu_co_thai" if self._speaks_of_pregnancy(stated) else None
        if stated.kind == "weight" and stated.high < _CHILD_WEIGHT_KG:
            near = [word for word in text.words if stated.span.start - 24 <= word.span.start <= stated.span.end + 16]
            return "tre_em" if any(word.folded in self._child_words for word in near) else None
        return None

    @staticmethod
    def _speaks_of_pregnancy(stated: Stated) -> bool:
        words = strip_marks(fold(stated.text))
        return "thai" in words or "bau" in words

    def _deciding(self, text: TextWords, tags: tuple[str, ...], hits: Sequence[Hit]) -> str | None:
        """One group where the question is about one patient: the finer of nested ones, else by axis; None where it asks about several."""
        if len(tags) < 2:
            return tags[0] if tags else None
        if self._mother_and_child(tags):
            return "phu_nu_cho_con_bu"
        joined = {frozenset((one.value, two.value)) for one, two in pairwise(hits) if self._are_joined(text, one, two)}
        if any(len(pair) == 2 for pair in joined):
            return None
        inner = [tag for tag in tags if not any(self._is_inside(other, tag) for other in tags)]
        if any(frozenset((one, two)) in self._incompatible for one in inner for two in inner if one != two):
            return None
        return min(inner, key=lambda tag: (self._priority.index(self._tags[tag]["axis"]), tags.index(tag)))

    @staticmethod
    def _mother_and_child(tags: Iterable[str]) -> bool:
        """A nursing mother who names her child: the mother asks for herself ("đang cho con bú, bé 2 tháng")."""
        found = set(tags)
        return "phu_nu_cho_con_bu" in found and any(tag.startswith("tre_") for tag in found) and not found & {"phu_nu_co_thai"}

    def _are_joined(self, text: TextWords, one: Hit, two: Hit) -> bool:
        between = [word.folded for word in text.words[one.last : two.first]]
        return 0 < len(between) <= 2 and any(word in self._joiners for word in between)

    def _is_inside(self, inner: str, outer: str) -> bool:
        parent = self._outer.get(inner)
        return parent is not None and (parent == outer or self._is_inside(parent, outer))

    def _abbreviation_fits(self, text: TextWords, hit: Hit) -> bool:
        return _context_fits(text, hit, _context_of(self._contexts, hit))


class RouteReader:
    """Reads routes from phrases. Compiled once from the table."""

    def __init__(self, table: Mapping[str, Any], lexicon: Lexicon) -> None:
        for route, entry in table["routes"].items():
            _add_with_cancels(lexicon, "route", route, entry)
        self._contexts = {route: entry.get("abbreviation_context", {}) for route, entry in table["routes"].items()}
        self._special_of = {entry["general"]: set(entry["special"]) for entry in table["general_words"]}

    def read(self, text: TextWords, found: Mapping[str, Sequence[Hit]]) -> Groups:
        """The routes that ``text`` names; ``tag`` is None where it names two ("uống hay tiêm")."""
        hits = [hit for hit in _uncancelled(found, "route") if _context_fits(text, hit, _context_of(self._contexts, hit))]
        hits = _without_covered(hits)
        named = {hit.value for hit in hits}
        general = {route for route, special in self._special_of.items() if route in named and named & special}
        hits = [hit for hit in hits if hit.value not in general]
        tags = tuple(dict.fromkeys(hit.value for hit in hits))
        return Groups(tags, tags[0] if len(tags) == 1 else None, tuple(hits))


@dataclass(frozen=True, slots=True)
class _AgeBand:
    tag: str | None
    low: float
    high: float

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> _AgeBand:
        """A row of ``age_to_tag`` in months; "to" includes its day, "below" does not."""
        high = _months(entry["below"]) if "below" in entry else OLDEST_MONTHS * 2
        if "to" in entry:
            high = _months(entry["to"]) + _AGE_UNITS_MONTHS["ngày"]
        return cls(entry.get("tag"), _months(entry["from"]), high)


def _months(words: str) -> float:
    number, unit = str(words).split()
    return float(number) * _AGE_UNITS_MONTHS[unit]


def _add_with_cancels(lexicon: Lexicon, table: str, value: str, entry: Mapping[str, Any], kept: Iterable[str] = ()) -> None:
    """Phrases, sure short forms, and the phrases that cancel hits of this value only."""
    lexicon.add(table, value, entry["phrases"], entry.get("accentless", ()))
    contextual = entry.get("abbreviation_context", {})
    for short, how in entry.get("abbreviations", {}).items():
        if str(how).endswith("sure") or short in contextual:
            exact = short.replace(".", "").replace("-", "").isupper()
            lexicon.add(table, value, [short], case_sensitive=exact)
            if exact and not is_vietnamese_syllable(short):
                lexicon.add(table, value, [short.lower()])
    cancels = [phrase for phrase in (*entry.get("negated", ()), *entry.get("not_trigger", ())) if phrase not in set(kept)]
    lexicon.add(f"{table}:not:{value}", value, cancels)


def _uncancelled(found: Mapping[str, Sequence[Hit]], table: str) -> list[Hit]:
    hits: list[Hit] = []
    by_value: dict[str, list[Hit]] = {}
    for hit in found.get(table, ()):
        by_value.setdefault(hit.value, []).append(hit)
    for value, own in by_value.items():
        hits.extend(uncancelled(own, found.get(f"{table}:not:{value}", ())))
    return sorted(hits, key=lambda hit: (hit.first, -hit.last))


def _without_covered(hits: Sequence[Hit]) -> list[Hit]:
    """Hits that no longer hit covers ("người lớn" in "người lớn tuổi"); ``hits`` are in order of place, longer first."""
    kept: list[Hit] = []
    reach = -1
    for hit in hits:
        if hit.last <= reach and not any(hit.first == other.first and hit.last == other.last for other in kept[-2:]):
            continue
        kept.append(hit)
        reach = max(reach, hit.last)
    return kept


def _context_of(contexts: Mapping[str, Mapping[str, Any]], hit: Hit) -> Mapping[str, Any] | None:
    own = contexts.get(hit.value, {})
    return own.get(hit.entry.phrase) or own.get(hit.entry.phrase.upper())


def _context_fits(text: TextWords, hit: Hit, context: Mapping[str, Any] | None) -> bool:
    """Whether an ambiguous short form stands where it may be read as this value."""
    if context is None:
        return True
    before = [word.folded for word in text.words[max(0, hit.first - _NEAR_WORDS) : hit.first]]
    after = [word.folded for word in text.words[hit.last : hit.last + _NEAR_WORDS]]

    def listed(name: str) -> set[str]:
        return {fold(str(word)) for word in context.get(name, ())}

    if listed("not_after") & set(before[-1:]):
        return False
    wanted = [
        bool(listed("near") & {*before, *after}) if "near" in context else None,
        bool(listed("after") & set(before[-1:])) if "after" in context else None,
        bool(listed("before") & set(after[:1]) or ("number" in listed("before") and after and after[0][0].isdigit()))
        if "before" in context
        else None,
    ]
    known = [fits for fits in wanted if fits is not None]
    return any(known) if known else True
