"""Guard over near copies: a sentence of the block with one word changed.

Where most of a claim's sentence stands in one sentence of the block, both are laid word by word beside each other. What was put in,
left out or exchanged must not be a negation, nor one patient group, route or bound for another.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from duocthu_core.verification.guards.antonyms import antonyms_in, phrase_places
from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.groups import populations_conflict, route_fits, routes_conflict
from duocthu_core.verification.guards.lexicon import Hit
from duocthu_core.verification.guards.negation import denied_elsewhere, forbidden_by_heading, has_exception
from duocthu_core.verification.guards.polarity import Sentence, nearest, polar_pieces, polar_sentences
from duocthu_core.verification.guards.structure import Reading
from duocthu_core.verification.model import Finding, RejectReason

_SHARE_MIN = 0.7
_CHANGE_MAX = 8
_CATEGORIES: tuple[tuple[str, RejectReason], ...] = (
    ("population", "population_mismatch"),
    ("route", "route_mismatch"),
    ("bound", "comparator_mismatch"),
    ("severity", "other_item"),
    ("tier", "other_item"),
)
_OPPOSITE = {"max": ("min", "gt"), "lt": ("min", "gt"), "min": ("max", "lt"), "gt": ("max", "lt")}


@dataclass(slots=True)
class _Change:
    """Claim tokens ``mine`` stand where the block has ``theirs``; an empty range is something put in or left out."""

    mine: tuple[int, int]
    theirs: tuple[int, int]

    @property
    def small(self) -> bool:
        """Whether it is a change of words; a long one is another sentence, or the rest of a trimmed one."""
        return self.mine[1] - self.mine[0] <= _CHANGE_MAX and self.theirs[1] - self.theirs[0] <= _CHANGE_MAX


def near_copy_findings(comparison: Comparison) -> list[Finding]:
    """What was exchanged between each piece of the claim and the piece of the block it copies."""
    found: list[Finding] = []
    lexicon = comparison.lexicon
    originals = polar_pieces(comparison.block, lexicon) + polar_sentences(comparison.block, lexicon)
    for piece in polar_pieces(comparison.claim, lexicon):
        near = [(_changes(piece, other, comparison), other) for other, share in nearest(piece, originals) if share >= _SHARE_MIN]
        if not near:
            continue
        changes, original = min(near, key=lambda entry: (-_figures_shared(piece, entry[1], comparison), _weight(entry[0])))
        found += _polarity(changes, piece, original, comparison)
        for change in changes:
            if change.small:
                found += _exchanged(change, piece, original, comparison)
    return found


def _figures_shared(piece: Sentence, original: Sentence, comparison: Comparison) -> int:
    """How many figures of the claim stand in the original with the same unit, period and kind of limit."""
    mine = [quantity for quantity in comparison.claim.quantities if piece.start <= quantity.start < piece.end]
    theirs = [quantity for quantity in comparison.block.quantities if original.start <= quantity.start < original.end]
    return sum(
        any(
            quantity.value == other.value
            and (quantity.unit, quantity.per_body, quantity.per_time) == (other.unit, other.per_body, other.per_time)
            and (quantity.upper, quantity.lower) == (other.upper, other.lower)
            for other in theirs
        )
        for quantity in mine
    )


def _weight(changes: list[_Change]) -> int:
    """How much of the claim is not the block's; what the claim leaves out of a long sentence counts little."""
    return sum(4 * (change.mine[1] - change.mine[0]) + min(4, change.theirs[1] - change.theirs[0]) for change in changes)


def _changes(sentence: Sentence, best: Sentence, comparison: Comparison) -> list[_Change]:
    mine = comparison.claim.tokens.words[sentence.start : sentence.end]
    theirs = comparison.block.tokens.words[best.start : best.end]
    changes: list[_Change] = []
    for edit in Levenshtein.opcodes(mine, theirs):
        start, end, begin, finish = edit.src_start, edit.src_end, edit.dest_start, edit.dest_end
        if edit.tag == "equal":
            continue
        if changes and changes[-1].mine[1] == sentence.start + start and changes[-1].theirs[1] == best.start + begin:
            changes[-1].mine = (changes[-1].mine[0], sentence.start + end)
            changes[-1].theirs = (changes[-1].theirs[0], best.start + finish)
        else:
            changes.append(_Change((sentence.start + start, sentence.start + end), (best.start + begin, best.start + finish)))
    return changes


def _polarity(changes: list[_Change], sentence: Sentence, original: Sentence, comparison: Comparison) -> list[Finding]:
    """A negator put in, left out, or exchanged for a word that affirms."""
    claim, block = comparison.claim, comparison.block
    found: list[Finding] = []
    small = [change for change in changes if change.small]
    put_in = sum(len(_negators(change.mine, claim, comparison)) for change in changes)
    left_out = sum(len(_negators(change.theirs, block, comparison)) for change in small)
    if put_in > left_out and denied_elsewhere(sentence, comparison):
        return []
    if put_in == left_out:
        return []  # none, or said at another place of the sentence
    conditions = {negation.start for negation in sentence.negations if negation.conditional} if has_exception(original, block) else set()
    for change in small:
        mine, theirs = claim.tokens.words[slice(*change.mine)], block.tokens.words[slice(*change.theirs)]
        said, stands = _negators(change.mine, claim, comparison), _negators(change.theirs, block, comparison)
        if bool(said) == bool(stands) or set(said) & conditions:
            continue
        if not said and theirs[-1] in comparison.lexicon.list_joiners:
            continue  # one of two alternatives left out: "chống chỉ định hoặc không dung nạp"
        others = theirs if said else mine
        if any(word not in comparison.lexicon.affirming_words for word in others):
            continue
        if len(mine if said else theirs) > 4 or _restated_as_bound(change, comparison):
            continue
        if any(forbidden_by_heading(hit.value, comparison) for hit in _hits("negation", claim, change.mine)):
            continue
        at = change.mine if said else _around(change.mine, sentence)
        there = change.theirs if stands else (max(0, change.theirs[0] - 1), min(change.theirs[1] + 1, len(block.tokens.words)))
        found.append(comparison.finding("negation_mismatch", "negation_added" if said else "negation_dropped", at, there))
    return found


_QUESTION_WITHIN = 24


def _around(place: tuple[int, int], sentence: Sentence) -> tuple[int, int]:
    return (max(sentence.start, place[0] - 1), min(sentence.end, place[1] + 1)) if place[0] == place[1] else place


def _negators(place: tuple[int, int], reading: Reading, comparison: Comparison) -> list[int]:
    """The words that negate among the tokens ``place``; not those inside a term ("thuốc tránh thai", "ngừng tim")."""
    if "in_terms" not in reading.derived:
        words, examples = reading.tokens.words, comparison.lexicon.example_phrases
        reading.derived["in_terms"] = (
            frozenset(
                inside
                for hit in reading.hits.get("negation_not", ())
                if words[hit.start] not in comparison.lexicon.plain_negators or tuple(words[hit.start : hit.end]) in examples
                for inside in range(hit.start, hit.end)
            )
            | _in_synonyms(reading, comparison)
            | _in_bounds(reading)
        )
    in_terms: frozenset[int] = reading.derived["in_terms"]
    claims = reading is comparison.claim  # a limit or a purpose that the claim puts in is no denial; one that it leaves out is missing
    negators = comparison.lexicon.negator_words
    purposes = [[word] for word in comparison.lexicon.purpose_words] if claims else []
    in_bounds = _in_bounds(reading) if claims else frozenset()
    return [
        at
        for at in range(*place)
        if reading.tokens.words[at] in negators
        and at not in in_terms
        and at not in in_bounds
        and not _leaves_open(at, reading, comparison)
        and reading.tokens.words[at - 1 : at] not in purposes
    ]


def _in_bounds(reading: Reading) -> frozenset[int]:
    """ "không quá" is a limit, compared as one."""
    return frozenset(place for hit in reading.hits.get("bound", ()) for place in range(hit.start, hit.end))


def _leaves_open(place: int, reading: Reading, comparison: Comparison) -> bool:
    """ "cùng bữa ăn hoặc không", "hỏi có dị ứng không": the negator at the end of a choice or of a question denies nothing."""
    words = reading.tokens.words
    ends = place + 1 >= len(words) or words[place + 1] in ",.;:)"
    if not ends or place == 0:
        return False
    asked = words[max(0, place - _QUESTION_WITHIN) : place]
    return words[place - 1] in comparison.lexicon.list_joiners or ("có" in asked and bool(comparison.lexicon.asking_words & set(asked)))


def _in_synonyms(reading: Reading, comparison: Comparison) -> frozenset[int]:
    """Words of "không đổi" where it stands for "nguyên dạng": they negate nothing."""
    words = reading.tokens.words
    return frozenset(
        inside
        for group in comparison.lexicon.negated_synonyms
        for phrase in group
        for place in phrase_places(phrase, words)
        for inside in range(place, place + len(phrase))
    )


def _restated_as_bound(change: _Change, comparison: Comparison) -> bool:
    """ "không quá" exchanged for "tối đa" is the same limit."""
    return bool(_hits("bound", comparison.claim, change.mine)) and bool(_hits("bound", comparison.block, change.theirs))


def _exchanged(change: _Change, piece: Sentence, original: Sentence, comparison: Comparison) -> list[Finding]:
    found: list[Finding] = []
    for category, reason in _CATEGORIES:
        mine, theirs = _hits(category, comparison.claim, change.mine), _hits(category, comparison.block, change.theirs)
        if category == "bound":
            mine = [hit for hit in mine if not _limits_alike(hit, original, comparison)]
        if not mine or not theirs or not _conflict(category, mine, theirs, comparison):
            continue
        if category in ("population", "route"):
            if _moved(mine, theirs, change, original, category=category, comparison=comparison):
                continue
            said, stand = _values(category, comparison.claim, piece), _values(category, comparison.block, original)
            figures = any(piece.start <= quantity.start < piece.end for quantity in comparison.claim.quantities)
            if all(said[hit.value] <= stand[hit.value] for hit in mine) and (figures or all(said[hit.value] for hit in theirs)):
                continue  # the block's sentence names both: which figure goes with which is the alignment's matter
        here, there = (mine[0].start, mine[-1].end), (theirs[0].start, theirs[-1].end)
        found.append(comparison.finding(reason, f"{category}_exchanged", here, there, label=""))
    mine_words = comparison.claim.tokens.words[slice(*change.mine)]
    their_words = comparison.block.tokens.words[slice(*change.theirs)]
    for word, reverse in antonyms_in(mine_words, comparison.lexicon):
        exchanged = phrase_places(word, mine_words) and phrase_places(reverse, their_words)
        if exchanged and not phrase_places(reverse, mine_words) and not phrase_places(word, their_words):
            found.append(comparison.finding("negation_mismatch", "antonym", change.mine, change.theirs))
            break
    return found


def _moved(mine: list[Hit], theirs: list[Hit], change: _Change, original: Sentence, *, category: str, comparison: Comparison) -> bool:
    """Whether the claim's group stands elsewhere in the block's sentence and the change is more than one word for another."""
    stand = _values(category, comparison.block, original)
    here = mine[0].start == change.mine[0] and mine[-1].end == change.mine[1]
    there = theirs[0].start == change.theirs[0] and theirs[-1].end == change.theirs[1]
    if category == "route":
        return not (here and there) and all(any(route_fits(hit.value, other, comparison.lexicon) for other in stand) for hit in mine)
    return not (here and there) and all(stand[hit.value] for hit in mine)


def _limits_alike(hit: Hit, original: Sentence, comparison: Comparison) -> bool:
    """Whether the figure that the bound belongs to has such a bound in the sentence it is laid beside.

    A band may have it anywhere: which dose goes with which band is the alignment's matter.
    """
    dosed = any(quantity.is_dose for quantity in comparison.claim.quantities)
    limited = [quantity for quantity in comparison.claim.quantities if quantity.bound_at == (hit.start, hit.end)]
    return any(
        (quantity.upper and place.upper) or (quantity.lower and place.lower)
        for quantity in limited
        for _, place in comparison.block.values.get(quantity.value, ())
        if quantity.same_unit(place)
        if original.start <= place.start < original.end or (dosed and quantity.band is not None)
    )


def _values(category: str, reading: Reading, sentence: Sentence) -> Counter[str]:
    return Counter(hit.value for hit in _hits(category, reading, (sentence.start, sentence.end)))


def _conflict(category: str, mine: list[Hit], theirs: list[Hit], comparison: Comparison) -> bool:
    if category == "bound":
        said, stands = _sides(mine, comparison.claim), _sides(theirs, comparison.block)
        return all(side in _OPPOSITE.get(other, ()) for side in said for other in stands)
    said, stands = frozenset(hit.value for hit in mine), frozenset(hit.value for hit in theirs)
    if category == "population":
        return populations_conflict(said, stands, comparison.lexicon)
    if category == "route":
        return routes_conflict(said, stands, comparison.lexicon)
    return not said & stands


def _sides(hits: list[Hit], reading: Reading) -> frozenset[str]:
    """Which way the bounds point: "nhanh hơn" is an upper limit where the clause forbids it."""
    read = {quantity.bound_at: quantity.bound for quantity in reading.quantities if quantity.bound_at is not None}
    return frozenset(read.get((hit.start, hit.end)) or hit.value for hit in hits)


def _hits(category: str, reading: Reading, place: tuple[int, int]) -> list[Hit]:
    return [hit for hit in reading.hits.get(category, ()) if hit.start < place[1] and place[0] < hit.end]
