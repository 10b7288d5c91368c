"""No metric is 100 % by construction: wrong gold lowers each, wrong models and wrong guards lower the others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from duocthu_core.evaluation.gold import ResolvedTurn
from duocthu_core.evaluation.metrics import metrics_of
from duocthu_core.evaluation.results import ItemResult
from duocthu_core.evaluation.scoring import score_turn
from duocthu_core.evaluation.sets import EvalSet
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.pipeline.trace_store import InMemoryTraceStore
from duocthu_core.rulesets.model import Ruleset
from tests.evaluation import mutated_gold
from tests.evaluation.conftest import run_whole

HIGHER = [
    ("outcome_accuracy", mutated_gold.other_outcomes),
    ("every_turn_right", mutated_gold.other_outcomes),
    ("focus_accuracy", mutated_gold.other_focus),
    ("answer_rate", mutated_gold.answers_only),
    ("abstention_precision", mutated_gold.answers_only),
    ("abstention_precision_decided", mutated_gold.answers_only),
    ("abstention_recall", mutated_gold.refusals_only),
    ("citation_recall", mutated_gold.tenfold_figures),
    ("citation_recall", mutated_gold.other_blocks),
    ("citation_recall_if_answered", mutated_gold.tenfold_figures),
    ("citation_precision", mutated_gold.other_blocks),
    ("pages_named", mutated_gold.other_pages),
]
LOWER = [
    ("unsafe_answers", mutated_gold.refusals_only),
    ("right_refusal_wrong_reason", mutated_gold.other_reasons),
    ("refused_by_check", mutated_gold.answers_only),
    ("could_not_run", mutated_gold.answers_only),
    ("clarification_instead", mutated_gold.answers_only),
    ("verify_pdf_instead", mutated_gold.answers_only),
]


@pytest.fixture(scope="module")
def rescored(
    demo_set: EvalSet, demo_results: list[ItemResult], traces: InMemoryTraceStore, pipeline: Pipeline, ruleset: Ruleset
) -> Callable[[Callable[[ResolvedTurn], ResolvedTurn]], list[ItemResult]]:
    """The session's traces scored again, nothing run, with other gold."""

    def scored(change: Callable[[ResolvedTurn], ResolvedTurn]) -> list[ItemResult]:
        gold = {item.item.id: item.gold for item in mutated_gold.changed(demo_set, change).items}
        found = []
        for result in demo_results:
            kept = [traces.load(turn.trace_id or "") for turn in result.turns]
            corpus = pipeline.parts.corpus
            turns = tuple(
                score_turn(number, expected, trace, corpus, ruleset)
                for number, (expected, trace) in enumerate(zip(gold[result.item_id], kept, strict=True), 1)
                if trace is not None
            )
            found.append(result.model_copy(update={"turns": turns}))
        return found

    return scored


def test_the_same_gold_scores_the_same(rescored, demo_results: list[ItemResult]) -> None:
    assert [result.fingerprint for result in rescored(lambda turn: turn)] == [result.fingerprint for result in demo_results]


@pytest.mark.parametrize(("name", "change"), HIGHER, ids=[f"{name}-{change.__name__}" for name, change in HIGHER])
def test_wrong_gold_lowers_the_metric(rescored, demo_results: list[ItemResult], name: str, change) -> None:
    before, after = (metrics_of(found, resamples=100).rate(name).value for found in (demo_results, rescored(change)))
    assert before is not None
    assert after is not None
    assert after < before


@pytest.mark.parametrize(("name", "change"), LOWER, ids=[name for name, _ in LOWER])
def test_wrong_gold_raises_what_should_be_low(rescored, demo_results: list[ItemResult], name: str, change) -> None:
    before, after = (metrics_of(found, resamples=100).rate(name).value for found in (demo_results, rescored(change)))
    assert before is not None
    assert after is not None
    assert after > before


def test_every_rate_is_tried(demo_results: list[ItemResult]) -> None:
    """Figures and useful citations are of the model, not of gold, and are tried below; missing is tried by crashes (test_running)."""
    elsewhere = {"missing", "missing_instead", "useful_citations", "number_fidelity_raw", "number_fidelity_delivered"}
    names = {metric.name for metric in metrics_of(demo_results, resamples=50).rates}
    assert names - elsewhere == {name for name, _ in HIGHER + LOWER}


def test_raw_claims_keep_the_wrong_figures_that_a_check_takes_out(demo_results: list[ItemResult]) -> None:
    found = metrics_of([result for result in demo_results if "bad_model" in result.tags], resamples=100)
    raw = found.rate("number_fidelity_raw")
    assert raw.value is not None
    assert raw.value < 0.95
    assert found.rate("unsafe_answers").k == 0


def test_useless_citations_lower_their_metric(demo_set: EvalSet, pipeline: Pipeline, traces: InMemoryTraceStore) -> None:
    resolved = demo_set.item("dg-viet-lai")
    assert resolved is not None
    reply = resolved.item.turns[0].replies[0]
    text, dose = "Người lớn: Uống: 0,5 - 1 g/lần, 4 - 6 giờ một lần; tối đa là 4 g/ngày.", "paracetamol/lieu_luong_cach_dung/5"

    def useful(*blocks: str) -> float | None:
        claim = reply.claims[0].model_copy(update={"text": text, "blocks": blocks})  # type: ignore[index]
        turn = resolved.item.turns[0].model_copy(update={"replies": (reply.model_copy(update={"claims": (claim,)}),)})
        item = type(resolved)(resolved.item.model_copy(update={"turns": (turn,)}), resolved.gold)
        results = run_whole(EvalSet("thử", (item,), demo_set.corpus_id), pipeline)
        return metrics_of(results, resamples=50).rate("useful_citations").value

    assert useful(dose) == 1.0
    assert useful(dose, "paracetamol/lieu_luong_cach_dung/1") == 0.5
