"""What a patient cannot take, told apart from the drug that is asked about ("dị ứng penicilin dùng cefuroxim được không").

A name behind "dị ứng với" is no second drug to be compared or combined: the question is whether the other one may be given, and the book
answers it under contraindications and precautions (spec 03, "Understanding").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from duocthu_core.text.folding import fold, strip_marks
from duocthu_core.text.spans import Span
from duocthu_core.understanding.lexicon import Hit, Lexicon, TextWords, longest
from duocthu_core.understanding.model import Allergen, Mention
from duocthu_core.understanding.naming import NamesRead

_WORDS_MAX = 5
"""Small words and the name behind "dị ứng với"; what is further on is not named by it."""


class AllergyReader:
    """Compiled once from the table ``dialogue``."""

    def __init__(self, dialogue: Mapping[str, Any], lexicon: Lexicon) -> None:
        table = dialogue["allergy"]
        lexicon.add("allergy:before", "", table["before_name"], table["before_accentless"])
        lexicon.add("allergy:after", "", table["after_name"])
        self._small = {strip_marks(fold(str(word))) for word in table["small_words"]}
        self._joiners = {strip_marks(fold(str(word))) for word in table["joiners"]}
        self._ends = {strip_marks(fold(str(word))) for word in table["ends"]}
        self.sections: tuple[str, ...] = tuple(table["sections"])

    def read(
        self, text: TextWords, found: Mapping[str, Sequence[Hit]], names: NamesRead, *, goes_on: bool
    ) -> tuple[NamesRead, tuple[Allergen, ...]]:
        """The names without those that the patient is allergic to, and these.

        Where no other drug is named, the allergen stays the drug asked about ("dị ứng amoxicilin biểu hiện thế nào"), unless the turn
        ``goes_on`` about an earlier one.
        """
        spans = sorted(set(names.spans))
        taken: list[Span] = []
        unnamed: list[Allergen] = []
        for hit in longest(found.get("allergy:before", ())):
            place = hit.span.end
            for span in spans:
                between = _bare_words(text, place, span.start)
                allowed = self._small if not taken or taken[-1].end != place else self._joiners
                if span.start >= place and all(word in allowed for word in between):
                    taken.append(span)
                    place = span.end
            if place == hit.span.end and (words := self._words_behind(text, hit)) is not None:
                unnamed.append(Allergen(words=words.of(text.text), span=words))
        for hit in longest(found.get("allergy:after", ())):
            taken += [span for span in spans if span.end <= hit.span.start and not _bare_words(text, span.end, hit.span.start)]
        allergens = (*(_allergen(span, text.text, names) for span in dict.fromkeys(taken)), *unnamed)
        rest = _without(names, taken, text.text)
        if not allergens or not (rest.things or rest.unrecognised or goes_on):
            return names, ()
        return rest, allergens

    def _words_behind(self, text: TextWords, hit: Hit) -> Span | None:
        """What is named behind the phrase and is no drug's name ("dị ứng hải sản"), up to a word that ends it."""
        run: list[Span] = []
        for word in text.words[hit.last : hit.last + _WORDS_MAX]:
            bare = strip_marks(word.folded)
            if bare in self._small and not run:
                continue
            if not word.folded.isalnum() or bare in self._ends:
                break
            run.append(word.span)
        return Span(run[0].start, run[-1].end) if run else None


def _allergen(span: Span, text: str, names: NamesRead) -> Allergen:
    drug_id = next((mention.value for mention in names.mentions if mention.span == span), None)
    return Allergen(words=span.of(text), span=span, drug_id=drug_id)


def _without(names: NamesRead, taken: Sequence[Span], text: str) -> NamesRead:
    words = {fold(span.of(text)) for span in taken}
    mentions: list[Mention] = [mention for mention in names.mentions if mention.span not in taken]
    named = {mention.value for mention in mentions}
    gone = {mention.value for mention in names.mentions if mention.span in taken} - named
    return replace(
        names,
        drug_ids=[drug_id for drug_id in names.drug_ids if drug_id not in gone],
        unknown=[name for name in names.unknown if fold(name) not in words],
        unrecognised=[name for name in names.unrecognised if fold(name) not in words],
        offers=[offer for offer in names.offers if fold(offer.words) not in words],
        mentions=mentions,
        spans=[span for span in names.spans if span not in taken],
    )


def _bare_words(text: TextWords, start: int, end: int) -> list[str]:
    """The words between two places, without marks; signs count as none."""
    found = (word for word in text.words if start <= word.span.start and word.span.end <= end)
    return [strip_marks(word.folded) for word in found if word.folded.isalnum() or word.folded in (",", ".", ";", "?")]
