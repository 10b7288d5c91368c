"""What stands where in a text: its figures and the hits of each table, by token positions."""

from __future__ import annotations

from bisect import bisect_left

from duocthu_core.verification.guards.lexicon import BARE_INTRAVENOUS, Hit, Lexicon
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Scope
from duocthu_core.verification.guards.tokens import Tokens

_BARE_INJECTION = "tiem_khong_ro"


class Places:
    """The figures and hits of one text, looked up by ranges of tokens."""

    def __init__(self, text: str, tokens: Tokens, hits: dict[str, list[Hit]], quantities: list[Quantity], lexicon: Lexicon) -> None:
        self.text, self.tokens, self.hits, self.quantities, self.lexicon = text, tokens, hits, quantities, lexicon
        self._forms = [hit for hit in hits.get("thing", ()) if hit.value.startswith("form/")]
        self._quantity_starts = [quantity.start for quantity in quantities]
        self._index = {name: hits.get(name, []) for name in ("population", "route", "severity", "roles", "tier")}
        self._route_starts = {hit.start for hit in self._index["route"]}
        self._route_ends = {hit.end for hit in self._index["route"]}
        self._hit_starts = {name: [hit.start for hit in found] for name, found in self._index.items()}

    def _within(self, start: int, end: int) -> list[Quantity]:
        return self.quantities[bisect_left(self._quantity_starts, start) : bisect_left(self._quantity_starts, end)]

    def _hits(self, name: str, start: int, end: int) -> list[Hit]:
        starts = self._hit_starts[name]
        inside = self._index[name][bisect_left(starts, start) : bisect_left(starts, end)]
        return [hit for hit in inside if hit.end <= end]

    def _tight(self, place: int) -> bool:
        return self.tokens.ends[place - 1] == self.tokens.starts[place] and self.tokens.ends[place] == self.tokens.starts[place + 1]

    def _has_figure(self, start: int, end: int) -> bool:
        return any(quantity.band is None for quantity in self._within(start, end))

    def _aside(self, start: int, end: int) -> list[tuple[int, int]]:
        """Brackets right behind a later figure: they say whom that figure is for ("…: 10 ngày (dưới 6 tuổi, nặng)")."""
        words = self.tokens.words
        figures = [quantity for quantity in self._within(start, end) if quantity.band is None]
        found: list[tuple[int, int]] = []
        for quantity in figures[1:]:
            if words[quantity.end : quantity.end + 1] == ["("]:
                close = next((place for place in range(quantity.end, end) if words[place] == ")"), end)
                found.append((quantity.end, close))
        return found

    def _scope(self, start: int, end: int, aside: list[tuple[int, int]] | None = None) -> Scope:
        def counts(place: int) -> bool:
            return not any(begin <= place < close for begin, close in aside or ())

        def values(name: str) -> frozenset[str]:
            return frozenset(hit.value for hit in self._hits(name, start, end) if counts(hit.start))

        bands = tuple(quantity for quantity in self._within(start, end) if quantity.band is not None and counts(quantity.start))
        return Scope(values("population"), self._routes(start, end), bands, values("severity"), values("roles"), values("tier"))

    def _routes(self, start: int, end: int) -> frozenset[str]:
        found = {hit.value for hit in self._hits("route", start, end) if not self._is_gone_over_to(hit, start, end)}
        if found & (self.lexicon.route_specials.get(_BARE_INJECTION, frozenset()) | {BARE_INTRAVENOUS}):
            found.discard(_BARE_INJECTION)  # "tiêm hoặc uống" keeps both
        return frozenset(found)

    def _is_gone_over_to(self, hit: Hit, start: int, end: int) -> bool:
        """ "tiêm bắp 2 ngày rồi chuyển sang uống hoặc đặt": what is gone over to behind the last figure is no route of that figure."""
        words = self.tokens.words
        figures = self._within(start, end)
        if not figures or figures[-1].start > hit.start:
            return False
        return any(word in self.lexicon.transitions for word in words[figures[-1].end : hit.start])
