"""How each kind of mutant is made from a verified claim and the block it cites. Deterministic by seed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from duocthu_core.answering.model import Claim
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.readings import readings_of
from duocthu_core.verification.guards.structure import Reading
from duocthu_core.verification.guards.verbatim import is_verbatim
from duocthu_core.verification.mutation.model import MUTANT_KINDS, Mutant, MutantKind, TrueBecause, changed_spans
from duocthu_core.verification.mutation.truth import has_one_label, says_its_label, says_whom, stands_so, tells_apart

_Item = TypeVar("_Item")
_NEGATED_BEFORE = re.compile(r"\b(?:không|chưa|chẳng)(?:\s+[^\s.,;:]{1,20}){0,3}\s+$", re.IGNORECASE)
_LABELS_MOST = 3
_TAILS = {"ranking_phrase": "ranking_tails", "false_safety": "safety_tails"}


def mutants(
    claims: Sequence[Claim], evidence: Sequence[Evidence], ruleset: Ruleset, seed: int = 0, kinds: Sequence[MutantKind] = MUTANT_KINDS
) -> list[Mutant]:
    """At most one mutant of each kind from every claim that can be changed so; claims are taken to be true."""
    return list(_Workshop(evidence, ruleset, seed).all(claims, kinds))


class _Workshop:
    def __init__(self, evidence: Sequence[Evidence], ruleset: Ruleset, seed: int) -> None:
        self._evidence = evidence
        self._changes = ruleset.tables["guards"]["mutants"]
        self._seed = seed
        self._read, self._lexicon = readings_of(ruleset).of, readings_of(ruleset).lexicon
        self._blocks = {block.index: self._read(block.text) for block in evidence}
        self._makers: dict[MutantKind, Callable[[Claim, Reading, Reading, random.Random], tuple[str, str] | None]] = {
            "tenfold_dose": self._tenfold,
            "decimal_shift": self._decimal_shift,
            "unit_swap": self._unit_swap,
            "range_end_swap": self._range_end_swap,
            "comparator_flip": self._comparator_flip,
            "population_swap": self._population_swap,
            "route_swap": self._route_swap,
            "negation_flip": self._negation_flip,
            "dropped_label": self._dropped_label,
            "number_from_other_item": self._other_number,
            "comma_to_point": self._comma_to_point,
            "invented_number": self._invented,
            "ranking_phrase": lambda claim, _c, _b, dice: _with_tail(claim.text, dice.choice(self._changes["ranking_tails"])),
            "false_safety": lambda claim, _c, _b, dice: _with_tail(claim.text, dice.choice(self._changes["safety_tails"])),
        }

    def all(self, claims: Sequence[Claim], kinds: Sequence[MutantKind]) -> Iterator[Mutant]:
        for position, claim in enumerate(claims):
            cited = [self._blocks[index] for index in claim.citations if index in self._blocks]
            if not cited:
                continue
            reading = self._read(claim.text)
            for kind in kinds:
                dice = random.Random(f"{self._seed}/{kind}/{claim.text}")  # noqa: S311 - repeatable, no secret
                if kind in ("wrong_block", "wrong_drug"):
                    mutant = self._recited(kind, position, claim, dice)
                else:
                    made = self._makers[kind](claim, reading, cited[0], dice)
                    mutant = None if made is None or made[0] == claim.text else self._finished(kind, position, claim, made, cited)
                if mutant is not None:
                    yield mutant

    def _finished(self, kind: MutantKind, position: int, claim: Claim, made: tuple[str, str], cited: list[Reading]) -> Mutant:
        text, change = made
        was, now = changed_spans(claim.text, text)
        because = self._why_true(kind, claim, text, text[now.start : now.end], cited)
        return Mutant(kind, position, claim.model_copy(update={"text": text}), change, because, was, now)

    def _why_true(self, kind: MutantKind, claim: Claim, text: str, put_in: str, cited: list[Reading]) -> TrueBecause | None:
        reading = self._read(text)
        if kind == "negation_flip":
            return None
        if kind in ("ranking_phrase", "false_safety"):
            phrase = next((tail for tail in self._changes[_TAILS[kind]] if tail in put_in), "")
            said = bool(phrase) and any(phrase in block.text.casefold() for block in cited)
            return "phrase_in_block" if said else None
        # A whole sentence without its outer label is a copy: the answer prints that label from the block (spec 04).
        if any(is_verbatim(reading, block) for block in cited):
            return "whole_sentence"
        if kind == "dropped_label":
            if says_its_label(self._read(claim.text), reading, self._lexicon) or says_whom(reading, self._lexicon):
                return "label_said"
            return "only_label" if all(has_one_label(block) for block in cited) else None
        return "same_values" if any(stands_so(reading, block, self._lexicon) for block in cited) else None

    def _recited(self, kind: MutantKind, position: int, claim: Claim, dice: random.Random) -> Mutant | None:
        own = {block.drug_id for block in self._evidence if block.index in claim.citations}
        other_drug = kind == "wrong_drug"
        others = [block for block in self._evidence if block.index not in claim.citations and (block.drug_id not in own) is other_drug]
        if not others:
            return None
        block = dice.choice(others)
        reading, cited = self._read(claim.text), self._blocks[block.index]
        because: TrueBecause | None = None
        if is_verbatim(reading, cited):
            because = "whole_sentence"
        elif not other_drug and stands_so(reading, cited, self._lexicon):
            because = "same_values"
        return Mutant(kind, position, claim.model_copy(update={"citations": (block.index,)}), f"[{block.index}]", because)

    # --- figures

    def _tenfold(self, claim: Claim, reading: Reading, _block: Reading, dice: random.Random) -> tuple[str, str] | None:
        return _renumbered(claim.text, _doses(reading), reading, dice, _times_ten)

    def _decimal_shift(self, claim: Claim, reading: Reading, _block: Reading, dice: random.Random) -> tuple[str, str] | None:
        return _renumbered(claim.text, [quantity for quantity in reading.quantities if "," in quantity.low], reading, dice, _shifted)

    def _comma_to_point(self, claim: Claim, reading: Reading, _block: Reading, dice: random.Random) -> tuple[str, str] | None:
        written = [quantity for quantity in reading.quantities if "," in quantity.low or " " in quantity.low]
        return _renumbered(claim.text, written, reading, dice, lambda number: re.sub("[, ]", ".", number))

    def _invented(self, claim: Claim, reading: Reading, block: Reading, dice: random.Random) -> tuple[str, str] | None:
        free = [str(number) for number in (3, 7, 9, 13, 18, 35, 70, 90, 130, 175, 350, 650, 900) if str(number) not in block.numbers]
        return _renumbered(claim.text, _plain(reading), reading, dice, lambda _number: dice.choice(free)) if free else None

    def _range_end_swap(self, claim: Claim, reading: Reading, block: Reading, dice: random.Random) -> tuple[str, str] | None:
        for quantity in _shuffled([each for each in reading.quantities if each.high is not None], dice):
            known = {other.value for other in block.quantities}
            ends = sorted(
                {
                    number
                    for other in block.quantities
                    if other.unit == quantity.unit
                    for number in other.value
                    if number and number.isdigit()
                }
            )
            for end in _shuffled(ends, dice):
                if (quantity.low, end) not in known and end not in quantity.value:
                    place = quantity.number_end - 1
                    return _replaced(claim.text, reading.span(place, place + 1), end)
        return None

    def _other_number(self, claim: Claim, reading: Reading, block: Reading, dice: random.Random) -> tuple[str, str] | None:
        for quantity in _shuffled(_doses(reading), dice):
            if quantity.bound is not None:
                continue
            own = [clause.firm for clause, other in block.values.get(quantity.value, ()) if other.is_dose]
            others = [
                other
                for clause in block.clauses
                for other in clause.quantities
                if other.is_dose
                and other.bound is None
                and not other.in_parenthesis
                and other.value != quantity.value
                and other.same_unit(quantity)
                and all(tells_apart(clause.firm, scope) for scope in own)
            ]
            for other in _shuffled(others, dice):
                start, _ = reading.span(quantity.start, quantity.number_end)
                _, end = reading.span(quantity.start, quantity.number_end)
                return _replaced(claim.text, (start, end), block.words_of(other.start, other.number_end))
        return None

    # --- words

    def _unit_swap(self, claim: Claim, reading: Reading, _block: Reading, dice: random.Random) -> tuple[str, str] | None:
        for quantity in _shuffled(reading.quantities, dice):
            if quantity.number_end >= len(reading.tokens.words) or quantity.unit is None:
                continue
            word = reading.tokens.words[quantity.number_end]
            for unit in _shuffled(self._changes["unit_swaps"].get(word, ()), dice):
                if quantity.band is not None and unit == "mg":
                    continue
                return _replaced(claim.text, reading.span(quantity.number_end, quantity.number_end + 1), unit)
        return None

    def _comparator_flip(self, claim: Claim, reading: Reading, _block: Reading, dice: random.Random) -> tuple[str, str] | None:
        bounded = [quantity for quantity in reading.quantities if quantity.bound is not None]
        for quantity in _shuffled(bounded, dice):
            start = max(0, reading.tokens.starts[quantity.start] - 40)
            end = min(len(claim.text), reading.tokens.ends[quantity.end - 1] + 10)
            for old, new in self._changes["bound_flips"]:
                place = claim.text.lower().rfind(old, start, end)
                if place != -1 and _whole(claim.text, place, place + len(old)):
                    return _replaced(claim.text, (place, place + len(old)), new)
        return None

    def _population_swap(self, claim: Claim, reading: Reading, _block: Reading, dice: random.Random) -> tuple[str, str] | None:
        if not any(quantity.band is None for quantity in reading.quantities):
            return None
        hits = [hit for hit in reading.hits.get("population", ()) if hit.value in self._changes["population_swaps"]]
        for hit in _shuffled(hits, dice):
            return _replaced(claim.text, reading.span(hit.start, hit.end), self._changes["population_swaps"][hit.value])
        return None

    def _route_swap(self, claim: Claim, reading: Reading, _block: Reading, dice: random.Random) -> tuple[str, str] | None:
        if not any(quantity.is_dose for quantity in reading.quantities):
            return None
        for hit in _shuffled(list(reading.hits.get("route", ())), dice):
            return _replaced(claim.text, reading.span(hit.start, hit.end), self._changes["route_swaps"].get(hit.value, "uống"))
        return None

    def _negation_flip(self, claim: Claim, _reading: Reading, _block: Reading, dice: random.Random) -> tuple[str, str] | None:
        kept = [match.span() for phrase in self._changes["negation_not"] for match in _places(phrase, claim.text)]
        for name in ("negation_removals", "negation_additions"):
            for old, new in _shuffled(self._changes[name], dice):
                for found in _places(old, claim.text):
                    free = all(end <= found.start() or found.end() <= start for start, end in kept)
                    # Behind "không yêu cầu" a second negation turns nothing round.
                    if free and not _NEGATED_BEFORE.search(claim.text[: found.start()]):
                        return _replaced(claim.text, found.span(), new)
        return None

    def _dropped_label(self, claim: Claim, reading: Reading, block: Reading, dice: random.Random) -> tuple[str, str] | None:
        """The claim without its labels; said a little otherwise where it would be a copy, which an answer prints with its label."""
        named = [label for label in reading.labels if label.scope.populations or label.scope.bands or label.scope.severity]
        if not named or not any(quantity.is_dose for quantity in reading.quantities) or len(reading.labels) > _LABELS_MOST:
            return None
        start = reading.tokens.ends[reading.labels[-1].end]
        rest = claim.text[start:].strip()
        for old, new in _shuffled(self._changes["retellings"], dice) if rest else ():
            if not is_verbatim(self._read(rest), block):
                break
            rest = rest.replace(old, new)
        return (rest, f"{claim.text[:start]} → ∅") if rest else None


def _places(phrase: str, text: str) -> Iterator[re.Match[str]]:
    """Where ``phrase`` stands in ``text`` as whole words."""
    return re.finditer(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE)


def _doses(reading: Reading) -> list[Quantity]:
    return [quantity for quantity in reading.quantities if quantity.is_dose and not quantity.from_words]


def _plain(reading: Reading) -> list[Quantity]:
    return [quantity for quantity in reading.quantities if quantity.high is None and not quantity.from_words and quantity.low.isdigit()]


def _renumbered(
    text: str, quantities: list[Quantity], reading: Reading, dice: random.Random, change: Callable[[str], str]
) -> tuple[str, str] | None:
    for quantity in _shuffled(quantities, dice):
        span = reading.span(quantity.start, quantity.start + 1)
        return _replaced(text, span, change(text[span[0] : span[1]]))
    return None


def _times_ten(number: str) -> str:
    if "," in number:
        whole, _, decimals = number.partition(",")
        return (whole + decimals[0]).lstrip("0") + ("," + decimals[1:] if decimals[1:] else "")
    return number + "0"


def _shifted(number: str) -> str:
    whole, _, decimals = number.partition(",")
    return f"{whole[:-1] or '0'},{whole[-1:]}{decimals}"


def _with_tail(text: str, tail: str) -> tuple[str, str]:
    return f"{text.rstrip(' .;')}, {tail}.", f"+ {tail}"


def _replaced(text: str, span: tuple[int, int], new: str) -> tuple[str, str]:
    old = text[span[0] : span[1]]
    if old[:1].isupper():
        new = new[:1].upper() + new[1:]
    return text[: span[0]] + new + text[span[1] :], f"{old} → {new}"


def _whole(text: str, start: int, end: int) -> bool:
    return not (text[start].isalnum() and text[start - 1 : start].isalnum()) and not (
        text[end - 1].isalnum() and text[end : end + 1].isalnum()
    )


def _shuffled(found: Sequence[_Item], dice: random.Random) -> list[_Item]:
    return dice.sample(list(found), len(found))
