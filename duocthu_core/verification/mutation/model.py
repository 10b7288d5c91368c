"""What a mutant is: of which kind, what was changed where, and why it may be true after all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from duocthu_core.answering.model import Claim
from duocthu_core.text.spans import Span

MutantKind = Literal[
    "tenfold_dose",
    "decimal_shift",
    "unit_swap",
    "range_end_swap",
    "comparator_flip",
    "population_swap",
    "route_swap",
    "negation_flip",
    "wrong_block",
    "wrong_drug",
    "dropped_label",
    "number_from_other_item",
    "comma_to_point",
    "invented_number",
    "ranking_phrase",
    "false_safety",
]
MUTANT_KINDS: tuple[MutantKind, ...] = get_args(MutantKind)
TrueBecause = Literal["whole_sentence", "same_values", "label_said", "only_label", "phrase_in_block"]
"""Why a mutant is left out: it is a whole sentence or item of the cited block · its figures stand in the block under the same group,
route, band and degree · what is left still names the group that the label named · all doses of the block stand under that one label
· the block itself says the phrase that was added."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed claim; ``original`` is the position of the claim it was made from."""

    kind: MutantKind
    original: int
    claim: Claim
    change: str
    """What was put for what."""
    true_because: TrueBecause | None = None
    was: Span | None = None
    """The words of the original that were changed; None where only the citation was."""
    now: Span | None = None
    """The words of the mutant that stand there now; empty where words were left out."""

    @property
    def still_true(self) -> bool:
        """Whether it came out true against the block it cites: no fault of a check that lets it through."""
        return self.true_because is not None


def changed_spans(before: str, after: str) -> tuple[Span, Span]:
    """The smallest run of whole words in which two different texts differ, in each of them."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    while start and not before[start - 1].isspace():
        start -= 1
    while end and not before[len(before) - end].isspace():
        end -= 1
    return Span(start, len(before) - end), Span(start, len(after) - end)
