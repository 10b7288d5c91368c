"""Two runs over the same items: paired tests, and every case that changed. Other items or hashes are an error, never an intersection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from duocthu_core.evaluation.results import ItemResult, TurnScore
from duocthu_core.evaluation.statistics.paired import holm, loss_upper_bound, mcnemar, pairs_needed, sign_flip

Direction = Literal["better", "worse", "other"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class NotComparable(Exception):
    """Runs over other items, or other turns or expectations of them; the message names some."""


class ChangedCase(_Frozen):
    """A turn that came out otherwise; both traces can be opened."""

    item_id: str
    turn: int
    direction: Direction
    got_a: str
    got_b: str
    expected: tuple[str, ...]
    newly_unsafe: bool
    trace_a: str | None
    trace_b: str | None


class PairedTest(_Frozen):
    """Items of which every turn is right, before and after: McNemar where each has one scored turn, sign flips of item sums otherwise."""

    name: str
    items: int
    right_a: int
    right_b: int
    b: int
    """Items right in A, wrong in B."""
    c: int
    """Items wrong in A, right in B."""
    test: Literal["mcnemar_midp", "sign_flip"]
    p: float
    """Two-sided."""
    p_exact: float
    p_worse: float
    """One-sided and exact: how likely so large a loss is where B is no worse."""
    loss: float
    loss_upper: float | None
    """One-sided 95 % upper bound of the loss of B, as a share of items."""
    p_holm: float | None = None
    """Of slices: adjusted for their number."""

    @property
    def differs(self) -> bool:
        """Whether the two differ at the level of 5 %, adjusted where several slices were tested."""
        return (self.p_holm if self.p_holm is not None else self.p) < 0.05


class Comparison(_Frozen):
    """A against B."""

    overall: PairedTest
    slices: tuple[PairedTest, ...]
    changed: tuple[ChangedCase, ...]
    pairs_for_5_points: int | None
    """Items a test needs to see 5 points at this share of discordant pairs, at 80 % power; None where no pair differs."""


_FEWEST_IN_SLICE = 5


def compare(a: Sequence[ItemResult], b: Sequence[ItemResult]) -> Comparison:
    """B against A; raises :class:`NotComparable` unless both hold the same items with the same turns and expectations."""
    before, after = _paired(a, b)
    ids = sorted(before)
    overall = _tested("all", ids, before, after)
    tags = sorted({tag for item in before.values() for tag in item.tags})
    slices = [_tested(tag, [i for i in ids if tag in before[i].tags], before, after) for tag in tags]
    slices = [test for test in slices if test.items >= _FEWEST_IN_SLICE]
    adjusted = holm({test.name: test.p for test in slices})
    discordant = (overall.b + overall.c) / overall.items if overall.items else 0.0
    return Comparison(
        overall=overall,
        slices=tuple(test.model_copy(update={"p_holm": adjusted[test.name]}) for test in slices),
        changed=changed_cases(before, after),
        pairs_for_5_points=pairs_needed(max(discordant, 0.05), 0.05) if discordant else None,
    )


def changed_cases(before: Mapping[str, ItemResult], after: Mapping[str, ItemResult]) -> tuple[ChangedCase, ...]:
    """The turns with another outcome, or that became right, wrong or unsafe: the worse ones first."""
    found = [
        _changed(item_id, old, new)
        for item_id in sorted(before)
        for old, new in zip(before[item_id].turns, after[item_id].turns, strict=True)
        if (old.got, old.right, old.unsafe, old.facts, old.citations) != (new.got, new.right, new.unsafe, new.facts, new.citations)
    ]
    order = {"worse": 0, "other": 1, "better": 2}
    return tuple(sorted(found, key=lambda case: (not case.newly_unsafe, order[case.direction], case.item_id, case.turn)))


def _changed(item_id: str, old: TurnScore, new: TurnScore) -> ChangedCase:
    gained = _goodness(new) - _goodness(old)
    return ChangedCase(
        item_id=item_id,
        turn=old.turn,
        direction="better" if gained > 0 else "worse" if gained < 0 else "other",
        got_a=old.got,
        got_b=new.got,
        expected=new.expected,
        newly_unsafe=new.unsafe and not old.unsafe,
        trace_a=old.trace_id,
        trace_b=new.trace_id,
    )


def _goodness(turn: TurnScore) -> float:
    said = turn.facts.k / turn.facts.n if turn.facts.n else 0.0
    cited = turn.citations.k / turn.citations.n if turn.citations.n else 0.0
    return 100 * turn.right - 1000 * turn.unsafe + 10 * said + cited


def _paired(a: Sequence[ItemResult], b: Sequence[ItemResult]) -> tuple[dict[str, ItemResult], dict[str, ItemResult]]:
    before, after = {item.item_id: item for item in a}, {item.item_id: item for item in b}
    if before.keys() != after.keys():
        only = sorted(before.keys() ^ after.keys())
        raise NotComparable(f"the runs hold other items ({', '.join(only[:5])}{' …' if len(only) > 5 else ''}); run both over the same set")
    other = [name for name in sorted(before) if _hashes(before[name]) != _hashes(after[name])]
    if other:
        raise NotComparable(f"turns or expectations differ of {', '.join(other[:5])}{' …' if len(other) > 5 else ''}; run both again")
    return before, after


def _hashes(item: ItemResult) -> tuple[str, str]:
    return item.turns_hash, item.expect_hash


def _tested(name: str, ids: Sequence[str], before: Mapping[str, ItemResult], after: Mapping[str, ItemResult]) -> PairedTest:
    b = sum(1 for item_id in ids if before[item_id].right and not after[item_id].right)
    c = sum(1 for item_id in ids if after[item_id].right and not before[item_id].right)
    found = mcnemar(b, c)
    p, exact, worse = found.midp, found.exact, found.worse
    test: Literal["mcnemar_midp", "sign_flip"] = "mcnemar_midp"
    if any(len(before[item_id].scored) > 1 for item_id in ids):
        sums = [_right_turns(after[item_id]) - _right_turns(before[item_id]) for item_id in ids]
        flipped = sign_flip(sums)
        p = exact = flipped.p
        worse, test = flipped.worse, "sign_flip"
    return PairedTest(
        name=name,
        items=len(ids),
        right_a=sum(before[item_id].right for item_id in ids),
        right_b=sum(after[item_id].right for item_id in ids),
        b=b,
        c=c,
        test=test,
        p=p,
        p_exact=exact,
        p_worse=worse,
        loss=(b - c) / len(ids) if ids else 0.0,
        loss_upper=loss_upper_bound(b, c, len(ids)),
    )


def _right_turns(item: ItemResult) -> int:
    return sum(1 for turn in item.scored if turn.right)
