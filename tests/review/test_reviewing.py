"""Reviewing as its users see it (spec 06, page 3)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from duocthu_core.pipeline.trace_store import InMemoryTraceStore
from duocthu_core.review.errors import BadAssessment, NotThirdPerson, ReservationConflict, ReviewError
from duocthu_core.review.in_memory import InMemoryReviewStore
from duocthu_core.review.model import WHOLE_TURN, Assessment, ClaimAssessment, DraftFields, NewQueue, QueueFilters, VerdictFilters
from duocthu_core.review.reviewing import Reviewing
from tests.review.turns import RESERVED_FOR, START, Clock, answered, stopped

LAN, MAI, HUE = "ds.lan@bv.vn", "ds.mai@bv.vn", "bs.hue@bv.vn"
RIGHT = Assessment(judgement="right")
WRONG = Assessment(judgement="wrong", error_kind="unit", severity="G", note="Sách ghi g, không phải mg.")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def reviewing(clock: Clock) -> Reviewing:
    traces = InMemoryTraceStore()
    for trace in (answered(1), answered(2), stopped(3)):
        traces.save(trace)
    return Reviewing(InMemoryReviewStore(), traces, clock, RESERVED_FOR)


def queue(reviewing: Reviewing, **asked: object) -> str:
    return reviewing.make_queue(NewQueue(name="Liều", size=10, **asked), "ks.binh@bv.vn").queue_id  # type: ignore[arg-type]


def finish(reviewing: Reviewing, item: str, who: str, second: Assessment = RIGHT) -> None:
    view = reviewing.open(item, who)
    said = [ClaimAssessment(claim_index=c.claim_index, assessment=second if c.claim_index == 1 else RIGHT) for c in view.claims]
    reviewing.finish(item, who, said, f"{who}:{item}")


def item_of(reviewing: Reviewing, queue_id: str, trace_id: str) -> str:
    return next(item.item_id for item in reviewing.store.items(queue_id) if item.trace_id == trace_id)


def test_a_queue_without_turns_says_what_to_do(reviewing: Reviewing) -> None:
    with pytest.raises(ReviewError, match="loosen them"):
        queue(reviewing, filters=QueueFilters(drug_id="ibuprofen"))


def test_a_blind_item_shows_the_claim_and_its_plain_block_only(reviewing: Reviewing) -> None:
    queue_id = queue(reviewing)
    view = reviewing.open(item_of(reviewing, queue_id, "tr-answered-1"), LAN)
    assert [block.index for block in view.claims[1].blocks] == [1]
    assert "tối đa 4 g/ngày" in view.claims[1].blocks[0].text
    assert {(c.binding, c.checked, c.seen.claim.judge, c.seen.claim.delivered) for c in view.claims} == {(None, None, None, None)}
    assert (view.outcome, view.message, view.finished) == (None, "", False)
    assert view.reserved_until == START + RESERVED_FOR


def test_a_finished_item_reveals_everything(reviewing: Reviewing) -> None:
    queue_id = queue(reviewing)
    item = item_of(reviewing, queue_id, "tr-answered-1")
    finish(reviewing, item, LAN)
    view = reviewing.open(item, LAN)
    assert view.finished
    assert view.reserved_until is None
    assert view.outcome == "answered"
    assert view.claims[1].binding is not None
    assert view.claims[1].seen.claim.judge is not None
    assert view.claims[1].seen.claim.judge.status == "supported"


def test_an_abstention_is_asked_about_without_telling_why_it_was_one(reviewing: Reviewing) -> None:
    queue_id = queue(reviewing, filters=QueueFilters(outcomes=("abstained",)))
    view = reviewing.open(f"{queue_id}.1", LAN)
    assert view.claims[-1].claim_index == WHOLE_TURN
    assert [block.index for block in view.claims[-1].blocks] == [1]
    assert view.reject_reason is None
    finish(reviewing, f"{queue_id}.1", LAN)
    assert reviewing.open(f"{queue_id}.1", LAN).reject_reason == "unit_mismatch"


def test_a_wrong_claim_needs_kind_and_severity(reviewing: Reviewing) -> None:
    queue_id = queue(reviewing)
    with pytest.raises(BadAssessment):
        finish(reviewing, item_of(reviewing, queue_id, "tr-answered-1"), LAN, Assessment(judgement="wrong", error_kind="unit"))
    assert reviewing.blind_verdicts(VerdictFilters()) == []


def test_an_open_item_is_held_as_long_as_there_are_signs_of_life(reviewing: Reviewing, clock: Clock) -> None:
    queue_id = queue(reviewing, reviewers_per_item=1)
    item = reviewing.next_item(queue_id, LAN)
    assert item is not None
    for _ in range(4):
        clock.pass_(minutes=14)
        reviewing.renew(item, LAN)
    with pytest.raises(ReservationConflict) as told:
        reviewing.open(item, MAI)
    assert told.value.free_from == clock.now + RESERVED_FOR
    clock.pass_(minutes=15)
    assert reviewing.open(item, MAI).reserved_until == clock.now + RESERVED_FOR
    with pytest.raises(ReservationConflict):
        reviewing.renew(item, LAN)


def test_the_next_item_comes_round_to_what_was_left(reviewing: Reviewing) -> None:
    queue_id = queue(reviewing)
    assert reviewing.next_item(queue_id, LAN, after=2) == f"{queue_id}.3"
    finish(reviewing, f"{queue_id}.3", LAN)
    assert reviewing.next_item(queue_id, LAN, after=3) == f"{queue_id}.1"
    assert [reviewing.neighbour(f"{queue_id}.1", step) for step in (-1, 1)] == [None, f"{queue_id}.2"]


def test_what_was_typed_is_there_when_the_item_is_opened_again(reviewing: Reviewing, clock: Clock) -> None:
    queue_id = queue(reviewing, reviewers_per_item=1)
    item = item_of(reviewing, queue_id, "tr-answered-1")
    reviewing.open(item, LAN)
    fields = DraftFields(judgement="wrong", error_kind="unit", note="Sách ghi g")
    assert reviewing.save_draft(item, LAN, 1, fields, base_revision=0, number=1) == START
    reviewing.release(item, LAN)
    clock.pass_(days=3)
    draft = reviewing.open(item, LAN).claims[1].seen.draft
    assert draft is not None
    assert draft.fields == fields


def test_a_third_person_sees_both_and_decides(reviewing: Reviewing, clock: Clock) -> None:
    queue_id = queue(reviewing)
    item = item_of(reviewing, queue_id, "tr-answered-1")
    finish(reviewing, item, LAN)
    clock.pass_(minutes=1)
    finish(reviewing, item, MAI, WRONG)
    assert reviewing.next_item(queue_id, MAI, "adjudication") is None
    assert reviewing.next_item(queue_id, HUE, "adjudication") == item
    with pytest.raises(NotThirdPerson):
        reviewing.open(item, MAI, "adjudication")
    view = reviewing.open(item, HUE, "adjudication")
    assert [claim.disputed for claim in view.claims] == [False, True, False, False]
    assert [event.reviewer for event in view.claims[1].seen.events] == [LAN, MAI]
    with pytest.raises(BadAssessment, match="reason"):
        reviewing.adjudicate(item, HUE, 1, WRONG, reason="  ", event_id="a")
    clock.pass_(minutes=1)
    reviewing.adjudicate(item, HUE, 1, WRONG, reason="Sách ghi g/ngày.", event_id="a")
    assert reviewing.progress(HUE)[queue_id].disputes_settled == 1
    assert reviewing.open(item, HUE, "adjudication").reserved_until is None
    assert [event.kind for event in reviewing.open(item, LAN).claims[1].seen.events] == ["first", "first", "adjudication"]


def test_a_change_keeps_the_blind_verdict_for_agreement(reviewing: Reviewing, clock: Clock) -> None:
    queue_id = queue(reviewing)
    item = item_of(reviewing, queue_id, "tr-answered-1")
    finish(reviewing, item, LAN)
    clock.pass_(minutes=1)
    reviewing.change(item, LAN, 1, WRONG, reason="Đọc lại đơn vị.", event_id="c")
    assert [v.verdict for v in reviewing.blind_verdicts(VerdictFilters(queue_id=queue_id))] == ["right"] * 4
    assert reviewing.store.history("tr-answered-1")[-1].created_at == START + timedelta(minutes=1)
