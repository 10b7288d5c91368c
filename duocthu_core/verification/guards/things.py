"""Things of a kind, of which only one is meant: liver and kidney, morning and evening, before and after a meal, adults and children.

A claim that names one the block does not have speaks of something else; one that names it where the block's sentence has another of the
kind has exchanged them. The kinds and their names are data (guards.yaml, ``things``); figures, groups and routes are told apart alike.
"""

from __future__ import annotations

from collections.abc import Sequence

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.foreign_terms import is_foreign
from duocthu_core.verification.guards.groups import ancestors, route_fits
from duocthu_core.verification.guards.lexicon import Hit
from duocthu_core.verification.guards.polarity import Sentence, polar_sentences
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.same_sentence import exchanged_for, ranges_of, whole_sentence
from duocthu_core.verification.guards.structure import Reading
from duocthu_core.verification.model import Finding, RejectReason

_ANY = "any"
_OBLIGED_WITHIN = 5
_CATEGORIES: tuple[tuple[str, RejectReason, str], ...] = (
    ("thing", "other_item", "thing_exchanged"),
    ("population", "population_mismatch", "population_exchanged"),
    ("route", "route_mismatch", "route_exchanged"),
)


def unknown_thing_findings(comparisons: Sequence[Comparison]) -> list[Finding]:
    """``low_support`` for each thing of the claim that no cited block and no heading of one names."""
    comparison = comparisons[0]
    hits = comparison.claim.hits.get("thing", ())
    if not hits:
        return []
    known: set[str] = set()
    for each in comparisons:
        known |= {hit.value for reading in (each.block, each.heading) for hit in reading.hits.get("thing", ())}
    renal = any(each.block.hits.get("measured") for each in comparisons)
    words = frozenset[str]().union(*(each.block.tokens.words for each in comparisons))
    found: list[Finding] = []
    for hit in hits:
        obliged = comparison.lexicon.obligations & set(comparison.claim.tokens.words[max(0, hit.start - _OBLIGED_WITHIN) : hit.start])
        among = {value for value in known if not value.endswith(f"/{_ANY}")} if obliged else known
        if _thing_known(hit.value, among, comparison) or (renal and hit.value == comparison.lexicon.renal_thing):
            continue
        kind = hit.value.split("/")[0]
        if kind in comparison.lexicon.contextual_kinds and not any(value.startswith(f"{kind}/") for value in known):
            continue  # the block names no disease at all: the claim says of which it speaks
        said = comparison.claim.tokens.words[hit.start : hit.end]
        if words.issuperset(said) and not obliged:
            continue  # in another order or inside a longer name
        share = round(100 - 100 / max(1, len(comparison.claim.content)))
        found.append(comparison.finding("low_support", "low_support", (hit.start, hit.end), share=str(share), missing=" ".join(said)))
    return found


def exchanged_findings(comparison: Comparison) -> list[Finding]:
    """Things, groups, routes and figures that the claim's sentence names where the block's has another one of their kind."""
    found: list[Finding] = []
    for sentence in polar_sentences(comparison.claim, comparison.lexicon):
        for category, reason, message in _CATEGORIES:
            hits = _hits(category, sentence, comparison.claim)
            for hit in hits:
                rival = _hit_exchanged(category, hit, hits, sentence, comparison)
                if rival is not None:
                    here, there = (hit.start, hit.end), (rival.start, rival.end)
                    found.append(comparison.finding(reason, message, here, there, label=""))
                    break
        found += _figures_exchanged(sentence, comparison) + _names_exchanged(sentence, comparison)
    return found


# --- words


def _hit_exchanged(category: str, hit: Hit, hits: list[Hit], sentence: Sentence, comparison: Comparison) -> Hit | None:
    said = {each.value for each in hits}
    obliged = bool(comparison.lexicon.obligations & set(comparison.claim.tokens.words[sentence.start : hit.start]))

    def stands_in(other: Sentence) -> bool:
        values = {each.value for each in _hits_around(category, other, comparison.block)}
        if obliged:
            values = {value for value in values if not value.endswith(f"/{_ANY}")}
        return _fits(category, hit.value, values, comparison)

    def rivals_in(other: Sentence) -> list[Hit]:
        return [
            each
            for each in _hits_around(category, other, comparison.block)
            if _of_one_kind(category, each.value, hit.value) and not _fits(category, each.value, said, comparison)
        ]

    own = comparison.claim.tokens.words[hit.start : hit.end]
    return exchanged_for(sentence, own, stands_in, rivals_in, comparison)


def _fits(category: str, value: str, known: set[str], comparison: Comparison) -> bool:
    if category == "thing":
        return _thing_known(value, known, comparison)
    if category == "population":
        lexicon = comparison.lexicon
        related = {value, *ancestors(value, lexicon)}
        return bool(related & known) or any(value in ancestors(other, lexicon) for other in known)
    return any(route_fits(value, other, comparison.lexicon) or route_fits(other, value, comparison.lexicon) for other in known)


def _of_one_kind(category: str, value: str, other: str) -> bool:
    return category != "thing" or value.split("/", maxsplit=1)[0] == other.split("/", maxsplit=1)[0]


def _thing_known(value: str, known: set[str], comparison: Comparison) -> bool:
    kind, name = value.split("/")
    if value in known or f"{kind}/{_ANY}" in known or name == _ANY:
        return True
    return any(f"{kind}/{narrower}" in known for narrower in comparison.lexicon.wider_things.get(name, ()))


def _hits(category: str, sentence: Sentence, reading: Reading) -> list[Hit]:
    return [hit for hit in reading.hits.get(category, ()) if sentence.start <= hit.start < sentence.end]


def _hits_around(category: str, sentence: Sentence, reading: Reading) -> list[Hit]:
    """The hits in a sentence, then those in the labels over it."""
    ranges = ranges_of(sentence, reading)
    return [hit for start, end in ranges for hit in reading.hits.get(category, ()) if start <= hit.start < end]


# --- names


def _names_exchanged(sentence: Sentence, comparison: Comparison) -> list[Finding]:
    """ "Làm giảm tác dụng của warfarin" where the block says it of another drug."""
    claim, block, lexicon = comparison.claim.tokens.words, comparison.block.tokens.words, comparison.lexicon
    common = comparison.drug_words | comparison.heading.content
    said = {word for word in claim[sentence.start : sentence.end] if is_foreign(word, lexicon)}
    for place in range(sentence.start, sentence.end):
        name = claim[place]
        if name not in said or name in common or name not in block:
            continue

        def stands_in(other: Sentence, name: str = name) -> bool:
            return any(name in block[start:end] for start, end in ranges_of(other, comparison.block))

        def rivals_in(other: Sentence) -> list[tuple[int, int]]:
            ranges = ranges_of(other, comparison.block)
            return [
                (at, at + 1)
                for start, end in ranges
                for at in range(start, end)
                if is_foreign(block[at], lexicon) and block[at] not in said | common
            ]

        rival = exchanged_for(sentence, [name], stands_in, rivals_in, comparison, dosing=True)
        if rival is not None:
            return [comparison.finding("other_item", "thing_exchanged", (place, place + 1), rival)]
    return []


# --- figures


def _figures_exchanged(sentence: Sentence, comparison: Comparison) -> list[Finding]:
    claim = comparison.claim
    said = [quantity for quantity in claim.quantities if sentence.start <= quantity.start < sentence.end]
    for quantity in said:
        if quantity.unit is None or quantity.implied or quantity.band is not None:
            continue
        rival = _figure_exchanged(quantity, said, sentence, comparison)
        if rival is not None:
            reason: RejectReason = "unit_mismatch" if rival.value == quantity.value else "other_item"
            here, there = (quantity.start, quantity.end), (rival.start, rival.end)
            message = "unit_mismatch" if reason == "unit_mismatch" else "thing_exchanged"
            return [comparison.finding(reason, message, here, there)]
    return []


def _figure_exchanged(quantity: Quantity, said: list[Quantity], sentence: Sentence, comparison: Comparison) -> Quantity | None:
    block = comparison.block

    def stands_in(other: Sentence) -> bool:
        ranges = ranges_of(other, block)
        if any(
            _has(mine, each) for mine in said if mine is not quantity for each in block.quantities if other.start <= each.start < other.end
        ):
            ranges.append(whole_sentence(other, block))  # the claim tells of several items of the sentence
        return any(_has(quantity, each) for start, end in ranges for each in block.quantities if start <= each.start < end)

    def rivals_in(other: Sentence) -> list[Quantity]:
        return [
            each
            for each in block.quantities
            if other.start <= each.start < other.end
            if each.kind == quantity.kind and each.band is None and not each.implied and not any(_has(mine, each) for mine in said)
        ]

    own = comparison.claim.tokens.words[quantity.start : quantity.end]
    return exchanged_for(sentence, own, stands_in, rivals_in, comparison)


def _has(quantity: Quantity, other: Quantity) -> bool:
    """Whether a figure is the other one, or an end of it."""
    return (quantity.value == other.value or quantity.low in other.value) and quantity.same_unit(other)
