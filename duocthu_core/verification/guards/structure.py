"""Clauses and the labels that govern them: who a figure is for, by which route, in which band, for which condition.

A text is read line by line; a line into sentences and items; an item into labels ("Trẻ em:") and clauses. Labels stand on a stack:
a header (nothing behind it on its line) governs the lines below, an inline label the rest of its line. What a clause says of itself
wins over its labels, label over the clause before it (design: one idea for block and claim, so that both are read alike).
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Any

from duocthu_core.text.sentences import items, sentences
from duocthu_core.verification.guards.bounds import with_bounds
from duocthu_core.verification.guards.lexicon import Hit, Lexicon
from duocthu_core.verification.guards.quantities import Quantity, read_quantities
from duocthu_core.verification.guards.tokens import Tokens, read_tokens

_SPLITTERS = frozenset({",", "và", "hoặc", "hay", "còn", "nhưng"})
_LABEL_MAX_WORDS = 28
_ITEM_MAX_WORDS = 500
_LINE_ENDS = re.compile(r"[ \t.]*(?:\n|\Z)")


@dataclass(slots=True)
class Scope:
    """Who and how: what a label or a clause says about the patient, the route, the band and the degree."""

    populations: frozenset[str] = frozenset()
    routes: frozenset[str] = frozenset()
    bands: tuple[Quantity, ...] = ()
    severity: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    tiers: frozenset[str] = frozenset()


@dataclass(slots=True)
class Label:
    """A label of the text: its words, what it says, and how far it reaches."""

    start: int
    end: int
    header: bool
    scope: Scope
    words: frozenset[str]
    generic: bool
    item: int
    sentence: int
    number: int = 0
    """Its place among the labels of the text."""

    @property
    def is_condition(self) -> bool:
        """Whether it names neither group, route, band nor degree, but something: a disease, an organ."""
        scope = self.scope
        named = scope.populations or scope.routes or scope.bands or scope.severity or scope.tiers
        return not named and not self.generic and bool(self.words)


@dataclass(slots=True)
class Clause:
    """A piece of a sentence with its own figures: ``start:end`` are token positions."""

    start: int
    end: int
    item: int
    sentence: int
    quantities: list[Quantity]
    own: Scope
    scope: Scope
    labels: tuple[Label, ...] = ()
    words: frozenset[str] = frozenset()
    firm: Scope = field(default_factory=Scope)
    """The scope without group, band and degree that only an inline label of an earlier sentence gives."""


@dataclass(slots=True)
class Reading:
    """A text as the guards see it."""

    text: str
    tokens: Tokens
    hits: dict[str, list[Hit]]
    quantities: list[Quantity]
    clauses: list[Clause]
    labels: list[Label]
    item_starts: frozenset[int]
    item_ends: frozenset[int]
    sentence_of: list[int]
    values: dict[tuple[str, str | None], list[tuple[Clause, Quantity]]] = field(default_factory=dict)
    numbers: frozenset[str] = frozenset()
    content: frozenset[str] = frozenset()
    derived: dict[str, Any] = field(default_factory=dict)
    """What single guards have worked out about the text, kept with it."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Code points of the tokens ``start:end``."""
        return self.tokens.starts[start], self.tokens.ends[end - 1]

    def words_of(self, start: int, end: int) -> str:
        """The text of the tokens ``start:end``."""
        begin, finish = self.span(start, end)
        return self.text[begin:finish]


def read(text: str, lexicon: Lexicon) -> Reading:
    """Clauses, labels and quantities of NFC ``text``."""
    tokens = read_tokens(text)
    hits = lexicon.find(tokens.words)
    quantities = with_bounds(read_quantities(tokens, hits, lexicon), tokens, hits, lexicon)
    reader = _Reader(text, tokens, hits, quantities, lexicon)
    reader.read()
    reading = Reading(
        text,
        tokens,
        hits,
        quantities,
        reader.clauses,
        reader.all_labels,
        frozenset(start for start, _ in reader.item_ranges),
        frozenset(end for _, end in reader.item_ranges),
        reader.sentence_of,
    )
    owners = sorted([*reading.clauses, *map(_label_clause, reading.labels)], key=lambda clause: clause.start)
    place = 0
    for quantity in quantities:
        while place + 1 < len(owners) and owners[place + 1].start <= quantity.start:
            place += 1
        if owners:
            reading.values.setdefault(quantity.value, []).append((owners[place], quantity))
    reading.numbers = frozenset(number.text for number in tokens.numbers if number is not None)
    reading.content = frozenset(content_words(tokens.words, lexicon))
    return reading


def content_words(words: list[str], lexicon: Lexicon) -> list[str]:
    """The words that say something, in the form they are compared in; numbers and signs left out."""
    return [lexicon.same_words.get(word, word) for word in words if word[0].isalpha() and len(word) > 1 and word not in lexicon.empty_words]


def _label_clause(label: Label) -> Clause:
    return Clause(label.start, label.end, label.item, -1, [], label.scope, label.scope, (label,), label.words, label.scope)


class _Reader:
    """Walks over a text once and keeps the stack of labels."""

    def __init__(self, text: str, tokens: Tokens, hits: dict[str, list[Hit]], quantities: list[Quantity], lexicon: Lexicon) -> None:
        self.text, self.tokens, self.hits, self.quantities, self.lexicon = text, tokens, hits, quantities, lexicon
        self.clauses: list[Clause] = []
        self.all_labels: list[Label] = []
        self.item_ranges: list[tuple[int, int]] = []
        self.sentence_of: list[int] = []
        self._stack: list[Label] = []
        self._content_since_label = True
        self._quantity_starts = [quantity.start for quantity in quantities]
        self._index = {name: hits.get(name, []) for name in ("population", "route", "severity", "roles", "tier")}
        self._hit_starts = {name: [hit.start for hit in found] for name, found in self._index.items()}

    def read(self) -> None:
        starts = self.tokens.starts
        sentence_spans = sentences(self.text)
        item_spans = items(self.text)
        position = sentence = 0
        previous_line_end = -1
        previous: Clause | None = None
        last_sentence = -1
        for number, span in enumerate(item_spans):
            while position < len(starts) and starts[position] < span.start:
                position += 1
            begin = position
            while position < len(starts) and starts[position] < span.end:
                position += 1
            if begin == position:
                continue
            while sentence_spans[sentence].end < span.end:
                sentence += 1
            self.item_ranges.append((begin, position))
            new_line = previous_line_end < 0 or "\n" in self.text[previous_line_end : span.start]
            previous_line_end = span.end
            line_ends = (
                span.end >= len(self.text) or self.text[span.end :].lstrip(" \t.").startswith("\n") or not self.text[span.end :].strip()
            )
            if new_line:
                self._drop_inline_of_line(begin, position)
            previous = self._read_item(
                begin, position, number, sentence, line_ends=line_ends, previous=previous if last_sentence == sentence else None
            )
            last_sentence = sentence

    # --- labels

    def _read_item(self, start: int, end: int, item: int, sentence: int, *, line_ends: bool, previous: Clause | None) -> Clause | None:
        position = start
        for colon in self._label_colons(start, end, line_ends=line_ends):
            is_header = line_ends and not any(word.isalnum() for word in self.tokens.words[colon + 1 : end])
            self._push(self._label(position, colon, is_header, item, sentence))
            position = colon + 1
            previous = None
        if not any(word[0].isalnum() for word in self.tokens.words[position:end]):
            return previous
        if self._is_tier_line(position, end):
            self._push(self._label(position, end, True, item, sentence))
            return None
        return self._read_clauses(position, end, item, sentence, previous)

    def _label_colons(self, start: int, end: int, *, line_ends: bool = False) -> list[int]:
        words, numbers = self.tokens.words, self.tokens.numbers
        colons: list[int] = []
        begin = start
        for place in range(start, end):
            if words[place] != ":" or place == start:
                continue
            inside_ratio = place + 1 < end and numbers[place - 1] is not None and numbers[place + 1] is not None and self._tight(place)
            after_bound = words[place - 1] in ("đa", "thiểu") or (words[place - 1] == "là")
            if inside_ratio or after_bound or place - begin > _LABEL_MAX_WORDS:
                continue
            whole_line = place == end - 1 and line_ends  # a header may name a strength ("Tiêm bắp 250 mg/ml:")
            if not whole_line and any(quantity.is_dose and quantity.end <= place for quantity in self._within(begin, place)):
                continue
            colons.append(place)
            begin = place + 1
        return colons

    def _tight(self, place: int) -> bool:
        return self.tokens.ends[place - 1] == self.tokens.starts[place] and self.tokens.ends[place] == self.tokens.starts[place + 1]

    def _within(self, start: int, end: int) -> list[Quantity]:
        return self.quantities[bisect_left(self._quantity_starts, start) : bisect_left(self._quantity_starts, end)]

    def _is_tier_line(self, start: int, end: int) -> bool:
        if not self._hits("tier", start, end):
            return False
        return "adr" in self.tokens.words[start:end] and end - start <= 14

    def _label(self, start: int, end: int, header: bool, item: int, sentence: int = -1) -> Label:
        scope = self._scope(start, end)
        words = frozenset(content_words(self.tokens.words[start:end], self.lexicon)) - self.lexicon.dosing_words
        generic = tuple(self.tokens.words[start:end]) in self.lexicon.generic_labels or not words
        return Label(start, end, header, scope, words, generic, item, sentence)

    def _push(self, label: Label) -> None:
        label.number = len(self.all_labels)
        self.all_labels.append(label)
        stack = self._stack
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
        for place in range(len(self._stack) - 1, -1, -1):
            other = self._stack[place]
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
        if mine.tiers or theirs.tiers:
            return bool(mine.tiers) and bool(theirs.tiers)
        if mine.populations or mine.bands:
            ages_below_organ = self._axes(mine) == {"age"} and bool(theirs.populations) and "age" not in self._axes(theirs)
            return bool(theirs.populations or theirs.bands) and not ages_below_organ
        if mine.routes:
            return bool(theirs.routes) and not theirs.populations
        if mine.severity:
            return bool(theirs.severity)
        return (label.is_condition and other.is_condition) or (label.generic and other.generic)

    def _axes(self, scope: Scope) -> set[str]:
        """Age, renal, hepatic …: "Người lớn:" lies inside "Liều cho người có chức năng thận bình thường:" and ends "Trẻ em:"."""
        return {self.lexicon.population_axes[tag] for tag in scope.populations}

    def _nests(self, label: Label, other: Label) -> bool:
        """Whether the new label lies inside ``other`` ("Sơ sinh:" or "4 - 6 tuổi:" under "Trẻ em:")."""
        mine, theirs = label.scope, other.scope
        if other.scope.bands and not (theirs.populations - mine.populations and not mine.bands):
            return False
        if not mine.populations:
            return bool(mine.bands) and bool(theirs.populations)
        outer = {self.lexicon.parents.get(tag) for tag in mine.populations} | {
            self.lexicon.parents.get(self.lexicon.parents.get(tag, ""), "") for tag in mine.populations
        }
        if theirs.populations & outer:
            return True
        return mine.populations == theirs.populations and bool(mine.bands) and not theirs.bands

    def _drop_inline_of_line(self, start: int, end: int) -> None:
        """A new line ends what inline labels said of group, band and degree; a route or a condition reaches on."""
        colons = self._label_colons(start, end)
        if colons and not self._label(start, colons[0], False, 0).generic:
            self._stack[:] = [label for label in self._stack if label.header or label.scope.routes or label.is_condition]
            return
        self._stack[:] = [
            label for label in self._stack if label.header or not (label.scope.populations or label.scope.bands or label.scope.severity)
        ]

    # --- clauses

    def _read_clauses(self, start: int, end: int, item: int, sentence: int, previous: Clause | None) -> Clause | None:
        self._content_since_label = True
        labels = tuple(self._stack)
        axes = self.lexicon.population_axes
        label_scope = _stacked(labels, axes)
        firm_labels = _stacked(tuple(label for label in labels if label.header or label.sentence == sentence), axes)
        firm_labels.routes, firm_labels.tiers = label_scope.routes, label_scope.tiers
        for begin, finish in self._pieces(start, end, label_scope):
            own = self._scope(begin, finish)
            carried = Scope()
            if previous is not None:
                carried = Scope(routes=previous.own.routes) if _names_someone(own) else previous.own
            scope = _over(_over(label_scope, carried, axes), own, axes)
            firm = _over(_over(firm_labels, carried, axes), own, axes)
            quantities = [quantity for quantity in self._within(begin, finish) if quantity.band is None]
            words = frozenset(content_words(self.tokens.words[begin:finish], self.lexicon))
            self.clauses.append(Clause(begin, finish, item, sentence, quantities, own, scope, labels, words, firm))
            passed_on = own if _names_someone(own) or previous is None else _over(previous.own, own, axes)
            previous = Clause(begin, finish, item, sentence, [], passed_on, scope)
        return previous

    def _pieces(self, start: int, end: int, labelled: Scope) -> list[tuple[int, int]]:
        """Parts of an item that speak of different groups, bands or routes, each with a figure of its own."""
        if end - start > _ITEM_MAX_WORDS:
            return [(start, end)]  # no sentence of a book; parting it would take quadratic time
        words = self.tokens.words
        cuts: list[int] = []
        begin = start
        for place in range(start + 1, end - 1):
            if words[place] not in _SPLITTERS or words[place - 1] == "(":
                continue
            if self._other_group_follows(begin, place, end, labelled):
                cuts.append(place)
                begin = place + 1
            elif self._self_sufficient(begin, place) and self._self_sufficient(place + 1, end):
                following = next((later for later in range(place + 1, end) if words[later] in _SPLITTERS and later > place + 1), end)
                if self._self_sufficient(place + 1, following) or following == end or self._has_figure(place + 1, following):
                    cuts.append(place)
                    begin = place + 1
        borders = [start, *[cut + 1 for cut in cuts], end]
        return [(left, right) for left, right in itertools.pairwise(borders) if right > left]

    def _other_group_follows(self, begin: int, place: int, end: int, labelled: Scope) -> bool:
        """ "Người lớn: 2 g/ngày, trẻ em: 50 mg/kg": a group of its own with a colon, behind a figure of the label's group."""
        if not labelled.populations or not self._has_figure(begin, place):
            return False
        colon = next((later for later in range(place + 1, min(end, place + 10)) if self.tokens.words[later] == ":"), None)
        if colon is None or self._has_figure(place + 1, colon):
            return False
        own = self._scope(place + 1, colon).populations
        return bool(own) and not own & labelled.populations

    def _has_figure(self, start: int, end: int) -> bool:
        return any(quantity.band is None for quantity in self._within(start, end))

    def _self_sufficient(self, start: int, end: int) -> bool:
        if not self._has_figure(start, end):
            return False
        scope = self._scope(start, end)
        return bool(scope.populations or scope.bands or scope.routes or scope.severity)

    def _scope(self, start: int, end: int) -> Scope:
        def values(name: str) -> frozenset[str]:
            return frozenset(hit.value for hit in self._hits(name, start, end))

        bands = tuple(quantity for quantity in self._within(start, end) if quantity.band is not None)
        return Scope(values("population"), self._routes(start, end), bands, values("severity"), values("roles"), values("tier"))

    def _hits(self, name: str, start: int, end: int) -> list[Hit]:
        starts = self._hit_starts[name]
        inside = self._index[name][bisect_left(starts, start) : bisect_left(starts, end)]
        return [hit for hit in inside if hit.end <= end]

    def _routes(self, start: int, end: int) -> frozenset[str]:
        found = {hit.value for hit in self._hits("route", start, end)}
        if len(found) > 1:
            found.discard("tiem_khong_ro")
        return frozenset(found)


def _names_someone(scope: Scope) -> bool:
    return bool(scope.populations or scope.bands)


def _over(outer: Scope, inner: Scope, axes: dict[str, str]) -> Scope:
    """``inner`` with what it leaves open filled from ``outer``; groups of another axis add up ("Trẻ em:" over "Suy thận:")."""
    inner_axes = {axes[tag] for tag in inner.populations}
    inner_dimensions = {band.band for band in inner.bands}
    kept = () if inner.populations and not inner.bands else tuple(band for band in outer.bands if band.band not in inner_dimensions)
    return Scope(
        inner.populations | frozenset(tag for tag in outer.populations if axes[tag] not in inner_axes),
        inner.routes or outer.routes,
        inner.bands + kept,
        inner.severity or outer.severity,
        inner.roles or outer.roles,
        inner.tiers or outer.tiers,
    )


def _stacked(labels: tuple[Label, ...], axes: dict[str, str]) -> Scope:
    scope = Scope()
    for label in labels:
        scope = _over(scope, label.scope, axes)
    return scope
