"""Agreement: two raters (kappa, AC1), many raters with gaps (Krippendorff's alpha), a judge for people (PPI, alt-test).

Tables are people (rows) by judge (columns). Cells may be sums of weights where a rating counts for its share of an item.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import krippendorff as _krippendorff
import numpy as np
from numpy.typing import ArrayLike, NDArray

from duocthu_core.evaluation.statistics.intervals import Bootstrap, Interval, bootstrap_of


@dataclass(frozen=True)
class Estimate:
    """A value with its standard error and 95 % interval; ``value`` is None where it is undefined."""

    value: float | None
    standard_error: float | None = None
    interval: Interval | None = None


UNDEFINED = Estimate(None)


def percent_agreement(table: ArrayLike) -> float | None:
    """The share on the diagonal; None for an empty table."""
    cells = np.asarray(table, dtype=float)
    return float(np.trace(cells) / cells.sum()) if cells.sum() else None


def majority_baseline(table: ArrayLike) -> float | None:
    """How often somebody who always says the people's commonest label would agree with them; None for an empty table."""
    cells = np.asarray(table, dtype=float)
    return float(cells.sum(axis=1).max() / cells.sum()) if cells.sum() else None


def kappa(table: ArrayLike) -> Estimate:
    """Cohen's kappa with its asymptotic interval; undefined where one label only was used."""
    from statsmodels.stats.inter_rater import cohens_kappa

    cells = np.asarray(table, dtype=float)
    if cells.size == 0 or np.count_nonzero(cells.sum(axis=0) + cells.sum(axis=1)) < 2:
        return UNDEFINED
    with np.errstate(invalid="ignore", divide="ignore"):  # few ratings leave its variance undefined
        found = cast(Any, cohens_kappa(cells))
    if math.isnan(found.kappa):
        return UNDEFINED
    if math.isnan(found.std_kappa):
        return Estimate(float(found.kappa))
    return Estimate(float(found.kappa), float(found.std_kappa), Interval(float(found.kappa_low), float(found.kappa_upp)))


def ac1(table: ArrayLike) -> Estimate:
    """Gwet's AC1 and its interval (Gwet 2008, variance for two raters, t with n - 1 degrees); undefined for one label only."""
    from scipy.stats import t as student

    cells = np.asarray(table, dtype=float)
    if cells.size == 0:
        return UNDEFINED
    n, labels = cells.sum(), len(cells)
    shares = (cells.sum(axis=0) + cells.sum(axis=1)) / (2 * n) if n else np.zeros(labels)
    if labels < 2 or n == 0 or np.count_nonzero(shares) < 2:
        return UNDEFINED
    chance = float((shares * (1 - shares)).sum() / (labels - 1))
    agreed = float(np.trace(cells) / n)
    value = (agreed - chance) / (1 - chance)
    if n <= 1:
        return Estimate(value)
    spread = 0.0
    for row in range(labels):
        for column in range(labels):
            own = (float(row == column) - chance) / (1 - chance)
            own_chance = ((1 - shares[row]) + (1 - shares[column])) / 2 / (labels - 1)
            spread += cells[row, column] * (own - 2 * (1 - value) * (own_chance - chance) / (1 - chance) - value) ** 2
    error = math.sqrt(spread / (n * (n - 1)))
    half = float(student.ppf(0.975, n - 1)) * error
    return Estimate(value, error, Interval(max(-1.0, value - half), min(1.0, value + half)))


Level = Literal["nominal", "ordinal", "interval"]


def alpha(ratings: ArrayLike, level: Level = "nominal") -> float | None:
    """Krippendorff's alpha of raters x units, NaN where not rated; None where it is undefined (all equal, or no unit rated twice)."""
    try:
        found = float(_krippendorff.alpha(reliability_data=np.asarray(ratings, dtype=float), level_of_measurement=level))
    except ValueError:
        return None
    return None if math.isnan(found) else found


def alpha_bootstrap(ratings: ArrayLike, resamples: int = 2_000) -> Bootstrap:
    """Alpha over resampled units; ``undefined`` is the share of resamples in which all ratings are equal."""
    table = np.asarray(ratings, dtype=float)
    return bootstrap_of(table.shape[1], lambda drawn: alpha(table[:, drawn]), resamples=resamples)


@dataclass(frozen=True)
class PredictionPowered:
    """The true rate from a judge over everything, corrected by people over a random part of it."""

    value: float
    interval: Interval
    judge_mean: float
    human_mean: float


def prediction_powered(judge_all: ArrayLike, judge_labelled: ArrayLike, people_labelled: ArrayLike) -> PredictionPowered | None:
    """Prediction-powered inference of a mean (Angelopoulos and others 2023): the labelled part must be a random sample of the whole.

    None with fewer than two values on either side.
    """
    from scipy.stats import norm as normal

    everything = np.asarray(judge_all, dtype=float)
    judged, people = np.asarray(judge_labelled, dtype=float), np.asarray(people_labelled, dtype=float)
    if len(everything) < 2 or len(people) < 2:
        return None
    wrong = judged - people
    value = float(everything.mean() - wrong.mean())
    error = math.sqrt(everything.var(ddof=1) / len(everything) + wrong.var(ddof=1) / len(wrong))
    half = float(normal.ppf(0.975)) * error
    return PredictionPowered(value, Interval(value - half, value + half), float(everything.mean()), float(people.mean()))


def rogan_gladen(judge_mean: float, tpr: float, tnr: float) -> float | None:
    """The rate corrected for a judge's errors; undefined for a judge no better than a coin."""
    return None if tpr + tnr <= 1 else (judge_mean + tnr - 1) / (tpr + tnr - 1)


@dataclass(frozen=True)
class AltTestRow:
    """The judge against one reviewer: who agreed with the other reviewers."""

    annotator: str
    items: int
    mean_difference: float
    p: float
    advantage: float
    """Share of items on which the judge was at least as close to the others as this reviewer."""
    rejected: bool


@dataclass(frozen=True)
class AltTest:
    """Whether the judge may stand in for a reviewer: it may where the winning rate is at least one half."""

    rows: tuple[AltTestRow, ...]
    winning_rate: float
    advantage: float
    passed: bool


FEWEST_REVIEWERS, FEWEST_SHARED_ITEMS = 3, 30


def alt_test(closer: Sequence[tuple[str, Sequence[int], Sequence[int]]], epsilon: float) -> AltTest | None:
    """The alternative annotator test (Calderon and others 2025) with ``epsilon`` fixed before.

    ``closer``: reviewer, and per item whether the reviewer and whether the judge agreed with the others (1 or 0). None with fewer than
    three reviewers or thirty items of one of them.
    """
    from statsmodels.stats.multitest import multipletests

    if len(closer) < FEWEST_REVIEWERS or any(len(own) < FEWEST_SHARED_ITEMS for _, own, _ in closer):
        return None
    differences = [np.asarray(own, dtype=float) - np.asarray(judge, dtype=float) for _, own, judge in closer]
    p_values = [_below(difference, epsilon) for difference in differences]
    rejected = multipletests(p_values, alpha=0.05, method="fdr_by")[0]
    rows = tuple(
        AltTestRow(name, len(difference), float(difference.mean()), p, float((difference <= 0).mean()), bool(out))
        for (name, _, _), difference, p, out in zip(closer, differences, p_values, rejected, strict=True)
    )
    rate = sum(row.rejected for row in rows) / len(rows)
    return AltTest(rows, rate, sum(row.advantage for row in rows) / len(rows), rate >= 0.5)


def _below(difference: NDArray[np.float64], epsilon: float) -> float:
    from scipy.stats import ttest_1samp

    if difference.std() == 0:
        return 0.0 if difference.mean() < epsilon else 1.0
    return float(cast(Any, ttest_1samp(difference, epsilon, alternative="less")).pvalue)
