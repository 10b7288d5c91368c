"""A comparison at work beside the page; what was run is stored, also where it is stopped before its next turn or stage."""

from __future__ import annotations

from collections.abc import Callable

from duocthu_core.pipeline.running import TurnCancelled
from duocthu_core.tuning.sides import OnProgress, ShouldStop
from pages.frame.background import Stepwise

Pair = tuple[str, str]
Work = Callable[[OnProgress, ShouldStop], Pair | None]
"""Does the work; gives the pair to open where it makes one, None where the list of pairs is read from what was stored."""


class RunningComparison(Stepwise[Pair | None]):
    """What is run: how far it is, and at the end the pair to open or what went wrong."""

    def __init__(self, work: Work) -> None:
        super().__init__("comparison", work, (TurnCancelled,))

    @property
    def pair(self) -> Pair | None:
        """The pair to open, where one was made."""
        return self.result
