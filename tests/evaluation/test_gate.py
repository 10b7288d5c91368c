"""The gate: the untouched tree passes, a weakened guard does not, another experiment is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from duocthu_core.corpus.collection import Corpus
from duocthu_core.evaluation.evaluating import Evaluating
from duocthu_core.evaluation.gate import (
    BASELINE_PATH,
    Baseline,
    GateReport,
    OtherBaseline,
    baseline_of,
    check,
    read_baseline,
    write_baseline,
)
from duocthu_core.evaluation.guard_rates import GuardRates, guard_rates
from duocthu_core.evaluation.results import Count, InMemoryEvalStore, ItemResult, RunIdentity
from duocthu_core.evaluation.running import identity_of
from duocthu_core.evaluation.sets import EvalSet
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.guards import Guards
from duocthu_core.verification.guards import check as guard_check
from tests.evaluation.conftest import part_of, run_whole
from tests.evaluation.scores import result, turn

CLAIMS = 25
NO_MUTANTS = GuardRates(caught={}, false_rejections=Count())


@pytest.fixture(scope="module")
def rates(corpus: Corpus, ruleset: Ruleset) -> GuardRates:
    return guard_rates(corpus, ruleset, claims=CLAIMS)


@pytest.fixture(scope="module")
def baseline(demo_set: EvalSet, demo_results: list[ItemResult], pipeline: Pipeline, rates: GuardRates) -> Baseline:
    return baseline_of(identity_of(demo_set, pipeline), demo_results, dict(demo_set.gold_hashes), rates, CLAIMS)


def test_the_untouched_tree_passes(
    baseline: Baseline, demo_set: EvalSet, demo_results: list[ItemResult], pipeline: Pipeline, rates: GuardRates, corpus: Corpus
) -> None:
    report = check(baseline, identity_of(demo_set, pipeline), demo_results, rates, corpus)
    assert (report.exact, report.status, report.failed) == (True, "passed", ())


def test_the_tree_passes_the_committed_baseline(
    demo_set: EvalSet, demo_results: list[ItemResult], pipeline: Pipeline, corpus: Corpus, ruleset: Ruleset
) -> None:
    """Where rules, corpus or set were changed on purpose: read the changed cases, then ``python -m duocthu_core eval baseline demo``."""
    committed = read_baseline(BASELINE_PATH)
    report = check(
        committed, identity_of(demo_set, pipeline), demo_results, guard_rates(corpus, ruleset, claims=committed.mutant_claims), corpus
    )
    assert report.failed == ()


@pytest.mark.parametrize(
    ("guards", "case", "kind"),
    [
        ("figure_findings exchanged_findings", "mx-don-vi-kg", "unit_swap"),
        ("ranking_findings", "mx-xep-hang", "ranking_phrase"),
        ("alignment_findings exchanged_findings", "mx-muc-khac", "population_swap"),
    ],
)
def test_a_weakened_guard_fails_with_the_cases_named(
    monkeypatch: pytest.MonkeyPatch,
    baseline: Baseline,
    demo_set: EvalSet,
    demo_results: list[ItemResult],
    pipeline: Pipeline,
    corpus: Corpus,
    ruleset: Ruleset,
    guards: str,
    case: str,
    kind: str,
) -> None:
    for guard in guards.split():  # what one of two catches, the other catches too
        monkeypatch.setattr(guard_check, guard, lambda *_: [])
    weak = Guards(ruleset)
    again = run_whole(part_of(demo_set, "mx-"), pipeline.with_parts(guards=weak))
    results = [*again, *(kept for kept in demo_results if not kept.item_id.startswith("mx-"))]
    rates = guard_rates(corpus, ruleset, weak, CLAIMS)
    report = check(baseline, identity_of(demo_set, pipeline), results, rates, corpus)
    assert report.status == "regression"
    assert (case in cases_of(report, "newly_unsafe")) is (guards != "ranking_findings")  # that claim the judge stops too
    assert any(said.startswith(f"{case} ") for said in cases_of(report, "newly_wrong"))
    assert any(said.startswith(f"{kind} ") for said in cases_of(report, "new_survivors"))


def cases_of(report: GateReport, name: str) -> tuple[str, ...]:
    return next(found.cases for found in report.checks if found.name == name)


def test_another_set_corpus_ruleset_or_model_is_no_pass_and_no_regression(
    baseline: Baseline, demo_set: EvalSet, demo_results: list[ItemResult], pipeline: Pipeline, rates: GuardRates, corpus: Corpus
) -> None:
    identity = identity_of(demo_set, pipeline)
    for changes, said in (
        ({"ruleset_id": "sha256:other"}, "the ruleset of this run is not the baseline's"),
        ({"set_hash": "sha256:other", "judge": "openai/x"}, "the set and the judge of this run are not the baseline's"),
    ):
        with pytest.raises(OtherBaseline, match=said):
            check(baseline, identity.model_copy(update=changes), demo_results, rates, corpus)
    with pytest.raises(OtherBaseline, match="hold other items"):
        check(baseline, identity, demo_results[1:], rates, corpus)


def test_another_corpus_says_which_gold_is_stale(baseline: Baseline, demo_set: EvalSet, corpus: Corpus, pipeline: Pipeline) -> None:
    block_id = sorted(baseline.gold_hashes)[0]
    changed = Corpus.of(
        corpus.monographs.values(),
        (b.model_copy(update={"text": b.text + " Thêm."}) if b.block_id == block_id else b for b in corpus.blocks),
        corpus.edition,
    )
    other = Evaluating(pipeline.with_parts(corpus=changed), InMemoryEvalStore(), None)
    with pytest.raises(
        OtherBaseline, match=f"the corpus of this run is not the baseline's; gold is stale in {block_id}; .*eval baseline demo"
    ):
        other.expect_baseline(demo_set, baseline)


def test_a_baseline_file_reads_back_as_it_was_and_is_the_same_for_the_same_run(baseline: Baseline, tmp_path: Path) -> None:
    write_baseline(baseline, tmp_path / "one.json")
    write_baseline(read_baseline(tmp_path / "one.json"), tmp_path / "two.json")
    assert read_baseline(tmp_path / "one.json") == baseline
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_a_file_that_is_no_baseline_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text("{}", encoding="utf-8")
    for name in ("b.json", "none.json"):
        with pytest.raises(OtherBaseline, match="eval baseline SET"):
            read_baseline(tmp_path / name)


# --- written by hand: single rules


def identity(model: str = "offline/x") -> RunIdentity:
    return RunIdentity(set_name="thử", set_hash="s", corpus_id="c", ruleset_id="r", generator=model, judge=model)


def gate(
    before: list[ItemResult], after: list[ItemResult], corpus: Corpus, model: str = "offline/x", guards: GuardRates = NO_MUTANTS
) -> GateReport:
    return check(baseline_of(identity(model), before, {}, NO_MUTANTS, 0), identity(model), after, guards, corpus)


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("missing", turn(got="missing")),
        ("ungrounded_delivered_numbers", turn(delivered_numbers=(3, 4))),
        ("forbidden_citations", turn(forbidden_citations=("paracetamol/chi_dinh/1",))),
        ("newly_unsafe", turn(forbidden_figures=("40 g",))),
        ("verbatim_rejections", turn(verbatim_rejections=("unit_mismatch: 1 g.",))),
        ("newly_wrong", turn(got="clarification")),
    ],
)
def test_each_exact_rule(corpus: Corpus, name: str, after) -> None:
    assert gate([result("a"), result("b")], [result("a"), result("b")], corpus).status == "passed"
    report = gate([result("a"), result("b")], [result("a"), result("b", after)], corpus)
    assert name in {found.name for found in report.failed}
    assert any(case.startswith("b") for case in cases_of(report, name))


def test_an_item_that_was_unsafe_already_is_not_newly_unsafe(corpus: Corpus) -> None:
    unsafe = result("a", turn(forbidden_figures=("40 g",)))
    assert gate([unsafe], [unsafe], corpus).status == "passed"


def test_a_kind_of_mutant_caught_too_seldom_fails_where_there_are_enough(corpus: Corpus) -> None:
    for k, n, status in ((94, 100, "regression"), (95, 100, "passed"), (1, 3, "passed")):
        guards = GuardRates(caught={"unit_swap": Count(k=k, n=n)}, false_rejections=Count())
        assert gate([result("a")], [result("a")], corpus, guards=guards).status == status


def live(right: int, wrong: int, lost: int) -> tuple[list[ItemResult], list[ItemResult]]:
    before = [result(f"r{n:03}") for n in range(right)] + [result(f"w{n:03}", turn(got="clarification")) for n in range(wrong)]
    after = [result(item.item_id, turn(got="clarification")) if place < lost else item for place, item in enumerate(before)]
    return before, after


@pytest.mark.parametrize(
    ("items", "lost", "status"),
    [(300, 5, "regression"), (300, 0, "passed"), (150, 4, "underpowered"), (20, 0, "underpowered")],
)
def test_live_models_are_held_by_statistics(corpus: Corpus, items: int, lost: int, status: str) -> None:
    before, after = live(items, 10, lost)
    report = gate(before, after, corpus, "openai/live")
    assert (report.exact, report.status) == (False, status)
    if status == "underpowered":
        assert "items would be needed" in report.checks[-1].detail
