"""Routes of administration: what a label names, and whether that is the route asked about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from duocthu_core.retrieval.bands import Selection
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.phrases import PhraseMatcher

Route = str
_Reading = tuple[tuple[str, bool], ...]
"""Per phrase: (route, whether the phrase means it; False where it only covers the words of another)."""


class Routes:
    """Routes that a text names, and which routes answer for which (``routes`` table: parents, general words, families)."""

    def __init__(self, ruleset: Ruleset) -> None:
        table = ruleset.tables["routes"]
        self._routes: Mapping[str, Any] = table["routes"]
        self._phrases = PhraseMatcher(_route_phrases(self._routes))
        self._specials: dict[Route, frozenset[Route]] = {row["general"]: frozenset(row["special"]) for row in table["general_words"]}
        for route, entry in self._routes.items():
            if "parent" in entry:
                self._specials[entry["parent"]] = self._specials.get(entry["parent"], frozenset()) | {route}
        self._local = frozenset(ruleset.tables["sections"]["retrieval"]["local_route_families"])
        self._near = frozenset(ruleset.tables["sections"]["retrieval"]["near_route_families"])

    def named_in(self, text: str) -> frozenset[Route]:
        """Routes that ``text`` names; the general word ("tiêm") gives way to a special one in the same text."""
        found = {route for hit in self._phrases.find(text) for route, means in hit.value if means}
        return frozenset(route for route in found if not self.specials_of(route) & found)

    def specials_of(self, route: Route) -> frozenset[Route]:
        """The special routes that the general word ``route`` may mean."""
        return self._specials.get(route, frozenset())

    def is_local(self, route: Route) -> bool:
        """Whether what is given by ``route`` acts where it is put: its doses are none for the whole body."""
        return self._routes.get(route, {}).get("family") in self._local

    def selects(self, named: frozenset[Route], asked: Iterable[Route]) -> Selection:
        """Whether a label with the routes ``named`` is for one of the routes asked about; a label without a route stays open."""
        found = {self._selects_one(named, route) for route in asked} if named else set()
        return "inside" if "inside" in found else "unknown" if not found or "unknown" in found else "outside"

    def _selects_one(self, named: frozenset[Route], asked: Route) -> Selection:
        if asked in named or self.specials_of(asked) & named:
            return "inside"
        if any(asked in self.specials_of(route) for route in named) or any(self._is_near(route, asked) for route in named):
            return "unknown"
        return "outside"

    def _is_near(self, route: Route, other: Route) -> bool:
        family = self._routes.get(other, {}).get("family")
        return family in self._near and self._routes.get(route, {}).get("family") == family


def _route_phrases(routes: Mapping[str, Any]) -> dict[str, _Reading]:
    readings: dict[str, dict[str, bool]] = defaultdict(dict)
    for route, entry in routes.items():
        for phrase in entry.get("not_trigger", ()):
            readings[phrase.lower()].setdefault(route, False)
        sure = (short for short, how in entry.get("abbreviations", {}).items() if str(how).endswith("sure"))
        for phrase in [*entry["phrases"], *sure]:
            readings[phrase.lower()][route] = True
    return {phrase: tuple(sorted(reading.items())) for phrase, reading in readings.items()}
