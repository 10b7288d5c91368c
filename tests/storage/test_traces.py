"""Trace stores: in memory, on SQLite and on PostgreSQL alike."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import text

from duocthu_core.pipeline.outputs import CacheLookup, CacheOutput
from duocthu_core.pipeline.trace import StageRecord, Totals, Why
from duocthu_core.pipeline.trace_store import InMemoryTraceStore, StoredTraceError, TraceFilters, TraceStore, heading_of
from duocthu_core.storage.database import Database
from duocthu_core.storage.traces import SqlTraceStore
from tests.storage.traces import BLOCK, OTHER_BLOCK, STARTED, answer, minutes_later, trace


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def store(request: pytest.FixtureRequest) -> TraceStore:
    if request.param == "memory":
        return InMemoryTraceStore()
    return SqlTraceStore(request.getfixturevalue(f"{request.param}_database"))


def listed(store: TraceStore, **filters: object) -> list[str]:
    chosen = TraceFilters.model_validate(filters)
    headings = store.recent(filters=chosen)
    assert store.count(chosen) == len(headings)
    return [heading.trace_id for heading in headings]


def test_a_trace_comes_back_without_loss(store: TraceStore) -> None:
    stored = trace()
    store.save(stored)
    loaded = store.load(stored.trace_id)
    assert loaded == stored
    assert loaded is not None
    assert loaded.model_dump_json() == stored.model_dump_json()
    assert [call.request.fingerprint() for call in loaded.stages[1].calls] == [
        call.request.fingerprint() for call in stored.stages[1].calls
    ]


def test_an_unknown_id_is_none(store: TraceStore) -> None:
    assert store.load("unknown") is None


def test_storing_a_trace_again_changes_nothing(store: TraceStore) -> None:
    store.save(trace())
    store.save(trace())
    assert store.count() == 1


def test_another_trace_under_a_stored_id_is_refused(store: TraceStore) -> None:
    store.save(trace())
    with pytest.raises(StoredTraceError, match="trace trace-1 is stored already with other content"):
        store.save(trace(question="Câu khác?"))
    assert store.load("trace-1") == trace()


def test_a_conversations_traces_come_in_the_order_of_its_turns(store: TraceStore) -> None:
    store.save(trace("third", turn_index=10, created_at=minutes_later(2)))
    store.save(trace("first", turn_index=1, created_at=minutes_later(3)))
    store.save(trace("replay of the second", turn_index=2, created_at=minutes_later(9), parent_trace_id="second"))
    store.save(trace("second", turn_index=2, created_at=minutes_later(1)))
    store.save(trace("of another conversation", conversation_id="conversation-2"))
    assert [each.trace_id for each in store.of_conversation("conversation-1")] == ["first", "second", "replay of the second", "third"]
    assert store.of_conversation("unknown") == []


def test_the_list_shows_the_newest_first_whatever_the_offset_of_their_times(store: TraceStore) -> None:
    store.save(trace("early", created_at=STARTED))
    store.save(trace("late", created_at=minutes_later(5)))
    store.save(trace("between", created_at=STARTED + timedelta(minutes=2)))
    assert listed(store) == ["late", "between", "early"]


def test_a_heading_is_what_the_trace_says(store: TraceStore) -> None:
    stored = trace(outcome="abstained", reject_reason="ungrounded_number", parent_trace_id="trace-0")
    store.save(stored)
    assert store.recent() == [heading_of(stored)]


def test_the_list_is_read_page_by_page(store: TraceStore) -> None:
    for index in range(5):
        store.save(trace(f"trace-{index}", created_at=STARTED))
    pages = [[heading.trace_id for heading in store.recent(limit=2, offset=offset)] for offset in (0, 2, 4, 6)]
    assert pages == [["trace-4", "trace-3"], ["trace-2", "trace-1"], ["trace-0"], []]


def test_filters(store: TraceStore) -> None:
    store.save(trace("answered"))
    store.save(
        trace(
            "abstained", outcome="abstained", reject_reason="no_evidence", answer=answer(), ruleset_id="sha256:b", conversation_id="other"
        )
    )
    store.save(
        trace("late", created_at=minutes_later(60), corpus_id="sha256:d", models={"generator": "openai/qwen", "judge": "openai/qwen"})
    )
    assert listed(store, outcomes=("abstained", "smalltalk")) == ["abstained"]
    assert listed(store, reject_reasons=("no_evidence",)) == ["abstained"]
    assert listed(store, conversation_id="other") == ["abstained"]
    assert listed(store, ruleset_id="sha256:b") == ["abstained"]
    assert listed(store, corpus_id="sha256:d") == ["late"]
    assert listed(store, generator="openai/qwen", judge="openai/qwen") == ["late"]
    assert listed(store, created_from=minutes_later(60)) == ["late"]
    assert listed(store, created_before=minutes_later(60)) == ["answered", "abstained"]
    assert listed(store, outcomes=("answered",), created_before=minutes_later(1)) == ["answered"]


def test_turns_of_evaluation_runs_can_be_left_out(store: TraceStore) -> None:
    store.save(trace("of-a-run", conversation_id="eval-demo-1-case"))
    store.save(trace("of-a-person", conversation_id="evaluation"))
    assert listed(store, asked=True) == ["of-a-person"]
    assert store.count(TraceFilters(asked=True)) == 1
    assert len(listed(store)) == 2


def test_words_of_the_question_are_found_with_and_without_marks(store: TraceStore) -> None:
    store.save(trace("dose", question="Liều Paracetamol cho người LỚN?"))
    store.save(trace("percent", question="ADR dưới 100% _ \\ là gì?"))
    assert listed(store, words="LIEU para") == ["dose"]
    assert listed(store, words="người lớn") == ["dose"]
    assert listed(store, words="Nguo\u031b\u0300i") == ["dose"]
    assert listed(store, words="0%") == ["percent"]
    assert listed(store, words="_ \\") == ["percent"]
    assert listed(store, words="l%u") == []


def test_the_traces_that_cite_a_block(store: TraceStore) -> None:
    store.save(trace("one", answer=answer(BLOCK)))
    store.save(trace("both", answer=answer(BLOCK, OTHER_BLOCK, BLOCK), created_at=minutes_later(1)))
    store.save(trace("none", answer=answer()))
    assert [heading.trace_id for heading in store.citing(BLOCK)] == ["both", "one"]
    assert [heading.trace_id for heading in store.citing(OTHER_BLOCK)] == ["both"]
    assert store.citing("unknown/block/1") == []


def test_a_stored_trace_that_cannot_be_read_is_named(database: Database) -> None:
    store = SqlTraceStore(database)
    store.save(trace())
    store.save(trace("trace-2"))
    with database.writing() as connection:
        connection.execute(text("UPDATE traces SET document = '{\"schema_version\": 2}' WHERE trace_id = 'trace-1'"))
    with pytest.raises(StoredTraceError, match="trace trace-1 was stored in a form that this version cannot read"):
        store.load("trace-1")
    assert store.load("trace-2") is not None
    assert store.count() == 2


def test_text_that_no_database_keeps_is_refused_and_named(database: Database) -> None:
    with pytest.raises(StoredTraceError, match="trace trace-1 holds text that cannot be stored"):
        SqlTraceStore(database).save(trace(message="nửa ký tự \ud800"))


def test_an_invisible_zero_in_a_question_does_not_stop_the_list(database: Database) -> None:
    store = SqlTraceStore(database)
    store.save(trace(question="liều\x00 paracetamol"))
    loaded = store.load("trace-1")
    assert loaded is not None
    assert loaded.question == "liều\x00 paracetamol"
    assert store.recent()[0].question == "liều\ufffd paracetamol"


def test_usage_is_summed_a_day_without_replays(store: TraceStore) -> None:
    day = datetime(2026, 3, 1, 20, tzinfo=UTC)
    for number, (at, parent, saved) in enumerate(
        [(day, None, 0.002), (day, None, None), (day + timedelta(hours=5), None, None), (day, "trace-0", 9.0)]
    ):
        kept = CacheLookup(claim_index=0, staleness="fresh", action="served")
        anew = CacheLookup(claim_index=1, staleness="stale_framework", action="reprocessed")
        judged = CacheLookup(claim_index=-1, staleness="miss", action="judged")
        output = CacheOutput(enabled=True, lookups=(kept, anew), completeness=judged, calls_saved=1, tokens_saved=100, cost_saved_usd=saved)
        record = StageRecord(name="cache", status="ran", why=Why(code="cache_looked_up"), started_at=at, output=output)
        totals = Totals(judge_calls=1, input_tokens=10, output_tokens=5)
        store.save(
            trace(f"trace-{number}", created_at=at, parent_trace_id=parent, stages=(record,), totals=totals, conversation_id=f"c{number}")
        )
    first, second = store.usage_by_day()
    assert (first.day, first.turns, second.day, second.turns) == (date(2026, 3, 1), 2, date(2026, 3, 2), 1)
    assert (first.lookups, first.served, first.reprocessed, first.hit_rate) == (6, 2, 2, 2 / 3)
    assert (first.calls_saved, first.tokens_saved, first.cost_saved_usd) == (2, 200, 0.002)
    assert (first.judge_calls, first.input_tokens, first.output_tokens, first.cost_usd) == (2, 20, 10, None)
    assert (second.cost_saved_usd, second.judge_calls) == (None, 1)
    assert [usage.turns for usage in store.usage_by_day(utc_offset=timedelta(hours=7))] == [3], "it is the next day in Vietnam already"
    assert [usage.day for usage in store.usage_by_day(since=day + timedelta(hours=1))] == [date(2026, 3, 2)]


def test_several_traces_are_stored_at_once_or_none_is(store: TraceStore) -> None:
    store.save_all([trace("trace-1"), trace("trace-2")])
    assert (store.load("trace-1"), store.load("trace-2")) == (trace("trace-1"), trace("trace-2"))
    with pytest.raises(StoredTraceError):
        store.save_all([trace("trace-3"), trace("trace-2", question="Câu khác?")])
    assert store.load("trace-3") is None


def test_outcomes_of_a_day_leave_out_replays_and_evaluations(store: TraceStore) -> None:
    late = datetime(2026, 3, 1, 20, tzinfo=UTC)
    for number, changes in enumerate(
        (
            {"outcome": "answered"},
            {"outcome": "answered"},
            {"outcome": "abstained", "reject_reason": "unit_mismatch"},
            {"outcome": "answered", "parent_trace_id": "trace-0"},
            {"outcome": "answered", "conversation_id": "eval-run-1-tc-cho"},
        )
    ):
        store.save(trace(f"trace-{number}", created_at=late, turn_index=number + 1, **changes))
    found = [(line.day, line.outcome, line.reject_reason, line.turns) for line in store.outcomes_by_day()]
    assert found == [(date(2026, 3, 1), "abstained", "unit_mismatch", 1), (date(2026, 3, 1), "answered", None, 2)]
    assert {line.day for line in store.outcomes_by_day(utc_offset=timedelta(hours=7))} == {date(2026, 3, 2)}
    assert store.outcomes_by_day(since=late + timedelta(hours=1)) == []
