"""A spoiled claim in a whole turn: the guard holds it back; without the guard the reader would get it."""

from __future__ import annotations

import pytest

from duocthu_core.answering.model import Claim
from duocthu_core.conversation.model import ConversationState
from duocthu_core.evaluation.spoiled_turns import SpoiledDraft
from duocthu_core.pipeline.comparing import compare, drafted_claims
from duocthu_core.pipeline.replaying import replay
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.pipeline.trace import Trace
from duocthu_core.rulesets.model import Ruleset


@pytest.fixture(scope="module")
def turn(pipeline: Pipeline) -> Trace:
    trace = pipeline.run("Chống chỉ định của metformin", ConversationState(conversation_id="c")).trace
    assert trace.outcome == "answered"
    return trace


def reversed_claim(trace: Trace) -> tuple[Claim, Claim]:
    """A claim that forbids the drug, and the same one that allows it."""
    was = next(claim for claim in drafted_claims(trace) if "Không dùng" in claim.text)
    return was, was.model_copy(update={"text": was.text.replace("Không dùng", "Dùng", 1)})


def under(pipeline: Pipeline, ruleset: Ruleset) -> Pipeline:
    parts = pipeline.parts
    return Pipeline(parts.corpus, ruleset, parts.generator, parts.judge, price=lambda *_args, **_named: 0.0)


def test_a_reversed_contraindication_is_held_back_by_its_guard_alone(pipeline: Pipeline, ruleset: Ruleset, turn: Trace) -> None:
    model = SpoiledDraft(turn, *reversed_claim(turn), pipeline.parts.generator)
    loose = ruleset.model_copy(update={"guards": {**ruleset.guards, "negation_mismatch": "off"}})
    kept = replay(under(pipeline, ruleset).with_parts(generator=model), turn).trace
    through = replay(under(pipeline, loose).with_parts(generator=model), turn).trace
    assert (kept.outcome, kept.reject_reason) == ("abstained", "negation_mismatch")
    assert through.outcome == "answered"
    assert any("bú: Dùng" in claim.text for block in through.answer.blocks for claim in block.claims)
    assert compare(kept, through, ruleset).first_difference == "guards"


def test_the_trace_says_that_no_model_wrote_the_draft(pipeline: Pipeline, turn: Trace) -> None:
    model = SpoiledDraft(turn, *reversed_claim(turn), pipeline.parts.generator)
    again = replay(pipeline.with_parts(generator=model), turn).trace
    assert again.models.generator == f"recorded/mutant+{pipeline.parts.generator.model_id}"
    assert again.parent_trace_id == turn.trace_id


def test_a_claim_of_another_turn_is_refused(pipeline: Pipeline, turn: Trace) -> None:
    with pytest.raises(ValueError, match="has no claim"):
        SpoiledDraft(turn, Claim(text="Uống 1 g.", citations=(1,)), Claim(text="Uống 10 g.", citations=(1,)), pipeline.parts.generator)
