"""Whether an indication really is about a condition: the guard of list mode (spec 03, "condition_list")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from duocthu_core.retrieval.wording import Wording
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.folding import fold, has_marks, strip_marks
from duocthu_core.text.phrases import PhraseMatcher
from duocthu_core.text.sentences import sentences
from duocthu_core.text.spans import Span
from duocthu_core.understanding.syllables import is_vietnamese_syllable

_WORD = re.compile(r"[^\W_]+")
_HEADING_PARTS = re.compile(r"[,;:()\n]| (?:và|hoặc|hay) ")
_LATIN_MIN = 4
_BARE_HEAD_MIN = 4
"""Letters below which a word typed without marks may be too many things ("dau", "sot")."""


class ConditionWording(NamedTuple):
    """One way to write a condition."""

    text: str
    words: tuple[str, ...]
    """Folded; without marks where it was typed without."""
    marked: bool

    @property
    def is_vietnamese(self) -> bool:
        """Whether every word is a Vietnamese syllable; names of germs are not."""
        return all(map(is_vietnamese_syllable, self.words))

    def means(self, other: ConditionWording) -> bool:
        """Whether the two are one wording; one typed without marks is compared without."""
        return self.words == (other.words if self.marked else tuple(map(strip_marks, other.words)))


class Conditions:
    """Wordings of a condition, and the guard that looks for them."""

    def __init__(self, ruleset: Ruleset) -> None:
        tables: dict[str, Any] = ruleset.tables
        rules: dict[str, Any] = tables["sections"]["retrieval"]
        self._groups = [[_wording(text) for text in group] for group in rules["condition_words"]]
        self._causes = _word_runs(rules["condition_causes"])
        self._alone_after, self._alone_before = (_word_runs(rules["condition_alone"][side]) for side in ("after", "before"))
        self._heads = _word_runs([*rules["condition_heads"], *(text for group in rules["condition_words"] for text in group)])
        self._not_heads = _word_runs(rules["not_condition_heads"])
        self._of_drug = _word_runs(rules["not_condition_words"])
        self._genera = {tuple(_words(phrase)) for phrase in rules["condition_genera"]}
        cues = tables["negations"]["cues"]
        denying = [phrase for kind in ("forbid", "advise_against", "deny") for phrase in cues[kind]["phrases"]]
        weak = set(cues["deny"].get("weak", ()))
        phrases: dict[str, bool] = dict.fromkeys((phrase for phrase in denying if phrase not in weak), True)
        for friend in tables["negations"]["false_friends"]:
            phrases[friend["phrase"]] = bool(friend.get("negates", False))
        self._negations = PhraseMatcher(phrases)

    def wordings(self, asked: str) -> list[ConditionWording]:
        """The condition as asked, then other words for it ("cao huyết áp" -> "tăng huyết áp", …)."""
        own = _wording(asked)
        same = [group for group in self._groups if any(own.means(other) for other in group)]
        return [own, *(other for group in same for other in group if not own.means(other))]

    # --- the condition of a dosing question -------------------------------------------------------------------------------------

    def asked_in(self, wording: Wording) -> tuple[str, ...]:
        """The conditions that the own words of a question name, without figures: from a word that begins names of diseases ("viêm",
        "suy") or a condition of the table on, to the end of its stretch. Of short words typed without marks none begins one ("dau")."""
        found: list[str] = []
        for run in wording.runs:
            words = list(_WORD.finditer(fold(run)))
            end = next((place for place, word in enumerate(words) if word.group()[0].isdigit()), len(words))
            forms = [word.group() for word in words[:end]]
            start = next((place for place in range(end) if self._begins_condition(forms, place, wording.with_marks)), None)
            if start is not None:
                found.append(run[words[start].start() : words[end - 1].end()])
        return tuple(found)

    def is_named_in(self, asked: str, text: str, headings: Sequence[str]) -> bool:
        """Whether a block speaks of the condition ``asked``: its text or a heading names it, or a heading a wider one ("Viêm xoang" for
        "viêm xoang cấp")."""
        wordings = self.wordings(asked)
        named_by = (fold(text), *map(fold, headings))
        for wording in wordings:
            if any(_position(wording.words, part if wording.marked else strip_marks(part)) is not None for part in named_by):
                return True
        own = wordings[0]
        parts = (tuple(_words(part)) for heading in headings for part in _HEADING_PARTS.split(heading))
        wider = (part for part in parts if len(part) > 1 or part in self._genera)
        return any(_contains(own.words, part if own.marked else tuple(map(strip_marks, part))) for part in wider)

    def heads_condition(self, heading: str) -> bool:
        """Whether a heading of a dosing line names a disease: by its words, or a germ by its Latin name."""
        words = _words(heading)
        if any(_contains(words, phrase) for phrase in self._of_drug):
            return False
        if any(self._begins_condition(words, place, marked=True) for place in range(len(words))):
            return True
        return any(len(word) > _LATIN_MIN and not is_vietnamese_syllable(word) for word in words)

    def _begins_condition(self, words: Sequence[str], place: int, marked: bool) -> bool:
        def stands(phrase: tuple[str, ...]) -> bool:
            if not marked and len(" ".join(phrase)) < _BARE_HEAD_MIN:
                return False
            wanted = phrase if marked else tuple(map(strip_marks, phrase))
            return tuple(words[place : place + len(wanted)]) == wanted

        return any(map(stands, self._heads)) and not any(map(stands, self._not_heads))

    # --- indications ------------------------------------------------------------------------------------------------------------

    def holds(self, wordings: Sequence[ConditionWording], text: str) -> bool:
        """Whether ``text`` names the condition in words that belong together and does not deny it in the same sentence."""
        folded = fold(text)
        bare = strip_marks(folded)
        # Most texts are ruled out before they are parted into sentences.
        likely = [wording for wording in wordings if _position(wording.words, folded if wording.marked else bare) is not None]
        if not likely:
            return False
        for span in sentences(text):
            for wording in likely:
                found = _position(wording.words, (folded if wording.marked else bare)[span.start : span.end])
                if found is not None and self._affirms(wording, span.of(text), found):
                    return True
        return False

    def _affirms(self, wording: ConditionWording, sentence: str, found: Span) -> bool:
        before, after = _words(sentence[: found.start]), _words(sentence[found.end :])
        # "bệnh thận do đái tháo đường" is no indication for diabetes; a germ after "do" is what is treated ("do Streptococcus").
        runs_on = sentence[: found.start].rstrip()[-1:].isalnum()
        if runs_on and wording.is_vietnamese and any(before[-len(cause) :] == list(cause) for cause in self._causes):
            return False
        if wording.is_vietnamese and len(wording.words) == 1 and not self._stands_alone(sentence, found, before, after):
            return False
        denials = (hit.span.end for hit in self._negations.find(sentence) if hit.value and hit.span.end <= found.start)
        return not any(_reaches(sentence[end : found.start]) for end in denials)

    def _stands_alone(self, sentence: str, found: Span, before: list[str], after: list[str]) -> bool:
        """Whether a condition of one syllable is a word of its own: "lao" in "Điều trị lao", not in "viêm màng não lao", nor "sốt" in
        "sốt giảm bạch cầu"."""
        next_sign = sentence[found.end :].lstrip()[:1]
        previous_sign = sentence[: found.start].rstrip()[-1:]
        ends = not next_sign.isalnum() or any(after[: len(words)] == list(words) for words in self._alone_before)
        begins = not previous_sign.isalnum() or any(before[-len(words) :] == list(words) for words in self._alone_after)
        return begins and ends


def _reaches(between: str) -> bool:
    """Whether a denial goes on through ``between``: a semicolon ends it ("khi không dùng được penicilin; nhất là viêm màng não"), unless
    a colon before it opened a list ("Không dùng cho: cúm; viêm họng")."""
    item_end = between.find(";")
    return item_end < 0 or ":" in between[:item_end]


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text))


def _word_runs(phrases: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(_words(phrase)) for phrase in phrases)


def _wording(text: str) -> ConditionWording:
    marked = has_marks(text)
    return ConditionWording(text, tuple(_WORD.findall(fold(text) if marked else strip_marks(fold(text)))), marked)


def _position(wanted: Sequence[str], sentence: str) -> Span | None:
    """Where the words stand in a folded sentence: side by side, or in order with at most one word between two."""
    if not wanted or any(word not in sentence for word in wanted):
        return None
    matches = list(_WORD.finditer(sentence))
    found = [match.group() for match in matches]
    for start, word in enumerate(found):
        if word == wanted[0] and (last := _last(found, start, wanted)) is not None:
            return Span(matches[start].start(), matches[last].end())
    return None


def _contains(words: Sequence[str], part: Sequence[str]) -> bool:
    """Whether the words of ``part`` stand side by side in ``words``."""
    size = len(part)
    return any(tuple(words[start : start + size]) == tuple(part) for start in range(len(words) - size + 1))


def _last(found: Sequence[str], start: int, wanted: Sequence[str]) -> int | None:
    """Position of the last wanted word, where all follow in order from ``start``."""
    position = start
    for word in wanted[1:]:
        if position + 1 < len(found) and found[position + 1] == word:
            position += 1
        elif position + 2 < len(found) and found[position + 2] == word and len(wanted) > 2:
            position += 2
        else:
            return None
    return position
