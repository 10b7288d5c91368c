"""How a place of a block is shown: the figure with its label, the labels that govern it."""

from __future__ import annotations

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Clause
from duocthu_core.verification.model import RejectReason

REASONS: dict[str, RejectReason] = {"population": "population_mismatch", "route": "route_mismatch"}
"""Kind of conflict -> reason; every other kind is ``other_item``."""


def with_label(clause: Clause, place: Quantity) -> tuple[int, int]:
    """The figure with the inline label right before its clause."""
    near = [label for label in clause.labels if label.end <= place.start and not label.header and label.item == clause.item]
    return (near[-1].start if near else place.start), place.end


def label_text(clause: Clause, comparison: Comparison) -> str:
    """The labels that govern a clause, outer to inner."""
    return " › ".join(comparison.block.words_of(label.start, label.end) for label in clause.labels)


def label_words(clause: Clause) -> frozenset[str]:
    """The content words of the labels that govern a clause."""
    return frozenset(word for label in clause.labels for word in label.words)
