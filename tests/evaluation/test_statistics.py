"""Every value of the reference (tests/cases/statistics_reference.json) to four decimals."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.evaluation.statistics.agreement import (
    ac1,
    alpha,
    alpha_bootstrap,
    alt_test,
    kappa,
    majority_baseline,
    percent_agreement,
    prediction_powered,
    rogan_gladen,
)
from duocthu_core.evaluation.statistics.intervals import (
    Cluster,
    clopper_pearson,
    cluster_bootstrap,
    clustered_interval,
    clustered_standard_error,
    design_effect,
    exact_bootstrap,
    exact_summary,
    naive_standard_error,
    trials_needed,
    upper_bound,
    wilson,
)
from duocthu_core.evaluation.statistics.paired import holm, loss_upper_bound, mcnemar, pairs_needed, sign_flip
from tests.conftest import ROOT

REFERENCE = json.loads((ROOT / "tests" / "cases" / "statistics_reference.json").read_text(encoding="utf-8"))


def near(value):
    return pytest.approx(value, abs=0.00005 + 1e-9, nan_ok=True)


def rows(name: str, *keys: str):
    return pytest.mark.parametrize("row", REFERENCE[name], ids=lambda row: "-".join(str(row[key]) for key in keys))


def ratings(data) -> np.ndarray:
    return np.array([[np.nan if value is None else value for value in row] for row in data], dtype=float)


# --- rates


@rows("wilson", "k", "n")
def test_wilson_and_clopper_pearson(row) -> None:
    assert wilson(row["k"], row["n"]) == near(tuple(row["wilson"]))
    assert clopper_pearson(row["k"], row["n"]) == near(tuple(row["clopper_pearson"]))
    assert row["k"] / row["n"] == near(row["p"])


def test_wilson_reaches_its_ends_exactly() -> None:
    for name, (low, high) in REFERENCE["wilson_raw_edge"].items():
        k, n = map(int, name.split("/"))
        found = wilson(k, n)
        assert found == pytest.approx((float(low), float(high)), abs=1e-15)
        assert (found.low == 0.0) is (k == 0)
        assert (found.high == 1.0) is (k == n)


def test_nothing_of_nothing_has_no_interval() -> None:
    assert wilson(0, 0) is None
    assert clopper_pearson(0, 0) is None
    assert upper_bound(0, 0) is None
    assert clustered_interval({}) == (None, "undefined")


@rows("upper_bound", "k", "n")
def test_upper_bounds_of_rare_events(row) -> None:
    assert upper_bound(row["k"], row["n"]) == near(row["upper95_one_sided"])
    assert upper_bound(row["k"], row["n"], 0.975) == near(row["upper975"])


def test_all_events_leave_no_room_below_one() -> None:
    assert upper_bound(7, 7) == 1.0


@rows("n_needed_upper95", "target")
def test_trials_needed_for_an_upper_bound(row) -> None:
    assert [trials_needed(row["target"], events) for events in range(4)] == [row[f"events_{events}"] for events in range(4)]


@rows("design_effect", "m", "icc")
def test_design_effect(row) -> None:
    assert design_effect(row["m"], row["icc"]) == near(row["deff"])
    assert math.ceil(299 * design_effect(row["m"], row["icc"])) == row["n_turns_for_299_eff"]


# --- clusters


def _clusters(outcomes) -> dict[str, Cluster]:
    return {f"item-{number:02}": Cluster(sum(each), len(each)) for number, each in enumerate(outcomes)}


def _exact(outcomes):
    def pooled(drawn):
        return sum(sum(outcomes[at]) for at in drawn) / sum(len(outcomes[at]) for at in drawn)

    return exact_bootstrap(len(outcomes), pooled)


def test_a_cluster_bootstrap_draws_whole_items() -> None:
    expected = REFERENCE["cluster_bootstrap"]
    values, weights = _exact(expected["clusters"])
    found = exact_summary(values, weights)
    assert (found.mean, found.standard_error) == near((expected["exact_bootstrap_mean"], expected["exact_bootstrap_se"]))
    assert float(weights[values <= 0.25].sum()) == near(expected["share_of_resamples_le_0_25"])
    assert float(weights[values == 1].sum()) == near(expected["share_of_resamples_eq_1"])
    sampled = cluster_bootstrap(_clusters(expected["clusters"]))
    assert sampled.standard_error == pytest.approx(expected["exact_bootstrap_se"], abs=0.003)
    flat = [value for cluster in expected["clusters"] for value in cluster]
    assert sum(flat) / len(flat) == near(expected["turn_mean"])
    assert naive_standard_error(flat) == near(expected["naive_se"])
    assert clustered_standard_error(expected["clusters"]) == near(expected["cluster_robust_se_statsmodels"])
    means = [[sum(cluster) / len(cluster)] for cluster in expected["clusters"]]
    found = exact_summary(*_exact(means))
    assert sum(mean for (mean,) in means) / len(means) == near(expected["item_mean"])
    assert found.standard_error == near(expected["item_mean_exact_bootstrap_se"])


def test_ten_conversations_of_four_equal_turns_are_ten_not_forty() -> None:
    expected = REFERENCE["cluster_duplicates"]
    outcomes = [[1] * 4] * 8 + [[0] * 4] * 2
    found = exact_summary(*_exact(outcomes))
    assert found.standard_error == near(expected["exact_cluster_bootstrap_se"])
    assert found.interval == tuple(expected["exact_percentile95"])
    for seed in range(5):
        assert cluster_bootstrap(_clusters(outcomes), seed=seed).interval == (0.5, 1.0)
    assert clustered_standard_error(outcomes) == near(expected["cluster_robust_se"])
    flat = [value for cluster in outcomes for value in cluster]
    assert naive_standard_error(flat) == pytest.approx(expected["naive_se"], abs=0.0001)
    assert wilson(8, 10) == near(tuple(expected["wilson_on_10"]))
    assert wilson(32, 40) == near(tuple(expected["wilson_on_40_wrong"]))
    assert clustered_interval(_clusters(outcomes)) == ((0.5, 1.0), "bootstrap")


def test_one_turn_an_item_is_wilson_and_few_or_equal_items_are_never_without_width() -> None:
    assert clustered_interval({str(n): Cluster(float(n < 8), 1) for n in range(10)}) == (wilson(8, 10), "wilson")
    assert clustered_interval({str(n): Cluster(3, 3) for n in range(30)}) == (wilson(30, 30), "wilson_items")
    interval, how = clustered_interval({str(n): Cluster(n % 3, 2) for n in range(6)})
    assert how == "wilson_items"
    assert interval == wilson(3, 6)


def test_items_without_a_trial_change_nothing() -> None:
    clusters = {str(n): Cluster(n % 2, 2) for n in range(12)}
    assert clustered_interval(clusters | {"empty": Cluster(0, 0)}) == clustered_interval(clusters)


@given(st.permutations([("a", Cluster(1, 2)), ("b", Cluster(0, 3)), ("c", Cluster(4, 4)), ("d", Cluster(1, 1))]))
def test_the_order_of_items_changes_no_interval(items) -> None:
    assert cluster_bootstrap(dict(items), resamples=200) == cluster_bootstrap(dict(sorted(items)), resamples=200)


# --- pairs


@rows("mcnemar", "b", "c")
def test_mcnemar(row) -> None:
    found = mcnemar(row["b"], row["c"])
    assert (found.exact, found.midp) == near((row["exact"], row["midp"]))
    assert (found.chi2, found.chi2_corrected) == ((None, None) if row["chi2"] is None else near((row["chi2"], row["chi2_corrected"])))


def test_as_many_better_as_worse_is_no_difference() -> None:
    assert mcnemar(3, 3).midp == REFERENCE["mcnemar_trap"]["right_for_3_3"]
    assert mcnemar(5, 0).worse == near(REFERENCE["mcnemar_min_discordant"]["exact_one_sided_0_vs_5"])
    assert mcnemar(0, 6).exact < 0.05 <= mcnemar(0, 5).exact
    assert mcnemar(0, 5).midp < 0.05 <= mcnemar(0, 4).midp


def test_sign_flips_of_item_sums() -> None:
    expected = REFERENCE["signflip"]
    found = sign_flip(expected["conversation_differences"])
    assert (found.total, found.as_far, found.patterns) == (expected["sum"], expected["count"], expected["of"])
    assert found.p == near(expected["exact_two_sided"])
    assert mcnemar(expected["c"], expected["b"]).exact == near(expected["naive_turn_level_mcnemar_exact"])
    assert sign_flip([]).p == sign_flip([0, 0]).p == 1.0


def test_many_items_are_flipped_exactly() -> None:
    assert sign_flip([-1] * 200).worse == pytest.approx(2.0**-200)


@rows("n_pairs_mcnemar_80", "discordant", "delta")
def test_pairs_needed(row) -> None:
    assert pairs_needed(row["discordant"], row["delta"]) == row["n"]


def test_holm_and_the_bound_of_a_loss() -> None:
    assert holm({"dose": 0.01, "refuse": 0.04, "band": 0.03}) == near({"dose": 0.03, "refuse": 0.06, "band": 0.06})
    assert holm({}) == {}
    assert loss_upper_bound(0, 0, 0) is None
    small, large = loss_upper_bound(0, 0, 20), loss_upper_bound(0, 0, 400)
    assert small is not None
    assert large is not None
    assert small > 0.03 > large > 0


# --- agreement


@rows("kappa_ac1", "name")
def test_kappa_and_ac1(row) -> None:
    found = kappa(row["table"])
    assert (found.value, found.standard_error) == near((row["kappa"], row["se_kappa"]))
    assert found.interval == near(tuple(row["kappa_ci"]))
    gwet = ac1(row["table"])
    assert gwet.value == near(row["ac1"]) == near(row["ac1_irrCAC"])
    assert gwet.interval == near(tuple(row["ac1_ci_irrCAC"]))
    assert percent_agreement(row["table"]) == near(row["percent_agreement"])
    assert majority_baseline(row["table"]) == near(row["majority_baseline"])


@pytest.mark.parametrize("table", [[[60, 0], [0, 0]], [[0, 0], [0, 7]], [[0, 0], [0, 0]], [[5]], []])
def test_one_label_only_is_undefined_never_one(table) -> None:
    assert kappa(table).value is None
    assert ac1(table).value is None


@rows("krippendorff", "name")
def test_krippendorff_counts_units_with_gaps(row) -> None:
    data = ratings(row["data"])
    assert [alpha(data, level) for level in ("nominal", "ordinal", "interval")] == near(
        [row[level] for level in ("nominal", "ordinal", "interval")]
    )
    complete = data[:, ~np.isnan(data).any(axis=0)]
    assert alpha(complete) == near(row["nominal_if_units_with_gaps_dropped (wrong)"])


def test_alpha_of_equal_ratings_or_of_no_pair_is_undefined() -> None:
    assert alpha(ratings([[1, 1, 1], [1, 1, 1]])) is None
    assert alpha(ratings([[1, None, 0], [None, 1, None]])) is None


def test_alpha_of_two_raters() -> None:
    for name, table in (("balanced", REFERENCE["kappa_ac1"][0]["table"]), ("paradox", REFERENCE["kappa_ac1"][1]["table"])):
        pairs = [(row, column) for row in (0, 1) for column in (0, 1) for _ in range(table[row][column])]
        assert alpha(np.array(pairs).T) == near(REFERENCE[f"alpha_two_raters_{name}"])


def test_resamples_without_an_alpha_are_counted_not_replaced() -> None:
    expected = REFERENCE["alpha_bootstrap_exact"]
    data = ratings(expected["data"])
    found = exact_summary(*exact_bootstrap(5, lambda drawn: alpha(data[:, drawn])))
    assert alpha(data) == near(expected["alpha"])
    assert (found.undefined, found.mean, found.standard_error) == near(
        (expected["undefined_share"], expected["mean_defined"], expected["se_defined"])
    )
    assert alpha_bootstrap(data, 1000).undefined == pytest.approx(expected["undefined_share"], abs=0.03)


def test_the_true_rate_from_a_judge_and_a_sample() -> None:
    expected = REFERENCE["ppi"]
    cells = [((1, 1), 53), ((1, 0), 3), ((0, 1), 1), ((0, 0), 3)]
    judge, people = np.array([pair for pair, times in cells for _ in range(times)]).T
    everything = np.array([1] * expected["judge_ok"] + [0] * (expected["N"] - expected["judge_ok"]))
    found = prediction_powered(everything, judge, people)
    assert found is not None
    assert (found.value, found.judge_mean, found.human_mean) == near((expected["ppi"], expected["judge_mean"], expected["human_only"]))
    assert found.interval == near(tuple(expected["ppi_ci"]))
    assert wilson(54, 60) == near(tuple(expected["human_only_wilson"]))
    assert wilson(3, 6) == near(tuple(expected["tnr_wilson"]))
    assert rogan_gladen(expected["judge_mean"], 53 / 54, 0.5) == near(expected["rogan_gladen"])
    assert percent_agreement([[53, 1], [3, 3]]) == near(expected["judge_accuracy"])
    assert majority_baseline([[53, 1], [3, 3]]) == near(expected["majority_baseline"])
    assert rogan_gladen(0.9, 0.5, 0.5) is None
    assert prediction_powered([1], [1], [1]) is None


@pytest.mark.parametrize("epsilon", [0.2, 0.1])
def test_a_judge_for_a_reviewer(epsilon: float) -> None:
    expected, key = REFERENCE["alt_test"], f"eps_0_{round(epsilon * 100)}"
    closer = [
        (
            row["annotator"],
            [1] * row["human_only"] + [0] * row["judge_only"] + [1] * row["ties"],
            [0] * row["human_only"] + [1] * row["judge_only"] + [1] * row["ties"],
        )
        for row in expected["rows"]
    ]
    found = alt_test(closer, epsilon)
    assert found is not None
    assert [row.p for row in found.rows] == near([row[f"p_{key}"] for row in expected["rows"]])
    assert [row.mean_difference for row in found.rows] == near([row["mean_diff"] for row in expected["rows"]])
    assert [row.advantage for row in found.rows] == near([row["rho"] for row in expected["rows"]])
    assert found.winning_rate == near(expected[f"winning_rate_{key}"])
    assert found.advantage == near(expected["avg_advantage_probability"])
    assert not found.passed


def test_the_alt_test_needs_three_reviewers_and_thirty_items() -> None:
    same = [1] * 30
    assert alt_test([("A", same, same), ("B", same, same)], 0.2) is None
    assert alt_test([(name, same[:29], same[:29]) for name in "ABC"], 0.2) is None
    found = alt_test([(name, same, same) for name in "ABC"], 0.2)
    assert found is not None
    assert [row.p for row in found.rows] == [float(REFERENCE["alt_test_zero_variance_p"])] * 3
