"""Scope of a question: emergencies, animals as patients, orders hidden in the text (table ``safety``; spec 03, "Scope")."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from duocthu_core.text.folding import fold, strip_marks
from duocthu_core.text.spans import Span
from duocthu_core.understanding.amounts import NUMBER, value_of
from duocthu_core.understanding.lexicon import Hit, Lexicon, TextWords, longest, phrase_key, uncancelled
from duocthu_core.understanding.model import RedFlag

_GAP = "…"
_NEAR_GAP, _WIDE_GAP = 2, 8
_SENTENCE_SIGNS = frozenset(".;!?\n")
_CLAUSE_SIGNS = _SENTENCE_SIGNS | {",", ":"}
_ATTACK_WITHIN = 5
_FULLWIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


class RedFlagReader:
    """Signs of an emergency. In doubt the advice is shown: a needless line costs less than a missed emergency."""

    def __init__(self, safety: Mapping[str, Any], lexicon: Lexicon) -> None:
        self._kinds: Mapping[str, Any] = safety["red_flags"]
        for kind, entry in self._kinds.items():
            lexicon.add("red_flag", kind, entry["phrases"])
            lexicon.add(f"red_flag:present:{kind}", kind, entry["with_present"])
        lexicon.add("present", "", safety["present_cues"])
        self._now = {fold(str(word)) for word in safety["now_words"]}
        self._frames = [_frame(str(frame)) for frame in safety["not_emergency"]["frames"]]
        self._counts = [
            (kind, _count_patterns(entry.get("patterns", ())), _count_patterns(entry.get("patterns_with_present", ())), entry)
            for kind, entry in self._kinds.items()
            if "patterns" in entry
        ]

    def read(self, text: TextWords, found: Mapping[str, Sequence[Hit]]) -> tuple[RedFlag, ...]:
        """Every kind of emergency at most once, in order of place."""
        present = found.get("present", ())
        hits = [hit for hit in longest(found.get("red_flag", ())) if not self._is_framed(text, hit)]
        for kind in self._kinds:
            own = found.get(f"red_flag:present:{kind}", ())
            hits += [hit for hit in own if present and not self._is_framed(text, hit)]
        flags = {hit.value: self._flag(hit.value, hit.words, hit.span) for hit in sorted(hits, key=lambda hit: hit.first)}
        for kind, span in self._counted(text, bool(present)):
            flags.setdefault(kind, self._flag(kind, span.of(text.text), span))
        return tuple(sorted(flags.values(), key=lambda flag: flag.span))

    def sections(self, flags: Iterable[RedFlag]) -> tuple[str, ...]:
        """Where to look for what is done about these emergencies, where the turn asks for no section, or for a dose to die of."""
        kinds = [flag.kind for flag in flags]
        hiding = [kind for kind in kinds if "suppress" in self._kinds[kind]]
        return tuple(dict.fromkeys(key for kind in hiding or kinds for key in self._kinds[kind].get("sections", ())))

    def hides_figures(self, flags: Iterable[RedFlag]) -> bool:
        """Whether no amount may be told in such a turn: nobody who speaks of dying is told how much would be enough."""
        return any("suppress" in self._kinds[flag.kind] for flag in flags)

    def _flag(self, kind: str, found: str, span: Span) -> RedFlag:
        entry = self._kinds[kind]
        return RedFlag(kind=kind, words=found, span=span, advice_vi=entry["advice_vi"], advice_en=entry["advice_en"])

    def _counted(self, text: TextWords, present: bool) -> list[tuple[str, Span]]:
        """Ten tablets and more at once."""
        bare = strip_marks(fold(text.text))
        found: list[tuple[str, Span]] = []
        for kind, always, with_present, entry in self._counts:
            for pattern in (*always, *(with_present if present else ())):
                for match in pattern.finditer(bare):
                    count = value_of(fold(text.text)[match.start("n") : match.end("n")], unmarked=text.unmarked)
                    if count is not None and count >= entry["patterns_least"]:
                        found.append((kind, Span(match.start(), match.end())))
        return found

    def _is_framed(self, text: TextWords, hit: Hit) -> bool:
        """Whether the hit is only asked about ("có gây co giật không"), and does not itself say that it happens now."""
        if any(word.folded in self._now for word in text.words[hit.first : hit.last]):
            return False
        return any(_in_frame(text, hit, frame) for frame in self._frames)


Frame = tuple[tuple[str, ...], ...]


def _frame(frame: str) -> Frame:
    return tuple(phrase_key(part) for part in frame.split(_GAP))


def _in_frame(text: TextWords, hit: Hit, frame: Frame) -> bool:
    """Whether ``hit`` stands in a gap of the frame: the words before the gap before it, those behind it after it, in one sentence."""
    return any(
        _stands_before(text, hit, before, wide=bool(before and after)) and _stands_after(text, hit, after, wide=bool(before and after))
        for before, after in pairwise(frame)
        if before or after
    )


def _stands_before(text: TextWords, hit: Hit, phrase: tuple[str, ...], *, wide: bool) -> bool:
    if not phrase:
        return True
    ends, gap = (_SENTENCE_SIGNS, _WIDE_GAP) if wide else (_CLAUSE_SIGNS, _NEAR_GAP)
    for end in range(hit.first, max(hit.first - gap - 1, len(phrase) - 1), -1):
        if _words_at(text, end - len(phrase), end, phrase):
            return True
        if text.words[end - 1].folded in ends:
            return False
    return False


def _stands_after(text: TextWords, hit: Hit, phrase: tuple[str, ...], *, wide: bool) -> bool:
    if not phrase:
        return True
    ends, gap = (_SENTENCE_SIGNS, _WIDE_GAP) if wide else (_CLAUSE_SIGNS, _NEAR_GAP)
    for start in range(hit.last, min(hit.last + gap + 1, len(text.words))):
        if _words_at(text, start, start + len(phrase), phrase):
            return True
        if text.words[start].folded in ends:
            return False
    return False


def _words_at(text: TextWords, start: int, end: int, phrase: tuple[str, ...]) -> bool:
    if start < 0 or end > len(text.words):
        return False
    typed = tuple(word.folded for word in text.words[start:end])
    return typed == phrase or (text.unmarked and typed == tuple(strip_marks(word) for word in phrase))


def _count_patterns(patterns: Sequence[str]) -> list[re.Pattern[str]]:
    """``N`` stands for a number: matched over folded text without marks."""
    compiled: list[re.Pattern[str]] = []
    for pattern in patterns:
        before, _, after = pattern.partition("N")
        words_before, words_after = (re.escape(strip_marks(fold(part))).replace(r"\ ", r"\s{1,2}") for part in (before, after))
        compiled.append(re.compile(rf"(?<![^\W_]){words_before}(?P<n>{NUMBER}){words_after}(?![^\W_])"))
    return compiled


@dataclass(frozen=True, slots=True)
class AnimalPatient:
    """An animal that is to take the drug."""

    name: str
    span: Span


class AnimalReader:
    """Animals as patients only: "gan bò" in a diet or "mèo cào" is no patient."""

    def __init__(self, table: Mapping[str, Any], lexicon: Lexicon) -> None:
        lexicon.add("animal:always", "", table["always"])
        lexicon.add("animal", "", table["names"], table["accentless"])
        lexicon.add("animal:not", "", [entry["phrase"] for entry in table["not_patient"]])
        self._frames = [_animal_frame(str(frame)) for frame in table["patient_frames"]]
        self._nicknames = {fold(str(name)) for name in table["nicknames"]}
        self._child = {"bé", "be", "cháu", "chau"}
        self._attacks = {fold(str(word)) for word in table["attacks"]}
        self._eaten = {phrase_key(str(word)) for word in table["eaten_before"]}

    def read(self, text: TextWords, found: Mapping[str, Sequence[Hit]]) -> AnimalPatient | None:
        """The first animal that is a patient, if any."""
        cancels = found.get("animal:not", ())
        always = uncancelled(found.get("animal:always", ()), cancels)
        if always:
            return AnimalPatient(always[0].words, always[0].span)
        for hit in longest(uncancelled(found.get("animal", ()), cancels)):
            if not self._is_other(text, hit) and any(self._fits(text, hit, frame) for frame in self._frames):
                return AnimalPatient(hit.words, hit.span)
        return None

    def _is_other(self, text: TextWords, hit: Hit) -> bool:
        """A child's pet name, food, an allergen, or an animal that hurt a person."""
        before = [word.folded for word in text.words[max(0, hit.first - 2) : hit.first]]
        if fold(hit.words) in self._nicknames and before[-1:] and before[-1] in self._child:
            return True
        if any(tuple(before[-length:]) in self._eaten for length in (1, 2)):
            return True
        after = [word.folded for word in text.words[hit.last : hit.last + _ATTACK_WITHIN]]
        attack = next((place for place, word in enumerate(after) if word in self._attacks), None)
        return attack is not None and "bị" not in after[:attack] and "bi" not in after[:attack]

    @staticmethod
    def _fits(text: TextWords, hit: Hit, frame: tuple[tuple[str, ...], tuple[str, ...]]) -> bool:
        before, after = frame
        return _pattern_at(text, hit.first - len(before), before) and _pattern_at(text, hit.last, after)


def _animal_frame(frame: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    before, _, after = frame.partition("{animal}")
    return tuple(fold(before).split()), tuple(fold(after).split())


def _pattern_at(text: TextWords, start: int, pattern: tuple[str, ...]) -> bool:
    """``*`` stands for any one word."""
    if start < 0 or start + len(pattern) > len(text.words):
        return False
    for wanted, word in zip(pattern, text.words[start : start + len(pattern)], strict=True):
        if wanted not in ("*", word.folded) and not (text.unmarked and strip_marks(wanted) == word.folded):
            return False
    return True


class InjectionReader:
    """Cues that a text gives orders. Shown in the trace; nothing depends on them, the fence of the prompt protects."""

    def __init__(self, table: Mapping[str, Any], lexicon: Lexicon) -> None:
        exact = {str(phrase) for phrase in table["case_sensitive"]}
        lexicon.add("injection", "", [str(phrase) for phrase in table["phrases"] if str(phrase) not in exact])
        lexicon.add("injection", "", exact, case_sensitive=True)
        lexicon.add("injection:not", "", table["not_cue"])
        self._signs = [str(phrase) for phrase in table["phrases"] if not any(sign.isalnum() for sign in str(phrase))]

    def read(self, found: Mapping[str, Sequence[Hit]]) -> tuple[Hit, ...]:
        """The places of cues."""
        return tuple(longest(uncancelled(found.get("injection", ()), found.get("injection:not", ()))))

    def shown(self, text: str, cues: Sequence[Hit]) -> tuple[str, ...]:
        """The cues as typed, each once, and markers that were written with full-width signs."""
        plain = text.translate(_FULLWIDTH)
        disguised = [sign for sign in self._signs if sign in plain and sign not in text]
        return tuple(dict.fromkeys([*(cue.words for cue in cues), *disguised]))
