"""What a stretch of text says, in a form that can be compared: content words, numbers with units, negations, bounds."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

from duocthu_core.language_models.offline.lexicon import Lexicon
from duocthu_core.text.content_words import ContentWords
from duocthu_core.text.numbers import NumericToken, cached_numeric_tokens
from duocthu_core.text.phrases import PhraseHit, PhraseMatcher, Word, words
from duocthu_core.text.spans import Span

Direction = Literal["upper", "lower"]

_FILLERS = frozenset(["là", "liều", "khoảng", "hàng", "hằng", "ngày", "phải", "mức", "một", "cho", "được"])
_STOPS = frozenset(".;:!?")
_SCOPE_WORDS = 3
_REACH_BEFORE, _REACH_AFTER = 40, 14
"""Characters between a bound and its number: "tối đa là liều 4 g" and "12 tuổi trở lên"."""
_RANGE_SIGN = re.compile(r"\s*[-–—]\s*")


@dataclass(frozen=True)
class Said:
    """What a text says."""

    terms: frozenset[str]
    """Content words, frequency tiers, ranges, and numbers with the unit behind them."""
    denied: frozenset[tuple[str, ...]]
    """First content words behind each negation; the negation's own words where nothing follows."""
    plain: frozenset[str]
    """Content words outside the reach of a negation."""
    bounds: frozenset[tuple[str, Direction]]
    """Numbers that are bounded, and which way."""
    forbids: frozenset[str]
    """Words of the negations themselves ("không dùng": dùng)."""


class SayingReader:
    """Reads texts with the words of one lexicon; what was read is kept."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        negations, comparators = lexicon.tables["negations"], lexicon.tables["comparators"]
        cues = [negations["cues"][strength] for strength in ("forbid", "advise_against", "deny")]
        self.negators = _matcher(phrase for cue in cues for phrase in cue["phrases"] if phrase not in cue.get("weak", ()))
        self._false_friends = _matcher(entry["phrase"] for entry in negations["false_friends"] if not entry.get("negates"))
        self._enders = _matcher(negations["scope_enders"])
        # "Không dùng cho người suy gan nặng" says no more of whom than "suy gan nặng".
        patients = map(str, lexicon.tables["populations"]["patient_words"])
        self._content = ContentWords([*lexicon.tables["function_words"]["grammar"], *patients, "người"])
        self._polarity = frozenset(map(str, lexicon.tables["function_words"]["polarity"]))
        before: dict[str, Direction | None] = {}
        after: dict[str, Direction] = {}
        for kind, entry in comparators["bounds"].items():
            if kind.startswith(("upper", "lower")):
                direction: Direction = "upper" if kind.startswith("upper") else "lower"
                before |= {str(phrase): direction for phrase in (*entry.get("signs", ()), *entry.get("before", ()))}
                after |= {str(phrase): direction for phrase in entry.get("after", ())}
        for phrases in comparators["not_bound"].values():
            before |= {str(phrase): None for phrase in phrases}
        self._before: PhraseMatcher[Direction | None] = PhraseMatcher(before)
        self._after: PhraseMatcher[Direction] = PhraseMatcher(after)
        self.read = lru_cache(maxsize=8192)(self._read)
        """What a text says."""

    def _read(self, text: str) -> Said:
        text_words = words(text)
        content = self._content.find(text)
        bounding = [hit for hit in self._before.find(text, text_words) if hit.value is not None]
        negators = self._negators_in(text, text_words, bounding)
        tiers = self._lexicon.frequency_tiers.find(text, text_words)
        facts = [token for token in cached_numeric_tokens(text) if token.is_fact]
        taken = _starts_inside(content, sorted([*(token.span for token in facts), *(hit.span for hit in tiers)]))
        terms = {word.folded for word in content if word.span.start not in taken} - self._polarity
        terms |= {f"tier:{hit.value}" for hit in tiers}
        terms |= {_with_unit(token, text) for token in facts}
        terms |= {f"{low.text}-{high.text}" for low, high in pairwise(facts) if _RANGE_SIGN.fullmatch(text, low.span.end, high.span.start)}
        denied, reached, own = self._scopes(text, text_words, content, negators)
        return Said(
            terms=frozenset(terms),
            denied=denied,
            plain=frozenset(word.folded for word in content if word.span.start not in reached),
            bounds=self._bounds(text, text_words, [token for token in facts if token.is_quantity], bounding),
            forbids=own,
        )

    def _negators_in(self, text: str, text_words: list[Word], bounding: Sequence[PhraseHit[Any]]) -> list[Span]:
        """Negations that are neither part of a bound ("không quá") nor of a fixed term ("không steroid")."""
        hits = self.negators.find(text, text_words)
        if not hits:
            return []
        others = sorted([*(hit.span for hit in bounding), *(hit.span for hit in self._false_friends.find(text, text_words))])
        covered = _starts_inside([Word("", hit.span) for hit in hits], others)
        return [hit.span for hit in hits if hit.span.start not in covered]

    def _scopes(
        self, text: str, text_words: list[Word], content: list[Word], negators: Sequence[Span]
    ) -> tuple[frozenset[tuple[str, ...]], set[int], frozenset[str]]:
        """What each negation denies, the positions of all words in its reach, and the words of the negations themselves."""
        if not negators:
            return frozenset(), set(), frozenset()
        stops = sorted(
            [hit.span.start for hit in self._enders.find(text, text_words)]
            + [word.span.start for word in text_words if word.folded in _STOPS]
        )
        starts = [word.span.start for word in content]
        denied: set[tuple[str, ...]] = set()
        reached: set[int] = set()
        own: set[str] = set()
        for span in negators:
            stop = bisect_left(stops, span.end)
            end = stops[stop] if stop < len(stops) else len(text)
            itself = content[bisect_left(starts, span.start) : bisect_left(starts, span.end)]
            inside = content[bisect_left(starts, span.end) : bisect_left(starts, end)]
            denied.add(tuple(word.folded for word in inside[:_SCOPE_WORDS] or itself if word.folded not in self._polarity))
            reached |= {word.span.start for word in (*itself, *inside)}
            own |= {word.folded for word in itself}
        return frozenset(denied), reached, frozenset(own)

    def _bounds(
        self, text: str, text_words: list[Word], numbers: Sequence[NumericToken], bounding: Sequence[PhraseHit[Any]]
    ) -> frozenset[tuple[str, Direction]]:
        found: set[tuple[str, Direction]] = set()
        starts = [token.span.start for token in numbers]
        for hit in bounding:
            at = bisect_left(starts, hit.span.end)
            near = at < len(numbers) and numbers[at].span.start - hit.span.end <= _REACH_BEFORE
            if near and _only_fillers(text[hit.span.end : numbers[at].span.start]):
                found.add((numbers[at].text, hit.value))
        for hit in self._after.find(text, text_words) if numbers else ():
            at = bisect_left(starts, hit.span.start) - 1
            if at >= 0 and 0 <= hit.span.start - numbers[at].span.end <= _REACH_AFTER:
                found.add((numbers[at].text, hit.value))
        return frozenset(found)


def _starts_inside(found: Sequence[Word], spans: Sequence[Span]) -> set[int]:
    """Start positions of the words that overlap one of the sorted ``spans``."""
    inside: set[int] = set()
    position = 0
    for word in found:
        while position < len(spans) and spans[position].end <= word.span.start:
            position += 1
        if position < len(spans) and spans[position].overlaps(word.span):
            inside.add(word.span.start)
    return inside


def _only_fillers(between: str) -> bool:
    found = [word.folded for word in words(between)]
    return len(found) <= 4 and all(word in _FILLERS for word in found)


def _with_unit(token: NumericToken, text: str) -> str:
    """A number with the letters of the unit behind it, so that "5 mg" is not "5 g"."""
    unit = next((word.folded for word in words(text[token.span.end : token.span.end + 12])[:1] if word.folded.isalpha()), "")
    return f"{token.text} {unit}".strip()


def _matcher(phrases: Iterable[Any]) -> PhraseMatcher[bool]:
    return PhraseMatcher({str(phrase): True for phrase in phrases})
