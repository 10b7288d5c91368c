"""What is asked, as the payload of a request gives it: the rules' reading of the question, and the topics that are left over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from duocthu_core.language_models.offline.bands import Band, bands_of
from duocthu_core.language_models.offline.lexicon import Lexicon, covered
from duocthu_core.text.folding import fold
from duocthu_core.text.phrases import Word, words
from duocthu_core.text.spans import Span

_NO_TOPIC_MENTIONS = frozenset(
    {"drug", "brand", "population", "route", "verbosity", "intent", "amount", "age", "weight", "followup", "reference", "allergen"}
)

_STRENGTH = re.compile(r"\d+(?:[.,]\d+)?(?:mg|mcg|g|ml|%)?")
""" "4g" says how much was taken and is no topic."""
_WEIGHT_OF_PATIENT = re.compile(r"\bnặng\s+(?=\d)", re.IGNORECASE)
""" "nặng 28 kg" is a weight and no degree of illness."""


@dataclass(frozen=True)
class StatedValue:
    """A value of the patient: kind of band, lowest and highest."""

    kind: str
    low: float
    high: float
    text: str


@dataclass(frozen=True)
class Topic:
    """Words of the question that stand together and name neither drug, section, patient nor route: "rụng tóc", "viêm tai giữa"."""

    words: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Asked:
    """Everything the offline model takes from a question."""

    text: str
    drug_ids: tuple[str, ...]
    named_drugs: tuple[str, ...]
    """Words of the question that name drugs."""
    section_key: str | None
    population: str | None
    population_inherited: bool
    route: str | None
    stated: tuple[StatedValue, ...]
    topics: tuple[Topic, ...]
    tiers: frozenset[str]
    severities: frozenset[str]
    asks_amount: bool
    asks_manner: bool
    asks_rate: bool
    """How fast it is given."""
    manner: frozenset[str]
    """Content words with which it asks how to take or mix: "ăn", "nhai"."""
    mode: str
    detailed: bool
    survey: bool
    no_figures: bool
    is_yes_no: bool
    repair_missing: tuple[str, ...] = ()
    allergy_words: tuple[str, ...] = ()
    """Words of lines about an allergy that was named: the allergen, its class, and how the book speaks of allergies."""
    class_words: tuple[str, ...] = ()
    """How the book names the class of a drug of the question that it does not name itself."""

    def states(self, kind: str) -> bool:
        """Whether a value of that kind was stated."""
        return any(value.kind == kind for value in self.stated)


def asked_in(payload: Mapping[str, Any], lexicon: Lexicon, drug_names: Iterable[str]) -> Asked:
    """The question of ``payload``. Missing parts are read from the question's own words."""
    text: str = payload.get("question", "")
    resolved: Mapping[str, Any] = payload.get("resolved") or {}
    plan: Mapping[str, Any] = payload.get("plan") or {}
    population = resolved.get("population") or _only(lexicon.populations.tags(text))
    condition = payload.get("condition")
    # "Liều lượng và cách dùng" asks for the section, and not only how the drug is taken.
    titles = [span for span in _spans(payload, "section") if fold(span.of(text)) in lexicon.section_titles]
    manner = [hit for hit in lexicon.manner_words.find(text) if not any(title != hit.span and title.covers(hit.span) for title in titles)]
    unnamed = _without(text, [*_spans(payload, "drug"), *_spans(payload, "brand")])
    return Asked(
        text=text,
        drug_ids=tuple(resolved.get("drug_ids") or ()),
        named_drugs=tuple(str(mention["words"]) for mention in payload.get("mentions") or () if mention.get("kind") in ("drug", "brand")),
        section_key=resolved.get("section_key"),
        population=population,
        population_inherited="population" in (resolved.get("inherited") or {}),
        route=resolved.get("route") or _only(lexicon.routes.tags(text)),
        stated=_stated(payload, resolved, text),
        topics=(_topic_of(condition, lexicon),)
        if condition
        else _topics(text, payload.get("mentions") or (), lexicon, drug_names, resolved.get("drug_ids") or ()),
        severities=frozenset(lexicon.severities_in(_WEIGHT_OF_PATIENT.sub(" ", text))),
        asks_amount=bool(lexicon.amount_words.find(text)),
        asks_manner=bool(manner),
        asks_rate=bool(lexicon.rate_words.find(text) or lexicon.rate_words.find(unnamed)),
        manner=frozenset(word.folded for hit in manner for word in lexicon.topic_words.find(hit.span.of(text))),
        tiers=frozenset(hit.value for hit in lexicon.frequency_tiers.find(text)),
        mode=plan.get("reasoning_mode", "lookup"),
        detailed=plan.get("verbosity") == "detailed",
        survey=bool(payload.get("survey")) or resolved.get("intent") == "survey",
        no_figures=bool(plan.get("suppress_numbers")),
        is_yes_no=_is_yes_no(text, lexicon),
        repair_missing=tuple(payload.get("repair_missing") or ()),
        allergy_words=tuple(payload.get("allergy_words") or ()),
        class_words=tuple(payload.get("class_words") or ()),
    )


def _spans(payload: Mapping[str, Any], kind: str) -> list[Span]:
    return [Span(*mention["span"]) for mention in payload.get("mentions") or () if mention.get("kind") == kind]


def _without(text: str, spans: Iterable[Span]) -> str:
    """``text`` without some places: "truyền ciprofloxacin bao lâu" is asked like "truyền bao lâu"."""
    kept = list(text)
    for span in spans:
        kept[span.start : span.end] = " " * (span.end - span.start)
    return " ".join("".join(kept).split())


def _only(tags: frozenset[str]) -> str | None:
    return next(iter(tags)) if len(tags) == 1 else None


def _stated(payload: Mapping[str, Any], resolved: Mapping[str, Any], text: str) -> tuple[StatedValue, ...]:
    given = [
        StatedValue(kind=str(entry["kind"]), low=float(entry["low"]), high=float(entry["high"]), text=str(entry.get("text", "")))
        for entry in payload.get("stated") or ()
    ]
    if given:
        return tuple(given)
    values = resolved.get("stated") or {}
    words_of_patient = " ; ".join(str(value) for value in (values.get("age"), values.get("weight")) if value)
    found: list[Band] = [*bands_of(words_of_patient, about_children=True), *bands_of(text)]
    return tuple(dict.fromkeys(StatedValue(band.kind, band.low, band.high, "") for band in found))


def _topic_of(text: str, lexicon: Lexicon) -> Topic:
    found = [word.folded for word in lexicon.grammar.find(text)] or [word.folded for word in words(text)]
    return Topic(tuple(found), text)


def _topics(
    text: str, mentions: Sequence[Mapping[str, Any]], lexicon: Lexicon, drug_names: Iterable[str], drug_ids: Iterable[str]
) -> tuple[Topic, ...]:
    """Runs of content words that no mention, section phrase, patient, route or drug name explains."""
    text_words = words(text)
    explained = [Span(*mention["span"]) for mention in mentions if mention.get("kind") in _NO_TOPIC_MENTIONS]
    explained += [hit.span for hit in lexicon.question_frames.find(text, text_words)]
    explained += [hit.span for hit in lexicon.populations.find(text, text_words)]
    explained += [hit.span for hit in lexicon.routes.find(text, text_words)]
    explained += [hit.span for hit in lexicon.severities.find(text, text_words)]
    told_apart = (lexicon.manner_words, lexicon.rate_words, lexicon.schedule_words)
    explained += [hit.span for matcher in told_apart for hit in matcher.find(text, text_words)]
    explained += [hit.span for asked, _ in lexicon.aspects for hit in asked.find(text, text_words)]
    explained += [hit.span for hit in lexicon.frequency_tiers.find(text, text_words)]
    explained += [hit.span for hit in lexicon.yes_no_tails.find(text, text_words)]
    names = {name for drug in (*drug_names, *drug_ids) for name in _names_in(drug)}
    content = {word.span.start for word in lexicon.topic_words.find(text)} - _units_behind_numbers(text_words)
    section_spans = [Span(*mention["span"]) for mention in mentions if mention.get("kind") == "section"]
    section_spans += [hit.span for hit in lexicon.sections_asked.find(text, text_words)]
    # A phrase that asks for a section may hold a topic all the same: "có gây ho không", "uống với rượu".
    naming = covered((word for word in text_words if word.folded in lexicon.section_words), section_spans)
    content -= naming
    content -= {word.span.start for word in text_words if _STRENGTH.fullmatch(word.folded)}
    runs: list[list[Word]] = [[]]
    for word in text_words:
        is_explained = any(span.overlaps(word.span) for span in explained)
        if word.span.start in content and not is_explained and word.folded not in names and len(word.folded) > 1:
            runs[-1].append(word)
        elif runs[-1]:
            runs.append([])
    return tuple(Topic(tuple(word.folded for word in run), text[run[0].span.start : run[-1].span.end]) for run in runs if run)


def _units_behind_numbers(text_words: Sequence[Word]) -> set[int]:
    """Start positions of the words right behind a figure: "8 tuổi", "12 kg"."""
    return {after.span.start for before, after in pairwise(text_words) if before.folded[-1].isdigit()}


def _names_in(drug_name: str) -> set[str]:
    """The single-word names in a monograph's heading: "Paracetamol (acetaminophen)" has two."""
    return {word.folded for word in words(drug_name) if word.folded.isalpha() and len(word.folded) > 3}


def _is_yes_no(text: str, lexicon: Lexicon) -> bool:
    folded = fold(text).rstrip(" ?!.")
    hits = lexicon.yes_no_tails.find(folded)
    return bool(hits) and hits[-1].span.end >= len(folded) - 6
