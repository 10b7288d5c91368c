"""Questions that go from something back to drugs: reverse relations (not answerable) and conditions (list mode); table ``safety``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from duocthu_core.text.folding import strip_marks
from duocthu_core.text.spans import Span
from duocthu_core.understanding.lexicon import TextWords, phrase_key

_SLOT = "{x}"
_SENTENCE_SIGNS = frozenset(".;!?\n")
_CLAUSE_SIGNS = _SENTENCE_SIGNS | {",", ":"}
_SLOT_WORDS_MAX = 12

Key = tuple[str, ...]
_ASKING = frozenset({"nao", "gi", "liet", "danh"})
RelationKind = Literal["reverse", "reverse_of_drug", "condition"]


@dataclass(frozen=True, slots=True)
class Relation:
    """A pattern that a question follows, and what stands in its slot."""

    kind: RelationKind
    pattern: str
    slot: Span | None
    """The words of ``{x}``; None for a pattern without a slot."""


@dataclass(frozen=True, slots=True)
class _Plain:
    """A word of the question after rewriting: its form and the words of the text it came from."""

    folded: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Pattern:
    kind: RelationKind
    listed: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    has_slot: bool
    anywhere: bool
    """False for a pattern that only counts as a whole question ("thuốc điều trị {x}")."""


class RelationReader:
    """Compiled once from ``safety.reverse_relation`` and ``safety.condition_list``."""

    def __init__(self, reverse: Mapping[str, Any], condition: Mapping[str, Any]) -> None:
        self._marked = _Writing(reverse, condition, unmarked=False)
        self._bare = _Writing(reverse, condition, unmarked=True)

    def read(self, text: TextWords) -> list[Relation]:
        """The relations that the question may follow, surest first: reverse before condition, longer patterns first."""
        found = self._marked.read(text)
        return found or (self._bare.read(text) if text.unmarked else [])


class _Writing:
    """Patterns compiled for texts with marks, or for texts typed without any."""

    def __init__(self, reverse: Mapping[str, Any], condition: Mapping[str, Any], *, unmarked: bool) -> None:
        self._unmarked = unmarked
        self._heads: dict[str, list[tuple[Key, Key]]] = defaultdict(list)
        for head in reverse["heads"]:
            for phrase in head["from"]:
                key = self._key(phrase)
                self._heads[key[0]].append((key, self._key(head["to"])))
        for found in self._heads.values():
            found.sort(key=lambda head: -len(head[0]))
        self._skip = self._by_first(reverse["skip"])
        self._openers = self._by_first(reverse["openers"])
        self._both_named = [self._key(phrase) for phrase in reverse["not_reverse_cues"]]
        self._refused = {self._key(phrase) for phrase in reverse["not_conditions"]}
        self._slot_openers = {self._key(phrase)[0] for phrase in reverse["slot_openers"]}
        self._slot_enders = {self._key(phrase)[0] for phrase in reverse["slot_enders"]}
        answerable = {str(pattern) for pattern in reverse["answerable_when_x_is_a_drug"]}
        patterns = [
            self._compiled(str(pattern), "reverse_of_drug" if str(pattern) in answerable else "reverse") for pattern in reverse["patterns"]
        ]
        patterns += [self._compiled(str(pattern), "condition") for pattern in condition["patterns"]]
        self._patterns = sorted(patterns, key=lambda p: (p.kind == "condition", -len(p.before) - len(p.after), p.kind == "reverse"))
        self._subjects = {word for pattern in patterns for word in (*pattern.before, *pattern.after)} & {
            word for subject in reverse["subjects"] for word in self._key(subject)
        }

    def _key(self, phrase: Any) -> Key:
        key = phrase_key(str(phrase))
        return tuple(strip_marks(word) for word in key) if self._unmarked else key

    def _by_first(self, phrases: Sequence[Any]) -> dict[str, list[Key]]:
        by_first: dict[str, list[Key]] = defaultdict(list)
        for phrase in phrases:
            key = self._key(phrase)
            by_first[key[0]].append(key)
        for keys in by_first.values():
            keys.sort(key=len, reverse=True)
        return by_first

    def _compiled(self, pattern: str, kind: RelationKind) -> _Pattern:
        before, slot, after = pattern.partition(_SLOT)
        plain_before, plain_after = self._rewritten(before), self._rewritten(after)
        asks = any(strip_marks(word) in _ASKING for word in (*plain_before, *plain_after))
        return _Pattern(kind, pattern, plain_before, plain_after, bool(slot), asks)

    def _rewritten(self, words: str) -> Key:
        return tuple(word.folded for word in self._plain([_Plain(word, i, i + 1) for i, word in enumerate(self._key(words))]))

    def _plain(self, given: Sequence[_Plain]) -> list[_Plain]:
        """Heads made equal, words that change nothing left out."""
        result: list[_Plain] = []
        position = 0
        while position < len(given):
            word = given[position]
            head = next((h for h in self._heads.get(word.folded, ()) if _at(given, position, h[0])), None)
            if head is not None:
                last = given[position + len(head[0]) - 1].last
                result += [_Plain(part, word.first, last) for part in head[1]]
                position += len(head[0])
                continue
            skipped = next((skip for skip in self._skip.get(word.folded, ()) if _at(given, position, skip)), None)
            if skipped is not None:
                position += len(skipped)
                continue
            result.append(word)
            position += 1
        return result

    def read(self, text: TextWords) -> list[Relation]:
        """See :meth:`RelationReader.read`."""
        if not any(word.folded in self._subjects for word in text.words):
            return []
        sentences = [_Sentence(self._plain(words)) for words in _sentences(text)]
        if any(_at(sentence.words, start, cue) for sentence in sentences for cue in self._both_named for start in sentence.places(cue[0])):
            return []
        return [
            relation
            for pattern in self._patterns
            for sentence in sentences
            if (relation := self._match(text, sentence, pattern)) is not None
        ]

    def _match(self, text: TextWords, sentence: _Sentence, pattern: _Pattern) -> Relation | None:
        words = sentence.words
        if not pattern.before:
            for end in sentence.places(pattern.after[0]):
                if end and _at(words, end, pattern.after):
                    slot = self._slot(text, words[max(0, end - _SLOT_WORDS_MAX) : end], from_end=True)
                    if slot is not None:
                        return Relation(pattern.kind, pattern.listed, slot)
            return None
        for start in sentence.places(pattern.before[0]):
            if not _at(words, start, pattern.before) or not (pattern.anywhere or self._only_openers(words[:start])):
                continue
            relation = self._after_words(text, words, start + len(pattern.before), pattern)
            if relation is not None:
                return relation
        return None

    def _after_words(self, text: TextWords, words: Sequence[_Plain], start: int, pattern: _Pattern) -> Relation | None:
        if not pattern.has_slot:
            return Relation(pattern.kind, pattern.listed, None)
        end = min(len(words), start + _SLOT_WORDS_MAX)
        if pattern.after:
            place = next((place for place in range(start + 1, end + 1) if _at(words, place, pattern.after)), None)
            if place is None:
                return None
            end = place
        slot = self._slot(text, words[start:end], from_end=False)
        return Relation(pattern.kind, pattern.listed, slot) if slot is not None else None

    def _only_openers(self, words: Sequence[_Plain]) -> bool:
        if len(words) > _SLOT_WORDS_MAX:
            return False
        position = 0
        while position < len(words):
            opener = next((key for key in self._openers.get(words[position].folded, ()) if _at(words, position, key)), None)
            if opener is None and words[position].folded not in _CLAUSE_SIGNS:
                return False
            position += len(opener) if opener else 1
        return True

    def _slot(self, text: TextWords, words: Sequence[_Plain], *, from_end: bool) -> Span | None:
        """The words of the slot up to the border of its clause; None where nothing is left that could be a condition."""
        signs = [place for place, word in enumerate(words) if word.folded in _CLAUSE_SIGNS]
        if signs:
            words = words[signs[-1] + 1 :] if from_end else words[: signs[0]]
        while words and words[0].folded in self._slot_openers:
            words = words[1:]
        while words and words[-1].folded in self._slot_enders:
            words = words[:-1]
        key = tuple(word.folded for word in words)
        if not key or key in self._refused or not any(sign.isalnum() for word in key for sign in word):
            return None
        return text.span(words[0].first, words[-1].last)


class _Sentence:
    """A sentence after rewriting, with the places of each word."""

    def __init__(self, words: list[_Plain]) -> None:
        self.words = words
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, word in enumerate(words):
            self._places[word.folded].append(place)

    def places(self, word: str) -> list[int]:
        """Where ``word`` stands."""
        return self._places.get(word, [])


def _sentences(text: TextWords) -> list[list[_Plain]]:
    sentences: list[list[_Plain]] = [[]]
    for position, word in enumerate(text.words):
        if word.folded in _SENTENCE_SIGNS:
            sentences.append([])
        else:
            sentences[-1].append(_Plain(word.folded, position, position + 1))
    return [sentence for sentence in sentences if sentence]


def _at(given: Sequence[_Plain], position: int, phrase: Key) -> bool:
    if position + len(phrase) > len(given):
        return False
    return all(given[position + offset].folded == wanted for offset, wanted in enumerate(phrase))
