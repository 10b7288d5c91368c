"""What the guards read a text into: clauses with their figures, and the labels that govern them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from duocthu_core.verification.guards.lexicon import BARE_INTRAVENOUS, Hit, Lexicon
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.tokens import Tokens


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
    row: bool = False
    """Whether it is the first cell of a table row, which holds for the whole row."""
    number: int = 0
    """Its place among the labels of the text."""
    topic: frozenset[str] = frozenset()
    """What it is about besides group, route, band and degree: a disease, an organ, a form ("Thoái hóa khớp, uống")."""
    names: tuple[frozenset[str], ...] = ()
    """The words of its single names ("viêm tai giữa; viêm phổi"): one of them says it."""
    leads: bool = False
    """Whether it is the first thing on its line: one in the middle of a line ends with it."""
    universal: bool = False
    """Whether it holds for all ("Tối đa mọi đường")."""

    @property
    def topic_key(self) -> str:
        """The topic in one word: labels with the same one are about the same."""
        return " ".join(sorted(self.topic))

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
    near: Scope = field(default_factory=Scope)
    """What the last label of a patient on an earlier line says, where no label governs this clause: perhaps still whom it is about."""
    near_topics: frozenset[str] = frozenset()
    """The topics of these labels."""


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


def content_words(words: list[str], lexicon: Lexicon) -> list[str]:
    """The words that say something, in the form they are compared in; numbers and signs left out."""
    return [lexicon.same_words.get(word, word) for word in words if word[0].isalpha() and len(word) > 1 and word not in lexicon.empty_words]


def names_someone(scope: Scope) -> bool:
    """Whether a scope says for whom."""
    return bool(scope.populations or scope.bands)


def over(outer: Scope, inner: Scope, lexicon: Lexicon) -> Scope:
    """``inner`` with what it leaves open filled from ``outer``; groups of another axis add up ("Trẻ em:" over "Suy thận:")."""
    axes = lexicon.population_axes
    inner_axes = {axes[tag] for tag in inner.populations}
    inner_dimensions = {band.band for band in inner.bands}
    # "Người lớn" under "4 - 6 tuổi:" is another group; "vào ngày thẩm phân" under "Clcr < 15 ml/phút" is not.
    replaced = bool(inner.populations) and not inner.bands
    kept = tuple(band for band in outer.bands if band.band not in inner_dimensions and not (replaced and band.band != "clearance"))
    return Scope(
        inner.populations | frozenset(tag for tag in outer.populations if axes[tag] not in inner_axes),
        _narrowed(inner.routes, outer.routes, lexicon),
        inner.bands + kept,
        inner.severity or outer.severity,
        inner.roles or outer.roles,
        inner.tiers or outer.tiers,
    )


def _narrowed(routes: frozenset[str], outer: frozenset[str], lexicon: Lexicon) -> frozenset[str]:
    """A general word ("tiêm") under a special label ("Tiêm bắp:") means the label's."""
    if not routes or not outer:
        return routes or outer
    specials = lexicon.route_specials
    if all(
        any(special in specials.get(route, ()) or (route in specials and special == BARE_INTRAVENOUS) for special in outer)
        for route in routes
    ):
        return outer
    return routes


def stacked(labels: tuple[Label, ...], lexicon: Lexicon) -> Scope:
    """What labels say together, outer to inner."""
    scope = Scope()
    for label in labels:
        scope = over(scope, label.scope, lexicon)
    return scope
