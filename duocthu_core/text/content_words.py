"""Content words: the words of a text that say something of their own, without those that only join others.

Vietnamese writes syllables apart, so a "word" here is a syllable; phrases of the ruleset's ``function_words`` table are left out whole,
longest first ("thế nào"), so that a syllable counts where it stands alone and not where it only helps.
"""

from __future__ import annotations

from collections.abc import Iterable

from duocthu_core.text.phrases import PhraseMatcher, Word, words


class ContentWords:
    """Finds content words. Compiled once from the phrases to leave out."""

    def __init__(self, function_words: Iterable[str]) -> None:
        self._function_words = PhraseMatcher(dict.fromkeys(map(str, function_words), True))

    def find(self, text: str) -> list[Word]:
        """The content words of NFC ``text`` in order, folded, with their spans; numbers and signs are none."""
        found = words(text)
        covered = {position for hit in self._function_words.find(text, found) for position in range(hit.span.start, hit.span.end)}
        return [word for word in found if word.span.start not in covered and _has_letter(word.folded)]

    def set_of(self, text: str) -> frozenset[str]:
        """The distinct content words of ``text``, folded."""
        return frozenset(word.folded for word in self.find(text))


def _has_letter(word: str) -> bool:
    return any(character.isalpha() for character in word)
