"""Passages into monographs and their sections (spec 07). What belongs to no monograph, or to no section of one, is kept apart with why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from duocthu_core.corpus.model import SECTION_KEYS, Monograph
from duocthu_core.corpus.reading.headings import Heading, HeadingTable, heading_table
from duocthu_core.corpus.reading.labels import label_grammar
from duocthu_core.corpus.reading.passages import Passage
from duocthu_core.corpus.reading.rules import reading_words
from duocthu_core.text.folding import collapse_spaces, fold, strip_marks

RemainderReason = Literal[
    "before_first_monograph",
    "no_section_under_name",
    "outside_sections",
    "no_clinical_section",
    "unknown_section",
    "name_is_missing",
    "repeated_drug",
]
_LONGEST_NAME = 110
_BRACKETED = re.compile(r"\A(?P<name>[^()]{2,90}?)\s*\((?P<other>[^()]{2,90})\)\Z")
_LOWER_IN_NAME = re.compile(r"[^\W\d_]")
_SLUG_GAP = re.compile(r"[^a-z0-9]+")
_ATC = re.compile(r"(?<![A-Z0-9])[A-Z][0-9]{2}(?:[A-Z]{1,2}(?:[0-9]{2})?)?(?![A-Z0-9])")
_ROMAN = re.compile(r"\A[IVX]{2,5}\Z")
_AHEAD_MARKED = 12
_AHEAD_PLAIN = 3
_NUMBERED = re.compile(r"(?:(?P<roman>[IVX]{1,5})|(?P<figure>[0-9]{1,2}))(?:[.)]?[ \t]+|[.)])(?=[^\W\d_])")
_LONGEST_UNKNOWN = 90
_MOST_UNKNOWN_WORDS = 10
_ROMANS = {
    roman: number
    for number, roman in enumerate(
        [
            "I",
            "II",
            "III",
            "IV",
            "V",
            "VI",
            "VII",
            "VIII",
            "IX",
            "X",
            "XI",
            "XII",
            "XIII",
            "XIV",
            "XV",
            "XVI",
            "XVII",
            "XVIII",
            "XIX",
            "XX",
        ],
        1,
    )
}


@dataclass(slots=True)
class Section:
    """One section of a monograph: the heading that opened it and its passages."""

    key: str
    heading: Heading
    line: int
    passages: list[Passage] = field(default_factory=list)
    copy_of: str | None = None
    """The section whose text this one repeats, where one heading opened both."""
    goes_on: bool = False
    """A line of names or codes interrupted the section ("Mã ATC: …" inside the pharmacology); it goes on under its first heading."""


@dataclass(slots=True)
class Chapter:
    """A monograph as read: its name as printed, and its sections in order."""

    printed_name: str
    line: int
    passage: Passage
    sections: list[Section] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Remainder:
    """A passage that went into no block, and why."""

    passage: Passage
    reason: RemainderReason


@dataclass(slots=True)
class Chapters:
    """Everything a source fell into."""

    chapters: list[Chapter] = field(default_factory=list)
    remainders: list[Remainder] = field(default_factory=list)


def split_into_chapters(passages: Sequence[Passage], *, front_needed: bool = False) -> Chapters:
    """The monographs among ``passages``. Text outside any section is a remainder; so is a name with no section below it.

    ``front_needed``: a monograph begins only where its first sections (international name, ATC code …) stand below the name, however the
    name is set: the source is known to have them, and a heading in capitals must not pass for a drug.
    """
    return _Splitter(heading_table(), front_needed=front_needed).split(passages)


def chapter_of(
    name: Passage, passages: Iterable[Passage], remainders: list[Remainder], table: HeadingTable | None = None, *, strict: bool = False
) -> Chapter:
    """One chapter of all ``passages``: a source that is known to be one drug's, whose ``name`` stands outside its text.

    What belongs to no section is added to ``remainders``. ``table``: the source's own headings, where they are not the shipped ones alone.
    ``strict``: a heading that nobody knows ends the section before it, whether or not it has a number.
    """
    splitter = _Splitter(table or heading_table(), front_needed=False, strict=strict)
    chapter = splitter.open(name)
    for passage in passages:
        splitter.read(passage)
    remainders += splitter.found.remainders
    return chapter


class _Splitter:
    def __init__(self, table: HeadingTable, *, front_needed: bool, strict: bool = False) -> None:
        self._table = table
        self._front_needed = front_needed
        self._strict = strict
        self._front = frozenset(reading_words()["headings"]["front"])
        self.found = Chapters()
        self._chapter: Chapter | None = None
        self._names = frozenset(reading_words()["name_sections"])
        self._open: list[Section] = []
        self._interrupted: list[Section] = []
        self._heading_number: tuple[str, int] | None = None
        """The number of the last heading, while no other number stood at the head of a passage."""
        self._reason: RemainderReason = "before_first_monograph"
        self._seen: set[str] = set()
        self._headings: dict[int, tuple[str, ...]] = {}
        self._last: int | None = None

    def split(self, passages: Sequence[Passage]) -> Chapters:
        for index, passage in enumerate(passages):
            if self._is_name(passage) and (found := self._names_a_drug(passages, index)) is not None:
                self._open_chapter(passage, is_drug=found)
            else:
                self.read(passage)
        return self.found

    def _is_name(self, passage: Passage) -> bool:
        """A line in capitals (brackets apart) that is no heading of a section and no sentence."""
        text = passage.text
        if passage.kind != "text" or len(text) > _LONGEST_NAME or text.endswith((".", ":", ";", ",")) or "\n" in text:
            return False
        outside = re.sub(r"\([^()]*\)", "", text)
        letters = _LOWER_IN_NAME.findall(outside)
        if len(letters) < 3 or any(letter != letter.upper() for letter in letters):
            return False
        if self._table.whole(text, None, marked=True) is not None or self._is_label(text):
            return False
        current = self._open[0].key if self._open else None
        return not self._table.is_subheading(text, current)

    @staticmethod
    def _is_label(text: str) -> bool:
        """Whether capitals only set off a label: "TRẺ EM", "TRUYỀN TĨNH MẠCH"."""
        opening = label_grammar().opening(text)
        return opening is not None and (opening.kind == "group" or opening.end >= len(text))

    def _names_a_drug(self, passages: Sequence[Passage], index: int) -> bool | None:
        """True: a monograph begins. False: a name whose monograph is not in this source. None: no name at all."""
        passage = passages[index]
        marked = passage.level > 0 or passage.is_strong
        for ahead in range(index + 1, min(index + 1 + (_AHEAD_MARKED if marked else _AHEAD_PLAIN), len(passages))):
            if self._is_name(passages[ahead]):
                break
            keys = self._heading_of(passages, ahead)
            if keys and (keys[0] in self._front or (marked and not self._front_needed)):
                return True
            if keys and self._front_needed:
                return None
        if not marked:
            return None
        later = self._last_heading(passages) > index
        return None if later and self._chapter is not None else False

    def _heading_of(self, passages: Sequence[Passage], index: int) -> tuple[str, ...]:
        """The sections that the first heading in a passage opens; empty for none."""
        if (known := self._headings.get(index)) is None:
            found = (piece.heading.keys for piece in self._table.pieces(passages[index], None) if piece.heading is not None)
            known = self._headings[index] = next((keys for keys in found if keys), ())
        return known

    def _last_heading(self, passages: Sequence[Passage]) -> int:
        """Index of the last passage with a heading, -1 for none."""
        if self._last is None:
            self._last = next((index for index in range(len(passages) - 1, -1, -1) if self._heading_of(passages, index)), -1)
        return self._last

    def _open_chapter(self, passage: Passage, *, is_drug: bool) -> None:
        self._open = []
        self._interrupted = []
        self._chapter = None
        self._reason = "no_section_under_name"
        if is_drug:
            drug_id = slug(drug_names(passage.text)[0])
            if drug_id in self._seen or not drug_id:
                self._reason = "repeated_drug"
            else:
                self._seen.add(drug_id)
                self.open(passage)
                return
        self.found.remainders.append(Remainder(passage, self._reason))

    def open(self, passage: Passage) -> Chapter:
        """The chapter whose name ``passage`` is begins here."""
        self._chapter = Chapter(passage.text, passage.line, passage)
        self.found.chapters.append(self._chapter)
        self._reason = "outside_sections"
        return self._chapter

    def read(self, passage: Passage) -> None:
        current = self._open[0].key if self._open else None
        number = _number_of(passage.text)
        before = self._heading_number
        is_next = number is not None and before is not None and number == (before[0], before[1] + 1)
        if number is not None:
            self._heading_number = None  # items are counted here
        for piece in self._table.pieces(passage, current):
            if piece.heading is not None:
                self._heading_number = _number_of(piece.heading.printed)
                outer = self._interrupted or self._open
                self._open_sections(piece.heading, passage)
                interrupts = bool(self._open) and piece.passage is not None and self._is_line_inside(piece.heading, outer)
                self._interrupted = outer if interrupts else []
            elif self._interrupted:
                self._go_on()
            elif (is_next and _stands_as_heading(passage)) or (self._strict and passage.level):
                # "III. …" behind "II. Chống chỉ định": a section of a name that the table does not know must not go on as the one before.
                self._open, self._interrupted, self._reason = [], [], "unknown_section"
                self._heading_number = number
            if piece.passage is None:
                continue
            if self._open:
                for section in self._open:
                    section.passages.append(piece.passage)
            else:
                self.found.remainders.append(Remainder(piece.passage, self._reason))

    def _is_line_inside(self, heading: Heading, before: Sequence[Section]) -> bool:
        """Whether a heading and its line only interrupt the section before: names or codes, out of the book's order."""
        return (
            bool(heading.keys)
            and bool(before)
            and heading.keys[0] in self._names
            and SECTION_KEYS.index(heading.keys[0]) < SECTION_KEYS.index(before[0].key)
        )

    def _go_on(self) -> None:
        assert self._chapter is not None
        self._open = [replace(section, passages=[], goes_on=bool(section.passages)) for section in self._interrupted]
        begun = [
            section for section in self._chapter.sections if section.passages or all(section is not other for other in self._interrupted)
        ]
        self._chapter.sections[:] = [*begun, *self._open]
        self._interrupted = []

    def _open_sections(self, heading: Heading, passage: Passage) -> None:
        self._open = []
        if self._chapter is None:
            self.found.remainders.append(Remainder(Passage(heading.printed, passage.line, passage.pages), self._reason))
            return
        if not heading.keys:
            self._reason = "no_clinical_section"
            self.found.remainders.append(Remainder(Passage(heading.printed, passage.line, passage.pages), self._reason))
            return
        if "ten_chung_quoc_te" in heading.keys and any(section.key == "ten_chung_quoc_te" for section in self._chapter.sections):
            # The next monograph began and its name was not recognised: nothing below may count as this drug's.
            self._chapter = None
            self._reason = "name_is_missing"
            self.found.remainders.append(Remainder(Passage(heading.printed, passage.line, passage.pages), self._reason))
            return
        first, *others = heading.keys
        self._open = [Section(first, heading, passage.line), *(Section(key, heading, passage.line, copy_of=first) for key in others)]
        self._chapter.sections.extend(self._open)


def _number_of(text: str) -> tuple[str, int] | None:
    """The kind and value of the number in front of a heading or an item ("IV. …", "4. …"); None for none."""
    match = _NUMBERED.match(text)
    if match is None:
        return None
    if match["roman"]:
        value = _ROMANS.get(match["roman"])
        return ("roman", value) if value is not None else None
    return "figure", int(match["figure"])


def _stands_as_heading(passage: Passage) -> bool:
    """Whether a numbered passage has the look of a heading, on a line of its own or before a colon."""
    head, colon, _ = passage.text.partition(":")
    return (
        passage.kind == "text"
        and len(head) <= _LONGEST_UNKNOWN
        and len(head.split()) <= _MOST_UNKNOWN_WORDS
        and (bool(colon) or not head.endswith((".", ";", ",")))
        and "\n" not in head
    )


def drug_names(printed: str) -> tuple[str, tuple[str, ...]]:
    """The name and the synonyms of a monograph's printed name: ``PARACETAMOL (Acetaminophen)`` → Paracetamol, (Acetaminophen).

    Brackets that say how the drug is used belong to the name: ``TIMOLOL (thuốc nhỏ mắt)``.
    """
    text = collapse_spaces(printed)
    match = _BRACKETED.match(text)
    if match is None:
        return _sentence_case(text), ()
    first_word = fold(match["other"]).split()[0]
    if first_word in reading_words()["headings"]["name_qualifiers"]:
        return (
            f"{_sentence_case(match['name'])} ({match['other'] if match['other'] != match['other'].upper() else fold(match['other'])})",
            (),
        )
    others = (_sentence_case(other) if other == other.upper() else other for other in re.split(r"\s*[;,]\s*", match["other"]))
    return _sentence_case(match["name"]), tuple(other for other in others if other)


def slug(name: str) -> str:
    """The drug_id of a Vietnamese name: ``Amoxicilin và kali clavulanat`` → ``amoxicilin-va-kali-clavulanat``."""
    return _SLUG_GAP.sub("-", strip_marks(fold(name))).strip("-")


def monograph_of(chapter: Chapter, edition: str) -> Monograph:
    """The monograph's names, class, ATC codes and brands, from its front and last sections."""
    name, synonyms = drug_names(chapter.printed_name)
    brands = (brand.strip(" \t\n.") for brand in _text_of(chapter, "ten_thuong_mai").replace("\n", ";").split(";"))
    return Monograph(
        drug_id=slug(name),
        name=name,
        inn=_text_of(chapter, "ten_chung_quoc_te").strip(" ."),
        synonyms=synonyms,
        brands=tuple(dict.fromkeys(brand for brand in brands if brand)),
        atc=tuple(dict.fromkeys(_ATC.findall(_text_of(chapter, "ma_atc")))),
        drug_class=_text_of(chapter, "loai_thuoc").strip(" ."),
        edition=edition,
    )


def _text_of(chapter: Chapter, key: str) -> str:
    return "\n".join(_texts(section.passages for section in chapter.sections if section.key == key))


def _texts(found: Iterable[Iterable[Passage]]) -> Iterable[str]:
    return (passage.text for passages in found for passage in passages)


def _sentence_case(name: str) -> str:
    if name != name.upper():
        return name
    words = [word if _keeps_capitals(word) else fold(word) for word in name.split(" ")]
    text = " ".join(words)
    return text[:1].upper() + text[1:]


def _keeps_capitals(word: str) -> bool:
    bare = word.strip("()[],;-/")
    return len(bare) == 1 or _ROMAN.match(bare) is not None or any(character.isdigit() for character in bare)
