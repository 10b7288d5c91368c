"""From the review store to the agreement of people with the judge, and to the bound of severe harm."""

from __future__ import annotations

import pytest

from duocthu_core.agreement.harm import harm_report
from duocthu_core.agreement.people import (
    FEWEST_FOR_CONFIDENCE,
    JudgeAsAsked,
    agreement_of,
    confidence_in,
    confidence_of,
    judges_reviewed,
    verdicts_of_people,
)
from duocthu_core.pipeline.outputs import EntailmentOutput
from duocthu_core.pipeline.trace import Trace
from duocthu_core.pipeline.trace_store import InMemoryTraceStore
from duocthu_core.review.in_memory import InMemoryReviewStore
from duocthu_core.review.model import Assessment, ClaimAssessment, NewQueue
from duocthu_core.review.reviewing import Reviewing
from tests.app import sample_traces as sample
from tests.review.turns import RESERVED_FOR, Clock

LAN, MAI, HUE = "ds.lan@bv.vn", "ds.mai@bv.vn", "bs.hue@bv.vn"
RIGHT = Assessment(judgement="right")
SEVERE = Assessment(judgement="wrong", error_kind="unit", severity="G")
TURNS = FEWEST_FOR_CONFIDENCE


class World:
    """Answered turns, each of a conversation of its own, in a random queue."""

    def __init__(self, turns: int = TURNS, **asked: object) -> None:
        self.clock = Clock()
        self.traces = InMemoryTraceStore()
        for number in range(1, turns + 1):
            self.traces.save(sample.answered(f"tr-{number:02}", 1, f"c-{number:02}"))
        self.reviewing = Reviewing(InMemoryReviewStore(), self.traces, self.clock, RESERVED_FOR)
        self.queue = self.reviewing.make_queue(NewQueue(name="Liều", size=turns, **asked), LAN).queue_id  # type: ignore[arg-type]

    def judge(self, who: str, *, wrong: tuple[str, ...] = ()) -> None:
        """``who`` judges every claim right, but the first one of the turns in ``wrong``."""
        for item in self.reviewing.store.items(self.queue):
            claims = self.reviewing.open(item.item_id, who).claims
            said = [
                ClaimAssessment(
                    claim_index=claim.claim_index, assessment=SEVERE if item.trace_id in wrong and claim.claim_index == 0 else RIGHT
                )
                for claim in claims
            ]
            self.reviewing.finish(item.item_id, who, said, f"{who}-{item.item_id}")

    def adjudicate(self, who: str, trace_id: str, decision: Assessment) -> None:
        item = next(item for item in self.reviewing.store.items(self.queue) if item.trace_id == trace_id)
        self.reviewing.open(item.item_id, who, "adjudication")
        self.clock.pass_(minutes=1)
        self.reviewing.adjudicate(item.item_id, who, 0, decision, reason="Đối chiếu với sách.", event_id=f"adj-{trace_id}")

    def conversation_of(self, trace_id: str) -> str | None:
        trace = self.traces.load(trace_id)
        return trace.conversation_id if trace else None


def judge_of(trace: Trace, **changes: str) -> JudgeAsAsked:
    record = trace.stage("entailment")
    assert record is not None
    assert isinstance(record.output, EntailmentOutput)
    now = JudgeAsAsked(record.output.judge_model, record.output.prompt_hash)
    return now._replace(**changes)


@pytest.fixture
def world() -> World:
    return World()


def current(world: World, **changes: str) -> JudgeAsAsked:
    trace = world.traces.load("tr-01")
    assert trace is not None
    return judge_of(trace, **changes)


def test_every_claim_the_judge_was_asked_of_is_read_once_a_reviewer(world: World) -> None:
    world.judge(LAN)
    world.judge(MAI)
    verdicts = verdicts_of_people(world.reviewing)
    claims = len(world.reviewing.store.claims("tr-01"))
    assert len(verdicts) == 2 * TURNS * claims
    assert {verdict.stratum for verdict in verdicts} == {"random"}
    now = current(world)
    assert judges_reviewed(world.reviewing) == [(now.model, now.prompt_hash, len(verdicts))]


def test_the_judge_of_now_is_measured(world: World) -> None:
    world.judge(LAN, wrong=("tr-03",))
    found = agreement_of(world.reviewing, current(world), resamples=100)
    assert (found.items, found.expired) == (TURNS, ())
    assert found.confusion.wrong_supported == 1
    claims = len(world.reviewing.store.claims("tr-01"))
    assert found.accuracy.value == pytest.approx((TURNS - 1 / claims) / TURNS)
    assert found.true_rate.value is not None


def test_one_label_of_judge_and_people_is_undefined_never_one(world: World) -> None:
    world.judge(LAN)
    found = agreement_of(world.reviewing, current(world), resamples=100)
    assert (found.accuracy.value, found.kappa.value, found.alpha.value) == (1.0, None, None)


@pytest.mark.parametrize(
    ("changed", "expired"), [({"model": "openai/other"}, "judge_model"), ({"prompt_hash": "sha256:other"}, "prompt_hash")]
)
def test_another_judge_or_prompt_expires_what_people_said(world: World, changed: dict[str, str], expired: str) -> None:
    world.judge(LAN)
    then, now = current(world), current(world, **changed)
    found = agreement_of(world.reviewing, now, then, resamples=100)
    assert found.expired == (expired,)
    assert confidence_of(found) is None
    assert agreement_of(world.reviewing, now, resamples=100).items == 0


def test_confidence_needs_enough_turns(world: World) -> None:
    world.judge(LAN)
    said = confidence_of(agreement_of(world.reviewing, current(world), resamples=100))
    assert said is not None
    assert (said.turns, said.value) == (TURNS, 1.0)
    assert confidence_in(world.reviewing, current(world)) == said
    assert confidence_in(world.reviewing, current(world, prompt_hash="sha256:other")) is None
    few = World(3)
    few.judge(LAN)
    assert confidence_of(agreement_of(few.reviewing, current(few), resamples=100)) is None
    assert confidence_in(few.reviewing, current(few)) is None


def test_targeted_queues_enter_no_rate() -> None:
    targeted = World(5, stratum="targeted")
    targeted.judge(LAN)
    found = agreement_of(targeted.reviewing, current(targeted), resamples=100)
    assert (found.items, found.targeted_left_out > 0, found.true_rate.value) == (0, True, None)
    assert harm_report(targeted.reviewing, targeted.conversation_of).severe.n == 0


def test_no_severe_harm_among_few_is_bounded_and_says_how_many_more(world: World) -> None:
    world.judge(LAN)
    found = harm_report(world.reviewing, world.conversation_of)
    assert (found.severe.k, found.severe.n, found.answered, found.reviewed, found.pending) == (0, TURNS, TURNS, TURNS, 0)
    assert found.severe.upper == pytest.approx(1 - 0.05 ** (1 / TURNS))
    assert found.severe.more_needed == 299 - TURNS


def test_harm_counts_once_it_is_adjudicated(world: World) -> None:
    world.judge(LAN, wrong=("tr-03",))
    world.judge(MAI)
    waiting = harm_report(world.reviewing, world.conversation_of)
    assert (waiting.severe.k, waiting.severe.n, waiting.pending) == (0, TURNS - 1, 1)
    world.adjudicate(HUE, "tr-03", SEVERE)
    found = harm_report(world.reviewing, world.conversation_of)
    assert (found.severe.k, found.harmful.k, found.severe.n, found.pending) == (1, 1, TURNS, 0)
    assert found.severe.more_needed == 473 - TURNS


def test_an_adjudication_that_clears_a_claim_leaves_no_harm(world: World) -> None:
    world.judge(LAN, wrong=("tr-03",))
    world.adjudicate(HUE, "tr-03", RIGHT)
    assert harm_report(world.reviewing, world.conversation_of).severe.k == 0


def test_nobody_reviewed_anything(world: World) -> None:
    found = harm_report(world.reviewing, world.conversation_of)
    assert (found.severe.n, found.severe.upper, found.severe.more_needed) == (0, None, 299)
