"""Turns on two sides: found where they are stored, run where they are not; many pairs as flows, lines and sums."""

from __future__ import annotations

from pathlib import Path

import pytest

from duocthu_core.bootstrap import Services, bootstrap
from duocthu_core.pipeline.comparing import compare
from duocthu_core.pipeline.running import TurnCancelled
from duocthu_core.pipeline.trace import Trace
from duocthu_core.pipeline.trace_store import TraceFilters
from duocthu_core.rulesets.documents import RulesetDraft
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.settings import load_settings
from duocthu_core.tuning.compared_pairs import compare_pairs
from duocthu_core.tuning.sides import Side, StoredTurns
from tests.pipeline.corpora import small_corpus
from tests.pipeline.opinions import QUESTION, Generator, Judge, scripts

WRONG_UNIT = 4
"""Number of the script that writes mg for g."""


@pytest.fixture
def generator() -> Generator:
    return Generator()


@pytest.fixture
def services(tmp_path: Path, generator: Generator) -> Services:
    settings = load_settings(_env_file=None, DUOCTHU_DATA_DIR=tmp_path)
    return bootstrap(settings, corpus=small_corpus(), generator=generator, judge=Judge())


@pytest.fixture
def loose(services: Services) -> Ruleset:
    """The rules in force without the guard of units."""
    draft = RulesetDraft(base_id=services.ruleset.ruleset_id).with_field("guards.unit_mismatch", "off", services.ruleset)
    return services.rules_desk.checked(draft, services.ruleset, name="lỏng", author="Lan", note="")


def ask(services: Services, generator: Generator, number: int) -> Trace:
    generator.say(*scripts(number))
    return services.ask(QUESTION, services.new_conversation_id())


def test_a_loosened_guard_first_differs_at_the_guards(services: Services, generator: Generator, loose: Ruleset) -> None:
    trace = ask(services, generator, WRONG_UNIT)
    sides = services.sides
    one, other = sides.turn(trace, services.side(services.ruleset)), sides.turn(trace, services.side(loose))
    assert one is trace
    assert other.parent_trace_id == trace.trace_id
    found = compare(one, other, services.ruleset)
    assert found.first_difference == "guards"
    assert found.reasons[0] == "unit_mismatch"


def test_a_side_that_was_run_once_is_found_again(services: Services, generator: Generator, loose: Ruleset) -> None:
    trace = ask(services, generator, 0)
    first = services.sides.turn(trace, services.side(loose))
    stored = services.traces.count()
    assert services.sides.turn(trace, services.side(loose)) == first
    assert services.traces.count() == stored


def test_another_model_is_another_side(services: Services, generator: Generator) -> None:
    trace = ask(services, generator, 0)
    assert services.model_choices == ("configured", "offline")
    other = services.sides.turn(trace, services.side(services.ruleset, "offline"))
    assert other.models.generator.startswith("offline/")
    assert compare(trace, other, services.ruleset).first_difference == "generation"


def test_a_typed_question_is_asked_once_and_run_again(services: Services, generator: Generator, loose: Ruleset) -> None:
    generator.say(*scripts(0))
    one, other = services.sides.asked(QUESTION, "so-sanh", services.side(services.ruleset), services.side(loose), max_chars=4000)
    assert one.question == other.question == QUESTION
    assert (other.parent_trace_id, other.ruleset_id) == (one.trace_id, loose.ruleset_id)


def test_stored_turns_on_both_sides(services: Services, generator: Generator, loose: Ruleset) -> None:
    traces = [ask(services, generator, number) for number in range(10)]
    a, b, which = services.side(services.ruleset), services.side(loose), StoredTurns(limit=8)
    sides, told = services.sides, list[tuple[int, int]]()
    before = sides.pairs(which, a, b)
    assert (before.pairs, len(before.missing)) == ((), 8)
    sides.run(before.missing, a, b, lambda done, total: told.append((done, total)), lambda: False)
    found = sides.pairs(which, a, b)
    assert {pair[0] for pair in found.pairs} == {trace.trace_id for trace in traces[2:]}
    assert found.missing == ()
    assert (told[0], told[-1]) == ((0, 8), (8, 8))
    compared = compare_pairs(found.pairs, services.traces.load, (services.ruleset.ruleset_id, loose.ruleset_id))
    assert len(compared.pairs) == 8
    assert [pair.reasons[0] for pair in compared.changed] == ["unit_mismatch"]
    assert compared.changed[0].first_difference == "guards"
    assert compared.outcomes.flows["abstained:unit_mismatch"]
    assert compared.sums[0].model_calls == sum(pair.model_calls[0] for pair in compared.pairs)


def test_a_stopped_run_keeps_what_it_did(services: Services, generator: Generator, loose: Ruleset) -> None:
    for number in range(3):
        ask(services, generator, number)
    a, b, which = services.side(services.ruleset), services.side(loose), StoredTurns()
    done: list[int] = []
    services.sides.run(services.sides.pairs(which, a, b).missing, a, b, lambda n, _total: done.append(n), lambda: len(done) == 3)
    found = services.sides.pairs(which, a, b)
    assert (len(found.pairs), len(found.missing)) == (2, 1)


def test_a_single_turn_can_be_stopped(services: Services, generator: Generator, loose: Ruleset) -> None:
    trace = ask(services, generator, 0)
    with pytest.raises(TurnCancelled):
        services.sides.turn(trace, services.side(loose), should_stop=lambda: True)


def test_an_address_with_a_moment_names_the_same_turns_later(services: Services, generator: Generator) -> None:
    first = ask(services, generator, 0)
    second = ask(services, generator, 1)
    which = StoredTurns(filters=TraceFilters(words="paracetamol"), until=second.created_at)
    side = Side(services.ruleset)
    assert [pair[0] for pair in services.sides.pairs(which, side, side).pairs] == [first.trace_id]


def test_a_pair_that_cannot_be_read_is_counted(services: Services, generator: Generator) -> None:
    trace = ask(services, generator, 0)
    compared = compare_pairs([(trace.trace_id, "gone"), (trace.trace_id, trace.trace_id)], services.traces.load, ("a", "b"))
    assert (compared.unread, len(compared.pairs)) == (1, 1)
