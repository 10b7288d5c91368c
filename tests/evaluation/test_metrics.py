"""The metrics: the worked example of the reference, 0 of 0, crashes, items with several turns."""

from __future__ import annotations

import json

import pytest

from duocthu_core.evaluation.metrics import metrics_of
from duocthu_core.evaluation.results import Count, ItemResult
from tests.conftest import ROOT
from tests.evaluation.scores import result, turn

EXAMPLE = json.loads((ROOT / "tests" / "cases" / "statistics_reference.json").read_text(encoding="utf-8"))["metric_example"]
NAMES = {
    "refused_answerable_by_check": "refused_by_check",
    "refused_answerable_not_run": "could_not_run",
    "unsafe_answer_rate": "unsafe_answers",
    "abstention_precision_as_delivered": "abstention_precision",
    "reason_precision_out_of_scope": "precision:out_of_scope",
    "reason_recall_out_of_scope": "recall:out_of_scope",
    "reason_recall_reverse_relation": "recall:reverse_relation",
    "reason_precision_reverse_relation": "precision:reverse_relation",
    "gold_citation_recall_end_to_end": "citation_recall",
    "gold_citation_recall_if_answered": "citation_recall_if_answered",
    "gold_citation_precision": "citation_precision",
}


def example() -> list[ItemResult]:
    results = []
    for row in EXAMPLE["turns"]:
        got = "missing" if row["got"].startswith("missing") else row["got"]
        counts = {
            "facts": Count(k=row.get("covered", 0), n=row.get("facts", 0)),
            "citations": Count(k=row.get("allowed", 0), n=row.get("cites", 0)),
            "raw_numbers": Count(k=row.get("raw_bound", 0), n=row.get("raw_nums", 0)),
            "forbidden_citations": ("x",) * row.get("forbidden", 0),
        }
        results.append(result(row["id"], turn(row["expect"], got, **counts)))
    return results


@pytest.mark.parametrize("name", EXAMPLE["expected"])
def test_the_worked_example(name: str) -> None:
    found, expected = metrics_of(example()), EXAMPLE["expected"][name]
    if name == "forbidden_citations":
        assert found.forbidden_citations == expected
        return
    metric = found.rate(NAMES.get(name, name))
    assert (metric.k, metric.n) == (expected["k"], expected["n"])
    assert metric.value == (None if expected["value"] is None else pytest.approx(expected["value"], abs=0.00005))


def test_nothing_of_nothing_is_not_a_number() -> None:
    metric = metrics_of([result("a")]).rate("abstention_recall")
    assert (metric.n, metric.value, metric.interval) == (0, None, None)


def test_a_crash_is_wrong_and_never_dropped() -> None:
    found = metrics_of([result("a"), result("b", turn(got="missing", facts=(0, 2)))])
    assert found.rate("outcome_accuracy").value == 0.5
    assert found.rate("missing").value == 0.5
    assert (found.rate("citation_recall").k, found.rate("citation_recall").n) == (0, 2)


def test_an_item_weighs_one_however_many_turns_it_has() -> None:
    wrong = turn(got="clarification")
    found = metrics_of([result("long", *(wrong for _ in range(8))), result("short"), result("half", turn(), wrong)]).rate(
        "outcome_accuracy"
    )
    assert (found.k, found.n) == (1.5, 3)
    assert found.turns == Count(k=2, n=11)


def test_a_wrong_reason_is_no_right_refusal() -> None:
    found = metrics_of([result("a", turn("abstained:no_drug", "abstained:out_of_scope"))])
    assert found.rate("abstention_recall").value == 1.0
    assert found.rate("right_refusal_wrong_reason").value == 1.0
    assert found.rate("outcome_accuracy").value == 0.0


def test_the_order_of_results_changes_nothing() -> None:
    assert metrics_of(example(), resamples=300) == metrics_of(reversed(example()), resamples=300)
