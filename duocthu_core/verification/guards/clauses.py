"""Reading a text: line by line, a line into sentences and items, an item into labels ("Trẻ em:") and clauses.

What a clause says of itself wins over its labels, label over the clause before it; block and claim are read alike, so that they can
be laid beside each other (design: one idea for both).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from duocthu_core.text.sentences import items, sentences
from duocthu_core.text.spans import Span
from duocthu_core.verification.guards.bounds import with_bounds
from duocthu_core.verification.guards.label_shapes import LabelShapes
from duocthu_core.verification.guards.label_stack import LabelStack
from duocthu_core.verification.guards.lexicon import Hit, Lexicon
from duocthu_core.verification.guards.line_breaks import without_soft_breaks
from duocthu_core.verification.guards.pieces import Pieces
from duocthu_core.verification.guards.quantities import read_quantities
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Clause, Label, Reading, Scope, content_words, names_someone, over, stacked
from duocthu_core.verification.guards.tables import fill_arrows, fill_table_cells
from duocthu_core.verification.guards.tokens import Tokens, read_tokens

_GLUED_BULLET = re.compile(r"(?<=[\w)])\.[-+•*][ \u00a0]+(?=[^\W\d_])")


def read(text: str, lexicon: Lexicon) -> Reading:
    """Clauses, labels and quantities of NFC ``text``."""
    tokens = read_tokens(text)
    hits = lexicon.find(tokens.words)
    quantities = read_quantities(tokens, hits, lexicon)
    fill_table_cells(quantities, tokens, hits, lexicon)
    fill_arrows(quantities, tokens, lexicon)
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


class _Reader(LabelShapes, Pieces):
    """Walks over a text once and keeps the stack of labels."""

    def __init__(self, text: str, tokens: Tokens, hits: dict[str, list[Hit]], quantities: list[Quantity], lexicon: Lexicon) -> None:
        super().__init__(text, tokens, hits, quantities, lexicon)
        self.clauses: list[Clause] = []
        self.all_labels: list[Label] = []
        self.item_ranges: list[tuple[int, int]] = []
        self.sentence_of: list[int] = []
        self._stack = LabelStack(lexicon)
        self._sentence_routes: frozenset[str] = frozenset()
        """The routes named so far in the sentence that is being read."""

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
                self._named_from = None
            elif last_sentence != sentence_number:
                self._stack.begin_sentence()
            if last_sentence != sentence_number:
                self._sentence_routes = frozenset()
            if self._names_only(begin, position, span, new_line=new_line):
                self._named_from = begin if self._named_from is None else self._named_from
                continue
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
            begins = position if self._named_from is None else self._named_from
            self._named_from = None
            self._take_label(self._label(begins, colon, is_header, item, sentence))
            position = colon + 1
            previous = None
        if not any(word[0].isalnum() for word in self.tokens.words[position:end]):
            return previous
        if self._is_tier_line(position, end):
            self._take_label(self._label(position, end, True, item, sentence))
            return None
        return self._read_clauses(position, end, item, sentence, previous)

    def _take_label(self, label: Label) -> None:
        label.number = len(self.all_labels)
        self.all_labels.append(label)
        self._stack.push(label)

    def _begin_line(self, start: int, end: int) -> None:
        colons = self._label_colons(start, end)
        label = self._label(start, colons[0], False, 0) if colons else None
        self._stack.begin_line(labelled=label is not None and not label.generic, topical=label is not None and bool(label.topic))

    # --- clauses

    def _read_clauses(self, start: int, end: int, item: int, sentence: int, previous: Clause | None) -> Clause | None:
        if previous is not None and self._is_collective(start):
            self._stack.begin_item_for_all()
            previous = None
        labels = self._stack.governing()
        lexicon = self.lexicon
        label_scope = stacked(labels, lexicon)
        firm_labels = stacked(tuple(label for label in labels if label.header or label.row or label.sentence == sentence), lexicon)
        firm_labels.routes, firm_labels.tiers = label_scope.routes, label_scope.tiers
        near = Scope() if names_someone(label_scope) else stacked(self._stack.left_behind, lexicon)
        near_topics = frozenset(label.topic_key for label in self._stack.left_behind if label.topic)
        for begin, finish in self._pieces(start, end, label_scope):
            own = self._scope(begin, finish, self._aside(begin, finish))
            carried = Scope()
            if previous is not None:
                carried = Scope(routes=previous.own.routes) if names_someone(own) else previous.own
                if begin == start and carried.routes and self._holds_for_all(begin, finish):
                    carried = replace(carried, routes=self._sentence_routes)
            self._sentence_routes |= own.routes
            scope = over(over(label_scope, carried, lexicon), own, lexicon)
            firm = over(over(firm_labels, carried, lexicon), own, lexicon)
            quantities = [quantity for quantity in self._within(begin, finish) if quantity.band is None]
            words = frozenset(content_words(self.tokens.words[begin:finish], self.lexicon))
            self.clauses.append(Clause(begin, finish, item, sentence, quantities, own, scope, labels, words, firm, near, near_topics))
            passed_on = own
            if previous is not None:  # the next group keeps the route alone
                passed_on = over(Scope(routes=previous.own.routes) if names_someone(own) else previous.own, own, lexicon)
            previous = Clause(begin, finish, item, sentence, [], passed_on, scope)
        return previous
