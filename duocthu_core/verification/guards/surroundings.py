"""Figures of one sentence told of one another: each belongs to the words and figures right around it.

"acid glucuronic (khoảng 60%), acid sulfuric (khoảng 35%)": a claim that puts 60% to acid sulfuric names what stands around 35% and
nothing of what stands around 60%.
"""

from __future__ import annotations

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.figures import Occurrence
from duocthu_core.verification.guards.labels import label_words, with_label
from duocthu_core.verification.guards.lexicon import Lexicon
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Clause, Reading
from duocthu_core.verification.model import Finding

_BEFORE = 3
_BEHIND = 6
_RIVALS_MAX = 24


def misplaced_finding(clause: Clause, quantity: Quantity, places: list[Occurrence], comparison: Comparison) -> Finding | None:
    """``other_item`` where the figure lies among rivals of its unit, one of which fits the claim's words instead.

    A place without such a rival saves the claim, unless it says much less of what the claim says.
    """
    shared = comparison.lexicon.dosing_words | comparison.heading.content
    said = _said_around(clause, quantity, comparison) - shared
    shown: tuple[Occurrence, Quantity] | None = None
    holding: list[Clause] = []
    for other, place in places:
        rival = _fitting_rival(place, other, said, shared, comparison)
        if rival is None:
            holding.append(other)
            continue
        shown = shown or ((other, place), rival)
    if shown is None or any(2 * _nearness(other, said) >= _nearness(shown[0][0], said) for other in holding):
        return None
    (other, place), rival = shown
    label = comparison.block.words_of(rival.start, rival.end)
    return comparison.finding("other_item", "other_item", (quantity.start, quantity.end), with_label(other, place), label=label)


def _fitting_rival(place: Quantity, other: Clause, said: frozenset[str], shared: frozenset[str], comparison: Comparison) -> Quantity | None:
    rivals = _rivals(place, other, comparison.block)
    if not rivals:
        return None
    taken = [place, *rivals]
    mine = _around(place, taken, comparison.block, comparison.lexicon) - shared
    for rival in rivals:
        there = _around(rival, taken, comparison.block, comparison.lexicon) - shared
        own, theirs = mine - there, there - mine
        if not other.start <= rival.start < other.end:  # what the clause and its labels say as well tells nothing apart
            theirs = theirs - other.words - label_words(other) - frozenset(map(_writing, other.quantities))
        if own and theirs and not said & own and 2 * len(said & theirs) >= len(theirs):
            return rival
        if _said_behind(rival, place, taken, said - shared, comparison):
            return rival
        if (
            theirs <= said
            and len(rivals) > 1
            and _named_by(rival, comparison) in theirs & said
            and _named_by(place, comparison) in own - said
        ):
            return rival
    return None


def _said_behind(rival: Quantity, place: Quantity, taken: list[Quantity], said: frozenset[str], comparison: Comparison) -> bool:
    """ "1 - 2,5 giờ với dạng thường và 6,5 giờ với dạng chậm": of what stands behind the two figures the claim has only the rival's."""
    theirs = frozenset(_behind(rival, taken, comparison.block, comparison.lexicon)[0])
    mine = frozenset(_behind(place, taken, comparison.block, comparison.lexicon)[0])
    own, other = mine - theirs, theirs - mine
    return len(own) > 1 and len(other) > 1 and not own & said and other <= said


def _named_by(place: Quantity, comparison: Comparison) -> str | None:
    """The last word before a figure of a list ("E. coli là 66,7%"): what the figure is told of, whatever stands before the whole list."""
    reading, lexicon = comparison.block, comparison.lexicon
    for position in range(place.start - 1, max(-1, place.start - 1 - _BEHIND), -1):
        if _is_border(position, reading, lexicon) or reading.tokens.numbers[position] is not None:
            return None
        if _says(reading.tokens.words[position], lexicon):
            return reading.tokens.words[position]
    return None


def _nearness(clause: Clause, said: frozenset[str]) -> int:
    return len(said & (clause.words | label_words(clause)))


def _rivals(place: Quantity, clause: Clause, reading: Reading) -> list[Quantity]:
    """The other figures of the same sentence with the same unit."""
    if "by_sentence" not in reading.derived:
        by_sentence: dict[int, list[Quantity]] = {}
        for each in reading.clauses:
            by_sentence.setdefault(each.sentence, []).extend(each.quantities)
        reading.derived["by_sentence"] = by_sentence
    found = [
        candidate
        for candidate in reading.derived["by_sentence"].get(clause.sentence, ())
        if candidate is not place and candidate.value != place.value and candidate.unit is not None and not candidate.implied
        if (candidate.unit, candidate.per_body) == (place.unit, place.per_body) or candidate.kind == place.kind == "time"
        if not (candidate.is_dose and candidate.in_parenthesis and not place.in_parenthesis)  # it explains the dose before it
    ]
    return found[:_RIVALS_MAX]


def _said_around(clause: Clause, quantity: Quantity, comparison: Comparison) -> frozenset[str]:
    """The claim's words and figures about the figure: those around it where the claim has rivals of its own, else all of them."""
    claim, lexicon = comparison.claim, comparison.lexicon
    rivals = _rivals(quantity, clause, claim)
    if rivals:
        return _around(quantity, [quantity, *rivals], claim, lexicon)
    figures = [other for other in claim.quantities if other is not quantity]
    return claim.content | frozenset(map(_writing, figures)) | frozenset(hit.value for hit in claim.hits.get("thing", ()))


def _around(place: Quantity, taken: list[Quantity], reading: Reading, lexicon: Lexicon) -> frozenset[str]:
    words = reading.tokens.words
    partner = _brackets(reading) if not place.in_parenthesis else {}  # what explains another word is not around the figure
    stops = {position for quantity in taken if quantity is not place for position in range(quantity.start, quantity.end)}
    found: list[str] = []
    position, room = place.start - 1, _BEFORE
    while position >= 0 and room and not _is_border(position, reading, lexicon) and position not in stops:
        if position in partner and partner[position] < position:
            position = partner[position] - 1
            continue
        if _says(words[position], lexicon):
            found.append(lexicon.same_words.get(words[position], words[position]))
            room -= 1
        position -= 1
    begin = position + 1
    behind, position = _behind(place, taken, reading, lexicon)
    found += behind
    inside = (
        other
        for other in reading.quantities
        if begin <= other.start and other.end <= position and other not in taken and not _counts_once(other)
    )
    things = {hit.value for hit in reading.hits.get("thing", ()) if begin <= hit.start and hit.end <= position}
    return frozenset(found) | frozenset(map(_writing, inside)) | frozenset(things)


def _is_border(position: int, reading: Reading, lexicon: Lexicon) -> bool:
    """Whether what stands at ``position`` ends what is around a figure; a point inside a sentence is one of an abbreviation."""
    word = reading.tokens.words[position]
    if word == ".":
        return position + 1 in reading.item_ends
    return word in lexicon.figure_borders


def _behind(place: Quantity, taken: list[Quantity], reading: Reading, lexicon: Lexicon) -> tuple[list[str], int]:
    """The words behind a figure up to a border or the next figure, and where they end."""
    words = reading.tokens.words
    partner = _brackets(reading) if not place.in_parenthesis else {}
    stops = {position for quantity in taken if quantity is not place for position in range(quantity.start, quantity.end)}
    found: list[str] = []
    position, room = place.end, _BEHIND
    while position < len(words) and room and not _is_border(position, reading, lexicon) and position not in stops:
        if place.in_parenthesis and words[position] == ")":
            break
        if partner.get(position, 0) > position:
            position = partner[position] + 1
            continue
        if _says(words[position], lexicon):
            found.append(lexicon.same_words.get(words[position], words[position]))
            room -= 1
        position += 1
    return found, position


def _brackets(reading: Reading) -> dict[int, int]:
    """Each round bracket around a figure or a list with the one that belongs to it."""
    if "brackets" not in reading.derived:
        partner: dict[int, int] = {}
        open_at: list[int] = []
        for position, word in enumerate(reading.tokens.words):
            if word == "(":
                open_at.append(position)
            elif word == ")" and open_at:
                begin = open_at.pop()
                inside = range(begin + 1, position)
                if any(reading.tokens.numbers[at] is not None or reading.tokens.words[at] in ",;" for at in inside):
                    partner[position], partner[begin] = begin, position
        reading.derived["brackets"] = partner
    return reading.derived["brackets"]


def _says(word: str, lexicon: Lexicon) -> bool:
    return word[0].isalpha() and len(word) > 1 and word not in lexicon.empty_words


def _counts_once(quantity: Quantity) -> bool:
    """ "một lần" is read as a figure in some surroundings only: it tells nothing apart."""
    return quantity.from_words and quantity.kind != "time"


def _writing(quantity: Quantity) -> str:
    """A figure as a word: it can be told from no content word."""
    return f"{quantity.low}-{quantity.high} {quantity.unit}" if quantity.high else f"{quantity.low} {quantity.unit}"
