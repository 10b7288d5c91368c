"""Interaction of two drugs: whether each one's interaction section names the other, by name or by its class (spec 03)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from duocthu_core.corpus.model import Block, Monograph
from duocthu_core.retrieval.model import InteractionNaming
from duocthu_core.retrieval.source import BlockSource
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.folding import fold
from duocthu_core.text.phrases import PhraseMatcher

INTERACTION_SECTION = "tuong_tac_thuoc"

_PARTS_OF_NAME = re.compile(r"\s+và\s+|\s*[+/(),]\s*|\s+-\s+")
_DISTINCTIVE_LETTERS = 6


class OtherDrug:
    """How a text may name one drug: its names and the words for its classes."""

    def __init__(self, drug_id: str | None, name: str, names: Iterable[str], classes: Iterable[str]) -> None:
        self.drug_id = drug_id
        self.name = name
        phrases: dict[str, str] = dict.fromkeys(filter(None, classes), "class")
        phrases |= dict.fromkeys(filter(None, names), "name")
        self._matcher = PhraseMatcher(phrases)

    def words_in(self, text: str) -> dict[str, str]:
        """Words of ``text`` that name the drug -> ``name`` or ``class``."""
        return {hit.span.of(text): hit.value for hit in self._matcher.find(text)}


class Interactions:
    """Builds :class:`OtherDrug` from the corpus and the ruleset's tables, and looks for it in interaction sections."""

    def __init__(self, ruleset: Ruleset) -> None:
        rules: Mapping[str, Any] = ruleset.tables["sections"]["retrieval"]
        self._classes = [
            (frozenset(entry["words"]), frozenset(entry["members"]), PhraseMatcher(dict.fromkeys(entry["words"], True)))
            for entry in rules["interaction_classes"]
        ]
        self._salts = frozenset(rules["salt_words"])
        self._synonyms: Sequence[Sequence[str]] = ruleset.tables["lookalikes"]["synonyms"]

    def other(self, drug_id: str | None, name: str, source: BlockSource) -> OtherDrug:
        """The drug as another monograph may name it. ``drug_id`` None: one without a monograph here, known by ``name`` alone."""
        monograph = source.monographs.get(drug_id) if drug_id else None
        names = self._names(name, monograph)
        return OtherDrug(drug_id, name, names, self._class_words(drug_id, names, monograph))

    def naming(self, drug_id: str, other: OtherDrug, blocks: Sequence[Block]) -> InteractionNaming:
        """Whether ``blocks`` (the interaction section of ``drug_id``) name ``other``; a name counts before a class."""
        by: dict[str, dict[str, None]] = {"name": {}, "class": {}}
        words: dict[str, dict[str, None]] = {"name": {}, "class": {}}
        for block in blocks:
            for word, kind in other.words_in(block.shown_text).items():
                by[kind][block.block_id] = None
                words[kind][word] = None
        named_by = "name" if by["name"] else "class" if by["class"] else None
        return InteractionNaming(
            drug_id=drug_id,
            other_id=other.drug_id,
            other_name=other.name,
            named_by=named_by,
            words=tuple({fold(word): word for word in reversed((*words["name"], *words["class"]))}.values())[::-1],
            block_ids=tuple(dict.fromkeys((*by["name"], *by["class"]))),
            has_section=bool(blocks),
        )

    def _names(self, name: str, monograph: Monograph | None) -> set[str]:
        written = {name}
        if monograph is not None:
            written |= {monograph.name, monograph.inn, *monograph.synonyms, *monograph.brands}
        written |= {part for whole in tuple(written) for part in _PARTS_OF_NAME.split(whole)}
        written |= {word for whole in tuple(written) for word in self._distinctive_words(whole)}
        folded = {fold(one) for one in written if one}
        for group in self._synonyms:
            if folded & {fold(one) for one in group}:
                written |= set(group)
        return {one for one in written if one and fold(one) not in self._salts}

    def _distinctive_words(self, name: str) -> list[str]:
        """Words of a name that name the substance by themselves: "cetirizin" of "Cetirizin hydroclorid", no salt and no "acid"."""
        return [word for word in name.split() if len(word) >= _DISTINCTIVE_LETTERS and word.isascii() and fold(word) not in self._salts]

    def _class_words(self, drug_id: str | None, names: set[str], monograph: Monograph | None) -> set[str]:
        own = {fold(one) for one in names} | ({drug_id} if drug_id else set())
        stated = fold(monograph.drug_class) if monograph is not None else ""
        words: set[str] = set()
        for class_words, members, named_in in self._classes:
            if own & members or (stated and named_in.find(stated)):
                words |= class_words
        return words
