"""A section into drafts of blocks: what stands together, and under which labels (spec 07, "Model"; spec 04 on governing labels).

Where the reach of a label is certain the paragraphs below it get it as ``label``. Where it is not (a plain "Người lớn: …" followed by a
line without a group) the lines stay together in one block, as the book has them: a limit for all is neither lost nor given to one group.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from duocthu_core.corpus.reading.bands import split_bands
from duocthu_core.corpus.reading.governing import Governing
from duocthu_core.corpus.reading.headings import heading_table
from duocthu_core.corpus.reading.labels import LONGEST_LABEL, Label, LabelGrammar, label_grammar
from duocthu_core.corpus.reading.monographs import Section
from duocthu_core.corpus.reading.passages import Passage, PlacedRepair, joined_lines
from duocthu_core.corpus.reading.quarantine import with_regions
from duocthu_core.corpus.reading.rules import DIGIT, reading_words
from duocthu_core.text.folding import fold
from duocthu_core.text.sentences import sentences

Head = Literal["group", "route", "self", "note", "topic", "none", "reliable", "region"]
"""How a paragraph begins: with a plain group or route label, with a group in its sentence, with a remark, with another label, with none of
them; with a label whose reach is certain; or it is a table or formula."""

_DEPENDENT: tuple[Head, ...] = ("none", "note", "topic")
_MOST_TITLE_WORDS = 15
_MOST_TOPIC_WORDS = 4
_LEAST_PARAGRAPH = 80
_DANGLING = "Nhãn này không có nội dung bên dưới trong bản nguồn."


@dataclass(slots=True)
class Draft:
    """A block to be: its lines, the labels that govern it from outside, and the subheadings above it."""

    labels: tuple[str, ...]
    lines: list[Passage]
    path: tuple[str, ...]
    notes: tuple[str, ...] = ()
    head: Head = "none"
    context: int = 0
    switches_route: bool = False
    length: int = 0

    @property
    def passage(self) -> Passage:
        """Its lines as one."""
        return joined_lines(self.lines)

    def stands_with(self, other: Draft) -> bool:
        """Whether the two stand under the very same labels, one after the other."""
        return self.context == other.context and self.labels == other.labels and "region" not in (self.head, other.head)

    def take(self, others: Iterable[Draft]) -> None:
        """Adds the lines of ``others`` behind its own."""
        for other in others:
            self.lines += other.lines
            self.length += other.length
            self.switches_route = other.switches_route


@dataclass(slots=True)
class SectionDrafts:
    """What a section became. ``labels`` are those that stood outside any block's text, each once, where it stood."""

    drafts: list[Draft] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    subheadings: list[str] = field(default_factory=list)
    blank: list[Passage] = field(default_factory=list)
    """Passages without a letter or digit: stray signs, in no block."""


def section_drafts(section: Section) -> SectionDrafts:
    """The drafts of one section, in the order of the source."""
    return _SectionReader(section, label_grammar()).read()


class _Ways(NamedTuple):
    """How the sections of one key are read."""

    is_dose: bool
    is_list: bool
    has_labels: bool
    structural: frozenset[str]
    """Folded labels that only order the section."""
    item_chars: int
    group_chars: int


@lru_cache(maxsize=64)
def _ways_of(key: str) -> _Ways:
    words = reading_words()
    is_dose = key in words["dose_sections"]
    structural = frozenset(map(fold, words["labels"]["structural"])) if is_dose else frozenset[str]()
    return _Ways(
        is_dose, key in words["list_sections"], key not in words["name_sections"], structural, words["item_chars"], words["group_chars"]
    )


class _SectionReader:
    def __init__(self, section: Section, grammar: LabelGrammar) -> None:
        ways = _ways_of(section.key)
        self._section = section
        self._grammar = grammar
        self._is_dose = ways.is_dose
        self._is_list = ways.is_list
        self._has_labels = ways.has_labels
        self._structural = ways.structural
        self._item_chars = ways.item_chars
        self._group_chars = ways.group_chars
        self._governing = Governing(grammar)
        self._path: tuple[str, ...] = ()
        self._context = 0
        self._found = SectionDrafts()
        self._carried: list[PlacedRepair] = []
        self._run_from = 0

    def read(self) -> SectionDrafts:
        passages = with_regions(self._section.passages)
        for index, passage in enumerate(passages):
            following = passages[index + 1] if index + 1 < len(passages) else None
            if not any(map(str.isalnum, passage.text)):
                self._found.blank.append(passage)
                continue
            if passage.kind in ("table", "formula"):
                self._add(Draft(self._governing.labels, [passage], self._path, head="region"))
            elif (labels := self._standing_labels(passage, following)) is not None:
                self._admit_line(labels, passage)
            else:
                self._read_paragraph(passage)
        self._governing.clear()
        self._take_dangling()
        if self._is_dose:
            self._found.drafts = [part for draft in self._found.drafts for part in self._in_bands(draft)]
        return self._found

    # Labels on lines of their own

    def _standing_labels(self, passage: Passage, following: Passage | None) -> list[Label] | None:
        text = passage.text
        if not self._has_labels or len(text) > LONGEST_LABEL:
            return None
        if heading_table().is_subheading(text, self._section.key):
            return [self._grammar.label(text.rstrip(" :."))]
        if self._grammar.is_tier(text):
            return [self._grammar.label(text.rstrip(" :."))]
        if text.endswith(":"):
            return self._labels_to_the_end(text, 0)
        is_title = passage.level > 0 or passage.is_emphasised
        if is_title and not text.endswith((".", ";", ",")) and len(text.split()) <= _MOST_TITLE_WORDS:
            return [self._grammar.label(text)]
        if self._is_bare_title(text, following):
            return [self._grammar.label(text)]
        return None

    def _labels_to_the_end(self, text: str, start: int) -> list[Label] | None:
        """The labels that ``text[start:]`` is made of, if it is made of nothing else and points to no table."""
        found: list[Label] = []
        position = start
        while position < len(text):
            label = self._grammar.label_at(text, position)
            if label is None or self._grammar.introduces_table(label.text):
                return None
            found.append(label)
            position = label.end
        return found

    def _is_bare_title(self, text: str, following: Passage | None) -> bool:
        """A short line without any stop: a group or route alone ("Người lớn"), or a topic above a real paragraph ("Đau")."""
        if not text[-1:].isalpha() or not text[:1].isupper() or DIGIT.search(text) is not None:
            return False
        opening = self._grammar.opening(text)
        if self._is_dose and opening is not None and opening.kind in ("group", "route") and opening.end >= len(text):
            return True
        return (
            len(text.split()) <= _MOST_TOPIC_WORDS
            and not self._is_list_item(text)
            and following is not None
            and following.kind == "text"
            and not following.level
            and len(following.text) >= _LEAST_PARAGRAPH
            and following.text[:1].isupper()
            and self._grammar.label_at(following.text) is None
        )

    def _is_list_item(self, text: str) -> bool:
        return self._section.key == "dang_thuoc_ham_luong" and bool(text)

    def _admit_line(self, labels: list[Label], passage: Passage) -> None:
        self._context += 1
        self._carried += passage.repairs
        if len(labels) > 1:  # each ends what its kind ends before the first of them governs: the second must not end the first
            for label in labels:
                self._governing.end_for(label)
        for label in labels:
            if self._is_structural(label):
                self._open_part(label)
                self._found.subheadings.append(passage.text if len(labels) == 1 else f"{label.text}:")
            else:
                is_subheading = heading_table().is_subheading(label.text, self._section.key)
                orders = is_subheading and label.kind not in ("group", "route")
                admitted = label._replace(kind="subheading") if orders else label
                self._governing.admit(admitted, passage if len(labels) == 1 else None, is_subheading=is_subheading)
                self._found.labels.append(f"{label.text}:")
        self._take_dangling()

    def _open_part(self, label: Label) -> None:
        """A subheading that only orders the section begins it anew; the heading itself, printed a second time, adds nothing."""
        self._governing.clear()
        self._path = () if fold(label.text) == fold(self._section.heading.printed) else (label.text,)

    def _is_structural(self, label: Label) -> bool:
        return fold(label.text) in self._structural

    def _take_dangling(self) -> None:
        """Labels that governed nothing become blocks of their own: nothing of the book is dropped."""
        dangling, self._governing.dangling = self._governing.dangling, []
        for passage in dangling:
            printed = passage.text.rstrip(" :.")
            labels = self._found.labels
            labels.pop(next(index for index, label in enumerate(labels) if label.rstrip(" :.") == printed))
            draft = Draft((), [passage._replace(repairs=())], self._path, (_DANGLING,), head="region")
            self._found.drafts.append(draft)

    # Paragraphs

    def _read_paragraph(self, passage: Passage) -> None:
        body, tail = self._without_trailing_label(passage)
        if body.text:
            if self._is_dose:
                self._read_dose(body)
            else:
                self._read_plain(body)
        if tail is not None:
            labels, line = tail
            self._admit_line(labels, line)

    def _without_trailing_label(self, passage: Passage) -> tuple[Passage, tuple[list[Label], Passage] | None]:
        """A paragraph and the label at its end that belongs to what follows ("… Dùng liều như người lớn. Đau sau phẫu thuật:")."""
        spans = sentences(passage.text) if self._has_labels else []
        if len(spans) < 2 or spans[-1].end - spans[-1].start > LONGEST_LABEL:
            return passage, None
        start = spans[-1].start
        text = passage.text[start:].rstrip()
        labels: list[Label] | None = None
        if text.endswith(":"):
            labels = self._labels_to_the_end(text, 0)
        elif self._grammar.is_tier(text) or (self._ends_in_emphasis(passage, start) and self._is_run_in_title(text)):
            labels = [self._grammar.label(text.rstrip(" :."))]
        if not labels:
            return passage, None
        return passage.part(0, start), (labels, passage.part(start, len(passage.text)))

    @staticmethod
    def _ends_in_emphasis(passage: Passage, start: int) -> bool:
        """Whether all that stands from ``start`` on is set in bold or italics."""
        return any(emphasis.span.end > start for emphasis in passage.emphasis) and passage.part(start, len(passage.text)).is_emphasised

    def _is_run_in_title(self, text: str) -> bool:
        return heading_table().is_subheading(text, self._section.key) or (
            text[-1:].isalpha() and len(text.split()) <= _MOST_TITLE_WORDS // 2
        )

    def _read_plain(self, passage: Passage) -> None:
        """A paragraph of a section without doses: labels inside it reach no further, tiers apart."""
        label = self._grammar.label_at(passage.text) if self._has_labels else None
        if label is not None and heading_table().is_subheading(label.text, self._section.key):
            self._governing.clear()
            self._context += 1
        elif label is not None and label.kind == "frequency":
            self._governing.end_for(label)
        elif label is not None and label.kind != "note":
            self._governing.pass_by(label._replace(kind="topic"))
        self._add(Draft(self._governing.labels, [passage], self._path))
        if label is not None and label.kind == "frequency":
            self._governing.admit(label, None, inline=True)
            self._context += 1

    def _read_dose(self, passage: Passage) -> None:
        chain = self._grammar.chain_at(passage.text)
        first = chain[0] if chain else None
        if first is None:
            head = self._self_named(passage)
        elif self._is_reliable(first, passage):
            self._read_reliable(first, chain[1:], passage)
            return
        else:
            head = first.kind if first.kind in ("group", "route", "topic") else "note"
            for label in chain:
                self._governing.pass_by(label)
        self._add(Draft(self._governing.labels, [passage], self._path, head=head))
        self._pass_labels_inside(passage)

    def _self_named(self, passage: Passage) -> Head:
        opening = self._grammar.opening(passage.text)
        if opening is None or opening.kind != "group":
            return "none"
        self._governing.pass_group(opening.key)
        return "self"

    def _is_reliable(self, label: Label, passage: Passage) -> bool:
        """Whether the label at the head of a paragraph is a run-in head: set in italics or bold, or known as a subheading."""
        if heading_table().is_subheading(label.text, self._section.key):
            return label.kind != "note"
        emphasised = next((e.span for e in passage.emphasis if e.span.start == 0), None)
        if emphasised is None or label.kind not in ("group", "route", "topic"):
            return False
        if label.kind == "topic":
            return emphasised.end >= len(label.text)
        opening = self._grammar.opening(passage.text[: emphasised.end])
        return opening is not None

    def _read_reliable(self, label: Label, rest: list[Label], passage: Passage) -> None:
        self._context += 1
        if self._is_structural(label):
            self._open_part(label)
            self._add(Draft((), [passage], self._path, head="reliable"))
            return
        is_subheading = heading_table().is_subheading(label.text, self._section.key)
        self._governing.end_for(label, is_subheading=is_subheading)
        self._add(Draft(self._governing.labels, [passage], self._path, head="reliable"))
        governs = not self._names_another(label, passage)
        self._governing.admit(label, None, is_subheading=is_subheading, inline=True, governs=governs)
        self._governing.note_content()
        for inner in rest:
            if inner.kind == "route" and label.kind != "route":
                self._governing.pass_by(inner)
        self._context += 1

    def _names_another(self, label: Label, passage: Passage) -> bool:
        """Whether a later sentence of the paragraph has a label of the same kind: then none of them governs what follows."""
        if label.kind == "route":
            return any(inner.kind == "route" for inner in self._labels_inside(passage))
        if label.kind != "group":
            return False
        others = (inner.groups for inner in self._labels_inside(passage) if inner.kind == "group")
        groups = self._grammar.groups
        return any(not all(any(groups.is_inside(g, outer) for outer in label.groups) for g in other) for other in others)

    def _labels_inside(self, passage: Passage) -> list[Label]:
        starts = sentences(passage.text)[1:]
        return [label for span in starts if (label := self._grammar.label_at(passage.text, span.start)) is not None]

    def _pass_labels_inside(self, passage: Passage) -> None:
        for label in self._labels_inside(passage):
            if label.kind in ("group", "route"):
                self._governing.pass_by(label)

    # What stands together

    def _add(self, draft: Draft) -> None:
        self._take_dangling()
        self._governing.note_content()
        draft.context = self._context
        passage = draft.lines[0]
        draft.length = len(passage.text)
        if self._carried:
            carried = tuple(PlacedRepair(0, placed.repair) for placed in self._carried)
            draft.lines[0] = passage._replace(repairs=(*carried, *passage.repairs))
            self._carried = []
        if self._is_dose:
            draft.switches_route = self._ends_in_another_route(draft)
            self._add_dose(draft)
        else:
            self._add_plain(draft)

    def _add_plain(self, draft: Draft) -> None:
        last = self._found.drafts[-1] if self._found.drafts else None
        if last is not None and self._is_same_list(last, draft):
            last.take([draft])
        else:
            self._found.drafts.append(draft)

    def _is_same_list(self, last: Draft, draft: Draft) -> bool:
        if not last.stands_with(draft):
            return False
        before, line = last.lines[-1], draft.lines[0]
        inner = self._governing.inner_kind
        if not (self._is_list or inner in ("frequency", "list", "topic") or "item" in (before.kind, line.kind)):
            return False
        if last.length + draft.length > self._group_chars or before.last_pages != line.pages:
            return False
        return inner == "frequency" or max(len(before.text), len(line.text)) <= self._item_chars

    def _add_dose(self, draft: Draft) -> None:
        """Puts a paragraph behind the others, or with those it cannot be told apart from.

        ``_run_from`` is where the last run of plain group labels of one context begins, or the last draft.
        """
        drafts = self._found.drafts
        last = drafts[-1] if drafts else None
        if last is None or not last.stands_with(draft) or last.head == "reliable":
            self._run_from = len(drafts)
            drafts.append(draft)
        elif self._goes_on(last, draft) or (last.head == "route" and draft.head != "route"):
            last.take([draft])
        elif last.head == "group" and draft.head in _DEPENDENT:
            drafts[self._run_from].take([*drafts[self._run_from + 1 :], draft])
            del drafts[self._run_from + 1 :]
        else:
            if (last.head, draft.head) != ("group", "group"):
                self._run_from = len(drafts)
            drafts.append(draft)

    def _goes_on(self, last: Draft, draft: Draft) -> bool:
        """Whether a paragraph only makes sense with the one before it."""
        if last.switches_route and draft.head in ("group", "self", "none"):
            return True
        return self._grammar.continues(draft.lines[0].text)

    def _ends_in_another_route(self, draft: Draft) -> bool:
        """Whether the last sentence only names a route: "… một lần. Truyền nhanh tĩnh mạch gián đoạn trong 30 - 60 phút."."""
        text = draft.lines[0].text
        spans = sentences(text)
        if len(spans) < 2 or draft.head == "region":
            return False
        last = spans[-1].of(text)
        opening = self._grammar.opening(last)
        return opening is not None and opening.kind == "route" and len(last.split()) <= _MOST_TITLE_WORDS and ":" not in last

    def _in_bands(self, draft: Draft) -> list[Draft]:
        run = None if len(draft.lines) > 1 or draft.head == "region" else split_bands(draft.lines[0], self._grammar)
        if run is None:
            return [draft]
        self._found.labels += run.labels
        return [replace(draft, labels=(*draft.labels, *item.labels), lines=[item.passage]) for item in run.items]
