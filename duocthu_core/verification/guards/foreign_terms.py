"""Names that are no Vietnamese words: drugs, germs, substances. A claim that names one the block does not speaks of something else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rapidfuzz.distance import Levenshtein

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.figures import Occurrence
from duocthu_core.verification.guards.labels import label_words, with_label
from duocthu_core.verification.guards.lexicon import Lexicon
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Clause, Reading
from duocthu_core.verification.model import Finding

_LETTERS_MIN = 6
_LONG = 11


def is_foreign(word: str, lexicon: Lexicon) -> bool:
    """Whether a folded word can be no Vietnamese syllable: six Latin letters or more without any mark."""
    if len(word) < _LETTERS_MIN or not word.isascii() or not word.isalpha():
        return False
    return word not in lexicon.long_syllables and word not in lexicon.unit_words


def foreign_term_findings(comparison: Comparison, cited: Sequence[Reading], known: frozenset[str]) -> list[Finding]:
    """``low_support`` for each foreign name of the claim that stands in no cited block and in none of the ``known`` words.

    Another ending or a letter that a scan has changed makes no other name; nor does a genus written out where the block has "H.".
    """
    words = comparison.claim.tokens.words
    named = [place for place, word in enumerate(words) if is_foreign(word, comparison.lexicon) and word not in known]
    if not named:
        return []
    found: list[Finding] = []
    candidates = {word for reading in cited for word in _terms(reading, comparison.lexicon)} | known
    for place in named:
        word = words[place]
        if word in candidates or any(_same_name(word, other) for other in candidates) or _genus_shortened(place, words, cited):
            continue
        share = round(100 - 100 / max(1, len(comparison.claim.content)))
        found.append(comparison.finding("low_support", "low_support", (place, place + 1), share=str(share), missing=word))
    return found


def _terms(reading: Reading, lexicon: Lexicon) -> frozenset[str]:
    if "foreign" not in reading.derived:
        reading.derived["foreign"] = frozenset(word for word in reading.tokens.words if is_foreign(word, lexicon) or not word.isascii())
    return reading.derived["foreign"]


def _same_name(word: str, other: str) -> bool:
    if not other.isalpha() or abs(len(word) - len(other)) > 3 or len(other) < _LETTERS_MIN - 1:
        return False
    if word.startswith(other) or other.startswith(word):
        return True
    allowed = 2 if len(word) >= _LONG else 1
    return Levenshtein.distance(word, other, score_cutoff=allowed) <= allowed


def _genus_shortened(place: int, words: list[str], cited: Iterable[Reading]) -> bool:
    species = words[place + 1 : place + 2]
    return any(
        block[at : at + 2] == [words[place][0], "."] and block[at + 2 : at + 3] == species
        for block in (reading.tokens.words for reading in cited)
        for at in range(len(block) - 2)
    )


def other_subject_finding(clause: Clause, quantity: Quantity, places: list[Occurrence], comparison: Comparison) -> Finding | None:
    """A figure told of something that the block names only later, with another figure of the same kind.

    "Kháng thuốc khi MIC > 16 …. Đối với S. pneumoniae kháng thuốc nếu MIC > 2": 16 is not said of S. pneumoniae.
    """
    lexicon = comparison.lexicon
    named = frozenset(word for word in clause.words if is_foreign(word, lexicon)) - comparison.heading.content - comparison.drug_words
    worst: tuple[Clause, Quantity, Clause] | None = None
    for other, place in places:
        missing = named - _sentence_words(other, comparison.block)
        told = {each.value for each in clause.quantities if each is not quantity}
        rival = next((each for each in comparison.block.clauses if _is_later_rival(each, other, place, missing, told)), None)
        if rival is None:
            return None
        worst = worst or (other, place, rival)
    if worst is None:
        return None
    other, place, rival = worst
    label = comparison.block.words_of(rival.start, rival.end)
    return comparison.finding("other_item", "other_item", (quantity.start, quantity.end), with_label(other, place), label=label)


def _is_later_rival(clause: Clause, other: Clause, place: Quantity, missing: frozenset[str], told: set[tuple[str, str | None]]) -> bool:
    if clause.start <= other.start or not missing & (clause.words | label_words(clause)):
        return False
    return any(
        (each.unit, each.per_body) == (place.unit, place.per_body)
        and each.value != place.value
        and each.unit is not None
        and each.value not in told  # the claim tells of both
        for each in clause.quantities
    )


def _sentence_words(clause: Clause, reading: Reading) -> frozenset[str]:
    """All that stands in the sentence and before it, with the labels: what a later sentence adds is not there."""
    if "words_up_to" not in reading.derived:
        gathered: frozenset[str] = frozenset()
        up_to: dict[int, frozenset[str]] = {}
        for each in reading.clauses:
            gathered |= each.words | label_words(each)
            up_to[each.sentence] = gathered
        reading.derived["words_up_to"] = up_to
    return reading.derived["words_up_to"].get(clause.sentence, frozenset())
