"""Labels in the text: what a line says it is about before it says it ("Trẻ em:", "Uống:", "Ít gặp, 1/1 000 < ADR < 1/100", "Đau, sốt:").

Groups, routes and tiers are known from the ruleset's tables; any other short text before a colon is a topic (a condition, an organ).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from duocthu_core.corpus.reading.rules import DIGIT, reading_words, table
from duocthu_core.text.folding import fold
from duocthu_core.text.phrases import PhraseMatcher, words
from duocthu_core.text.sentences import sentences

LabelKind = Literal["group", "route", "frequency", "subheading", "note", "list", "topic"]
"""``group``: patients (age, organ function, weight band). ``subheading``: orders the section. ``note``: a remark on what stands above.
``list``: a line that introduces a list. ``topic``: anything else."""

_COLON = re.compile(r"[ \t]?:(?=\s|\Z|[*])")
_NUMBERS = r"[0-9]+(?:[.,][0-9]+)?"
_BOUND = r"(?:(?:từ|trên|dưới|khoảng|đến|tới|<|>|≤|≥)\s*)?"
_UNIT = r"(?:tháng|tuần|ngày|tuổi|năm|kg)"
_BAND = re.compile(rf"{_BOUND}{_NUMBERS}\s*(?:{_UNIT})?\s*(?:(?:-|–|đến|tới)\s*{_BOUND}{_NUMBERS}\s*)?{_UNIT}(?![^\W\d_])", re.IGNORECASE)
_BRACKET_BAND = re.compile(rf"\(\s*{_BAND.pattern}", re.IGNORECASE)
_SPACE = re.compile(r"[\s(]*(?:(?:[0-9]{1,2}|[a-zđ])[.)]\s+)?")
LONGEST_LABEL = 170
_STOP_SIGN = re.compile(r"[.!?…]")
_MOST_WORDS = 32
_OPENING_CHARS = 90
"""Within so many characters the group, route or tier must begin and end."""
_TIER_SIGN = re.compile(r"adr|1/10+|1/1[ .~]0", re.IGNORECASE)
_CONTENT_OF_TIER = re.compile(r":\s*(?!ADR)[^\W\d_]")
_WORDS_IN_TIER = 14


class _Meaning(NamedTuple):
    kind: Literal["group", "route", "frequency", "opener", "patient", "nothing"]
    key: str = ""


class Opening(NamedTuple):
    """What a text opens with."""

    kind: Literal["group", "route", "frequency"]
    key: str
    """Tag, route or tier; empty for a band without a group ("1 - 5 tuổi") or a patient without one ("Người bệnh nghiện rượu")."""
    end: int
    has_band: bool


class Label(NamedTuple):
    """A label as printed, without its colon, and where it ends in the text it was read from (colon and space included)."""

    text: str
    kind: LabelKind
    key: str
    end: int
    has_band: bool = False
    groups: frozenset[str] = frozenset()
    """Every group that a label of a group or route names: "Liều uống cho người có chức năng thận bình thường" is of a route and a group."""


@dataclass(frozen=True, slots=True)
class GroupTable:
    """How population tags lie to each other."""

    axis: Mapping[str, str]
    parent: Mapping[str, str | None]

    def is_inside(self, inner: str, outer: str) -> bool:
        """Whether group ``inner`` is ``outer`` or a part of it."""
        tag: str | None = inner
        while tag:
            if tag == outer:
                return True
            tag = self.parent.get(tag)
        return False


class LabelGrammar:
    """Reads labels; compiled once from the shipped tables."""

    def __init__(self) -> None:
        populations = table("populations")
        spoken = reading_words()["labels"]
        meanings: dict[str, _Meaning] = {}
        for tag, entry in populations["tags"].items():
            meanings |= dict.fromkeys((*entry["phrases"], *entry.get("measured", ())), _Meaning("group", tag))
        for route, entry in table("routes")["routes"].items():
            meanings |= dict.fromkeys(entry["phrases"], _Meaning("route", route))
            for silent in entry.get("not_trigger", ()):
                meanings.setdefault(silent, _Meaning("nothing"))
        for tier, entry in table("frequency")["tiers"].items():
            meanings |= dict.fromkeys((*entry["names"], *entry.get("ocr", ())), _Meaning("frequency", tier))
        for patient in spoken["patients"]:
            meanings.setdefault(patient, _Meaning("patient"))
        for opener in spoken["openers"]:
            meanings.setdefault(opener, _Meaning("opener"))
        self._matcher = PhraseMatcher(meanings)
        self._opening_of_head = lru_cache(maxsize=8192)(self._opening_of)
        self._kept_label_at = lru_cache(maxsize=1024)(self._label_at)
        self._kept_label = lru_cache(maxsize=2048)(self._read_label)
        self.groups = GroupTable(
            {tag: str(entry["axis"]) for tag, entry in populations["tags"].items()},
            {tag: entry.get("parent") for tag, entry in populations["tags"].items()},
        )
        self.special_axes = frozenset(spoken["special_axes"])
        """Axes of groups that stand beside ages and conditions, not below them."""
        self._notes = _Starts(spoken["notes"])
        self._grades = PhraseMatcher(dict.fromkeys(spoken["grades"], True))
        self._list_endings = frozenset(map(fold, spoken["list_endings"]))
        self._table_words = frozenset(map(fold, spoken["table_words"]))
        self._continues = _Starts(spoken["continues"])
        self._organs = frozenset(map(fold, table("frequency")["organ_labels"]))

    def opening(self, text: str) -> Opening | None:
        """The group, route or tier that ``text`` opens with, openers ("Đối với", "Liều") passed over."""
        return self._opening_of_head(text[:LONGEST_LABEL])

    def _opening_of(self, head: str) -> Opening | None:
        near = head if len(head) <= _OPENING_CHARS else head[: max(head.rfind(" ", 0, _OPENING_CHARS), 1)]
        position = self._skip(head, 0)
        patient = False
        while True:
            band = _BAND.match(head, position) or _BRACKET_BAND.match(head, position)
            if band is not None:
                return Opening("group", "", band.end(), True)
            hit = self._matcher.match_at(near, position)
            if hit is None or hit.value.kind == "nothing":
                return Opening("group", "", position, False) if patient else None
            if hit.value.kind in ("group", "route", "frequency"):
                return Opening(hit.value.kind, hit.value.key, hit.span.end, _BAND.search(head, hit.span.end) is not None)
            patient = patient or hit.value.kind == "patient"
            position = self._skip(head, hit.span.end)

    def label_at(self, text: str, start: int = 0) -> Label | None:
        """The label that ``text[start:]`` begins with: a short text before a colon; None without a colon, or with a sentence before it."""
        return self._kept_label_at(text, start)

    def _label_at(self, text: str, start: int) -> Label | None:
        window = text[start : start + LONGEST_LABEL]
        for colon in _COLON.finditer(window):
            written = window[: colon.start()].strip()
            if not _is_short_phrase(written):
                return None
            if written.count("(") > written.count(")"):
                continue
            measured = self._measured_value_follows(written, window, colon.end())
            if measured:
                continue
            end = start + colon.end()
            while end < len(text) and text[end].isspace():
                end += 1
            return self.label(written, end)
        return None

    def chain_at(self, text: str) -> list[Label]:
        """The labels in a row at the head of ``text``: "Sốt sau khi tiêm chủng: Uống: Trẻ nhỏ 2 - 3 tháng tuổi: …"."""
        found: list[Label] = []
        position = 0
        while (label := self.label_at(text, position)) is not None and (not found or label.kind in ("group", "route", "frequency")):
            found.append(label)
            position = label.end
        return found

    def label(self, written: str, end: int = 0) -> Label:
        """What the label ``written`` (no colon) is. A book has the same few labels over and over."""
        label = self._kept_label(written)
        return label._replace(end=end) if end else label

    def _read_label(self, written: str) -> Label:
        opening = self.opening(written)
        if opening is not None and (opening.kind != "frequency" or self.is_tier(written)):
            groups = frozenset(hit.value.key for hit in self._matcher.find(written) if hit.value.kind == "group")
            return Label(written, opening.kind, opening.key, 0, _has_digit(written), groups)
        if self._notes.opens(written):
            return Label(written, "note", "", 0)
        if self.introduces_list(written):
            return Label(written, "list", "", 0)
        return Label(written, "topic", "", 0, _has_digit(written))

    def is_tier(self, text: str) -> bool:
        """Whether the whole of ``text`` names a frequency tier, with or without its limits."""
        bare = text.strip(" .:")
        opening = self.opening(bare)
        if opening is None or opening.kind != "frequency" or len(bare.split()) > _WORDS_IN_TIER:
            return False
        if opening.end >= len(bare):
            return True
        # "Thường gặp, ADR > 1/100: Da: ban." says what is frequent; a list behind it is no part of the tier's name.
        return _TIER_SIGN.search(bare, opening.end) is not None and _CONTENT_OF_TIER.search(bare, opening.end) is None

    def introduces_list(self, text: str) -> bool:
        """Whether a line before a colon says that a list follows ("… các trường hợp sau")."""
        last = [word.folded for word in words(text)][-2:]
        return bool(last) and (last[-1] in self._list_endings or " ".join(last) in self._list_endings)

    def introduces_table(self, text: str) -> bool:
        """Whether a line before a colon points to a table."""
        return any(word.folded in self._table_words for word in words(text))

    def is_organ(self, label: Label) -> bool:
        """Whether the label is an organ of an ADR list ("Da", "Máu")."""
        return fold(label.text).strip() in self._organs

    def grades(self, text: str) -> bool:
        """Whether a label grades a condition ("Nhiễm khuẩn nặng")."""
        return bool(self._grades.find(text))

    def continues(self, text: str) -> bool:
        """Whether a paragraph goes on with the case of the one before it ("Nếu do tụ cầu …")."""
        return self._continues.opens(text)

    @staticmethod
    def _skip(text: str, position: int) -> int:
        match = _SPACE.match(text, position)
        return match.end() if match else position

    def _measured_value_follows(self, written: str, window: str, position: int) -> bool:
        """Whether the colon belongs inside the label: "Clcr: 10 - 30 ml/phút: 250 mg"."""
        opening = self.opening(written)
        if opening is None or opening.kind != "group" or opening.has_band or _has_digit(written):
            return False
        following = window[position:].lstrip()
        second = _COLON.search(following)
        return following[:1].isdigit() and second is not None and "ml/" in following[: second.start()]


class _Starts:
    """Whole-word phrases that a text may start with."""

    def __init__(self, phrases: Iterable[str]) -> None:
        self._matcher = PhraseMatcher(dict.fromkeys(phrases, True))

    def opens(self, text: str) -> bool:
        return self._matcher.match_at(text[:60], 0) is not None


def _is_short_phrase(written: str) -> bool:
    if not any(map(str.isalpha, written)) or len(written.split()) > _MOST_WORDS or ";" in written or "\n" in written:
        return False
    return _STOP_SIGN.search(written) is None or len(sentences(written)) == 1


def _has_digit(text: str) -> bool:
    return DIGIT.search(text) is not None


@lru_cache(maxsize=1)
def label_grammar() -> LabelGrammar:
    """The grammar of the shipped tables."""
    return LabelGrammar()
