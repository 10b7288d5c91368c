"""The stack of labels over a place: which label ends which, and which lies inside another.

A header (nothing behind it on its line) governs the lines below, an inline label the rest of its line.
"""

from __future__ import annotations

from duocthu_core.verification.guards.lexicon import Lexicon
from duocthu_core.verification.guards.structure import Label, Scope


def _names_patient(label: Label) -> bool:
    return bool(label.scope.populations or label.scope.bands)


class LabelStack:
    """The labels that govern the place a reader has come to, outer to inner."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._labels: list[Label] = []
        self._content_since_label = True
        self.left_behind: tuple[Label, ...] = ()
        """The labels of a patient that a line without a label has ended, until the next label of a patient."""

    def governing(self) -> tuple[Label, ...]:
        """The labels over what is read now; a label that follows does not lie inside them only because it comes next."""
        self._content_since_label = True
        return tuple(self._labels)

    def push(self, label: Label) -> None:
        """Puts a label in its place: it ends the last one of its kind and level with all below it."""
        stack = self._labels
        if label.header or label.scope.populations or label.scope.bands:
            self.left_behind = ()
        if self._content_since_label:  # labels with nothing between them lie inside one another
            if label.header:
                stack[:] = [other for other in stack if other.header]
            place = self._replaced(label)
            if place is not None:
                self._inherit_group(label, stack[place])
                del stack[place:]
        stack.append(label)
        self._content_since_label = False

    def _inherit_group(self, label: Label, before: Label) -> None:
        """ "Sơ sinh thiếu tháng (0 - 7 ngày): …; (7 - 30 ngày): …": a bare band goes on about the group of the band before it."""
        if label.scope.bands and not label.scope.populations and before.scope.bands and before.sentence == label.sentence:
            label.scope.populations = before.scope.populations

    def _replaced(self, label: Label) -> int | None:
        """Which label on the stack the new one takes the place of, with all below it."""
        scope = label.scope
        for place in range(len(self._labels) - 1, -1, -1):
            other = self._labels[place]
            if other.header and not label.header:
                # An inline label never ends a header of another kind; of its own kind only where it cannot lie inside it.
                if scope.populations and other.scope.populations and self._same_kind(label, other) and not self._nests(label, other):
                    return place
                if scope.routes and other.scope.routes and not other.scope.populations and not scope.routes & other.scope.routes:
                    return place
                continue
            if self._same_kind(label, other) and not self._nests(label, other):
                return place
        return None

    def _same_kind(self, label: Label, other: Label) -> bool:
        mine, theirs = label.scope, other.scope
        if label.universal:
            return other.is_condition or bool(theirs.routes) or other.universal
        if mine.tiers or theirs.tiers:
            return bool(mine.tiers) and bool(theirs.tiers)
        if mine.populations or mine.bands:
            ages_below_organ = self._axes(mine) == {"age"} and bool(theirs.populations) and "age" not in self._axes(theirs)
            other_route = bool(mine.routes) and bool(theirs.routes) and not other.header and not mine.routes & theirs.routes
            return (bool(theirs.populations or theirs.bands) and not ages_below_organ) or other_route
        if mine.routes:
            return bool(theirs.routes) and not theirs.populations
        if mine.severity:
            return bool(theirs.severity)
        if label.is_condition and other.topic and not other.header and other.sentence != label.sentence:
            return not (theirs.populations or theirs.bands)  # "Thoái hóa khớp, uống: …" is ended by the next line's "Viêm khớp: …"
        return (label.is_condition and other.is_condition) or (label.generic and other.generic)

    def _axes(self, scope: Scope) -> set[str]:
        """Age, renal, hepatic …: "Người lớn:" lies inside "Liều cho người có chức năng thận bình thường:" and ends "Trẻ em:"."""
        return {self._lexicon.population_axes[tag] for tag in scope.populations}

    def _nests(self, label: Label, other: Label) -> bool:
        """Whether the new label lies inside ``other`` ("Sơ sinh:" or "4 - 6 tuổi:" under "Trẻ em:")."""
        mine, theirs = label.scope, other.scope
        if other.scope.bands and not (theirs.populations - mine.populations and not mine.bands):
            return False
        if not mine.populations:
            return bool(mine.bands) and bool(theirs.populations)
        outer = {self._lexicon.parents.get(tag) for tag in mine.populations} | {
            self._lexicon.parents.get(self._lexicon.parents.get(tag, ""), "") for tag in mine.populations
        }
        if theirs.populations & outer:
            return True
        return mine.populations == theirs.populations and bool(mine.bands) and not theirs.bands

    def begin_row(self) -> None:
        """A row of a table ends what the rows before it said; what stands over the table reaches on."""
        self._labels[:] = [label for label in self._labels if label.header]

    def begin_sentence(self) -> None:
        """A new sentence of the line ends what a label in the middle of the line said of a case ("cao: trên 1 g. Trên 100 mg …")."""
        self._labels[:] = [
            label for label in self._labels if label.header or label.leads or label.row or _names_patient(label) or label.scope.routes
        ]

    def begin_item_for_all(self) -> None:
        """An item for all groups of its sentence ends the labels in the middle of the line."""
        self._labels[:] = [label for label in self._labels if label.header or label.leads or label.row]

    def begin_line(self, *, labelled: bool, topical: bool = False) -> None:
        """A new line ends what inline labels said of group, band and degree; a route or a condition reaches on.

        A line that begins with a label of its own also ends the routes and conditions that it replaces; ``labelled`` says so, and
        ``topical`` that this label names a case.
        """
        leading = [label for label in self._labels if label.header or label.leads or label.row]
        if labelled:
            kept = [
                label
                for label in leading
                if label.header or (label.is_condition and not topical) or (label.scope.routes and not _names_patient(label))
            ]
        else:
            kept = [label for label in leading if label.header or not (_names_patient(label) or label.scope.severity)]
        self.left_behind = tuple(label for label in leading if label not in kept and _names_patient(label)) or self.left_behind
        self._labels[:] = kept
