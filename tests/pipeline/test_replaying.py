"""A stored turn run again: the record where nothing changed, a model only where its request did (spec 01, "Replay")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from duocthu_core.pipeline.outputs import CacheOutput, EntailmentOutput
from duocthu_core.pipeline.replaying import record_content, replay
from duocthu_core.pipeline.trace import STAGE_ORDER, StageName, Trace
from duocthu_core.rulesets.model import Ruleset
from tests.pipeline.real_model import COMPLETE, RETRY_AND_REPAIR, SHORT, WHOLE, RealModelRoom, drafted, judged
from tests.servers.openai_server import fails, openai_server
from tests.servers.scripted_http import ScriptedServer

EACH_STAGE = (None, *STAGE_ORDER)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with openai_server() as running:
        yield running


@pytest.fixture
def room(server: ScriptedServer, ruleset: Ruleset) -> RealModelRoom:
    return RealModelRoom(server, ruleset)


def changed(ruleset: Ruleset, section: str, **update: Any) -> Ruleset:
    return ruleset.model_copy(update={section: getattr(ruleset, section).model_copy(update=update)})


def result_of(trace: Trace) -> dict[str, Any]:
    """Everything a run gives, without ids and times."""
    content = trace.model_dump(mode="json", exclude={"trace_id", "parent_trace_id", "created_at", "stages"})
    del content["totals"]["duration_ms"]
    return content | {"stages": [record_content(record) for record in trace.stages]}


def stored(trace: Trace) -> Trace:
    """The trace as it comes out of a store."""
    return Trace.model_validate_json(trace.model_dump_json())


@pytest.mark.parametrize("start", EACH_STAGE)
def test_a_turn_with_retry_and_repair_comes_out_the_same_from_every_stage(room: RealModelRoom, start: StageName | None) -> None:
    parent = stored(room.ask(*RETRY_AND_REPAIR).trace)
    assert [len(parent.stage(name).calls) for name in ("generation", "repair")] == [2, 2]  # type: ignore[union-attr]
    assert (parent.outcome, room.calls) == ("answered", 6)
    again = replay(room.pipeline(), parent, start=start)
    assert room.calls == 6, "no call is made"
    assert result_of(again.trace) == result_of(parent)
    assert again.is_same
    assert (again.recorded_calls, again.fresh_calls) == (6, ())
    assert again.trace.parent_trace_id == parent.trace_id != again.trace.trace_id
    before = STAGE_ORDER[: STAGE_ORDER.index(start)] if start else STAGE_ORDER
    assert again.kept == tuple(name for name in before if parent.stage(name))
    assert [again.trace.stage(name) is parent.stage(name) for name in again.kept] == [True] * len(again.kept)


@pytest.mark.parametrize("start", [None, "cache", "entailment", "completeness"])
def test_verdicts_that_came_from_the_cache_come_again(room: RealModelRoom, start: StageName | None) -> None:
    room.ask(*RETRY_AND_REPAIR)
    parent = stored(room.ask(drafted(WHOLE), COMPLETE).trace)
    cache = parent.stage("cache")
    assert cache is not None
    assert isinstance(cache.output, CacheOutput)
    assert [lookup.action for lookup in cache.output.lookups] == ["served"]
    assert parent.outcome == "answered"
    assert result_of(replay(room.pipeline(), parent, start=start).trace) == result_of(parent)
    third = stored(room.ask(drafted(WHOLE)).trace)
    calls = room.calls
    assert third.totals.judge_calls == 0, "verdict and completeness are both known"
    assert result_of(replay(room.pipeline(), third, start=start).trace) == result_of(third)
    assert room.calls == calls


def test_a_turn_without_a_cache_is_run_again_without_one(server: ScriptedServer, ruleset: Ruleset) -> None:
    room = RealModelRoom(server, ruleset, verdicts=None)
    parent = room.ask(drafted(WHOLE), judged("SUPPORTS"), COMPLETE).trace
    assert result_of(replay(room.pipeline(), parent).trace) == result_of(parent)


def test_a_follow_up_is_run_again_in_the_conversation_that_it_stood_in(room: RealModelRoom) -> None:
    first = room.ask(drafted(WHOLE), judged("SUPPORTS"), COMPLETE)
    parent = stored(room.ask(drafted(SHORT), judged("SUPPORTS"), COMPLETE, question="Còn đặt trực tràng thì sao?", state=first.state).trace)
    assert parent.resolved.inherited
    assert result_of(replay(room.pipeline(), parent, start="scope").trace) == result_of(parent)


def test_personal_data_that_was_masked_is_still_said_to_be_masked(room: RealModelRoom) -> None:
    question = "Bệnh nhân Nguyễn Văn An, sđt 0912 345 678, liều paracetamol uống cho người lớn là bao nhiêu?"
    parent = stored(room.ask(drafted(WHOLE), judged("SUPPORTS"), COMPLETE, question=question).trace)
    assert any(notice.kind == "masked" for notice in parent.answer.notices)
    assert "0912" not in parent.model_dump_json()
    assert result_of(replay(room.pipeline(), parent, start="scope").trace) == result_of(parent)


def test_a_changed_answer_rule_asks_the_generator_alone(room: RealModelRoom, ruleset: Ruleset) -> None:
    parent = room.ask(drafted(WHOLE), judged("SUPPORTS"), COMPLETE).trace
    rules = ("Chỉ dùng điều có trong BẰNG CHỨNG.", *ruleset.prompts.answer_rules[1:])
    room.says([drafted(WHOLE)])
    again = replay(room.pipeline(changed(ruleset, "prompts", answer_rules=rules)), parent)
    assert [call.request.purpose for call in again.fresh_calls] == ["answer"]
    assert again.recorded_calls == 2, "the same claims are judged with the same words: the record holds"
    assert again.first_difference == "generation"
    assert again.trace.outcome == "answered"
    assert again.trace.ruleset_id != parent.ruleset_id


def test_a_changed_judge_rule_asks_the_judge_alone_and_leaves_the_cache_as_it_was(room: RealModelRoom, ruleset: Ruleset) -> None:
    parent = room.ask(drafted(WHOLE), judged("SUPPORTS"), COMPLETE).trace
    before = room.cache.page()
    room.says([judged("CONTRADICTS")])
    strict = changed(ruleset, "prompts", judge_system=ruleset.prompts.judge_system + " Nghiêm hơn.")
    again = replay(room.pipeline(strict), parent, known=room.verdicts)
    assert [call.request.purpose for call in again.fresh_calls] == ["entailment"]
    assert again.first_difference == "cache"
    assert (again.trace.outcome, again.trace.reject_reason) == ("abstained", "unsupported_claim")
    assert room.cache.page() == before


def test_changed_thresholds_make_the_verdicts_anew_without_a_call(room: RealModelRoom, ruleset: Ruleset) -> None:
    room.ask(drafted(WHOLE), judged("SUPPORTS", confidence=75), COMPLETE)
    parent = room.ask(drafted(WHOLE)).trace
    calls = room.calls
    again = replay(room.pipeline(changed(ruleset, "thresholds", judge_min_confidence=80)), parent)
    assert room.calls == calls
    entailment = again.trace.stage("entailment")
    assert entailment is not None
    assert isinstance(entailment.output, EntailmentOutput)
    assert [verdict.why for verdict in entailment.output.verdicts] == ["below_confidence"]
    assert again.trace.reject_reason == "unsupported_claim"


def test_a_loosened_guard_lets_the_turn_go_on_from_the_guards(room: RealModelRoom, ruleset: Ruleset) -> None:
    wrong = WHOLE.replace("4 g/ngày", "4 mg/ngày")
    parent = room.ask(drafted(wrong)).trace
    assert (parent.reject_reason, room.calls) == ("unit_mismatch", 1)
    room.says([judged("SUPPORTS"), COMPLETE])
    loose = ruleset.model_copy(update={"guards": {**ruleset.guards, "unit_mismatch": "off"}})
    again = replay(room.pipeline(loose), parent)
    assert (again.first_difference, again.trace.outcome) == ("guards", "answered")
    assert [call.request.purpose for call in again.fresh_calls] == ["entailment", "completeness"]


def test_another_model_is_asked_for_its_own_calls(room: RealModelRoom) -> None:
    parent = room.ask(drafted(WHOLE), judged("SUPPORTS"), COMPLETE).trace
    room.says([judged("SUPPORTS"), COMPLETE])
    again = replay(room.pipeline(judge="other:8b"), parent)
    assert [(call.model, call.request.purpose) for call in again.fresh_calls] == [("other:8b", "entailment"), ("other:8b", "completeness")]
    assert again.trace.models.judge == "openai/other:8b"


def test_a_call_that_failed_fails_again_before_the_start_and_is_made_from_it_on(room: RealModelRoom, server: ScriptedServer) -> None:
    server.then(*[fails(503, "overloaded")] * 8)
    parent = room.ask().trace
    assert parent.reject_reason == "provider_unavailable"
    server.script.clear()
    calls = room.calls
    assert result_of(replay(room.pipeline(), parent).trace) == result_of(parent)
    assert room.calls == calls
    room.says([drafted(WHOLE), judged("SUPPORTS"), COMPLETE])
    assert replay(room.pipeline(), parent, start="generation").trace.outcome == "answered"


def test_recorded_calls_count_with_the_time_they_took(room: RealModelRoom) -> None:
    parent = room.ask(drafted(WHOLE), judged("SUPPORTS"), COMPLETE).trace
    slow = tuple(
        record.model_copy(update={"calls": tuple(call.model_copy(update={"duration_ms": 2000.0}) for call in record.calls)})
        for record in parent.stages
    )
    again = replay(room.pipeline(), parent.model_copy(update={"stages": slow}), start="scope")
    assert again.trace.totals.duration_ms > 6000


def test_a_trace_that_did_not_keep_its_conversation_is_run_again_as_far_as_it_says(room: RealModelRoom) -> None:
    parent = room.ask(drafted(WHOLE), judged("SUPPORTS"), COMPLETE).trace
    again = replay(room.pipeline(), parent.model_copy(update={"given": None}))
    assert again.is_same
