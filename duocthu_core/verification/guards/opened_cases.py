"""Guard over the case that a sentence opens with: "Đối với người bệnh có nguy cơ, nên bắt đầu với 1 mg" told as "bắt đầu với 1 mg"."""

from __future__ import annotations

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.figures import occurrences
from duocthu_core.verification.guards.polarity import is_content, sentence_at
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.roles import starts_with
from duocthu_core.verification.guards.structure import Clause
from duocthu_core.verification.guards.wording import synonymous
from duocthu_core.verification.model import Finding

_CASE_WITHIN = 16


def opened_case_findings(comparison: Comparison) -> list[Finding]:
    """``dropped_label`` for a starting dose of a special case, where the block starts others with another dose and the case is unsaid."""
    claim, block = comparison.claim, comparison.block
    for clause in claim.clauses:
        for quantity in clause.quantities:
            if not quantity.is_dose or not starts_with(quantity, clause, claim):
                continue
            places = [(other, place) for other, place in occurrences(quantity, comparison) if quantity.same_unit(place)]
            cases = [_opened_case(place, comparison) for _, place in places]
            if not places or not all(cases) or not _starts_otherwise(quantity, places[0][0], comparison):
                continue
            said = claim.content | synonymous(claim, comparison.lexicon) | comparison.drug_words
            if any(said & {block.tokens.words[at] for at in range(*case)} for case in cases if case):
                continue
            if clause.scope.populations or clause.scope.bands or clause.scope.severity:
                continue  # whom is said in other words: the alignment's matter
            case = cases[0] or (0, 0)
            here, label = (quantity.start, quantity.end), block.words_of(*case)
            return [comparison.finding("dropped_label", "dropped_label", here, (case[0], places[0][1].end), label=label)]
    return []


def _opened_case(place: Quantity, comparison: Comparison) -> tuple[int, int] | None:
    """The words between the opener of the sentence of a place and its first comma, where some of them say something."""
    lexicon, words = comparison.lexicon, comparison.block.tokens.words
    sentence = sentence_at(place.start, comparison.block, lexicon)
    if sentence is None:
        return None
    opener = next((each for each in lexicon.case_openers if tuple(words[sentence.start : sentence.start + len(each)]) == each), None)
    if opener is None:
        return None
    begin = sentence.start + len(opener)
    comma = next((at for at in range(begin, min(begin + _CASE_WITHIN, place.start)) if words[at] == ","), None)
    if comma is None or not any(is_content(words[at], lexicon) and words[at] not in lexicon.dosing_words for at in range(begin, comma)):
        return None
    return begin, comma


def _starts_otherwise(quantity: Quantity, own: Clause, comparison: Comparison) -> bool:
    """Whether another sentence under the same labels starts with another dose in the same unit."""
    return any(
        other.sentence != own.sentence
        and other.labels == own.labels
        and place.value != quantity.value
        and place.is_dose
        and quantity.same_unit(place)
        and starts_with(place, other, comparison.block)
        for other in comparison.block.clauses
        for place in other.quantities
    )
