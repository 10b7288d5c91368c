"""Reading a question by rules (spec 03, "Scope" and "Understanding"; spec 02, rules 7 and 9). No model takes part.

One question is masked, cut into words once, and every table's hits fall out of one pass over them; each find is reported with its words
and place. Nothing in a question is ever obeyed: markers, JSON and orders are words like any others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from duocthu_core.conversation.model import PendingClarification
from duocthu_core.corpus.model import Monograph
from duocthu_core.rulesets.model import RetrievalRules, Ruleset
from duocthu_core.text.folding import collapse_spaces, fold, strip_marks
from duocthu_core.text.spans import Span
from duocthu_core.understanding.allergies import AllergyReader
from duocthu_core.understanding.dialogue_acts import DialogueReader
from duocthu_core.understanding.groups import PopulationReader, RouteReader
from duocthu_core.understanding.intents import IntentReader
from duocthu_core.understanding.lexicon import Hit, Lexicon, Places, TextWords
from duocthu_core.understanding.masking import PersonalDataMasker
from duocthu_core.understanding.model import Allergen, MaskedItem, Mention, Question, Stated
from duocthu_core.understanding.names import NameIndex, NameRow
from duocthu_core.understanding.naming import NameReader, NamesRead
from duocthu_core.understanding.offers import NameOffers
from duocthu_core.understanding.replies import ReplyReader
from duocthu_core.understanding.scope import AnimalReader, InjectionReader, RedFlagReader
from duocthu_core.understanding.stated import StatedReader
from duocthu_core.understanding.topics import TopicReader


@dataclass(frozen=True, slots=True)
class _ReadBy:
    """The part of a ruleset that reading depends on."""

    tables_id: str
    retrieval: RetrievalRules
    ruleset: Ruleset = field(compare=False)


def understander(ruleset: Ruleset, monographs: Sequence[Monograph], names: Sequence[Mapping[str, str]] = ()) -> Understander:
    """The :class:`Understander` of ``ruleset`` for these monographs and rows of names. Compiling takes hundreds of milliseconds, so the
    last few are kept: another ruleset with the same tables, or another pipeline over the same book, gets the same one."""
    read_by = _ReadBy(ruleset.tables_id, ruleset.retrieval, ruleset)
    return _compiled(read_by, tuple(monographs), tuple(map(NameRow.of, names)))


@lru_cache(maxsize=4)
def _compiled(read_by: _ReadBy, monographs: tuple[Monograph, ...], names: tuple[NameRow, ...]) -> Understander:
    return Understander(read_by.ruleset, monographs, names)


class Understander:
    """Reads questions about one corpus under one ruleset. Everything is compiled here; reading keeps no state and may be shared."""

    def __init__(self, ruleset: Ruleset, monographs: Iterable[Monograph], names: Iterable[NameRow | Mapping[str, str]] = ()) -> None:
        tables: Mapping[str, Mapping[str, Any]] = ruleset.tables
        safety, dialogue = tables["safety"], tables["dialogue"]
        self._spellings = {fold(str(typed)): fold(str(meant)) for typed, meant in dialogue["chat_spellings"].items()}
        self._lexicon = Lexicon()
        self._populations = PopulationReader(tables["populations"], self._lexicon)
        self._routes = RouteReader(tables["routes"], self._lexicon)
        self._topics = TopicReader(tables["sections"], dialogue, self._lexicon)
        self._dialogue = DialogueReader(dialogue, self._lexicon)
        self._allergies = AllergyReader(dialogue, self._lexicon)
        self._red_flags = RedFlagReader(safety, self._lexicon)
        self._animals = AnimalReader(safety["animals"], self._lexicon)
        self._injection = InjectionReader(safety["injection_cues"], self._lexicon)
        self._intents = IntentReader(safety, dialogue, self._lexicon)
        # Groups with a section of their own: "bà bầu … có sao không" asks for that, not for what "có sao không" vaguely asks for.
        self._own_sections = {entry["from_population"] for entry in tables["sections"]["sections"].values() if "from_population" in entry}
        self._stated = StatedReader(tables["populations"])
        index = NameIndex(monographs, tables["lookalikes"], names)
        offers = NameOffers(index, tables["lookalikes"], ruleset.retrieval)
        ordinary = self._lexicon.vocabulary | {strip_marks(fold(str(word))) for word in tables["lookalikes"].get("not_names", ())}
        self._names = NameReader(index, offers, ordinary | _unit_words(tables["units"]))
        self._masker = PersonalDataMasker(tables, index.spans)
        self._replies = ReplyReader(dialogue, self._dialogue)

    def read(self, text: str, pending: PendingClarification | None = None) -> Question:
        """Everything the rules find in ``text``.

        ``pending`` is the question that we asked back in the turn before: a short reply to it continues the original question, and
        ``reply_start`` says where the reply's own words begin. Any text is read; none raises.
        """
        masked, items = self._masked(text)
        alone = self._question(masked, items)
        if pending is None or not pending.original_question:
            return alone
        return self._replies.continued(alone, pending, lambda joined: self._question(joined, ())) or alone

    def _masked(self, text: str) -> tuple[str, tuple[MaskedItem, ...]]:
        """NFC, without invisible characters, personal data masked, spaces collapsed line by line."""
        masked, items = self._masker.mask("\n".join(filter(None, map(collapse_spaces, text.splitlines()))))
        cleaned = "\n".join(filter(None, map(collapse_spaces, masked.split("\n"))))
        return cleaned, items if cleaned == masked else self._relocated(cleaned, items)

    @staticmethod
    def _relocated(text: str, items: Sequence[MaskedItem]) -> tuple[MaskedItem, ...]:
        """``items`` at their places in ``text``, which differs from the masked text in white space only."""
        moved: list[MaskedItem] = []
        start = 0
        for item in items:
            place = text.find(item.mask, start)
            if place >= 0:
                start = place + len(item.mask)
                moved.append(item.model_copy(update={"span": Span(place, start)}))
        return tuple(moved)

    def _with_names_left_out(self, words: TextWords, found: Mapping[str, list[Hit]], names: Places) -> Mapping[str, list[Hit]]:
        """``found``, with the hits that only show when the names are left out added to the tables of ``_AROUND_NAMES``."""
        if not names:
            return found
        rest = words.without(names)
        moved = {word.span.start: position for position, word in enumerate(words.words)}
        merged = dict(found)
        for table, hits in self._lexicon.find(rest, _AROUND_NAMES).items():
            known = {hit.span for hit in found.get(table, ())}
            added = [
                replace(hit, first=moved[hit.span.start], last=moved[rest.words[hit.last - 1].span.start] + 1)
                for hit in hits
                if hit.span not in known
            ]
            if added:
                merged[table] = sorted([*found.get(table, ()), *added], key=lambda hit: (hit.first, -hit.last))
        return merged

    def _question(self, text: str, masked: tuple[MaskedItem, ...]) -> Question:
        words = TextWords(text, self._spellings)
        found = self._lexicon.find(words)
        orders = self._injection.read(found)
        # "Quên liều" is a section's phrase, whatever brand is written like it.
        phrases = [hit.span for hit in found.get("section", ()) if hit.with_marks and hit.last - hit.first > 1]
        names = self._names.read(text, [*(item.span for item in masked), *phrases])
        opener = self._dialogue.opener(words, found)
        references = self._dialogue.references(found)
        names, allergens = self._allergies.read(words, found, names, goes_on=opener is not None or bool(references))
        stated = self._stated.read(text)
        populations = self._populations.read(words, found, stated)
        asked = self._with_names_left_out(words, found, places := Places(names.spans))
        routes = self._routes.read(words, asked)
        topics = self._topics.read(asked, places, orders)
        animal = self._animals.read(words, found)
        purpose = self._intents.read(
            words, asked, names, topics, populations, social=self._dialogue.is_social(words), animal=animal is not None
        )
        weak = topics.weak and populations.tag in self._own_sections
        sections = tuple(dict.fromkeys((*(() if weak else topics.section_keys), *purpose.section_keys)))
        if allergens and (not sections or topics.weak):
            sections = self._allergies.sections
        red_flags = self._red_flags.read(words, asked)
        if names.drug_ids and (not sections or self._red_flags.hides_figures(red_flags)):
            sections = self._red_flags.sections(red_flags)
        mentions = _mentions(
            names,
            stated,
            {
                "section": () if weak else topics.section_hits,
                "population": populations.hits,
                "route": routes.hits,
                "verbosity": [topics.verbosity_hit] if topics.verbosity_hit else [],
                "amount": topics.amounts,
                "followup": [opener] if opener else [],
                "reference": references,
                "intent": purpose.hits,
            },
            allergens,
        )
        return Question(
            text=text,
            masked=masked,
            mentions=mentions,
            drug_ids=tuple(names.drug_ids),
            unknown_names=tuple(names.unknown),
            unrecognised_names=tuple(names.unrecognised),
            offers=tuple(names.offers),
            allergens=allergens,
            section_keys=sections,
            population=None if topics.all_groups else populations.tag,
            populations=populations.tags,
            stated=stated,
            route=routes.tag,
            routes=routes.tags,
            verbosity=topics.verbosity,
            resets_verbosity=topics.resets_verbosity,
            intent=purpose.intent,
            is_followup=opener is not None,
            refers_back=bool(references),
            joins_focus=purpose.joins_focus,
            other_subject=self._dialogue.other_subject(found, topics.section_hits),
            wants_whole_monograph=topics.whole_monograph,
            wants_all_groups=topics.all_groups,
            asks_amounts=bool(topics.amounts),
            suppress_numbers=topics.suppress_numbers or self._red_flags.hides_figures(red_flags),
            red_flags=red_flags,
            reverse_pattern=purpose.reverse_pattern,
            condition=purpose.condition,
            animal=animal.name if animal is not None else None,
            injection_cues=self._injection.shown(text, orders),
        )


_AROUND_NAMES = ("section", "interaction", "compare", "route", "amount", "red_flag", "permission", "taking")
"""Tables whose phrases may have a drug name in the middle ("uống hapacol bao nhiêu", "tiêm diclofenac bắp")."""


def _mentions(
    names: NamesRead, stated: Sequence[Stated], hits: Mapping[str, Sequence[Hit]], allergens: Sequence[Allergen]
) -> tuple[Mention, ...]:
    """Every find with its words, in order of place; a phrase for two sections is two mentions."""
    found = list(names.mentions)
    found += [Mention(kind="allergen", value=one.drug_id or one.words, words=one.words, span=one.span) for one in allergens]
    for kind, own in hits.items():
        for hit in own:
            value = hit.value or hit.entry.phrase
            found += [_mention(kind, part, hit) for part in (value.split("+") if kind == "section" else (value,))]
    found += [
        Mention(kind="age" if value.kind == "age" else "weight", value=value.text, words=value.text, span=value.span)
        for value in stated
        if value.kind in ("age", "weight")
    ]
    return tuple(sorted(found, key=lambda mention: (mention.span, mention.kind)))


def _mention(kind: str, value: str, hit: Hit) -> Mention:
    return Mention.model_validate({"kind": kind, "value": value, "words": hit.words, "span": hit.span, "with_marks": hit.with_marks})


def _unit_words(units: Mapping[str, Any]) -> frozenset[str]:
    """Every word of every spelling of a unit."""
    words: set[str] = set()
    stack: list[Any] = [units]
    while stack:
        value = stack.pop()
        if isinstance(value, Mapping):
            stack.extend(value.values())
        elif isinstance(value, (list, tuple)):
            stack.extend(value)
        elif isinstance(value, str):
            words.update(strip_marks(fold(value)).replace("/", " ").split())
    return frozenset(words)
