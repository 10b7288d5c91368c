"""Results written by hand, where a test needs counts and no pipeline."""

from __future__ import annotations

from typing import Any

from duocthu_core.evaluation.results import Count, ItemResult, TurnScore
from duocthu_core.evaluation.scoring import is_expected


def turn(expected: str = "answered", got: str = "answered", number: int = 1, **counts: Any) -> TurnScore:
    """A scored turn; counts as ``(k, n)``."""
    made = {
        name: Count(k=value[0], n=value[1]) if isinstance(value, tuple) and len(value) == 2 else value for name, value in counts.items()
    }
    return TurnScore.model_validate({"turn": number, "expected": (expected,), "got": got, "right": is_expected(got, (expected,))} | made)


def result(item_id: str, *turns: TurnScore, tags: tuple[str, ...] = ()) -> ItemResult:
    """An item's result."""
    return ItemResult(item_id=item_id, turns_hash="sha256:t", expect_hash="sha256:e", turns=turns or (turn(),), tags=tags)
