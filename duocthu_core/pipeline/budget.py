"""One wall-clock budget over all model calls of a turn (spec 04, "Budget")."""

from __future__ import annotations

import time
from collections.abc import Callable


class Budget:
    """Seconds of wall clock from its making on; each model call gets what is left."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends_at = clock() + seconds

    def remaining(self) -> float:
        """Seconds left, never below zero."""
        return max(0.0, self._ends_at - self._clock())
