"""Asking in a stored conversation: whatever the store does, a turn that ran is not lost (spec 02)."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from duocthu_core.conversation.model import ConversationConflict, ConversationState
from duocthu_core.conversation.store import InMemoryConversationStore
from duocthu_core.pipeline.asking import TurnNotSaved, ask, save_again
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.pipeline.trace import Trace
from duocthu_core.pipeline.trace_store import InMemoryTraceStore, InMemoryTurnStore
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.storage.database import Database
from duocthu_core.storage.errors import StorageUnavailable
from duocthu_core.storage.traces import SqlTraceStore
from duocthu_core.storage.turns import SqlTurnStore
from tests.pipeline.corpora import small_corpus
from tests.pipeline.fakes import COMPLETE, ScriptedModel, draft, verdicts

QUESTION = "Liều paracetamol uống cho người lớn là bao nhiêu?"
DOSE = ("Người lớn, uống: 0,5 - 1 g/lần, cách 4 - 6 giờ một lần; tối đa 4 g/ngày.", [1])
TABS, QUESTIONS_EACH = 2, 3


class Faster(InMemoryTurnStore):
    """A store in which another tab is faster so many times, and which then fails so many times."""

    def __init__(self, conflicts: int = 0, fails: bool = False) -> None:
        super().__init__(InMemoryConversationStore(), InMemoryTraceStore())
        self.conflicts = conflicts
        self.fails = fails
        self.tried = 0

    def save_turn(self, state: ConversationState, trace: Trace) -> ConversationState:
        self.tried += 1
        if self.tried <= self.conflicts:
            raise ConversationConflict(state.conversation_id)
        if self.fails:
            raise StorageUnavailable("the database postgresql://localhost/duocthu cannot be used (server closed the connection)")
        return super().save_turn(state, trace)


def unpriced(provider: str, model: str, input_tokens: int, output_tokens: int) -> None:
    """Nobody knows the price."""


@pytest.fixture
def pipeline(ruleset: Ruleset) -> Pipeline:
    turns = 40
    generator = ScriptedModel(*[draft(DOSE)] * turns)
    judge = ScriptedModel(*[lambda request: verdicts("SUPPORTS")(request) if request.purpose == "entailment" else COMPLETE] * turns * 2)
    return Pipeline(small_corpus(), ruleset, generator, judge, price=unpriced)


def asked(pipeline: Pipeline, store: Faster) -> Trace:
    return ask(pipeline, store, QUESTION, "c", max_chars=400)


@pytest.mark.parametrize("conflicts", [1, 4])
def test_where_another_tab_is_faster_the_turn_is_run_again_on_what_it_left(pipeline: Pipeline, conflicts: int) -> None:
    store = Faster(conflicts)
    assert asked(pipeline, store).outcome == "answered"
    assert store.tried == conflicts + 1


def test_a_turn_that_lost_every_race_is_handed_to_its_reader(pipeline: Pipeline) -> None:
    with pytest.raises(TurnNotSaved, match="stored first, 5 times") as caught:
        asked(pipeline, Faster(conflicts=99))
    assert caught.value.trace.outcome == "answered"


def test_a_turn_that_the_store_could_not_take_is_handed_to_its_reader(pipeline: Pipeline) -> None:
    with pytest.raises(TurnNotSaved, match="server closed the connection") as caught:
        asked(pipeline, Faster(fails=True))
    assert caught.value.trace.question == QUESTION
    assert caught.value.trace.answer.blocks


def test_a_turn_is_stored_once_the_store_takes_it_again(pipeline: Pipeline) -> None:
    store = Faster(fails=True)
    with pytest.raises(TurnNotSaved) as caught:
        asked(pipeline, store)
    with pytest.raises(TurnNotSaved, match="server closed the connection") as again:
        save_again(store, caught.value)
    store.fails = False
    save_again(store, again.value)
    assert store.load_state("c").turn_count == 2
    with pytest.raises(TurnNotSaved, match="stored meanwhile") as overtaken:
        save_again(store, again.value)
    assert overtaken.value.state is None
    with pytest.raises(TurnNotSaved):
        save_again(store, overtaken.value)


def test_two_tabs_that_ask_at_once_lose_no_turn(pipeline: Pipeline, database: Database) -> None:
    store = SqlTurnStore(database)
    start = threading.Barrier(TABS)

    def tab(_number: int) -> list[str]:
        start.wait()
        return [ask(pipeline, store, QUESTION, "c", max_chars=400).trace_id for _ in range(QUESTIONS_EACH)]

    with ThreadPoolExecutor(TABS) as pool:
        told = [trace_id for tab_told in pool.map(tab, range(TABS)) for trace_id in tab_told]
    stored = SqlTraceStore(database).of_conversation("c")
    assert sorted(trace.trace_id for trace in stored) == sorted(told)
    assert [trace.turn_index for trace in stored] == [1, 2, 3, 4, 5, 6]
    assert store.load_state("c").turn_count == 2 * TABS * QUESTIONS_EACH
