"""What a label looks like: before a colon, alone on its line, in the first cell of a row, with the route that opens a sentence."""

from __future__ import annotations

import re

from duocthu_core.text.spans import Span
from duocthu_core.verification.guards.places import Places
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Label, content_words, names_someone

_LABEL_MAX_WORDS = 28
_NAME_BORDERS = frozenset({",", ";", "(", ")", "hoặc", "hay", "và", "/"})
_BOUND_ONLY = 3
_NAME_MAX_WORDS = 12
_PLAIN_NAME_WORDS = 6
_NAMES_MORE = 2
_LABEL_CHARACTERS = 120
_DIGITS = re.compile(r"[0-9]")


class LabelShapes(Places):
    """Where the labels of a text are, and what each says."""

    _named_from: int | None = None
    """Where a label of several names begins ("viêm tai giữa; viêm phổi: 10 mg/kg")."""

    def _names_only(self, start: int, end: int, span: Span, *, new_line: bool) -> bool:
        """ "Suy thận; suy gan; cao tuổi: …": items of names at the head of a line, part of the label behind them."""
        if not (new_line or self._named_from is not None) or self.text[span.end - 1] != ";" or end - start > _NAME_MAX_WORDS:
            return False
        if any(quantity.band is None for quantity in self._within(start, end)) or ":" in self.tokens.words[start:end]:
            return False
        if self._hits_negation(start, end):
            return False
        known = self._hits("population", start, end) or self._within(start, end)
        if not known and (end - start > _PLAIN_NAME_WORDS or "," in self.tokens.words[start:end]):
            return False
        line_end = self.text.find("\n", span.end)
        following = self.text[span.end : line_end if line_end >= 0 else len(self.text)]
        stop = following.find(":")
        return (
            0 < stop < _LABEL_CHARACTERS
            and following[:stop].count(";") < _NAMES_MORE
            and not any(sign in following[:stop] for sign in ".!?")
            and not _DIGITS.search(following[:stop])
        )

    def _hits_negation(self, start: int, end: int) -> bool:
        return any(start <= hit.start < end for hit in self.hits.get("negation", ()))

    def _label_colons(self, start: int, end: int, *, line_ends: bool = False) -> list[int]:
        words, numbers = self.tokens.words, self.tokens.numbers
        colons: list[int] = []
        begin = start
        for place in range(start, end):
            if words[place] != ":" or place == start:
                continue
            inside_ratio = place + 1 < end and numbers[place - 1] is not None and numbers[place + 1] is not None and self._tight(place)
            figure_behind = place + 1 < end and numbers[place + 1] is not None
            after_bound = (words[place - 1] in ("đa", "thiểu") and (figure_behind or place - begin <= _BOUND_ONLY)) or words[
                place - 1
            ] == "là"
            if inside_ratio or after_bound or place - begin > _LABEL_MAX_WORDS:
                continue
            whole_line = place == end - 1 and line_ends  # a header may name a strength ("Tiêm bắp 250 mg/ml:")
            if not whole_line and any(
                quantity.is_dose and quantity.end <= place and not self._is_strength(quantity) for quantity in self._within(begin, place)
            ):
                continue
            colons.append(place)
            begin = place + 1
        return colons

    def _is_strength(self, quantity: Quantity) -> bool:
        """ "thuốc đạn 25 mg:": what the form holds, no dose."""
        return any(hit.end == quantity.start and hit.value.startswith("form/") for hit in self._forms)

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

    def _is_tier_line(self, start: int, end: int) -> bool:
        if not self._hits("tier", start, end):
            return False
        return "adr" in self.tokens.words[start:end] and end - start <= 14

    def _label(self, start: int, end: int, header: bool, item: int, sentence: int = -1) -> Label:
        scope = self._scope(start, end)
        words = frozenset(content_words(self.tokens.words[start:end], self.lexicon)) - self.lexicon.dosing_words
        all_meant = bool(self.lexicon.universal_words & set(self.tokens.words[start:end])) and not (names_someone(scope) or scope.severity)
        generic = tuple(self.tokens.words[start:end]) in self.lexicon.generic_labels or not words or all_meant
        topic, names = (frozenset(), ()) if generic else self._topic(start, end)
        return Label(
            start,
            end,
            header,
            scope,
            words,
            generic,
            item,
            sentence,
            topic=topic,
            names=names,
            leads=self._leads(start),
            universal=all_meant,
        )

    def _leads(self, start: int) -> bool:
        while start > 0 and start not in self.tokens.line_starts and not self.tokens.words[start - 1][0].isalnum():
            start -= 1
        return start == 0 or start in self.tokens.line_starts

    def _topic(self, start: int, end: int) -> tuple[frozenset[str], tuple[frozenset[str], ...]]:
        """What a label names besides group, route, band and degree, and its single names ("viêm tai giữa; viêm phổi")."""
        named = {place for name in self._index for hit in self._hits(name, start, end) for place in range(hit.start, hit.end)}
        named |= {place for quantity in self._within(start, end) for place in range(quantity.start, quantity.end)}
        words, lexicon = self.tokens.words, self.lexicon
        empty = lexicon.dosing_words | lexicon.bound_words | lexicon.no_topics
        names: list[frozenset[str]] = []
        begin = start
        for place in range(start, end + 1):
            if place == end or words[place] in _NAME_BORDERS:
                said = [words[at] for at in range(begin, place) if at not in named]
                names.append(frozenset(content_words(said, lexicon)) - empty)
                begin = place + 1
        return frozenset().union(*names), tuple(filter(None, names))
