"""What kind of question a turn is (spec 03, "Intent"; spec 02, rule 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from duocthu_core.text.folding import fold, strip_marks
from duocthu_core.text.spans import Span
from duocthu_core.understanding.groups import Groups
from duocthu_core.understanding.lexicon import Hit, Lexicon, TextWords, longest
from duocthu_core.understanding.model import Intent
from duocthu_core.understanding.naming import NamesRead
from duocthu_core.understanding.relations import Relation, RelationReader
from duocthu_core.understanding.topics import Topics

INTERACTIONS, INCOMPATIBILITIES = "tuong_tac_thuoc", "tuong_ky"
_JOINING_SECTIONS = frozenset({INTERACTIONS, INCOMPATIBILITIES})
_CUE_TO_NAME_WORDS = 3
_BETWEEN_MAX = 24
_JOINING_TURN_WORDS = 40


@dataclass(frozen=True, slots=True)
class Purpose:
    """The intent, and what belongs to it."""

    intent: Intent
    section_keys: tuple[str, ...] = ()
    """Sections that the kind of question itself asks for."""
    joins_focus: bool = False
    reverse_pattern: str | None = None
    condition: str | None = None
    hits: tuple[Hit, ...] = ()
    """Words of comparing or taking together."""


class IntentReader:
    """Compiled once from the tables."""

    def __init__(self, safety: Mapping[str, Any], dialogue: Mapping[str, Any], lexicon: Lexicon) -> None:
        lexicon.add("compare", "compare", dialogue["compare"], dialogue["compare_accentless"])
        lexicon.add("interaction", "interaction", dialogue["interaction"], dialogue["interaction_accentless"])
        lexicon.add("outside", "", safety["outside_the_book"])
        lexicon.add("permission", "", dialogue["permission"])
        lexicon.add("taking", "", dialogue["taking"])
        self._relations = RelationReader(safety["reverse_relation"], safety["condition_list"])
        self._joiners = {fold(str(word)) for word in dialogue["drug_joiners"]}
        self._choosing = {fold(str(word)) for word in dialogue["choosing_joiners"]}
        self._small = {fold(str(word)) for word in dialogue["joining_small_words"]}
        self._mixing = {fold(str(word)) for word in dialogue["mixing_words"]}
        self._ranking = sorted((fold(str(words)) for words in safety["condition_list"]["ranking_words_in_question"]), key=len, reverse=True)
        self._avoids = {strip_marks(fold(str(word))) for word in dialogue["avoid_words"]}

    def read(
        self,
        text: TextWords,
        found: Mapping[str, Sequence[Hit]],
        names: NamesRead,
        topics: Topics,
        populations: Groups,
        *,
        social: bool,
        animal: bool,
    ) -> Purpose:
        """The first that applies: social, an animal, a relation back to drugs, two drugs, everything, one section."""
        if social:
            return Purpose("smalltalk")
        if animal or found.get("outside"):
            return Purpose("out_of_scope")
        if names.things < 2 and (related := self._related(text, names, populations)) is not None:
            return related
        interaction, compare = longest(found.get("interaction", ())), longest(found.get("compare", ()))
        if names.things >= 2 or (names.things + len(names.unrecognised) >= 2 and (interaction or compare)):
            return self._two_drugs(text, found, names, topics, cues=(interaction, compare))
        if (
            names.things + len(names.unrecognised) == 1
            and (hit := self._joins(text, names, [*interaction, *compare], found.get("reference", ()))) is not None
        ):
            intent: Intent = "compare" if hit.entry.table == "compare" else "interaction"
            return Purpose(intent, joins_focus=True, hits=(hit,))
        if topics.breadth:
            return Purpose("survey", hits=topics.breadth)
        return Purpose("section")

    # --- relations ------------------------------------------------------------------------------------------------------------

    def _related(self, text: TextWords, names: NamesRead, populations: Groups) -> Purpose | None:
        for relation in self._relations.read(text):
            slot_names = [span for span in names.spans if relation.slot is not None and span.overlaps(relation.slot)]
            if slot_names and (relation.kind == "reverse_of_drug" or self._asks_what_to_avoid(relation)):
                return Purpose("section", section_keys=(INTERACTIONS,))
            if relation.kind != "condition":
                return Purpose("reverse", reverse_pattern=relation.pattern)
            if names.things:
                continue
            condition = self._condition(text, relation, populations)
            if condition is None:
                return Purpose("reverse", reverse_pattern=relation.pattern)
            return Purpose("condition_list", condition=condition)
        return None

    def _asks_what_to_avoid(self, relation: Relation) -> bool:
        return any(word in self._avoids for word in strip_marks(fold(relation.pattern)).split())

    def _condition(self, text: TextWords, relation: Relation, populations: Groups) -> str | None:
        """The words of the condition, without groups at their border; None where a group is all there is ("thuốc nào dùng cho bà bầu")."""
        if relation.slot is None:
            words = [word for word in relation.pattern.split() if word not in ("thuốc", "nào", "gì")]
            return " ".join(words)
        start, end = relation.slot
        for hit in populations.hits:
            if hit.span.start <= start < hit.span.end <= end:
                start = hit.span.end
            elif start <= hit.span.start < end <= hit.span.end:
                end = hit.span.start
        condition = Span(start, end).of(text.text).strip(" ,:-")
        for opener in ("bị ", "cho ", "ở ", "mắc "):
            condition = condition.removeprefix(opener)
        for ender in (*(f" {words}" for words in self._ranking), " cho", " ở", " bị", " với"):
            if fold(condition).endswith(ender):
                condition = condition[: -len(ender)]
        return condition.strip() or None

    # --- two drugs ------------------------------------------------------------------------------------------------------------

    def _two_drugs(
        self,
        text: TextWords,
        found: Mapping[str, Sequence[Hit]],
        names: NamesRead,
        topics: Topics,
        *,
        cues: tuple[list[Hit], list[Hit]],
    ) -> Purpose:
        """Interaction or comparison where the words say so; else "section", and the decision asks back (spec 02, rule 7)."""
        interaction, compare = cues
        asks_together = set(topics.section_keys) & _JOINING_SECTIONS
        if interaction or asks_together:
            return Purpose("interaction", section_keys=(INTERACTIONS,), hits=tuple(interaction))
        if found.get("taking") and found.get("permission") and not compare:
            # "đang uống warfarin có dùng được ibuprofen không": one is taken already.
            return Purpose("interaction", section_keys=(INTERACTIONS,), hits=tuple(found["taking"][:1]))
        if compare or topics.section_keys or self._relations.read(text):
            return Purpose("compare", hits=tuple(compare))
        if self._are_joined(text, names, self._choosing):
            return Purpose("compare")
        if found.get("permission") and self._are_joined(text, names, self._joiners):
            mixes = any(word.folded in self._mixing for word in text.words)
            sections = (INCOMPATIBILITIES, INTERACTIONS) if mixes else (INTERACTIONS,)
            return Purpose("interaction", section_keys=sections, hits=tuple(found["permission"][:1]))
        return Purpose("section")

    @staticmethod
    def _are_joined(text: TextWords, names: NamesRead, joiners: set[str]) -> bool:
        """Whether two of the names stand side by side ("paracetamol với ibuprofen được không", "cefuroxim hay amoxicilin")."""
        for one, two in pairwise(sorted(names.spans)):
            between = fold(text.text[one.end : two.start]).split() if two.start - one.end <= _BETWEEN_MAX else ()
            if 0 < len(between) <= 2 and all(word in joiners for word in between):
                return True
        return False

    def _joins(self, text: TextWords, names: NamesRead, cues: Sequence[Hit], references: Sequence[Hit]) -> Hit | None:
        """The cue of "uống chung với X": it stands before the one name, and nothing that could be another partner before it."""
        if len(text.words) > _JOINING_TURN_WORDS:
            return None
        name = min(names.spans)
        for cue in sorted(cues, key=lambda hit: hit.first):
            between = [word.folded for word in text.words if cue.span.end <= word.span.start < name.start]
            before = [
                word.folded
                for position, word in enumerate(text.words[: cue.first])
                if not any(reference.first <= position < reference.last for reference in references)
            ]
            if cue.span.end > name.start or len(between) > _CUE_TO_NAME_WORDS:
                continue
            if all(word in self._small or not word.isalnum() for word in (*between, *before)):
                return cue
        return None
