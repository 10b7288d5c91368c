"""Verdicts that are kept between turns: what is used, recomputed, judged again and never served (spec 05, "Staleness at read")."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text

from duocthu_core.bootstrap import bootstrap
from duocthu_core.cache.model import CacheEntry, Tier
from duocthu_core.cache.pipeline_adapter import PipelineVerdictCache
from duocthu_core.cache.store import CacheStore, InMemoryCacheStore
from duocthu_core.cache.verification_cache import VerificationCache
from duocthu_core.conversation.model import ConversationState
from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.model import Block, Monograph
from duocthu_core.language_models.port import ModelError, ModelRequest
from duocthu_core.pipeline.outputs import CacheLookup, CacheOutput, CompletenessOutput, EntailmentOutput, RepairOutput
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.pipeline.trace import StageRecord, Trace
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.settings import load_settings
from duocthu_core.storage.database import Database
from duocthu_core.storage.verification_cache import SqlCacheStore
from tests.cache.conftest import Clock, clock
from tests.pipeline.corpora import small_corpus
from tests.pipeline.fakes import COMPLETE, ScriptedModel, draft, incomplete, verdicts

__all__ = ["clock"]

ADULT_ORAL = "Liều paracetamol uống cho người lớn là bao nhiêu?"
DOSE = ("Người lớn, uống: 0,5 - 1 g/lần, cách 4 - 6 giờ một lần; tối đa 4 g/ngày.", [1])
LIMIT = ("Người lớn, uống: tối đa 4 g/ngày.", [1])
SHORT = ("Người lớn, uống: 0,5 - 1 g/lần.", [1])
OBJECTION = incomplete("tối đa 4 g/ngày", "tối đa 4 g/ngày")


def a_dollar_per_thousand(provider: str, model: str, input_tokens: int, output_tokens: int) -> float:
    return (input_tokens + output_tokens) / 1000


class Room:
    """One cache, and turns that run over it under rules and models that a test sets."""

    def __init__(self, ruleset: Ruleset, store: CacheStore | None = None, clock: Clock | None = None, tier: Tier = "free") -> None:
        self.ruleset = ruleset
        self.store = store or InMemoryCacheStore()
        self.clock = clock or (lambda: datetime.now(UTC))
        self.tier: Tier = tier
        self.corpus = small_corpus()
        self.question = ADULT_ORAL

    def ask(self, claims: Sequence[tuple[str, Sequence[int]]], *judge_says: Any, **changes: Any) -> Trace:
        """One turn: the generator drafts ``claims``, the judge has ``judge_says`` to say and nothing more."""
        rules = self.rules(**changes)
        cache = VerificationCache(
            self.store,
            ttl=timedelta(days=rules.cache.ttl_days),
            overlap_min=rules.cache.evidence_overlap_min,
            clock=self.clock,
        )
        self.generator = ScriptedModel(draft(*claims), *changes.get("repairs", ()))
        self.judge = ScriptedModel(*judge_says, stop_reason=changes.get("stop_reason", "end_turn"))
        self.judge.model_id = changes.get("judge", "scripted")
        pipeline = Pipeline(
            self.corpus,
            rules,
            self.generator,
            self.judge,
            price=a_dollar_per_thousand,
            verdicts=PipelineVerdictCache(cache, changes.get("tier", self.tier)),
        )
        trace = pipeline.run(self.question, ConversationState(conversation_id="c")).trace
        assert Trace.model_validate_json(trace.model_dump_json()) == trace
        return trace

    def rules(self, **changes: Any) -> Ruleset:
        """The rules with changed thresholds, prompts or cache rules."""
        update: dict[str, Any] = {}
        for section in ("thresholds", "prompts", "cache"):
            if section in changes:
                update[section] = getattr(self.ruleset, section).model_copy(update=changes[section])
        return self.ruleset.model_copy(update=update)


@pytest.fixture
def room(ruleset: Ruleset, clock: Clock) -> Room:
    return Room(ruleset, clock=clock)


def record(trace: Trace, name: Any) -> StageRecord:
    found = trace.stage(name)
    assert found is not None, name
    return found


def cache_output(trace: Trace) -> CacheOutput:
    output = record(trace, "cache").output
    assert isinstance(output, CacheOutput)
    return output


def entailment_output(trace: Trace) -> EntailmentOutput:
    output = record(trace, "entailment").output
    assert isinstance(output, EntailmentOutput)
    return output


def completeness_lookup(trace: Trace) -> CacheLookup:
    found = cache_output(trace).completeness
    assert found is not None
    return found


def purposes(judge: ScriptedModel) -> list[str]:
    return [request.purpose for request in judge.requests]


# The same again


def test_the_same_question_twice_costs_no_judge_call_the_second_time(room: Room) -> None:
    first = room.ask([DOSE], verdicts("SUPPORTS"), COMPLETE)
    assert (first.outcome, first.totals.judge_calls) == ("answered", 2)
    second = room.ask([DOSE])
    assert (second.outcome, second.totals.judge_calls) == ("answered", 0)
    assert second.answer == first.answer
    (verdict,) = entailment_output(second).verdicts
    assert (verdict.status, verdict.from_cache) == ("supported", True)
    assert verdict.raw == entailment_output(first).verdicts[0].raw
    assert verdict.quote == entailment_output(first).verdicts[0].quote
    assert record(second, "completeness").output == CompletenessOutput(complete=True, from_cache=True)
    assert record(second, "entailment").calls == record(second, "completeness").calls == ()


def test_the_cache_stage_shows_what_was_known_and_what_it_saved(room: Room, clock: Clock) -> None:
    room.ask([DOSE, LIMIT], verdicts("SUPPORTS", "SUPPORTS"), COMPLETE)
    clock.forward(days=1)
    output = cache_output(room.ask([DOSE, LIMIT]))
    first, second = output.lookups
    assert (first.claim_index, second.claim_index, completeness_lookup_index(output)) == (0, 1, -1)
    assert (first.staleness, first.rule, first.action, first.overlap) == ("fresh", "all_equal", "served", 1.0)
    assert first.prompt_hash_stored == first.prompt_hash_current == room.ruleset.prompt_hash
    assert first.framework_stored == first.framework_current == room.ruleset.framework_version
    assert first.model_stored == first.model_current == "recorded/scripted"
    assert first.evidence_stored == first.evidence_current
    assert first.evidence_current[0].startswith("duocthu://Bộ thử/paracetamol/lieu_luong_cach_dung/1?h=sha256:")
    assert first.expires_at == clock.now + timedelta(days=29)
    # A call of 15 tokens over two claims, and one of 15 tokens over the answer.
    assert (first.tokens_saved, output.tokens_saved, output.calls_saved) == (8, 31, 2)
    assert output.cost_saved_usd == pytest.approx(0.030)
    assert output.completeness is not None
    assert output.completeness.prompt_hash_stored == room.ruleset.completeness_prompt_hash != room.ruleset.prompt_hash


def completeness_lookup_index(output: CacheOutput) -> int:
    assert output.completeness is not None
    return output.completeness.claim_index


def test_a_first_question_is_a_miss_for_every_claim_and_saves_nothing(room: Room) -> None:
    output = cache_output(room.ask([DOSE], verdicts("SUPPORTS"), COMPLETE))
    (lookup,) = output.lookups
    assert (lookup.staleness, lookup.rule, lookup.action) == ("miss", "no_row", "judged")
    assert (lookup.prompt_hash_stored, lookup.expires_at) == (None, None)
    assert (output.calls_saved, output.tokens_saved, output.cost_saved_usd) == (0, 0, None)


def test_a_no_is_a_verdict_too_and_is_not_asked_for_again(room: Room) -> None:
    assert room.ask([DOSE], verdicts("NOT_FOUND")).reject_reason == "unsupported_claim"
    second = room.ask([DOSE])
    assert (second.reject_reason, second.totals.judge_calls) == ("unsupported_claim", 0)
    assert cache_output(second).calls_saved == 1


def test_only_the_claims_that_are_not_known_are_judged_in_one_call(room: Room) -> None:
    room.ask([LIMIT], verdicts("SUPPORTS"), COMPLETE)
    trace = room.ask([DOSE, LIMIT, SHORT], verdicts("SUPPORTS", "NOT_FOUND"))
    (request,) = room.judge.requests
    assert [claim["text"] for claim in request.payload["claims"]] == [DOSE[0], SHORT[0]]
    output = entailment_output(trace)
    assert [verdict.from_cache for verdict in output.verdicts] == [False, True, False]
    assert [verdict.claim_index for verdict in output.verdicts] == [0, 1, 2]
    assert [raw.index for raw in output.raw] == [1, 2, 3]
    assert record(trace, "entailment").why.params["claims"] == "3"
    assert [lookup.action for lookup in cache_output(trace).lookups] == ["judged", "served", "judged"]


def test_other_claims_in_another_order_are_another_answer(room: Room) -> None:
    room.ask([DOSE, LIMIT], verdicts("SUPPORTS", "SUPPORTS"), COMPLETE)
    room.ask([LIMIT, DOSE], COMPLETE)
    assert purposes(room.judge) == ["completeness"]
    room.ask([DOSE], COMPLETE)
    assert purposes(room.judge) == ["completeness"]


def test_another_question_with_the_same_claims_is_asked_whether_it_is_complete(room: Room) -> None:
    room.ask([DOSE], verdicts("SUPPORTS"), COMPLETE)
    room.question = "Người lớn uống paracetamol liều thế nào?"
    trace = room.ask([DOSE], COMPLETE)
    assert (trace.outcome, purposes(room.judge)) == ("answered", ["completeness"])


# Changed rules


def test_a_changed_threshold_recomputes_the_status_without_a_call(room: Room) -> None:
    room.ask([DOSE], verdicts("SUPPORTS", confidence=80), COMPLETE)
    strict = room.ask([DOSE], thresholds={"judge_min_confidence": 90})
    assert (strict.reject_reason, strict.totals.judge_calls) == ("unsupported_claim", 0)
    (lookup,) = cache_output(strict).lookups
    assert (lookup.staleness, lookup.rule, lookup.action) == ("stale_framework", "framework_differs", "reprocessed")
    assert lookup.framework_stored != lookup.framework_current
    assert entailment_output(strict).verdicts[0].why == "below_confidence"
    mild = room.ask([DOSE], thresholds={"judge_min_confidence": 75})
    assert (mild.outcome, mild.totals.judge_calls) == ("answered", 0)
    assert completeness_lookup(mild).action == "reprocessed"


def test_a_recomputed_status_is_written_back(room: Room, clock: Clock) -> None:
    room.ask([DOSE], verdicts("SUPPORTS", confidence=80), COMPLETE)
    clock.forward(days=20)
    room.ask([DOSE], thresholds={"judge_min_confidence": 90})
    clock.forward(days=20)
    again = room.ask([DOSE], thresholds={"judge_min_confidence": 90})
    (lookup,) = cache_output(again).lookups
    assert (again.reject_reason, lookup.staleness, lookup.action, lookup.tokens_saved) == ("unsupported_claim", "fresh", "served", 15)


def test_objections_are_checked_anew_under_another_threshold(room: Room) -> None:
    half_described = incomplete("liều tối đa một ngày là 4 g", "tối đa 4 g/ngày")
    first = room.ask([SHORT], verdicts("SUPPORTS"), half_described, thresholds={"objection_overlap_min": 1.0})
    assert (first.outcome, record(first, "completeness").why.code) == ("answered", "complete")
    second = room.ask([SHORT], verdicts("SUPPORTS"), repairs=[draft(DOSE)], thresholds={"objection_overlap_min": 0.1})
    assert purposes(room.judge) == ["entailment"], "the repaired claim is new, the objection is known"
    assert (second.outcome, record(second, "completeness").why.code) == ("answered", "objections_accepted")


def test_one_character_of_the_judge_prompt_judges_every_claim_again(room: Room) -> None:
    room.ask([DOSE], verdicts("SUPPORTS"), COMPLETE)
    prompts = {"judge_system": room.ruleset.prompts.judge_system + " "}
    trace = room.ask([DOSE], verdicts("SUPPORTS"), prompts=prompts)
    assert purposes(room.judge) == ["entailment"]
    (lookup,) = cache_output(trace).lookups
    assert (lookup.staleness, lookup.rule, lookup.action) == ("stale_prompt", "prompt_differs", "judged")
    assert lookup.prompt_hash_stored == room.ruleset.prompt_hash
    assert lookup.prompt_hash_current == room.rules(prompts=prompts).prompt_hash
    assert room.ask([DOSE], prompts=prompts).totals.judge_calls == 0


def test_one_character_of_the_completeness_prompt_asks_only_that_again(room: Room) -> None:
    room.ask([DOSE], verdicts("SUPPORTS"), COMPLETE)
    trace = room.ask([DOSE], COMPLETE, prompts={"completeness_user": room.ruleset.prompts.completeness_user + " "})
    assert purposes(room.judge) == ["completeness"]
    assert completeness_lookup(trace).staleness == "stale_prompt"


def test_another_judge_is_another_prompt(room: Room) -> None:
    room.ask([DOSE], verdicts("SUPPORTS"), COMPLETE)
    trace = room.ask([DOSE], verdicts("SUPPORTS"), COMPLETE, judge="another")
    assert purposes(room.judge) == ["entailment", "completeness"]
    (lookup,) = cache_output(trace).lookups
    assert (lookup.staleness, lookup.rule) == ("stale_prompt", "model_differs")
    assert (lookup.model_stored, lookup.model_current) == ("recorded/scripted", "recorded/another")


def test_a_verdict_is_seen_until_its_time_is_over(room: Room, clock: Clock) -> None:
    room.ask([DOSE], verdicts("SUPPORTS"), COMPLETE)
    clock.forward(days=29)
    assert room.ask([DOSE]).totals.judge_calls == 0
    clock.forward(days=1)
    trace = room.ask([DOSE], verdicts("SUPPORTS"), COMPLETE)
    assert (trace.totals.judge_calls, cache_output(trace).lookups[0].rule) == (2, "no_row")


def test_tiers_are_wholly_separate(room: Room) -> None:
    room.ask([DOSE], verdicts("SUPPORTS"), COMPLETE)
    assert room.ask([DOSE], verdicts("SUPPORTS"), COMPLETE, tier="premium").totals.judge_calls == 2
    assert room.ask([DOSE], tier="premium").totals.judge_calls == 0


# What is never served


def contraindications(*blocks: tuple[str, str]) -> Corpus:
    """Contraindications in our own words: drug and text of each block."""
    drugs = dict.fromkeys(drug for drug, _ in blocks)
    return Corpus.of(
        monographs=tuple(Monograph(drug_id=drug, name=drug.capitalize(), inn=drug, edition="Bộ thử") for drug in drugs),
        blocks=tuple(
            Block(
                block_id=f"{drug}/chong_chi_dinh/{number}",
                drug_id=drug,
                section_key="chong_chi_dinh",
                heading="Chống chỉ định",
                text=text,
                page_start=1,
                page_end=1,
            )
            for number, (drug, text) in enumerate(blocks, start=1)
        ),
        edition="Bộ thử",
    )


SEVERE = "Chống chỉ định: suy gan nặng."
FIRST_BLOCK, SECOND_BLOCK = "Quá mẫn với thuốc. Suy gan nặng.", "Suy gan nặng. Viêm gan cấp."


def test_another_drug_with_the_same_words_is_never_served(room: Room) -> None:
    room.corpus = contraindications(("paracetamol", FIRST_BLOCK), ("cefazolin", FIRST_BLOCK))
    same_words = [(SEVERE, [1])]
    room.question = "Chống chỉ định của paracetamol?"
    assert room.ask(same_words, verdicts("SUPPORTS"), COMPLETE).outcome == "answered"
    room.question = "Chống chỉ định của cefazolin?"
    trace = room.ask(same_words, verdicts("NOT_FOUND"))
    assert (trace.reject_reason, purposes(room.judge)) == ("unsupported_claim", ["entailment"])
    assert cache_output(trace).lookups[0].rule == "no_row"


def test_the_same_words_over_other_blocks_are_fresh_but_judged(room: Room) -> None:
    room.ask([SHORT], verdicts("SUPPORTS"), COMPLETE)
    room.corpus = other_edition()
    trace = room.ask([SHORT], verdicts("SUPPORTS"), COMPLETE)
    (lookup,) = cache_output(trace).lookups
    assert (lookup.staleness, lookup.action, lookup.overlap, lookup.enough_overlap) == ("fresh", "judged", 0.0, False)
    assert lookup.evidence_stored != lookup.evidence_current
    assert lookup.overlap_min == 1.0
    assert purposes(room.judge) == ["entailment", "completeness"]


def other_edition() -> Corpus:
    """The small corpus with one more sentence in the block of the adult dose, as a new import would bring it."""
    corpus = small_corpus()
    changed = [
        block.model_copy(update={"text": block.text + " Uống nhiều nước."}) if block.block_id.endswith("cach_dung/1") else block
        for block in corpus.blocks
    ]
    return Corpus.of(monographs=tuple(corpus.monographs.values()), blocks=tuple(changed), edition=corpus.edition)


@pytest.fixture
def two_blocks(room: Room) -> Room:
    """A question that two blocks answer, under rules that take a verdict over half of them."""
    room.corpus = contraindications(("paracetamol", FIRST_BLOCK), ("paracetamol", SECOND_BLOCK))
    room.question = "Chống chỉ định của paracetamol?"
    room.ruleset = room.rules(cache={"evidence_overlap_min": 0.5})
    return room


def test_a_lower_minimum_uses_a_verdict_over_some_of_the_blocks_and_keeps_its_evidence(two_blocks: Room) -> None:
    two_blocks.ask([(SEVERE, [1])], verdicts("SUPPORTS"), COMPLETE)
    both, milder = [(SEVERE, [1, 2])], {"judge_min_confidence": 60}
    trace = two_blocks.ask(both, thresholds=milder)
    (lookup,) = cache_output(trace).lookups
    assert (trace.outcome, lookup.overlap, lookup.action) == ("answered", 0.5, "reprocessed")
    (again,) = cache_output(two_blocks.ask(both, thresholds=milder)).lookups
    assert (again.staleness, again.overlap, again.evidence_stored) == ("fresh", 0.5, lookup.evidence_stored)


@pytest.mark.parametrize("thresholds", [{}, {"judge_min_confidence": 60}], ids=["fresh", "other framework"])
def test_a_quote_that_stands_in_none_of_the_blocks_at_hand_is_judged_again(two_blocks: Room, thresholds: dict[str, Any]) -> None:
    def quotes_the_second(_request: ModelRequest) -> str:
        said = {"index": 1, "stance": "SUPPORTS", "confidence": 95, "evidence_quote": SECOND_BLOCK, "reasoning": ""}
        return json.dumps({"verdicts": [said]}, ensure_ascii=False)

    two_blocks.ask([(SEVERE, [1, 2])], quotes_the_second, COMPLETE)
    trace = two_blocks.ask([(SEVERE, [1])], verdicts("SUPPORTS"), thresholds=thresholds)
    (lookup,) = cache_output(trace).lookups
    assert (lookup.rule, lookup.action, purposes(two_blocks.judge)) == ("quote_elsewhere", "judged", ["entailment"])


# Only whole answers of a judge that ran are kept


@pytest.mark.parametrize(
    ("says", "stop_reason", "reason"),
    [
        (ModelError("unavailable", "down"), "end_turn", "provider_unavailable"),
        (ModelError("budget_exhausted", "slow"), "end_turn", "request_budget_exhausted"),
        ("không phải JSON", "end_turn", "malformed_output"),
        ('{"verdicts": []}', "end_turn", "malformed_output"),
        (verdicts("SUPPORTS"), "max_tokens", "malformed_output"),
    ],
    ids=["down", "time-out", "prose", "no verdict", "cut off"],
)
def test_a_judge_that_did_not_answer_whole_leaves_nothing_behind(room: Room, says: Any, stop_reason: str, reason: str) -> None:
    trace = room.ask([DOSE], says, stop_reason=stop_reason)
    assert trace.reject_reason == reason
    again = room.ask([DOSE], verdicts("SUPPORTS"), COMPLETE)
    assert [lookup.rule for lookup in cache_output(again).lookups] == ["no_row"]
    assert again.outcome == "answered"


def test_an_unreadable_opinion_on_the_answer_is_not_kept_and_the_verdicts_are(room: Room) -> None:
    assert room.ask([DOSE], verdicts("SUPPORTS"), '{"complete": "yes"}').reject_reason == "malformed_output"
    assert room.ask([DOSE], COMPLETE).outcome == "answered"
    assert purposes(room.judge) == ["completeness"]


def test_what_is_known_needs_no_judge_that_can_be_reached(room: Room) -> None:
    room.ask([DOSE], verdicts("SUPPORTS"), COMPLETE)
    assert room.ask([DOSE], ModelError("unavailable", "down")).outcome == "answered"


# Repair


def test_a_repair_goes_the_same_way(room: Room) -> None:
    first = room.ask([SHORT], verdicts("SUPPORTS"), OBJECTION, verdicts("SUPPORTS"), repairs=[draft(DOSE)])
    assert (first.outcome, first.totals.judge_calls) == ("answered", 3)
    second = room.ask([SHORT], repairs=[draft(DOSE)])
    assert (second.outcome, second.totals.judge_calls) == ("answered", 0)
    repair = record(second, "repair").output
    assert isinstance(repair, RepairOutput)
    assert [(lookup.staleness, lookup.action) for lookup in repair.lookups] == [("fresh", "served")]
    assert [verdict.from_cache for verdict in repair.verdicts] == [True]


@pytest.mark.parametrize("said", ["không phải JSON", '{"verdicts": []}'])
def test_a_judge_that_cannot_be_understood_in_a_repair_has_not_said_that_the_answer_is_incomplete(room: Room, said: str) -> None:
    trace = room.ask([SHORT], verdicts("SUPPORTS"), OBJECTION, said, repairs=[draft(DOSE)])
    repair = record(trace, "repair")
    assert (trace.outcome, trace.reject_reason, repair.status, repair.why.code) == (
        "abstained",
        "malformed_output",
        "failed",
        "malformed_output",
    )
    assert isinstance(repair.output, RepairOutput)
    assert repair.output.reject_reason == "malformed_output"


# A cache that fails


class Broken(InMemoryCacheStore):
    """A store that fails where a test says."""

    def __init__(self, *, reads: bool, writes: bool) -> None:
        super().__init__()
        self._fail_reads, self._fail_writes = reads, writes

    def read(self, tier: Tier, claim_hashes: Sequence[str], now: datetime) -> dict[str, CacheEntry]:
        if self._fail_reads:
            raise OSError("disk gone")
        return super().read(tier, claim_hashes, now)

    def write(self, entries: Sequence[CacheEntry]) -> dict[tuple[str, Tier], datetime]:
        if self._fail_writes:
            raise OSError("disk full")
        return super().write(entries)


def test_a_cache_that_cannot_be_read_is_a_miss_with_a_warning(ruleset: Ruleset) -> None:
    room = Room(ruleset, Broken(reads=True, writes=False))
    trace = room.ask([DOSE], verdicts("SUPPORTS"), COMPLETE)
    assert (trace.outcome, trace.totals.judge_calls) == ("answered", 2)
    stage = record(trace, "cache")
    assert (stage.status, stage.why.code, stage.warnings) == ("ran", "cache_unavailable", ("cache_read_failed",))
    output = cache_output(trace)
    assert output.problems == ("verification cache, read: disk gone",)
    assert [(lookup.staleness, lookup.rule, lookup.action) for lookup in output.lookups] == [("miss", "cache_unavailable", "judged")]


def test_a_cache_that_cannot_be_written_warns_where_it_was_written(ruleset: Ruleset) -> None:
    room = Room(ruleset, Broken(reads=False, writes=True))
    trace = room.ask([SHORT], verdicts("SUPPORTS"), OBJECTION, verdicts("SUPPORTS"), repairs=[draft(DOSE)])
    assert trace.outcome == "answered"
    for name in ("entailment", "completeness", "repair"):
        stage = record(trace, name)
        assert stage.warnings == ("cache_write_failed",), name
        assert getattr(stage.output, "cache_problems", ()) == ("verification cache, write: disk full",), name
    assert record(trace, "cache").warnings == ()


def test_a_table_that_is_gone_fails_no_turn(ruleset: Ruleset, sqlite_database: Database) -> None:
    room = Room(ruleset, SqlCacheStore(sqlite_database))
    room.ask([DOSE], verdicts("SUPPORTS"), COMPLETE)
    with sqlite_database.writing() as connection:
        connection.execute(text("DROP TABLE verification_cache"))
    trace = room.ask([DOSE], verdicts("SUPPORTS"), COMPLETE)
    assert (trace.outcome, trace.totals.judge_calls) == ("answered", 2)
    assert "db upgrade" in cache_output(trace).problems[0]


@pytest.mark.parametrize(
    ("raw", "processed"),
    [
        ("SUPPORTS", {"status": "supported", "why": "supported"}),
        ({"stance": "supports", "confidence": 1, "evidence_quote": "", "index": 1}, {"status": "supported", "why": "supported"}),
        ({"stance": "SUPPORTS", "confidence": 1000, "evidence_quote": "", "index": 1}, {"status": "supported", "why": "supported"}),
        (None, {"status": "probably"}),
        (None, ["supported"]),
    ],
    ids=["raw text", "stance", "confidence", "status", "list"],
)
def test_an_entry_of_another_form_is_judged_again_with_a_warning(room: Room, raw: Any, processed: Any) -> None:
    room.ask([DOSE], verdicts("SUPPORTS"), COMPLETE)
    for entry in VerificationCache(room.store, clock=room.clock).page():
        if entry.claim == DOSE[0]:
            room.store.write([entry.model_copy(update={"verification_raw": raw, "verification_processed": processed})])
    trace = room.ask([DOSE], verdicts("SUPPORTS"))
    assert (trace.outcome, purposes(room.judge)) == ("answered", ["entailment"])
    assert record(trace, "cache").warnings == ("cache_verdict_unreadable",)
    assert room.ask([DOSE]).totals.judge_calls == 0, "the next verdict is written over it"


def test_supported_without_a_quote_is_not_taken_where_the_rules_require_one(room: Room) -> None:
    room.ask([DOSE], verdicts("SUPPORTS"), COMPLETE)
    for entry in VerificationCache(room.store, clock=room.clock).page():
        room.store.write([entry.model_copy(update={"verification_raw": None})])
    trace = room.ask([DOSE], verdicts("SUPPORTS"))
    assert (purposes(room.judge), cache_output(trace).lookups[0].rule) == (["entailment"], "quote_elsewhere")


def test_without_a_cache_every_turn_is_judged(ruleset: Ruleset) -> None:
    judge = ScriptedModel(*[verdicts("SUPPORTS"), COMPLETE] * 2)
    for _ in range(2):
        pipeline = Pipeline(small_corpus(), ruleset, ScriptedModel(draft(DOSE)), judge, price=a_dollar_per_thousand)
        trace = pipeline.run(ADULT_ORAL, ConversationState(conversation_id="c")).trace
        assert (trace.totals.judge_calls, record(trace, "cache").status) == (2, "skipped")


# On a database


def statements_of(database: Database, work: Callable[[], Trace]) -> tuple[Trace, list[str]]:
    """What ``work`` gives and the statements it sends to the cache's table."""
    sent: list[str] = []

    def keep(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if "verification_cache" in statement:
            sent.append(statement.split(maxsplit=1)[0])

    event.listen(database.engine, "before_cursor_execute", keep)
    try:
        return work(), sent
    finally:
        event.remove(database.engine, "before_cursor_execute", keep)


def test_a_turn_reads_with_one_statement_and_writes_none_where_all_is_known(ruleset: Ruleset, database: Database) -> None:
    room = Room(ruleset, SqlCacheStore(database))
    claims = [DOSE, LIMIT, SHORT]
    _, first = statements_of(database, lambda: room.ask(claims, verdicts("SUPPORTS", "SUPPORTS", "SUPPORTS"), COMPLETE))
    assert first == ["SELECT", "INSERT", "INSERT"]
    trace, second = statements_of(database, lambda: room.ask(claims))
    assert (trace.outcome, trace.totals.judge_calls, second) == ("answered", 0, ["SELECT"])
    trace, third = statements_of(database, lambda: room.ask(claims, thresholds={"judge_min_confidence": 60}))
    assert (trace.totals.judge_calls, third) == (0, ["SELECT", "INSERT"])


def test_services_keep_verdicts_between_conversations_and_count_them(tmp_path: Path) -> None:
    services = bootstrap(load_settings(_env_file=None, DUOCTHU_DATA_DIR=tmp_path), corpus=small_corpus())
    first = services.ask(ADULT_ORAL, "one")
    second = services.ask(ADULT_ORAL, "another")
    assert (first.outcome, second.outcome) == ("answered", "answered")
    assert (first.totals.judge_calls, second.totals.judge_calls) == (2, 0)
    assert second.answer == first.answer
    counted = services.metrics.exposition().decode()
    assert 'duocthu_turns_total{outcome="answered",reject_reason=""} 2.0' in counted
    assert "duocthu_cache_calls_saved_total 2.0" in counted
    assert 'duocthu_cache_lookups_total{action="served",source="turn",staleness="fresh"}' in counted
    assert 'duocthu_stages_total{stage="entailment",status="ran"} 2.0' in counted
    stats = services.verification_cache.stats(services.current_judge())
    assert stats.by_staleness["fresh"] == stats.live > 0, "claims and completeness alike are fresh for the judge that made them"


def test_services_of_a_test_may_leave_the_cache_out(tmp_path: Path) -> None:
    services = bootstrap(load_settings(_env_file=None, DUOCTHU_DATA_DIR=tmp_path), corpus=small_corpus(), verdicts=None)
    assert [services.ask(ADULT_ORAL, "one").totals.judge_calls for _ in range(2)] == [2, 2]
