"""Guard over what a label is about: a figure of one case told of another ("Gel 3% … dày sừng; gel 1% thoái hóa khớp: …")."""

from __future__ import annotations

from duocthu_core.verification.guards.band_ends import same_band
from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.figures import Occurrence
from duocthu_core.verification.guards.labels import label_words, with_label
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Clause, Label
from duocthu_core.verification.guards.wording import synonymous
from duocthu_core.verification.model import Finding

_WORDS_MIN = 2


def other_topic_finding(clause: Clause, quantity: Quantity, places: list[Occurrence], comparison: Comparison) -> Finding | None:
    """``other_item`` where the claim names a case that the block has under a label, with another figure of the kind, and the figure of
    the claim stands only outside of it."""
    if any(other.sentence < 0 for other, _ in places):
        return None
    keys = {label.topic_key for other, _ in places for label in other.labels}.union(*(other.near_topics for other, _ in places))
    words = _told(clause, comparison)
    here = frozenset(word for other, _ in places for word in other.words | label_words(other))
    for label in comparison.block.labels:
        if not label.topic or label.topic_key in keys:
            continue
        distinct = label.topic - here
        if len(distinct) < _WORDS_MIN or not distinct <= words:
            continue
        rival = _rival(label, quantity, comparison)
        if rival is None or _says_own(words, here, rival[0], comparison) or _band_said(clause, places, label, comparison):
            continue
        other, place = places[0]
        shown = comparison.block.words_of(label.start, label.end)
        return comparison.finding("other_item", "other_item", (quantity.start, quantity.end), with_label(other, place), label=shown)
    return None


def _told(clause: Clause, comparison: Comparison) -> frozenset[str]:
    """The words of the claim's sentence and labels around a clause, and what other people say for them."""
    around = [other for other in comparison.claim.clauses if other.sentence == clause.sentence]
    return frozenset(word for other in around for word in other.words | label_words(other)) | synonymous(
        comparison.claim, comparison.lexicon
    )


def _rival(label: Label, quantity: Quantity, comparison: Comparison) -> Occurrence | None:
    inside = [each for each in comparison.block.quantities if label.start <= each.start < label.end]
    for each in inside:
        if each.unit == quantity.unit and each.value != quantity.value and each.unit is not None and each.band is None:
            under = next((clause for clause in comparison.block.clauses if label in clause.labels), None)
            return (under, each) if under is not None else None
    for clause in comparison.block.clauses:
        if label not in clause.labels:
            continue
        for each in clause.quantities:
            if each.kind == quantity.kind and each.value != quantity.value and each.unit is not None:
                return clause, each
    return None


def _band_said(clause: Clause, places: list[Occurrence], label: Label, comparison: Comparison) -> bool:
    """Whether the claim names the band over its figure, and the label has no such band: the label is the title of a list it opens."""
    said = [band for band in clause.scope.bands if any(same_band(band, each) for other, _ in places for each in other.scope.bands)]
    under = [each for other in comparison.block.clauses if label in other.labels for each in other.scope.bands]
    return any(not any(same_band(band, each) for each in under) for band in said)


def _says_own(words: frozenset[str], here: frozenset[str], rival: Clause, comparison: Comparison) -> bool:
    """Whether the claim has words that stand where its figure stands, and not under the label."""
    lexicon = comparison.lexicon
    common = rival.words | label_words(rival) | comparison.heading.content | comparison.drug_words
    common |= lexicon.dosing_words | lexicon.bound_words | lexicon.unit_words | lexicon.route_words
    return bool((here - common) & words)
