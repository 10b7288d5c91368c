"""Which labels govern a place: "a label governs until the next of its kind" (spec 07, "Model"; spec 04, check 1).

Only labels whose reach is certain govern later paragraphs: labels on a line of their own, labels at the end of a paragraph, and run-in
heads in italics or bold. A plain label inside a paragraph ends what it contradicts and reaches no further.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from duocthu_core.corpus.reading.labels import Label, LabelGrammar
from duocthu_core.corpus.reading.passages import Passage
from duocthu_core.text.folding import fold


@dataclass(slots=True)
class _Entry:
    label: Label
    source: Passage | None
    """The line that the label is, where it stood on one of its own."""
    governs: bool
    """False where it only marks its level: a plain topic inside a paragraph, or a run-in head whose paragraph went on to its sibling."""
    inline: bool
    has_content: bool = False
    is_subheading: bool = False


@dataclass(slots=True)
class Governing:
    """The labels in force, outer to inner, while a section is read from top to bottom."""

    grammar: LabelGrammar
    entries: list[_Entry] = field(default_factory=list)
    dangling: list[Passage] = field(default_factory=list)
    """Labels on lines of their own that ended before any text stood under them. The reader of a section takes them out."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The governing labels as printed, outer to inner, each with its colon."""
        return tuple(f"{entry.label.text}:" for entry in self.entries if entry.governs)

    @property
    def inner_kind(self) -> str | None:
        """The kind of the innermost governing label."""
        return next((entry.label.kind for entry in reversed(self.entries) if entry.governs), None)

    @property
    def _level(self) -> str | None:
        """The kind of the innermost label, governing or not."""
        return self.entries[-1].label.kind if self.entries else None

    @property
    def inner_has_content(self) -> bool:
        """Whether text stood under the innermost label already."""
        return bool(self.entries) and self.entries[-1].has_content

    def clear(self) -> None:
        """The section begins anew (a subheading that orders it)."""
        self._delete(0)

    def note_content(self) -> None:
        """Text stood here: every label in force has content."""
        for entry in self.entries:
            entry.has_content = True

    def end_for(self, label: Label, *, is_subheading: bool = False) -> None:
        """``label`` ends what its kind ends; it does not govern yet."""
        index = 0 if is_subheading else self._first_ended(label)
        waiting = [] if is_subheading or index is None else self._waiting_behind(index, label)
        self._delete(index)
        self.entries += waiting

    def _waiting_behind(self, index: int, label: Label) -> list[_Entry]:
        """Labels on lines of their own right above ``label`` that no text stands under yet: they speak of what follows, and stay while an
        older label above them ends ("Truyền tĩnh mạch: …", then "Người lớn:", "Mắt hột:", "Uống: …")."""
        start = len(self.entries)
        while start > index and not self.entries[start - 1].has_content and self.entries[start - 1].label.kind != label.kind:
            start -= 1
        if start == index:
            return []
        waiting = self.entries[start:]
        del self.entries[start:]
        return waiting

    def admit(
        self, label: Label, source: Passage | None, *, is_subheading: bool = False, inline: bool = False, governs: bool = True
    ) -> None:
        """``label`` ends what its kind ends and governs from here on. ``source``: its own line, None where it stands in a paragraph.

        Not ``governs``: it only marks its level, because its paragraph went on to another label of its kind.
        """
        self.end_for(label, is_subheading=is_subheading)
        self.entries.append(_Entry(label, source, governs=governs, inline=inline, is_subheading=is_subheading))

    def pass_by(self, label: Label) -> None:
        """``label`` stands plainly at the head of a paragraph: it ends what it contradicts, and governs that paragraph alone."""
        if label.kind in ("group", "route", "frequency"):
            self.end_for(label)
        elif label.kind == "topic":
            self._pass_topic(label)

    def pass_group(self, key: str) -> None:
        """A paragraph speaks of a group without a label for it: what is about another group ends, topics and routes go on."""
        index = self._first_other_group(frozenset({key}), has_band=True) if key else None
        if index is None and self._axis(key) in self.grammar.special_axes:
            index = self._first(lambda entry: entry.label.kind == "group" and entry.has_content and not self._nests(key, entry))
        self._delete(index)

    def _first_ended(self, label: Label) -> int | None:
        if label.kind == "group":
            return self._group_ends(label)
        if label.kind == "route":
            return self._first(lambda entry: entry.label.kind == "route" and not entry.is_subheading)
        if label.kind == "frequency":
            return self._first(
                lambda entry: entry.label.kind == "frequency" or (entry.label.kind in ("topic", "list", "note") and entry.has_content)
            )
        if label.kind == "topic":
            return self._topic_ends(label)
        # A note or a list on a line of its own speaks of the whole section so far, unless it follows a label at once.
        return self._first(lambda entry: not entry.is_subheading and entry.has_content)

    def _group_ends(self, label: Label) -> int | None:
        if (index := self._first_other_group(label.groups, has_band=label.has_band)) is not None:
            return index
        axes = {self._axis(group) for group in label.groups}
        if axes and axes <= self.grammar.special_axes and not self._nests_in_innermost(label):
            # Suy thận, suy gan …: a group of its own beside the ages, routes and conditions above it.
            return self._first(lambda entry: entry.label.kind != "subheading" and entry.has_content and not self._holds(label, entry))
        if axes - self.grammar.special_axes:
            return self._first(lambda entry: entry.inline and entry.label.kind == "group" and not self._holds(label, entry))
        return None

    def _nests_in_innermost(self, label: Label) -> bool:
        return bool(self.entries) and (not self.entries[-1].has_content or self._holds(label, self.entries[-1]))

    def _holds(self, label: Label, entry: _Entry) -> bool:
        return bool(label.groups) and all(
            any(self._inside(g, outer, entry, has_band=label.has_band) for outer in entry.label.groups) for g in label.groups
        )

    def _nests(self, key: str, entry: _Entry) -> bool:
        return any(self._inside(key, outer, entry, has_band=True) for outer in entry.label.groups)

    def _inside(self, group: str, outer: str, entry: _Entry, *, has_band: bool) -> bool:
        """Whether a label of ``group`` stands under ``entry``, a label of ``outer``: a part of the group, or a band of it. A label that is
        a band itself ("Trẻ em 1 - 5 tuổi:") holds no other band once text stood under it."""
        if not self.grammar.groups.is_inside(group, outer) or (entry.label.has_band and entry.has_content):
            return False
        return group != outer or has_band

    def _first_other_group(self, named: frozenset[str], *, has_band: bool) -> int | None:
        """The outermost label about groups of the same axis that do not hold the named ones; for a bare band the outermost bare band."""
        if not named:
            return self._first(lambda entry: has_band and entry.label.kind == "group" and entry.label.has_band and not entry.label.groups)
        for index, entry in enumerate(self.entries):
            for group in named:
                same_axis = [outer for outer in entry.label.groups if self._axis(outer) == self._axis(group)]
                if same_axis and not any(self._inside(group, outer, entry, has_band=has_band) for outer in same_axis):
                    return index
        return None

    def _topic_ends(self, label: Label) -> int | None:
        topics = [
            index for index, entry in enumerate(self.entries) if entry.label.kind in ("topic", "list", "note") and not entry.is_subheading
        ]
        if not topics or not self.entries[topics[-1]].has_content:
            return None
        outer, inner = self.entries[topics[0]], self.entries[topics[-1]]
        if outer is not inner and self._is_sibling(label, outer, inner):
            return topics[1]
        return topics[0]

    def _is_sibling(self, label: Label, outer: _Entry, inner: _Entry) -> bool:
        """Whether ``label`` stands beside ``inner`` under ``outer``: it names the outer topic, or both grade it."""
        if fold(outer.label.text) in fold(label.text):
            return True
        return self.grammar.grades(label.text) and self.grammar.grades(inner.label.text)

    def _pass_topic(self, label: Label) -> None:
        slot = self._first(lambda entry: entry.label.kind == "topic" and not entry.governs)
        if slot is not None:
            self._delete(self._behind_organs(slot, label))
        elif self._level == "route" and self.inner_has_content and not self.grammar.grades(label.text):
            # Routes stand below conditions: a condition behind a route is beside the condition above that route.
            self._delete(self._first(lambda entry: entry.label.kind == "topic"))
        elif self._level == "list" and self.inner_has_content:
            self._delete(len(self.entries) - 1)
        self.entries.append(_Entry(label, None, governs=False, inline=True))

    def _behind_organs(self, slot: int, label: Label) -> int:
        """A list of organs ends where another kind of label stands: "… sau:" no longer governs what follows."""
        if self.grammar.is_organ(self.entries[slot].label) and not self.grammar.is_organ(label):
            return next((i for i, entry in enumerate(self.entries[:slot]) if entry.label.kind == "list"), slot)
        return slot

    def _delete(self, index: int | None) -> None:
        if index is None:
            return
        self.dangling += (entry.source for entry in self.entries[index:] if entry.source is not None and not entry.has_content)
        del self.entries[index:]

    def _axis(self, group: str) -> str:
        return self.grammar.groups.axis.get(group, "")

    def _first(self, matches: Callable[[_Entry], bool]) -> int | None:
        return next((index for index, entry in enumerate(self.entries) if matches(entry)), None)
