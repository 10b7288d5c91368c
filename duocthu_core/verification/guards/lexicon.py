"""The rule tables in the form the guards read with: one pass over a text finds every word of every table."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from duocthu_core.text.folding import fold
from duocthu_core.verification.guards.words import GuardWords, key

BODY_UNITS = frozenset({"kg", "m2", "ml", "lit", "dl", "g", "mm3", "ong", "vien", "goi", "lo"})
TIME_UNITS = frozenset({"ngay", "gio", "phut", "giay", "tuan", "thang", "nam", "lan", "lieu"})
BARE_INTRAVENOUS = "tinh_mach"
"""Vein without a verb: injection or infusion (routes.yaml, note of tiem_tinh_mach)."""
_BASE_KINDS = frozenset(
    {
        "mass",
        "weight",
        "volume",
        "percent",
        "biological",
        "amount",
        "time",
        "count_form",
        "count",
        "temperature",
        "pressure",
        "length",
        "area",
    }
)
# A dose: what may not be taken from one item and stated for another.
DOSE_SHARE = "dose_share"
DOSE_KINDS = frozenset({"mass", "volume", "biological", "amount", "count_form", DOSE_SHARE})
_PHRASE_MAX_WORDS = 12
_REFERENCE_WITHIN = 5
_NEAR = 3
_DOSE = "liều"
_PAIR = 2
_SIDES = {"upper_inclusive": "max", "upper_strict": "lt", "lower_inclusive": "min", "lower_strict": "gt"}


class Hit(NamedTuple):
    """Words ``start:end`` of a text are a phrase of one table; ``value`` is what the table says of it."""

    start: int
    end: int
    value: str


class _Entry(NamedTuple):
    words: tuple[str, ...]
    category: str
    value: str


@dataclass
class Lexicon(GuardWords):
    """Every table of one ruleset, compiled."""

    _entries: dict[str, list[_Entry]] = field(default_factory=dict)
    _by_second: dict[str, dict[str, list[_Entry]]] = field(default_factory=dict)
    """First word -> second word -> entries, longest first; "" for those of one word."""
    _near: dict[str, frozenset[str]] = field(default_factory=dict)
    """Route -> the words beside which its ambiguous short form means it."""

    def __post_init__(self) -> None:
        tables = self.ruleset.tables
        self._add_bounds(tables["comparators"])
        self._add_tagged("population", tables["populations"]["tags"])
        self._add_tagged("route", tables["routes"]["routes"])
        self._add_negations(tables["negations"])
        self._add_wording(tables["safety"])
        for tier, entry in tables["frequency"]["tiers"].items():
            self._add("tier", entry["names"] + entry.get("ocr", []), tier)
        for phrase in tables["populations"]["tags"]["suy_than"]["measured"]:
            self._add("measured", [phrase], "clcr")
        for entry in tables["number_words"]["multiples"]:
            self._add("multiple", entry["words"], entry["equals"])
        guards = tables["guards"]
        for category in ("severity", "roles", "day_parts"):
            for value, phrases in guards[category].items():
                self._add(category, phrases, value)
        for kind, things in guards["things"].items():
            for name, phrases in things.items():
                self._add("thing", phrases, f"{kind}/{name}")
        self._add("thing_not", guards["no_things"], "*")
        self._add("route_not", guards["no_routes"], "*")
        self._add("distributive", guards["distributive_words"], "*")
        self._add("severity_not", guards["severity_not"], "*")
        self._add("day_parts_not", guards["day_parts_not"], "*")
        for entries in self._entries.values():
            entries.sort(key=lambda entry: -len(entry.words))
        for first, entries in self._entries.items():
            seconds = self._by_second.setdefault(first, {})
            for entry in entries:
                seconds.setdefault(entry.words[1] if len(entry.words) > 1 else "", []).append(entry)

    def _add(self, category: str, phrases: Iterable[str], value: str) -> None:
        for phrase in phrases:
            words = key(str(phrase))
            if words:
                self._entries.setdefault(words[0], []).append(_Entry(words, category, value))

    def _add_tagged(self, category: str, tags: dict[str, Any]) -> None:
        for tag, entry in tags.items():
            bare = [phrase for phrase in entry["phrases"] if tag == "tiem_tinh_mach" and not {"tiêm", "chích"} & set(phrase.split())]
            self._add(category, [phrase for phrase in entry["phrases"] if phrase not in bare], tag)
            self._add(category, bare, BARE_INTRAVENOUS)
            sure = [word for word, meaning in (entry.get("abbreviations") or {}).items() if "sure" in str(meaning).split(":")[-1]]
            self._add(category, sure, tag)
            for word, context in (entry.get("abbreviation_context") or {}).items():
                if category == "route" and "near" in context:  # "(bắp, tĩnh mạch trong 1 phút)"
                    self._add("route_near", [word], tag)
                    self._near[tag] = frozenset(key(near)[0] for near in context["near"])
            masks = [*entry.get("not_trigger", []), *entry.get("negated", [])]
            self._add(f"{category}_not", masks, tag)
            if bare:
                self._add(f"{category}_not", masks, BARE_INTRAVENOUS)

    @cached_property
    def route_words(self) -> frozenset[str]:
        """Every single word of the routes."""
        found = (entry.words for entries in self._entries.values() for entry in entries if entry.category == "route")
        return frozenset(word for words in found for word in words)

    @cached_property
    def bound_words(self) -> frozenset[str]:
        """Every single word of the bounds: they tell one limit from another, never one statement from another."""
        found = (entry.words for entries in self._entries.values() for entry in entries if entry.category in ("bound", "bound_after"))
        return frozenset(word for words in found for word in words)

    def _add_bounds(self, table: dict[str, Any]) -> None:
        for name, side in _SIDES.items():
            bound = table["bounds"][name]
            self._add("bound", bound["before"], side)
            self._add("bound", [sign for sign in bound["signs"] if "&" not in sign], side)
            self._add("bound_after", bound.get("after", []), side)
        for phrases in table["not_bound"].values():
            self._add("bound_not", phrases, "*")

    def _add_negations(self, table: dict[str, Any]) -> None:
        for name in ("forbid", "advise_against", "stop", "deny"):
            weak = set(table["cues"][name].get("weak", []))
            self._add("rarely", table["cues"][name].get("rare", []), name)
            self._add("negation", [phrase for phrase in table["cues"][name]["phrases"] if phrase not in weak], name)
        self._add("limit", table["cues"]["limit"]["phrases"], "limit")
        for friend in table["false_friends"]:
            if not friend.get("negates") and not friend.get("turns_round"):
                self._add("negation_not", [friend["phrase"]], "*")
        self._add("scope_end", table["scope_enders"], "*")
        self._add("exception", table["exceptions"], "*")

    def _add_wording(self, table: dict[str, Any]) -> None:
        self._add("ranking", table["ranking"]["strong"], "strong")
        self._add("ranking_not", [entry["text"] for entry in table["ranking"]["not_ranking"]], "*")
        self._add("safety", table["false_safety"]["phrases"], "safety")
        self._add("safety", _written_out(table["false_safety"]["patterns"]), "safety")
        for number, weakening in enumerate(table["false_safety"]["weakenings"]):
            self._add("weakened_from", [weakening["from"]], str(number))
            self._add("weakened_to", [weakening["to"]], str(number))
        self._add("safety_not", [entry["text"] for entry in table["false_safety"]["not_false_safety"]], "*")

    def find(self, words: list[str]) -> dict[str, list[Hit]]:
        """Every hit in ``words`` by category; within one category the leftmost longest, none overlapping; cancelled ones left out."""
        found: dict[str, list[Hit]] = {}
        free_from: dict[str, int] = {}
        by_second = self._by_second
        for position, word in enumerate(words):
            seconds = by_second.get(word)
            if seconds is None:
                continue
            longer = seconds.get(words[position + 1], ()) if position + 1 < len(words) else ()
            for entry in (*longer, *seconds.get("", ())):
                length = len(entry.words)
                if length > _PAIR and tuple(words[position : position + length]) != entry.words:
                    continue
                category = entry.category
                if not category.endswith("_not"):
                    if free_from.get(category, 0) > position:
                        continue
                    free_from[category] = position + length
                found.setdefault(category, []).append(Hit(position, position + length, entry.value))
        if "route_near" in found:
            self._take_near_routes(found, words)
        for category in [name for name in found if f"{name}_not" in found]:
            masks: dict[int, list[Hit]] = {}
            for mask in found[f"{category}_not"]:
                masks.setdefault(mask.start, []).append(mask)
            found[category] = [hit for hit in found[category] if not _is_cancelled(hit, masks)]
        if "population" in found:
            found["population"] = [hit for hit in found["population"] if not self._is_reference(hit, words)]
            found["population"] += [more for hit in found["population"] if (more := self._elliptic(hit, words)) is not None]
            found["population"].sort()
        return found

    def _take_near_routes(self, found: dict[str, list[Hit]], words: list[str]) -> None:
        taken = {place for hit in found.get("route", ()) for place in range(hit.start, hit.end)}
        for hit in found.pop("route_near"):
            around = words[max(0, hit.start - _NEAR) : hit.end + _NEAR]
            labelling = words[hit.end : hit.end + 1] == [":"] or words[max(0, hit.start - 1) : hit.start] == [":"]
            if hit.start not in taken and (labelling or self._near[hit.value] & set(around)):
                found.setdefault("route", []).append(hit)
        if "route" in found:
            found["route"].sort()

    def _elliptic(self, hit: Hit, words: list[str]) -> Hit | None:
        """ "suy gan hoặc thận": the second organ without its "suy"."""
        if hit.value not in self.organ_groups.values() or words[hit.end : hit.end + 1] not in (["hoặc"], ["và"], ["hay"], [","], ["/"]):
            return None
        value = self.organ_groups.get(words[hit.end + 1]) if hit.end + 1 < len(words) else None
        return Hit(hit.end + 1, hit.end + 2, value) if value is not None and value != hit.value else None

    @cached_property
    def organ_groups(self) -> dict[str, str]:
        """Organ -> the group of those whose organ fails."""
        return dict(self.ruleset.tables["guards"]["organ_groups"])

    def _is_reference(self, hit: Hit, words: list[str]) -> bool:
        """ "theo liều của người lớn", "như ở người lớn": the group whose dose is referred to is not the one spoken of."""
        place = hit.start - 1
        while place > max(0, hit.start - _REFERENCE_WITHIN) and words[place] in self.reference_fillers:
            place -= 1
        if place < 0 or words[place] not in self.reference_openers:
            return False
        return _DOSE in words[max(0, place - 1) : hit.start]  # "nhóm như trẻ em" names one

    @cached_property
    def units(self) -> dict[str, list[tuple[tuple[str, ...], str]]]:
        """First word -> (words, key) of the simple units, longest first; units with "/" are read part by part."""
        by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for unit, entry in self.ruleset.tables["units"]["units"].items():
            if entry["kind"] not in _BASE_KINDS:
                continue
            for alias in entry["aliases"]:
                words = key(alias)
                if "/" not in words and words:
                    by_first.setdefault(words[0], []).append((words, unit))
        for entries in by_first.values():
            entries.sort(key=lambda entry: -len(entry[0]))
        return by_first

    @cached_property
    def unit_words(self) -> frozenset[str]:
        """Every word of a unit's writings."""
        units = self.ruleset.tables["units"]["units"].values()
        return frozenset(word for entry in units for alias in entry["aliases"] for word in key(alias))

    @cached_property
    def unit_kinds(self) -> dict[str, str]:
        """Unit key -> kind."""
        return {unit: entry["kind"] for unit, entry in self.ruleset.tables["units"]["units"].items()}

    @cached_property
    def unit_writings(self) -> dict[str, str]:
        """Unit key -> its first writing, for what is shown."""
        return {unit: str(entry["aliases"][0]) for unit, entry in self.ruleset.tables["units"]["units"].items()}

    @cached_property
    def number_words(self) -> dict[str, list[tuple[tuple[str, ...], str]]]:
        """First word -> (words, figure) of cardinals and halves, longest first."""
        table = self.ruleset.tables["number_words"]
        by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for entry in [*table["cardinals"], *table["fractions"]]:
            if entry["equals"].startswith("+") or entry["equals"] == "0":
                continue
            for phrase in entry["words"]:
                words = key(phrase)
                by_first.setdefault(words[0], []).append((words, entry["equals"]))
        for phrase in table["vague_counts"]:  # "vài tuần" is no "vài tháng"
            words = key(phrase)
            by_first.setdefault(words[0], []).append((words, table["vague_counts"][0]))
        for entries in by_first.values():
            entries.sort(key=lambda entry: -len(entry[0]))
        return by_first

    @cached_property
    def roman(self) -> dict[str, str]:
        """Folded Roman numeral -> figure."""
        return {fold(numeral): figure for numeral, figure in self.ruleset.tables["number_words"]["roman"]["values"].items()}

    @cached_property
    def grade_words(self) -> frozenset[str]:
        """Last words of what a Roman grade may follow."""
        return frozenset(key(word)[-1] for word in self.ruleset.tables["number_words"]["roman"]["grade_words"])

    @cached_property
    def parents(self) -> dict[str, str]:
        """Inner population -> the outer one it lies in."""
        return {entry["in"]: entry["of"] for entry in self.ruleset.tables["populations"]["inside"]}

    @cached_property
    def population_axes(self) -> dict[str, str]:
        """Population -> what it is a matter of: age, renal, hepatic, reproductive, sex."""
        return {tag: entry["axis"] for tag, entry in self.ruleset.tables["populations"]["tags"].items()}

    @cached_property
    def population_conflicts(self) -> frozenset[tuple[str, str]]:
        """Pairs whose figures may not be exchanged, both ways round."""
        table = self.ruleset.tables["populations"]
        pairs = [tuple(pair) for pair in [*table["incompatible"], *table["not_interchangeable"]]]
        return frozenset([(a, b) for a, b in pairs] + [(b, a) for a, b in pairs])

    @cached_property
    def route_specials(self) -> dict[str, frozenset[str]]:
        """General route -> the special ones it may stand for."""
        return {entry["general"]: frozenset(entry["special"]) for entry in self.ruleset.tables["routes"]["general_words"]}

    @cached_property
    def intravenous(self) -> frozenset[str]:
        """Routes of the intravenous family."""
        return frozenset(name for name, entry in self.ruleset.tables["routes"]["routes"].items() if entry["family"] == "intravenous")


def _written_out(patterns: Iterable[list[list[str]]]) -> Iterable[str]:
    """Each phrase that a pattern allows: one word group of each of its places, "" for none."""
    for pattern in patterns:
        for chosen in itertools.product(*pattern):
            yield " ".join(filter(None, chosen))


def _is_cancelled(hit: Hit, masks: dict[int, list[Hit]]) -> bool:
    return any(
        hit.end <= mask.end and mask.value in ("*", hit.value)
        for start in range(hit.start - _PHRASE_MAX_WORDS, hit.start + 1)
        for mask in masks.get(start, ())
    )
