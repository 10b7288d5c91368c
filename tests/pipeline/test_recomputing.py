"""Other thresholds over stored turns without a call: right against full runs, and open where only a call could say."""

from __future__ import annotations

from typing import Any

import pytest

from duocthu_core.pipeline.recomputing import CannotRecompute, Recomputation
from duocthu_core.pipeline.replaying import replay
from duocthu_core.rulesets.model import Ruleset
from tests.pipeline.opinions import OpinionRoom

SAMPLE = 50


def with_rules(ruleset: Ruleset, guards: dict[str, str] | None = None, **thresholds: Any) -> Ruleset:
    return ruleset.model_copy(
        update={
            "thresholds": ruleset.thresholds.model_copy(update=thresholds),
            "guards": {**ruleset.guards, **(guards or {})},
        }
    )


CHANGES: list[dict[str, Any]] = [
    {"judge_min_confidence": 85},
    {"judge_min_confidence": 0},
    {"judge_require_quote": False, "accept_partial": True},
    {"objection_overlap_min": 0.9},
    {"support_share_min": 1.0, "support_missing_min": 1, "support_share_floor": 0.9},
    {"guards": {"low_support": "off", "unit_mismatch": "off"}},
    {"guards": {"low_support": "warn"}, "judge_min_confidence": 90},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_the_outcomes_are_those_of_full_runs(ruleset: Ruleset, change: dict[str, Any]) -> None:
    after = with_rules(ruleset, **change)
    stored, full = OpinionRoom(ruleset), OpinionRoom(after)
    recomputation = Recomputation(ruleset, after)
    decided = flipped = 0
    for number in range(SAMPLE):
        trace, run = stored.turn(number), full.turn(number)
        turn = recomputation.of(trace)
        full.generator.say(*full.generator.replies)
        again = replay(full.pipeline, trace)
        if turn.after is None:
            assert again.fresh_calls, (number, turn.open_because)
            continue
        decided += 1
        flipped += turn.flipped
        assert (turn.after, turn.reason_after) == (run.outcome, run.reject_reason), number
        assert (again.trace.outcome, again.fresh_calls) == (run.outcome, ()), number
    assert decided >= SAMPLE // 3
    assert flipped or decided < SAMPLE, "the change does something"


def test_the_sample_has_turns_of_every_ending(ruleset: Ruleset) -> None:
    room = OpinionRoom(ruleset)
    ended = {(trace.outcome, trace.reject_reason, trace.stage("repair") is not None) for trace in map(room.turn, range(SAMPLE))}
    assert {reason for _, reason, _ in ended} >= {None, "unsupported_claim", "unit_mismatch"}
    assert ("answered", None, True) in ended


def test_the_same_rules_flip_nothing(ruleset: Ruleset) -> None:
    room = OpinionRoom(ruleset)
    found = Recomputation(ruleset, ruleset).over([room.turn(number) for number in range(14)])
    assert (len(found.turns), found.flips, found.open) == (14, (), ())


def test_turns_under_yet_other_rules_are_counted_apart(ruleset: Ruleset) -> None:
    other = OpinionRoom(with_rules(ruleset, judge_min_confidence=1))
    found = Recomputation(ruleset, with_rules(ruleset, judge_min_confidence=90)).over([other.turn(0), OpinionRoom(ruleset).turn(0)])
    assert (len(found.turns), found.skipped) == (1, 1)
    assert sum(found.flows().values()) == 1


def test_a_changed_prompt_cannot_be_recomputed_and_says_so(ruleset: Ruleset) -> None:
    after = ruleset.model_copy(update={"prompts": ruleset.prompts.model_copy(update={"judge_system": "khác"})})
    with pytest.raises(CannotRecompute, match=r"prompts\.judge_system"):
        Recomputation(ruleset, after)
