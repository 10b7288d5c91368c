"""Changing rules over real services: the impact said before is what comes after; trying changes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from duocthu_core.bootstrap import Services, bootstrap
from duocthu_core.pipeline.outputs import CacheOutput, RepairOutput
from duocthu_core.pipeline.trace import Trace
from duocthu_core.rulesets.documents import RulesetDraft, ruleset_text
from duocthu_core.rulesets.loading import RulesetError
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.problems import RulesetProblems
from duocthu_core.rulesets.store import RulesetConflict
from duocthu_core.settings import load_settings
from duocthu_core.tuning.desk import UnknownTrace
from tests.pipeline.corpora import small_corpus
from tests.pipeline.opinions import QUESTION, Generator, Judge, scripts

TURNS, SOME_TURNS = 200, 40


@pytest.fixture
def generator() -> Generator:
    return Generator()


@pytest.fixture
def judge() -> Judge:
    return Judge()


@pytest.fixture
def services(tmp_path: Path, generator: Generator, judge: Judge) -> Services:
    settings = load_settings(_env_file=None, DUOCTHU_DATA_DIR=tmp_path)
    return bootstrap(settings, corpus=small_corpus(), generator=generator, judge=judge)


def ask(services: Services, generator: Generator, number: int) -> Trace:
    generator.say(*scripts(number))
    return services.ask(QUESTION, services.new_conversation_id())


def edited(services: Services, place: str, value: Any, name: str = "thử") -> Ruleset:
    base = services.ruleset
    draft = RulesetDraft(base_id=base.ruleset_id).with_field(place, value, base)
    return services.rules_desk.checked(draft, base, name=name, author="Lan", note="")


def stale_lookups(traces: list[Trace]) -> dict[str, set[str]]:
    """Hashes of the entries that were found stale, by how."""
    found: dict[str, set[str]] = {"stale_prompt": set(), "stale_framework": set()}
    for trace in traces:
        cache, repair = trace.stage("cache"), trace.stage("repair")
        lookups = []
        if cache is not None and isinstance(cache.output, CacheOutput):
            lookups += [*cache.output.lookups, *([cache.output.completeness] if cache.output.completeness else [])]
        if repair is not None and isinstance(repair.output, RepairOutput):
            lookups += repair.output.lookups
        for lookup in lookups:
            if lookup.staleness in found:
                found[lookup.staleness].add(lookup.claim_hash)
    return found


@pytest.mark.parametrize(
    ("place", "extra", "calls_expected", "turns"),
    [
        ("prompts.judge_system", " Nghiêm hơn.", True, TURNS),
        ("prompts.completeness_system", " Kỹ hơn.", True, SOME_TURNS),
        ("prompts.untrusted", " Luôn luôn.", True, SOME_TURNS),
        ("thresholds.objection_overlap_min", 0.45, False, SOME_TURNS),
    ],
)
def test_the_impact_said_before_is_what_comes_after(
    services: Services, generator: Generator, judge: Judge, place: str, extra: Any, calls_expected: bool, turns: int
) -> None:
    for number in range(turns):
        ask(services, generator, number)
    section, _, name = place.partition(".")
    before = getattr(getattr(services.ruleset, section), name)
    after = edited(services, place, before + extra if isinstance(before, str) else extra)
    impact = services.rules_desk.impact(services.ruleset, after)
    assert impact.calls.turns == turns
    saved = services.rules_desk.save(after, None, "lan@bv.vn")
    under = services.with_ruleset(saved.ruleset_id)
    calls = judge.calls
    again = [ask(under, generator, number) for number in range(turns)]
    assert impact.calls.judge_calls == judge.calls - calls
    assert (impact.calls.judge_calls > 0) == calls_expected
    stale = stale_lookups(again)
    assert impact.becomes_stale_prompt == len(stale["stale_prompt"])
    assert impact.becomes_stale_framework == len(stale["stale_framework"])
    assert impact.becomes_stale_prompt + impact.becomes_stale_framework > 0
    assert impact.calls.cost_usd is None or not calls_expected, "a model without a price has an unknown cost"


def test_a_changed_answer_rule_makes_nothing_stale_and_drafts_again(services: Services, generator: Generator, judge: Judge) -> None:
    traces = [ask(services, generator, number) for number in range(20)]
    rules = [*services.ruleset.prompts.answer_rules]
    rules[0] += " Không thêm gì."
    after = edited(services, "prompts.answer_rules", rules)
    impact = services.rules_desk.impact(services.ruleset, after)
    assert (impact.becomes_stale_prompt, impact.becomes_stale_framework, impact.calls.judge_calls) == (0, 0, 0)
    fresh = 0
    for number, trace in enumerate(traces):
        generator.say(*scripts(number))
        fresh += len(services.rules_desk.replay(trace.trace_id, after, store=False).fresh_calls)
    assert impact.calls.answer_calls == fresh > 0
    assert judge.calls > 0


def test_a_replay_is_stored_as_a_child_and_leaves_conversation_and_cache_alone(services: Services, generator: Generator) -> None:
    trace = ask(services, generator, 0)
    state, entries = services.conversations.load(trace.conversation_id), services.verification_cache.page()
    again = services.replay(trace.trace_id, edited(services, "prompts.judge_system", services.ruleset.prompts.judge_system + " Nghiêm."))
    assert again.fresh_calls
    stored = services.traces.load(again.trace.trace_id)
    assert stored is not None
    assert stored.parent_trace_id == trace.trace_id
    assert services.conversations.load(trace.conversation_id) == state
    assert services.verification_cache.page() == entries
    with pytest.raises(UnknownTrace, match="nothing"):
        services.replay("nothing")


def test_several_rulesets_answer_at_once(services: Services, generator: Generator) -> None:
    strict = services.rules_desk.save(edited(services, "thresholds.judge_min_confidence", 100, name="chặt"), None, "lan")
    loose = services.rules_desk.save(edited(services, "thresholds.judge_min_confidence", 0, name="lỏng"), None, "lan")
    under = [services, services.with_ruleset("chặt"), services.with_ruleset(loose.ruleset_id)]
    outcomes = [ask(chosen, generator, 1) for chosen in under]
    assert [trace.ruleset_id for trace in outcomes] == [services.ruleset.ruleset_id, strict.ruleset_id, loose.ruleset_id]
    assert outcomes[1].reject_reason == "unsupported_claim"
    assert services.with_ruleset("chặt").pipeline is under[1].pipeline, "made once"
    with pytest.raises(RulesetError):
        services.with_ruleset("không có")


def test_a_stored_ruleset_can_be_the_one_in_force(services: Services, tmp_path: Path) -> None:
    saved = services.rules_desk.save(edited(services, "guards.low_support", "warn", name="lỏng"), None, "lan")
    again = bootstrap(load_settings(_env_file=None, DUOCTHU_DATA_DIR=tmp_path, DUOCTHU_RULESET="lỏng"), corpus=small_corpus())
    assert again.ruleset.ruleset_id == saved.ruleset_id


def test_a_save_is_noted_and_the_second_editor_is_told(services: Services) -> None:
    saved = services.rules_desk.save(edited(services, "guards.low_support", "warn"), None, "lan@bv.vn")
    (line,) = services.audit.recent()
    assert (line.actor, line.action, line.target) == ("lan@bv.vn", "ruleset.save", saved.ruleset_id)
    with pytest.raises(RulesetConflict):
        services.rules_desk.save(edited(services, "guards.low_support", "off"), None, "minh@bv.vn")
    assert len(services.audit.recent()) == 1


def test_a_broken_document_is_not_imported(services: Services) -> None:
    text = ruleset_text(services.ruleset)
    assert services.rules_desk.imported(text.encode(), "a.yaml") == services.ruleset
    with pytest.raises(RulesetProblems, match=r"a\.yaml, line \d+: prompts\.judge_user: the mark \{claims\} is missing"):
        services.rules_desk.imported(text.replace("judge_user: '{claims}'", "judge_user: x").encode(), "a.yaml")


def test_an_answer_made_while_a_guard_is_off_says_so_first(services: Services, generator: Generator) -> None:
    wrong_unit = 4
    through = ask(services.with_ruleset(edited(services, "guards.unit_mismatch", "off")), generator, wrong_unit)
    assert through.outcome == "answered"
    first = through.answer.notices[0]
    assert first.kind == "checks_off"
    assert "sai đơn vị" in first.text
    usual = [ask(services, generator, number) for number in range(4)]
    assert "answered" in {trace.outcome for trace in usual}
    assert all(notice.kind != "checks_off" for trace in usual for notice in trace.answer.notices)


def test_thresholds_are_recomputed_over_stored_turns_without_a_call(services: Services, generator: Generator, judge: Judge) -> None:
    for number in range(20):
        ask(services, generator, number)
    calls = judge.calls
    found = services.rules_desk.recompute(services.ruleset, edited(services, "thresholds.judge_min_confidence", 90), turns=1000)
    assert len(found.turns) == 20
    assert found.flips
    assert judge.calls == calls
