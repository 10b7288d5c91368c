"""What a turn does in the conversation: social words, follow-up openers, references back, answers to our own questions (``dialogue``)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from duocthu_core.text.folding import fold
from duocthu_core.understanding.lexicon import Hit, Lexicon, TextWords, longest, phrase_key, uncancelled

_RUN = re.compile(r"(.)\1+")
_LONGEST_SOCIAL = 40
_LONGEST_REPLY = 12
_SYMBOL_CATEGORIES = frozenset({"So", "Sk", "Sm", "Po", "Ps", "Pe", "Pd", "Mn", "Me", "Cf", "Pi", "Pf", "Pc", "Sc"})
# A quoted word with a remark, not a phrase to match.
_REMARK = " trong '"


class DialogueReader:
    """Compiled once from the table."""

    def __init__(self, dialogue: Mapping[str, Any], lexicon: Lexicon) -> None:
        social = dialogue["social"]
        kinds = ("greeting", "thanks", "farewell", "acknowledge", "praise", "laugh", "apology")
        for kind in kinds:
            lexicon.add("social", kind, social[kind])
        lexicon.add("social", "accentless", (), social["accentless"])
        lexicon.add("filler", "", social["fillers"])
        lexicon.add("about_us", "", dialogue["about_us"])
        self._social_keys = [phrase_key(phrase) for kind in kinds for phrase in social[kind]] + [
            phrase_key(phrase) for phrase in dialogue["about_us"]
        ]
        self._social_words = {word for key in self._social_keys for word in key} | {fold(str(word)) for word in social["fillers"]}
        self._fillers = {phrase_key(phrase) for phrase in social["fillers"]}
        self._social = {*self._social_keys, *(phrase_key(phrase) for phrase in social["accentless"])}
        self._longest_social = max(map(len, self._social))
        self._laugh = _laugh_pattern(social["laugh"])
        followup = dialogue["followup"]
        lexicon.add("followup:prefix", "", followup["prefix"], [w for w in followup["accentless"] if w != "thi sao"])
        lexicon.add("followup:anywhere", "", followup["anywhere"], ("thi sao", "thuoc nay", "thuoc do"))
        lexicon.add("followup:not", "", [entry["text"] for entry in followup["not_opener"] if _REMARK not in entry["text"]])
        lexicon.add("reference", "", dialogue["reference_words"])
        lexicon.add("meta", "", dialogue["meta"])
        lexicon.add("other_subject", "", dialogue["other_subjects"])
        answers = dialogue["clarification_answers"]
        self._yes = {phrase_key(phrase) for phrase in answers["yes"]}
        self._no = {phrase_key(phrase) for phrase in answers["no"]}
        self._change = {phrase_key(phrase) for phrase in answers["change_mind"]}
        self._choices = [{phrase_key(str(phrase)) for phrase in choice} for choice in answers["ordinal_choices"]]

    def is_social(self, text: TextWords) -> bool:
        """Whether the turn is social words, fillers, punctuation and emoji, and nothing else (spec 02, rule 9)."""
        if not text.words or len(text.words) > _LONGEST_SOCIAL:
            return False
        words = [self._plain(word.folded) for word in text.words]
        social = said = position = 0
        while position < len(words):
            length, counts = self._social_at(words, position)
            if not length and not _is_symbol(words[position]):
                return False
            social, said = social + counts, said + length
            position += max(length, 1)
        return social > 0 or said == 0

    def _social_at(self, words: Sequence[str], position: int) -> tuple[int, int]:
        """Length of the longest social phrase or filler here, and 1 for a social phrase, 0 for a filler."""
        for length in range(min(self._longest_social, len(words) - position), 0, -1):
            key = tuple(words[position : position + length])
            if key in self._social:
                return length, 1
            if key in self._fillers:
                return length, 0
        return (1, 1) if self._laugh.fullmatch(words[position]) else (0, 0)

    def _plain(self, word: str) -> str:
        """A word without drawn-out letters ("nhiềuuuu"), where that makes it a social word."""
        if word in self._social_words or self._laugh.fullmatch(word):
            return word
        short = _RUN.sub(r"\1", word)
        return short if short in self._social_words else word

    def opener(self, text: TextWords, found: Mapping[str, Sequence[Hit]]) -> Hit | None:
        """The words with which the turn continues the one before, after greetings and fillers; None for a turn of its own."""
        starts = self._after_courtesies(text)
        cancels = found.get("followup:not", ())
        prefix = [hit for hit in found.get("followup:prefix", ()) if hit.first in starts]
        for hit in uncancelled(prefix, cancels):
            return hit
        anywhere = longest(uncancelled(found.get("followup:anywhere", ()), cancels))
        return anywhere[0] if anywhere else None

    @staticmethod
    def references(found: Mapping[str, Sequence[Hit]]) -> list[Hit]:
        """Words that stand for the drug of the conversation ("nó", "thuốc này"), or ask for what was said before ("nhắc lại")."""
        hits = [*uncancelled(found.get("reference", ()), found.get("followup:not", ())), *found.get("meta", ())]
        return sorted(longest(hits), key=lambda hit: hit.first)

    @staticmethod
    def other_subject(found: Mapping[str, Sequence[Hit]], asked: Sequence[Hit]) -> str | None:
        """A subject beside the drugs of a formulary ("vắc xin"), where the turn is about it and no drug is to be taken with it.

        Words of a section phrase (``asked``) are none: "có phải kháng sinh không" asks about the drug.
        """
        if found.get("interaction") or found.get("reference"):
            return None
        hits = uncancelled(found.get("other_subject", ()), asked)
        return hits[0].words if hits else None

    def _after_courtesies(self, text: TextWords) -> set[int]:
        """Where a turn may be said to begin: at its start, and behind each greeting or filler at its start."""
        words = [self._plain(word.folded) for word in text.words]
        position = 0
        starts = {0}
        while position < len(words):
            length, _ = self._social_at(words, position)
            if not length and not _is_symbol(words[position]):
                break
            position += max(length, 1)
            starts.add(position)
        return starts

    def answer_kind(self, text: TextWords) -> str | None:
        """``yes``, ``no`` or ``change`` where a turn is only such an answer to our own question; else None."""
        key = tuple(word.folded for word in text.words if not _is_symbol(word.folded))
        if not key or len(key) > _LONGEST_REPLY:
            return None
        for kind, phrases in (("change", self._change), ("no", self._no), ("yes", self._yes)):
            if key in phrases:
                return kind
        trimmed = tuple(word for word in key if (word,) not in self._fillers)
        for kind, phrases in (("change", self._change), ("no", self._no), ("yes", self._yes)):
            if trimmed and trimmed in phrases:
                return kind
        return None

    def chosen(self, text: TextWords, options: Sequence[str]) -> int | None:
        """Which of the offered ``options`` a reply picks: its words, or its number ("2", "cái thứ hai")."""
        key = tuple(word.folded for word in text.words if not _is_symbol(word.folded))
        if not key or len(key) > _LONGEST_REPLY:
            return None
        keys = [tuple(word for word in phrase_key(option) if not _is_symbol(word)) for option in options]
        exact = [index for index, option in enumerate(keys) if option == key]
        if len(exact) == 1:
            return exact[0]
        for index, phrases in enumerate(self._choices[: len(options)]):
            if key in phrases:
                return index
        part = [index for index, option in enumerate(keys) if _contains(option, key)]
        return part[0] if len(part) == 1 and len(keys) > 1 else None

    @staticmethod
    def is_short(text: TextWords) -> bool:
        """Whether a turn is short enough to be the answer to a question of ours."""
        return len(text.words) <= _LONGEST_REPLY


def _contains(option: tuple[str, ...], key: tuple[str, ...]) -> bool:
    return any(option[start : start + len(key)] == key for start in range(len(option) - len(key) + 1))


def _laugh_pattern(words: Sequence[str]) -> re.Pattern[str]:
    """Laughter of any length: units of listed laughs, repeated ("hahaha", "kkkkk")."""
    units: set[str] = set()
    for word in words:
        plain = fold(str(word)).replace(" ", "")
        half = plain[: len(plain) // 2]
        if plain.isalpha() and len(plain) > 1:
            units.add(half if half * 2 == plain else plain[0] * 3 if len(set(plain)) == 1 else plain)
    doubled = "|".join(f"(?:{re.escape(unit)}){{2,}}" if len(set(unit)) > 1 else f"{re.escape(unit)}+" for unit in sorted(units))
    return re.compile(doubled)


def _is_symbol(word: str) -> bool:
    return len(word) == 1 and unicodedata.category(word) in _SYMBOL_CATEGORIES
