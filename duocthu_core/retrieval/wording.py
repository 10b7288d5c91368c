"""The content words of a question: what is left when names, section words and grammar are taken out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.folding import has_marks, strip_marks
from duocthu_core.text.phrases import PhraseMatcher
from duocthu_core.text.spans import Span
from duocthu_core.understanding.model import Question

_NO_CONTENT = frozenset(
    {"drug", "brand", "section", "verbosity", "intent", "followup", "reference", "age", "weight", "route", "population", "allergen"}
)
_STRENGTH = re.compile(r"(?<![\w.,])\d{1,6}(?:[.,]\d{1,3})?\s?(?:mg|mcg|µg|g|ml|iu|ui|đvqt|đv|%)(?!\w)", re.IGNORECASE)
"""Strength of a product in a question ("clorpheniramin 4mg"): it tells no line from another."""
_WEIGHING = re.compile(r"(?<!\w)(?:cân )?nặng(?=\s+(?:\w+\s+)?\d)", re.IGNORECASE)
""" "bé nặng 28 kg": the word belongs to the weight."""
_SIGNS = " \t\n.,;:?!()[]\"'“”…-–"


class Wording(NamedTuple):
    """What a question asks in its own words."""

    runs: tuple[str, ...]
    """Stretches of neighbouring words."""
    with_marks: bool
    """Whether the question was typed with Vietnamese marks: then "than" is coal and not "thận"."""

    @property
    def text(self) -> str:
        """All of them as one string."""
        return " ".join(self.runs)


class ContentWords:
    """Finds the stretches of a question that say what it is about. Compiled once per ruleset."""

    def __init__(self, ruleset: Ruleset) -> None:
        table: dict[str, Any] = ruleset.tables["function_words"]
        grammar: Sequence[str] = [*table["grammar"], *table["question"], *table["dosing"]]
        bare = {strip_marks(phrase): True for phrase in grammar if " " in phrase}
        self._grammar = PhraseMatcher(dict.fromkeys(grammar, True), bare)

    def of(self, question: Question) -> Wording:
        """The content stretches of a question, in order; words of a name, strength, section, group or route are none."""
        spans = [mention.span for mention in question.mentions if mention.kind in _NO_CONTENT]
        spans += [value.span for value in question.stated]
        spans += [Span(*match.span()) for match in _WEIGHING.finditer(question.text)]
        spans += [Span(*match.span()) for match in _STRENGTH.finditer(question.text)]
        spans += [Span(start, start + len(name)) for name in question.unknown_names if (start := question.text.find(name)) >= 0]
        return Wording(tuple(self._without(question.text, spans)), has_marks(question.text))

    def of_text(self, text: str) -> Wording:
        """The content stretches of a phrase ("điều trị bệnh tăng huyết áp" -> "tăng huyết áp")."""
        return Wording(tuple(self._without(text, [])), has_marks(text))

    def _without(self, text: str, spans: Iterable[Span]) -> list[str]:
        covered = [*spans, *(hit.span for hit in self._grammar.find(text))]
        kept = list(text)
        for span in covered:
            kept[span.start : span.end] = "\0" * (span.end - span.start)
        return [run for part in "".join(kept).split("\0") for run in [part.strip(_SIGNS)] if any(map(str.isalpha, run))]
