"""Asking back rather than listing every band (spec 03, rule 7), with the blocks' own labels as quick replies (rule 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from duocthu_core.language_models.offline.lexicon import AGE_AXIS, Lexicon
from duocthu_core.language_models.offline.question import Asked
from duocthu_core.language_models.offline.reading import Item

_MAX_REPLIES = 4


@dataclass(frozen=True)
class AskBack:
    """A question and its quick replies; none where a value is wanted or there are too many."""

    question: str
    quick_replies: tuple[str, ...] = ()


class Asker:
    """Decides whether dosing lines still leave open for whom or how."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._texts = lexicon.rules["ask"]

    def question_about(self, chosen: Sequence[Item], asked: Asked) -> AskBack | None:
        """What to ask before these dosing lines can be quoted, or None where they are settled. A survey is never asked back."""
        doses = [item for item in chosen if item.is_dose and not item.is_manner]
        if asked.survey or asked.asks_manner or asked.asks_rate or not doses:
            return None
        return (
            self._which_group(doses, asked)
            or self._which_child(doses, asked)
            or self._which_route(doses, asked)
            or self._which_value(doses, asked)
            or self._which_condition(doses, asked)
        )

    def question_about_undecided(self, chosen: Sequence[Item], undecided: Sequence[Item], asked: Asked) -> AskBack | None:
        """What to ask where the stated value settles the lines of some routes only: with a weight alone a child would be shown the
        infusion by weight, and not what is swallowed, which goes by age."""
        doses = [item for item in chosen if item.is_dose and not item.is_manner]
        if asked.survey or asked.asks_manner or asked.route or not doses:
            return None
        shown = {route for item in doses for route in item.routes}
        kinds = {band.kind for item in undecided if item.routes and not item.routes & shown for band in item.bands}
        return AskBack(self._texts["age"]) if shown and "age" in kinds and not asked.states("age") else None

    def _which_group(self, doses: Sequence[Item], asked: Asked) -> AskBack | None:
        """No patient was named and the lines are for several."""
        if asked.population or asked.stated:
            return None
        groups: dict[str, str] = {}
        for item in doses:
            for tag in sorted(item.populations.get(AGE_AXIS, frozenset())):
                groups.setdefault(self._root(tag), self._label_of(item, self._root(tag), tag))
        return AskBack(self._texts["group"], _replies(groups.values())) if len(groups) > 1 else None

    def _which_child(self, doses: Sequence[Item], asked: Asked) -> AskBack | None:
        """ "Trẻ em" alone is never enough where the lines differ by age or weight."""
        if not self._is_child(asked):
            return None
        stated = {value.kind for value in asked.stated} | ({"gestational_age"} if asked.states("age") else set())
        open_bands = {band for item in doses for band in item.bands if band.kind != "clcr" and band.kind not in stated}
        if len(open_bands) < 2 or sum(bool(open_bands.intersection(item.bands)) for item in doses) < 2:
            return None
        if stated:
            return AskBack(self._texts["weight" if {band.kind for band in open_bands} == {"weight"} else "age"])
        labels = [item.labels[0] for item in doses if item.labels]
        return AskBack(self._texts["age_weight"], _replies(labels) if len(labels) == len(doses) else ())

    def _which_route(self, doses: Sequence[Item], asked: Asked) -> AskBack | None:
        """ "Người lớn" is enough only where one route applies or it was named; a child's age is enough unless the list grows long."""
        if asked.route:
            return None
        routes: dict[str, str] = {}
        for item in doses:
            if len(item.routes) == 1:
                (route,) = item.routes
                routes.setdefault(route, self._route_label(item, route))
        special = [route for route in routes if not any(route != other and self._lexicon.route_satisfies(route, other) for other in routes)]
        routes = {route: routes[route] for route in special}
        if len(routes) < 2:
            return None
        if asked.stated and len(doses) <= self._lexicon.rules["dose_lines_max"]:
            return None
        return AskBack(self._texts["route"], _replies(routes.values()))

    def _which_value(self, doses: Sequence[Item], asked: Asked) -> AskBack | None:
        """More bands of weight or clearance than can be read at a glance."""
        most = self._lexicon.rules["adult_bands_max"]
        for kind, question in (("weight", "weight"), ("clcr", "clearance")):
            if not asked.states(kind) and len({band for item in doses for band in item.bands if band.kind == kind}) > most:
                return AskBack(self._texts[question])
        return None

    def _which_condition(self, doses: Sequence[Item], asked: Asked) -> AskBack | None:
        if asked.topics or asked.detailed or len(doses) <= self._lexicon.rules["dose_lines_max"]:
            return None
        conditions = [label for item in doses for label in item.conditions if self._lexicon.is_condition(label)]
        distinct = list(dict.fromkeys(conditions))
        return AskBack(self._texts["condition"], _replies(distinct)) if len(distinct) > 1 else None

    def _is_child(self, asked: Asked) -> bool:
        return asked.population is not None and "tre_em" in self._lexicon.lineage(asked.population)

    def _root(self, tag: str) -> str:
        return next((wider for wider in ("tre_em", "nguoi_lon", "nguoi_cao_tuoi") if wider in self._lexicon.lineage(tag)), tag)

    def _label_of(self, item: Item, *tags: str) -> str:
        """The words of the book for the first of ``tags`` that a label of the line names."""
        for tag in tags:
            for label in item.conditions:
                if tag in self._lexicon.populations.tags(label):
                    return label
        return str(self._lexicon.tables["populations"]["tags"][tags[0]]["label_vi"])

    def _route_label(self, item: Item, route: str) -> str:
        """The words of the book for the route, from the first label that names it or from the line."""
        for text in (*item.conditions, item.text):
            for hit in self._lexicon.routes.find(text):
                if hit.value == route:
                    return hit.span.of(text)
        return str(self._lexicon.tables["routes"]["routes"][route]["label_vi"])


def _replies(labels: Iterable[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(_sentence_case(label) for label in labels))
    return found if 2 <= len(found) <= _MAX_REPLIES else ()


def _sentence_case(label: str) -> str:
    return label[:1].upper() + label[1:]
