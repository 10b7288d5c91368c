"""Whether an indication really is about a condition: the guard of list mode (spec 03, "condition_list")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.folding import fold, has_marks, strip_marks
from duocthu_core.text.phrases import PhraseMatcher
from duocthu_core.text.sentences import sentences
from duocthu_core.text.spans import Span

_WORD = re.compile(r"[^\W_]+")


class Conditions:
    """Wordings of a condition, and the guard that looks for them."""

    def __init__(self, ruleset: Ruleset) -> None:
        tables: dict[str, Any] = ruleset.tables
        rules: dict[str, Any] = tables["sections"]["retrieval"]
        self._groups: Sequence[Sequence[str]] = rules["condition_words"]
        self._causes = _word_runs(rules["condition_causes"])
        self._alone_after, self._alone_before = (_word_runs(rules["condition_alone"][side]) for side in ("after", "before"))
        cues = tables["negations"]["cues"]
        denying = [phrase for kind in ("forbid", "advise_against", "deny") for phrase in cues[kind]["phrases"]]
        weak = set(cues["deny"].get("weak", ()))
        phrases: dict[str, bool] = dict.fromkeys((phrase for phrase in denying if phrase not in weak), True)
        for friend in tables["negations"]["false_friends"]:
            phrases[friend["phrase"]] = bool(friend.get("negates", False))
        self._negations = PhraseMatcher(phrases)

    def wordings(self, asked: str) -> list[str]:
        """The condition as asked, then other words for it ("cao huyết áp" -> "tăng huyết áp", …)."""
        found = [asked]
        for group in self._groups:
            if any(_same(asked, wording) for wording in group):
                found += [wording for wording in group if not _same(asked, wording)]
        return found

    def holds(self, wordings: Sequence[str], text: str) -> bool:
        """Whether ``text`` names the condition in words that belong together and does not deny it in the same sentence."""
        likely = [wording for wording in wordings if _may_hold(wording, text)]
        return bool(likely) and any(self._affirms(wording, span.of(text)) for span in sentences(text) for wording in likely)

    def _affirms(self, wording: str, sentence: str) -> bool:
        found = _position(wording, sentence)
        if found is None:
            return False
        before, after = _words(sentence[: found.start]), _words(sentence[found.end :])
        # "bệnh thận do đái tháo đường" is no indication for diabetes; a germ after "do" is what is treated ("do Streptococcus").
        if has_marks(wording) and any(before[-len(cause) :] == list(cause) for cause in self._causes):
            return False
        if len(wording.split()) == 1 and not self._stands_alone(sentence, found, before, after):
            return False
        return not any(hit.value and hit.span.end <= found.start for hit in self._negations.find(sentence))

    def _stands_alone(self, sentence: str, found: Span, before: list[str], after: list[str]) -> bool:
        """Whether a condition of one syllable is a word of its own: "lao" in "Điều trị lao", not in "viêm màng não lao", nor "sốt" in
        "sốt giảm bạch cầu"."""
        next_sign = sentence[found.end :].lstrip()[:1]
        previous_sign = sentence[: found.start].rstrip()[-1:]
        ends = not next_sign.isalnum() or any(after[: len(words)] == list(words) for words in self._alone_before)
        begins = not previous_sign.isalnum() or any(before[-len(words) :] == list(words) for words in self._alone_after)
        return begins and ends


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text))


def _word_runs(phrases: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(_words(phrase)) for phrase in phrases)


def _may_hold(wording: str, text: str) -> bool:
    """Whether every word of ``wording`` stands somewhere in ``text``: what is cheap to rule out is ruled out first."""
    marked = has_marks(wording)
    within = fold(text) if marked else strip_marks(fold(text))
    return all(word in within for word in _WORD.findall(fold(wording) if marked else strip_marks(fold(wording))))


def _same(one: str, other: str) -> bool:
    """Whether two wordings are one; a wording typed without marks is compared without."""
    if has_marks(one):
        return fold(one) == fold(other)
    return strip_marks(fold(one)) == strip_marks(fold(other))


def _position(wording: str, sentence: str) -> Span | None:
    """Where the words of ``wording`` stand in ``sentence``: side by side, or in order with at most one word between two."""
    marked = has_marks(wording)
    wanted = _WORD.findall(fold(wording) if marked else strip_marks(fold(wording)))
    if not wanted:
        return None
    text = fold(sentence) if marked else strip_marks(fold(sentence))
    matches = list(_WORD.finditer(text))
    found = [match.group() for match in matches]
    for start, word in enumerate(found):
        if word == wanted[0] and (last := _last(found, start, wanted)) is not None:
            return Span(matches[start].start(), matches[last].end())
    return None


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
