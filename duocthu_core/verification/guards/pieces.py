"""An item in pieces: parts that speak of different groups, bands, degrees or routes, each with a figure of its own."""

from __future__ import annotations

import itertools

from duocthu_core.verification.guards.places import Places
from duocthu_core.verification.guards.structure import Scope

_SPLITTERS = frozenset({",", "và", "hoặc", "hay", "còn", "nhưng"})
_ITEM_MAX_WORDS = 500


class Pieces(Places):
    """Parts the items of a text."""

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
            if self._other_group_follows(begin, place, end, labelled) or self._degree_follows(begin, place, end):
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

    def _holds_for_all(self, start: int, end: int) -> bool:
        """ "uống 500 mg; tĩnh mạch 400 mg; 4 - 6 tuần": a limit or a duration in an item of its own is for all routes before it."""
        inside = [quantity for quantity in self._within(start, end) if quantity.band is None]
        return bool(inside) and (inside[0].upper or all(quantity.kind == "time" for quantity in inside))

    def _is_collective(self, start: int) -> bool:
        """ "…; tất cả ngày 3 - 4 lần": the item speaks of all groups of its sentence."""
        return any(tuple(self.tokens.words[start : start + len(phrase)]) == phrase for phrase in self.lexicon.collective_openers)

    def _degree_follows(self, begin: int, place: int, end: int) -> bool:
        """ "20 mg hàng ngày, nặng 40 mg"; "tối đa 24 mg, người cao tuổi 12 mg": a figure of its own for some."""
        if self.tokens.words[place] != "," or not self._has_figure(begin, place):
            return False
        for name in ("severity", "population"):
            hit = next((hit for hit in self._hits(name, place + 1, min(end, place + 7))), None)
            figures = self._within(hit.end, min(end, hit.end + 3)) if hit is not None else []
            figures = [figure for figure in figures if figure.band is None]
            if figures and figures[0].is_dose and not self._hits(name, begin, place):
                return True
        return False

    def _self_sufficient(self, start: int, end: int) -> bool:
        if not self._has_figure(start, end):
            return False
        scope = self._scope(start, end)
        return bool(scope.populations or scope.bands or scope.routes or scope.severity)
