"""Section headings as books and leaflets write them (spec 07: "headings vary"; ``sections.yaml``).

A heading is known as a whole line, in bold inside a line, or at the head of a line. A subheading of the section at hand wins over a
heading of another section: "Liều dùng" inside the dosage section opens nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from rapidfuzz.distance import Levenshtein

from duocthu_core.corpus.model import SECTION_KEYS
from duocthu_core.corpus.reading.passages import Passage
from duocthu_core.corpus.reading.rules import reading_words, table
from duocthu_core.text.folding import collapse_spaces, fold, strip_marks

_NUMBERING = re.compile(r"\A(?:(?:[0-9]{1,2}|[IVX]{1,5})(?:\.[0-9]{1,2}){0,3}(?:[.)]?[ \t]+|[.),][ \t]*(?=[^\W\d_]))|[-+•*.,;:][ \t]+)")
_OPTIONAL_ADR = re.compile(r"[ \t]*\(ADR\)\Z", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?;][\"”’»)]*\s*\Z")
_BEHIND_SENTENCE = re.compile(r"[.!?;][\"”’»)]*\s+(?=\S)")
_WORD = re.compile(r"[^\W_]+")
_LONGEST_HEADING = 90
_FUZZY_LENGTH = 8
_THIS_DRUG = "thuốc này"
_SLIPS = ((36, 3), (24, 2), (_FUZZY_LENGTH, 1))
"""(Length, slips of a scan): a heading of so many characters is known with so many of them wrong."""


class Heading(NamedTuple):
    """A heading found: the sections it opens (none for one that only ends the section before), and its characters in the source."""

    keys: tuple[str, ...]
    printed: str
    certain: bool = True
    """False where only its letters without marks agreed."""


class Piece(NamedTuple):
    """A stretch of a passage, and the heading in front of it."""

    heading: Heading | None
    passage: Passage | None


@dataclass(frozen=True, slots=True)
class HeadingTable:
    """Every heading, folded, with the sections it opens; compiled once."""

    exact: Mapping[str, tuple[str, ...]]
    bare: Mapping[str, tuple[str, ...]]
    subheadings: Mapping[str, frozenset[str]]
    inline: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]]
    """Folded headings that may open a line without markup, longest first, by their first word."""
    inline_always: frozenset[str]
    also_items: frozenset[str]
    """Headings whose words are also items of lists and labels in other sections."""
    inside: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]]
    """Those that may stand inside a paragraph, likewise."""

    def naming(self, drug_name: str) -> HeadingTable:
        """The same, where headings may name the drug in place of "thuốc này": "Zusbrone là thuốc gì"."""
        name = _name(drug_name)
        spoken = {known.replace(_THIS_DRUG, name): keys for known, keys in self.exact.items() if _THIS_DRUG in known} if name else {}
        return replace(
            self, exact={**spoken, **self.exact}, bare={**{strip_marks(known): keys for known, keys in spoken.items()}, **self.bare}
        )

    def whole(self, text: str, current: str | None, *, marked: bool) -> Heading | None:
        """The heading that all of ``text`` is. ``marked``: the source set it as a heading, so slips in its marks are forgiven."""
        if len(text) > _LONGEST_HEADING:
            return None
        name = _name(text)
        if not name or self.is_subheading(text, current) or (not marked and self._reads_like_an_item(text, name)):
            return None
        if (keys := self.exact.get(name)) is not None:
            return Heading(keys, _printed(text))
        bare = strip_marks(name)
        if (keys := self.bare.get(bare)) is not None and (marked or len(bare.split()) > 1):
            return Heading(keys, _printed(text), certain=False)
        keys = self._nearest(bare) if marked else None
        return None if keys is None else Heading(keys, _printed(text), certain=False)

    def _nearest(self, bare: str) -> tuple[str, ...] | None:
        """What the one heading opens that differs from ``bare`` by no more than a scan's slips; None for none, or for two alike near."""
        slips = next((slips for length, slips in _SLIPS if len(bare) >= length), 0)
        near: set[tuple[str, ...]] = set()
        for known, keys in self.bare.items() if slips else ():
            if len(known) < _FUZZY_LENGTH or (distance := Levenshtein.distance(bare, known, score_cutoff=slips)) > slips:
                continue
            if distance < slips:
                near, slips = set(), distance
            near.add(keys)
        return near.pop() if len(near) == 1 else None

    def with_slip(self, text: str, keys: tuple[str, ...]) -> HeadingTable:
        """The same, where a scan's ``text`` is taken for a heading that opens ``keys``."""
        return replace(self, bare={**self.bare, strip_marks(_name(text)): keys})

    def _reads_like_an_item(self, text: str, name: str) -> bool:
        """Whether an unmarked line may be an item of a list: "Phụ nữ mang thai." among contraindications opens no section."""
        if text.rstrip().endswith((".", ";", ",")):
            return True
        return name in self.also_items and not text.isupper() and _NUMBERING.match(text) is None

    def is_subheading(self, text: str, current: str | None) -> bool:
        """Whether ``text`` is a line that looks like a heading inside section ``current``."""
        if current is None or len(text) > _LONGEST_HEADING:
            return False
        return _bare_name(text) in self.subheadings.get(current, frozenset())

    def pieces(self, passage: Passage, current: str | None) -> Iterator[Piece]:
        """``passage`` cut at the headings in it. A passage without any comes back whole."""
        marked = passage.level > 0 or passage.is_strong
        if (heading := self.whole(passage.text, current, marked=marked)) is not None:
            yield Piece(heading, None)
            return
        position, heading = 0, None
        for start, end, found in self._inside(passage, current):
            if (before := passage.part(position, start)).text or heading is not None:
                yield Piece(heading, before if before.text else None)
            position, heading = end, found
        rest = passage.part(position, len(passage.text)) if position or heading else passage
        yield Piece(heading, rest if rest.text else None)

    def _inside(self, passage: Passage, current: str | None) -> Iterator[tuple[int, int, Heading]]:
        """Headings inside a passage: (start, end, heading), in order, each behind the one before."""
        position = 0
        for start, end, heading in sorted(
            (*self._in_bold(passage, current), *self._in_plain(passage, current)), key=lambda found: found[:2]
        ):
            if start >= position:
                yield start, end, heading
                position = end
                current = heading.keys[0] if heading.keys else current

    def _in_bold(self, passage: Passage, current: str | None) -> Iterator[tuple[int, int, Heading]]:
        text = passage.text
        for (start, end), strong in passage.emphasis:
            if not strong or (start and not _SENTENCE_END.search(text[max(0, start - 8) : start])):
                continue
            if (heading := self.whole(text[start:end], current, marked=True)) is not None:
                yield start, _behind_colon(text, end), heading

    def _in_plain(self, passage: Passage, current: str | None) -> Iterator[tuple[int, int, Heading]]:
        text = passage.text
        numbering = _NUMBERING.match(text)
        begin = numbering.end() if numbering else 0
        head = fold(text[: 2 * _LONGEST_HEADING])
        for name, keys in self.inline.get(_first_word(head, begin), ()) if ":" in head else ():
            end = begin + len(name)
            opens = head.startswith(name, begin) and text[end:].lstrip()[:1] == ":" and text[begin : begin + 1].isupper()
            if opens and self._may_follow(keys, current):
                if not self.is_subheading(text[begin:end], current):
                    yield 0, _behind_colon(text, end), Heading(keys, text[:end])
                break
        if passage.kind != "text" or len(text) < _FUZZY_LENGTH:
            return
        for match in _BEHIND_SENTENCE.finditer(text):
            start = match.end()
            for name, keys in self.inside.get(fold(_first_word(text, start)), ()) if text[start].isupper() else ():
                end = start + len(name)
                if (
                    fold(text[start:end]) == name
                    and self._stands_as_heading(text, end)
                    and self._may_follow(keys, current)
                    and not self.is_subheading(name, current)
                ):
                    yield start, end, Heading(keys, text[start:end])

    @staticmethod
    def _stands_as_heading(text: str, end: int) -> bool:
        behind = text[end : end + 2]
        return len(behind) == 2 and behind[0] == " " and behind[1].isupper()

    def _may_follow(self, keys: tuple[str, ...], current: str | None) -> bool:
        if not keys:
            return False
        if keys[0] in self.inline_always:
            return current is None or _ORDER[keys[0]] != _ORDER[current]
        return current is None or _ORDER[keys[0]] > _ORDER[current]


_ORDER = {key: index for index, key in enumerate(SECTION_KEYS)}


@lru_cache(maxsize=1)
def heading_table() -> HeadingTable:
    """The shipped headings."""
    sections: Mapping[str, Any] = table("sections")["sections"]
    words = reading_words()["headings"]
    exact: dict[str, tuple[str, ...]] = {}
    plain: dict[str, tuple[str, ...]] = {}
    leaflets = reading_words()["leaflets"]
    for key in SECTION_KEYS:
        entry = sections[key]
        slips = entry.get("headings_ocr", ()) if key in words["inline"] else ()
        _add(plain, map(_spelled, (*entry["headings"], *slips)), key)
        _add(exact, map(_name, (*entry["headings"], *leaflets["headings"].get(key, ()))), key)
    for joint in table("sections").get("joint", ()):
        if joint.get("heading"):
            exact[_name(joint["phrase"])] = tuple(joint["sections"])
    for other in (*table("sections").get("other_headings", ()), *leaflets["other_headings"]):
        exact.setdefault(_name(other), ())
    bare: dict[str, tuple[str, ...]] = {}
    for name, keys in exact.items():
        known = bare.setdefault(strip_marks(name), keys)
        if known != keys:  # two sections would be one without marks: keep neither
            bare[strip_marks(name)] = ()
    for key in SECTION_KEYS:
        for slip in map(_name, sections[key].get("headings_ocr", ())):  # of a heading for two sections, too
            exact.setdefault(slip, bare.setdefault(strip_marks(slip), (key,)) or (key,))
    never = frozenset(map(_name, words["also_items"]))
    by_length = sorted(((name, keys) for name, keys in plain.items() if _name(name) not in never), key=lambda entry: -len(entry[0]))
    inline_always = frozenset(words["inline"])
    return HeadingTable(
        exact=exact,
        bare={name: keys for name, keys in bare.items() if keys},
        subheadings={
            key: frozenset(strip_marks(_name(line)) for line in (*sections[key].get("subheadings", ()), *_structural(key)))
            for key in SECTION_KEYS
        },
        inline=_by_first_word((n, k) for n, k in by_length if k[0] in inline_always or len(n.split()) >= words["inline_words"]),
        inline_always=inline_always,
        also_items=never,
        inside=_by_first_word((n, k) for n, k in by_length if len(n.split()) >= words["inside_words"]),
    )


def _by_first_word(headings: Iterable[tuple[str, tuple[str, ...]]]) -> Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]]:
    found: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {}
    for name, keys in headings:
        first = _first_word(name, 0)
        found[first] = (*found.get(first, ()), (name, keys))
    return found


def _first_word(text: str, start: int) -> str:
    match = _WORD.match(text, start)
    return match.group() if match else ""


def _structural(key: str) -> Iterable[str]:
    return reading_words()["labels"]["structural"] if key in reading_words()["dose_sections"] else ()


def _add(table_: dict[str, tuple[str, ...]], written: Iterable[str], key: str) -> None:
    for name in written:
        if key not in table_.get(name, ()):
            table_[name] = (*table_.get(name, ()), key)


@lru_cache(maxsize=4096)
def _name(text: str) -> str:
    """A heading as it is compared: no number in front, no colon or stop behind, no "(ADR)", one word for all connectors, folded."""
    return _connectors().sub(" và ", _spelled(text))


@lru_cache(maxsize=4096)
def _bare_name(text: str) -> str:
    return strip_marks(_name(text))


def _spelled(text: str) -> str:
    """The same with its own signs between its parts."""
    bare = _NUMBERING.sub("", collapse_spaces(text)).rstrip(" :.*?|")
    return _OPTIONAL_ADR.sub("", fold(bare)).rstrip(" :.")


@lru_cache(maxsize=1)
def _connectors() -> re.Pattern[str]:
    signs = reading_words()["headings"]["connectors"]
    parts = (rf"\b{re.escape(sign)}\b" if sign.isalpha() else re.escape(sign) for sign in signs)
    return re.compile(rf"[ ]?(?:{'|'.join(parts)})(?:[ ](?:{'|'.join(map(re.escape, filter(str.isalpha, signs)))})\b)?[ ]?")


def _printed(text: str) -> str:
    return text.rstrip(" :")


def _behind_colon(text: str, end: int) -> int:
    rest = text[end : end + 3]
    return end + len(rest) - len(rest.lstrip(" :"))
