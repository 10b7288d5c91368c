"""Reading a text: line by line, a line into sentences and items, an item into labels ("Trẻ em:") and clauses.

What a clause says of itself wins over its labels, label over the clause before it; block and claim are read alike, so that they can
be laid beside each other (design: one idea for both).
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Iterator

from duocthu_core.text.sentences import items, sentences
from duocthu_core.text.spans import Span
from duocthu_core.verification.guards.bounds import with_bounds
from duocthu_core.verification.guards.label_stack import LabelStack
from duocthu_core.verification.guards.lexicon import Hit, Lexicon
from duocthu_core.verification.guards.line_breaks import without_soft_breaks
from duocthu_core.verification.guards.quantities import read_quantities
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Clause, Label, Reading, Scope, content_words, names_someone, over, stacked
from duocthu_core.verification.guards.tables import fill_table_cells
from duocthu_core.verification.guards.tokens import Tokens, read_tokens

_SPLITTERS = frozenset({",", "và", "hoặc", "hay", "còn", "nhưng"})
_GLUED_BULLET = re.compile(r"(?<=[\w)])\.[-+•*][ \u00a0]+(?=[^\W\d_])")
_LABEL_MAX_WORDS = 28
_ITEM_MAX_WORDS = 500


def read(text: str, lexicon: Lexicon) -> Reading:
    """Clauses, labels and quantities of NFC ``text``."""
    tokens = read_tokens(text)
    hits = lexicon.find(tokens.words)
    quantities = read_quantities(tokens, hits, lexicon)
    fill_table_cells(quantities, tokens, hits, lexicon)
    quantities = with_bounds(quantities, tokens, hits, lexicon)
    reader = _Reader(without_soft_breaks(text), tokens, hits, quantities, lexicon)
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


def _bulleted(text: str) -> Iterator[tuple[Span, bool]]:
    """The items of a text, parted also at bullets that a scan has glued to the sentence before ("3 lần.- Trẻ em …")."""
    for span in items(text):
        start = span.start
        for bullet in _GLUED_BULLET.finditer(text, span.start, span.end):
            yield Span(start, bullet.start() + 1), start > span.start
            start = bullet.end()
        if start < span.end:
            yield Span(start, span.end), start > span.start


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
        self._stack = LabelStack(lexicon)
        self._quantity_starts = [quantity.start for quantity in quantities]
        self._index = {name: hits.get(name, []) for name in ("population", "route", "severity", "roles", "tier")}
        self._route_starts = {hit.start for hit in self._index["route"]}
        self._route_ends = {hit.end for hit in self._index["route"]}
        self._hit_starts = {name: [hit.start for hit in found] for name, found in self._index.items()}

    def read(self) -> None:
        starts = self.tokens.starts
        sentence_spans = sentences(self.text)
        position = sentence = sentence_number = 0
        previous_line_end = -1
        previous: Clause | None = None
        last_sentence = -1
        for number, (span, behind_bullet) in enumerate(_bulleted(self.text)):
            while position < len(starts) and starts[position] < span.start:
                position += 1
            begin = position
            while position < len(starts) and starts[position] < span.end:
                position += 1
            if begin == position:
                continue
            sentence_number += behind_bullet
            while sentence_spans[sentence].end < span.end:
                sentence += 1
                sentence_number += 1
            self.item_ranges.append((begin, position))
            new_line = previous_line_end < 0 or "\n" in self.text[previous_line_end : span.start]
            previous_line_end = span.end
            line_ends = (
                span.end >= len(self.text) or self.text[span.end :].lstrip(" \t.").startswith("\n") or not self.text[span.end :].strip()
            )
            if new_line:
                self._begin_line(begin, position)
            before = previous if last_sentence == sentence_number else None
            previous = self._read_item(begin, position, number, sentence_number, line_ends=line_ends, previous=before)
            last_sentence = sentence_number

    # --- labels

    def _read_item(self, start: int, end: int, item: int, sentence: int, *, line_ends: bool, previous: Clause | None) -> Clause | None:
        position = start
        if line_ends and self._is_caption(start, end):
            self._take_label(self._label(start, end, True, item, sentence))
            return None
        if line_ends and self._is_group_line(start, end):
            self._take_label(self._label(start, end, True, item, sentence))
            return None
        row_head = self._row_head(start, end)
        if row_head is not None:
            self._stack.begin_row()
            head = self._label(start + 1, row_head, False, item, sentence)
            head.row = True
            self._take_label(head)
            position, previous = row_head + 1, None
        opening = self._opening_route(start, end)
        if opening is not None:
            self._take_label(self._label(start, opening, False, item, sentence))
            position, previous = opening + 1, None
        for colon in self._label_colons(position, end, line_ends=line_ends):
            is_header = line_ends and not any(word.isalnum() for word in self.tokens.words[colon + 1 : end])
            self._take_label(self._label(position, colon, is_header, item, sentence))
            position = colon + 1
            previous = None
        if not any(word[0].isalnum() for word in self.tokens.words[position:end]):
            return previous
        if self._is_tier_line(position, end):
            self._take_label(self._label(position, end, True, item, sentence))
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

    def _is_caption(self, start: int, end: int) -> bool:
        """ "Bảng 2: Liều cho trẻ em bị suy thận": the title of a table governs its rows."""
        words = self.tokens.words
        if (start and start not in self.tokens.line_starts) or words[start] not in self.lexicon.caption_words or start + 2 >= end:
            return False
        return self.tokens.numbers[start + 1] is not None and not any(
            quantity.band is None and quantity.unit is not None for quantity in self._within(start + 2, end)
        )

    def _is_group_line(self, start: int, end: int) -> bool:
        """ "Người lớn và thanh thiếu niên trên 12 tuổi" alone on a line: a label that has lost its colon."""
        if end >= len(self.tokens.words) or (start and start not in self.tokens.line_starts) or self.tokens.words[end - 1] in ".:;":
            return False
        inside = self._within(start, end)
        hits = self._hits("population", start, end)
        if not hits or any(quantity.band is None for quantity in inside):
            return False
        named = {place for hit in hits for place in range(hit.start, hit.end)}
        named |= {place for quantity in inside for place in range(quantity.start, quantity.end)}
        rest = [self.tokens.words[place] for place in range(start, end) if place not in named]
        return not set(content_words(rest, self.lexicon)) - self.lexicon.bound_words

    def _row_head(self, start: int, end: int) -> int | None:
        """The bar behind the first cell of a table row: what stands there holds for the whole row, like a label."""
        words = self.tokens.words
        if words[start] != "|" or not any(number is not None for number in self.tokens.numbers[start:end]):
            return None
        bar = next((place for place in range(start + 1, end) if words[place] == "|"), None)
        if bar is None or bar == start + 1 or any(quantity.is_dose for quantity in self._within(start + 1, bar)):
            return None
        following = next((place for place in range(bar + 1, end) if words[place] == "|"), None)
        while following is not None and self._is_band_cell(bar + 1, following):  # "Suy thận vừa | 30 - 49 | 5 mg"
            bar, following = following, next((place for place in range(following + 1, end) if words[place] == "|"), None)
        return bar if any(word[0].isalnum() for word in words[bar + 1 : end]) else None

    def _is_band_cell(self, start: int, end: int) -> bool:
        inside = self._within(start, end)
        return bool(inside) and all(quantity.band is not None for quantity in inside)

    def _opening_route(self, start: int, end: int) -> int | None:
        """The comma behind a route that opens a sentence ("Nếu uống, …"): it holds for what follows, like a label."""
        words = self.tokens.words
        if words[start] not in self.lexicon.route_openers:
            return None
        comma = next((place for place in range(start + 1, min(end, start + 7)) if words[place] in ",:"), None)
        if comma is None or words[comma] == ":" or not self._hits("route", start, comma) or self._has_figure(start, comma):
            return None
        return None if any(words[place] in ("và", "hoặc") for place in range(start, comma)) else comma

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

    def _take_label(self, label: Label) -> None:
        label.number = len(self.all_labels)
        self.all_labels.append(label)
        self._stack.push(label)

    def _begin_line(self, start: int, end: int) -> None:
        colons = self._label_colons(start, end)
        self._stack.begin_line(labelled=bool(colons) and not self._label(start, colons[0], False, 0).generic)

    # --- clauses

    def _read_clauses(self, start: int, end: int, item: int, sentence: int, previous: Clause | None) -> Clause | None:
        labels = self._stack.governing()
        lexicon = self.lexicon
        label_scope = stacked(labels, lexicon)
        firm_labels = stacked(tuple(label for label in labels if label.header or label.row or label.sentence == sentence), lexicon)
        firm_labels.routes, firm_labels.tiers = label_scope.routes, label_scope.tiers
        near = Scope() if names_someone(label_scope) else stacked(self._stack.left_behind, lexicon)
        for begin, finish in self._pieces(start, end, label_scope):
            own = self._scope(begin, finish)
            carried = Scope()
            if previous is not None:
                carried = Scope(routes=previous.own.routes) if names_someone(own) else previous.own
            scope = over(over(label_scope, carried, lexicon), own, lexicon)
            firm = over(over(firm_labels, carried, lexicon), own, lexicon)
            quantities = [quantity for quantity in self._within(begin, finish) if quantity.band is None]
            words = frozenset(content_words(self.tokens.words[begin:finish], self.lexicon))
            self.clauses.append(Clause(begin, finish, item, sentence, quantities, own, scope, labels, words, firm, near))
            passed_on = own if names_someone(own) or previous is None else over(previous.own, own, lexicon)
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
            if words[place] not in _SPLITTERS or words[place - 1] == "(" or self._joins_routes(place) or self._joins_figures(place):
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

    def _joins_routes(self, place: int) -> bool:
        """ "tiêm bắp hay tĩnh mạch": one figure by either route."""
        return place in self._route_ends and place + 1 in self._route_starts

    def _joins_figures(self, place: int) -> bool:
        """ "2 hoặc 3 liều": two figures of one unit."""
        return self.tokens.numbers[place - 1] is not None and self.tokens.numbers[place + 1] is not None

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
