"""The words that the offline model knows: the ruleset's tables, compiled once.

It stands below the rooms that understand, retrieve and verify, so it reads the same tables with its own, plainer means.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.content_words import ContentWords
from duocthu_core.text.figures import FigureWords
from duocthu_core.text.folding import fold
from duocthu_core.text.phrases import PhraseHit, PhraseMatcher, Word, words
from duocthu_core.text.spans import Span

AGE_AXIS = "age"


class TaggedPhrases:
    """Finds the tags of a table whose entries have ``phrases`` and phrases that cancel a hit of their own tag."""

    def __init__(self, entries: Mapping[str, Mapping[str, Any]], kept: str = "negated_keeps_tag") -> None:
        phrases: dict[str, str] = {}
        accentless: dict[str, str] = {}
        covers: dict[str, set[str]] = {}
        for tag, entry in entries.items():
            phrases |= {str(phrase): tag for phrase in entry.get("phrases", ())}
            phrases |= {str(short): tag for short, sure in entry.get("abbreviations", {}).items() if str(sure) == "sure"}
            accentless |= {str(phrase): tag for phrase in entry.get("accentless", ())}
            still = set(entry.get(kept, ()))
            for phrase in (*entry.get("not_trigger", ()), *entry.get("negated", ())):
                if phrase not in still:
                    covers.setdefault(str(phrase), set()).add(tag)
        self.tags = lru_cache(maxsize=8192)(self._tags)
        """The distinct tags of a text; labels are asked for again and again."""
        self._phrases = PhraseMatcher(phrases, accentless)
        self._covers = PhraseMatcher({phrase: frozenset(tags) for phrase, tags in covers.items()})

    def find(self, text: str, text_words: list[Word] | None = None) -> list[PhraseHit[str]]:
        """The hits in ``text`` that no covering phrase cancels."""
        found = words(text) if text_words is None else text_words
        hits = self._phrases.find(text, found)
        if not hits:
            return []
        covers = self._covers.find(text, found)
        return [hit for hit in hits if not any(hit.value in cover.value and cover.span.overlaps(hit.span) for cover in covers)]

    def _tags(self, text: str) -> frozenset[str]:
        return frozenset(hit.value for hit in self.find(text))


@dataclass(frozen=True, slots=True)
class _Tables:
    """The tables of a ruleset, told apart by their content."""

    tables_id: str
    ruleset: Ruleset = field(compare=False)


def lexicon_of(ruleset: Ruleset) -> Lexicon:
    """The :class:`Lexicon` of the tables of ``ruleset``; the last few are kept, and rulesets with the same tables share one."""
    return _compiled(_Tables(ruleset.tables_id, ruleset))


@lru_cache(maxsize=4)
def _compiled(tables: _Tables) -> Lexicon:
    return Lexicon(tables.ruleset)


class Lexicon:
    """Every table the offline model uses. Compiled once; looking up keeps no state."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.tables = ruleset.tables
        self.rules: Mapping[str, Any] = ruleset.tables["answering"]["offline"]
        self._population_tags: Mapping[str, Mapping[str, Any]] = self.tables["populations"]["tags"]
        self.populations = TaggedPhrases(self._population_tags)
        self.routes = TaggedPhrases(self.tables["routes"]["routes"])
        functions = self.tables["function_words"]
        self.grammar = ContentWords(functions["grammar"])
        self.topic_words = ContentWords([*functions["grammar"], *functions["question"], *self.tables["dialogue"]["social"]["fillers"]])
        self.continuations = _matcher(self.rules["continuations"])
        self.contrasts = _matcher(self.rules["contrasts"])
        self.switches = _matcher(self.rules["switches"])
        self.exceptions = _matcher(self.tables["negations"]["exceptions"])
        self.own_groups = _matcher(self.rules["own_groups"])
        severities: dict[str, str] = {str(word): str(word) for word in self.rules["severity_words"]}
        self.severities = PhraseMatcher(severities | dict.fromkeys(map(str, self.rules["severity_not"]), ""))
        dialogue = self.tables["dialogue"]
        amounts = {str(phrase): True for phrase in dialogue["amount_cues"]}
        self.amount_words = PhraseMatcher(amounts, {str(phrase): True for phrase in dialogue["amount_accentless"]})
        self.manner_openers = _matcher(self.rules["manner_openers"])
        self.manner_labels = _matcher(self.rules["manner_labels"])
        self.manner_words = _matcher(self.rules["manner_words"])
        self.rate_words, self.rate_lines = _matcher(self.rules["rate_words"]), _matcher(self.rules["rate_lines"])
        self.schedule_words = _matcher(self.rules["schedule_words"])
        self.aspects = tuple((_matcher(aspect["asked"]), _matcher(aspect["labels"])) for aspect in self.rules["aspects"])
        self.figure_names = FigureWords(self.tables["answering"])
        self.dose_units = frozenset(map(str, self.rules["dose_units"]))
        self.sections_asked = self._sections_asked()
        self.section_words = self._section_words()
        self.section_titles = frozenset(
            fold(str(title)) for entry in self.tables["sections"]["sections"].values() for title in (entry["label_vi"], *entry["headings"])
        )
        self.question_frames = self._question_frames()
        self.frequency_tiers = self._frequency_tiers()
        self.tier_names = self._tier_names()
        self.yes_no_tails = self._yes_no_tails()
        self._measures = frozenset(map(str, self.rules["measure_words"]))
        self.negating_sections = frozenset(self.tables["negations"]["negating_sections"])

    def _sections_asked(self) -> PhraseMatcher[str]:
        """Words of a question that only name a section, and so are no topic."""
        sections = self.tables["sections"]["sections"]
        phrases = {str(phrase): key for key, entry in sections.items() for phrase in (*entry.get("ask", ()), *entry.get("headings", ()))}
        accentless = {str(phrase): key for key, entry in sections.items() for phrase in entry.get("accentless", ())}
        return PhraseMatcher(phrases, accentless)

    def _section_words(self) -> frozenset[str]:
        """Words of section headings: inside a phrase that asks for a section they are no topic."""
        sections = self.tables["sections"]["sections"].values()
        return frozenset(word.folded for entry in sections for heading in entry["headings"] for word in words(str(heading)))

    def _question_frames(self) -> PhraseMatcher[bool]:
        """Words of a question about its form: breadth, verbosity, comparison, follow-up, taking together."""
        dialogue = self.tables["dialogue"]
        lists: list[Iterable[str]] = [
            dialogue["breadth"]["all"],
            *(dialogue["verbosity"][key] for key in ("detailed", "concise")),
            dialogue["compare"],
            dialogue["interaction"],
            dialogue["followup"]["prefix"],
            dialogue["followup"]["anywhere"],
            dialogue["reference_words"],
            dialogue["numeric_suppression"],
        ]
        return _matcher(phrase for phrases in lists for phrase in phrases)

    def _frequency_tiers(self) -> PhraseMatcher[str]:
        """Names of the frequency tiers of adverse reactions."""
        tiers = self.tables["frequency"]["tiers"]
        return PhraseMatcher({str(name): tier for tier, entry in tiers.items() for name in (*entry["names"], *entry.get("ocr", ()))})

    def _tier_names(self) -> PhraseMatcher[bool]:
        """The same names, for asking whether a line begins with one."""
        tiers = self.tables["frequency"]["tiers"].values()
        return _matcher(name for entry in tiers for name in (*entry["names"], *entry.get("ocr", ())))

    def _yes_no_tails(self) -> PhraseMatcher[bool]:
        """Question tags that ask whether."""
        return _matcher(phrase for phrase in self.tables["negations"]["question_tags"] if "…" not in str(phrase))

    def severities_in(self, text: str) -> set[str]:
        """Severities that ``text`` names; "cân nặng" is none."""
        return {hit.value for hit in self.severities.find(text) if hit.value}

    def axis_of(self, population: str) -> str:
        """The axis that a population tag lies on: age, renal, hepatic, reproductive, sex."""
        return str(self._population_tags.get(population, {}).get("axis", population))

    def parent_of(self, population: str) -> str | None:
        """The wider tag that a population tag falls back to."""
        parent = self._population_tags.get(population, {}).get("parent")
        return str(parent) if parent else None

    def lineage(self, population: str) -> frozenset[str]:
        """A population tag and every wider one."""
        found = [population]
        while (parent := self.parent_of(found[-1])) is not None and parent not in found:
            found.append(parent)
        return frozenset(found)

    def route_satisfies(self, asked: str, written: str) -> bool:
        """Whether a line for route ``written`` answers a question for route ``asked``; a general word is answered by its special ones."""
        if asked == written or self.tables["routes"]["routes"].get(written, {}).get("parent") == asked:
            return True
        general = self.tables["routes"]["general_words"]
        return any(asked == entry["general"] and written in entry["special"] for entry in general)

    def is_condition(self, label: str) -> bool:
        """Whether a label says more than patient, route, band and measure: a disease, a severity, a purpose."""
        label_words = words(label)
        hits = [*self.populations.find(label, label_words), *self.routes.find(label, label_words)]
        known = covered(label_words, [hit.span for hit in hits])
        content = {word.span.start for word in self.topic_words.find(label)} - known
        return any(
            word.span.start in content and word.folded not in self.dose_units and word.folded not in self._measures for word in label_words
        )

    def turns_round(self, text: str) -> bool:
        """Whether ``text`` makes an exception to what stands beside it: "trừ khi …", "nhưng …"."""
        return bool(self.exceptions.find(text)) or self.starts_with(self.contrasts, text) or self.starts_with(self.switches, text)

    def starts_with(self, matcher: PhraseMatcher[bool], text: str) -> bool:
        """Whether ``text`` begins with a phrase of ``matcher``."""
        hits = matcher.find(text[:60])
        return bool(hits) and hits[0].span.start == len(text) - len(text.lstrip())


def _matcher(phrases: Iterable[Any]) -> PhraseMatcher[bool]:
    return PhraseMatcher({str(phrase): True for phrase in phrases})


def covered(text_words: Iterable[Word], spans: Iterable[Span]) -> set[int]:
    """Start positions of the words that lie in one of ``spans``."""
    ranges = list(spans)
    return {word.span.start for word in text_words if any(span.covers(word.span) for span in ranges)}
