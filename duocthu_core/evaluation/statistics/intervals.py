"""Intervals of rates: one outcome an item, outcomes in clusters (turns of a conversation), and rare events."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000
SEED = 20_180
FEWEST_CLUSTERS = 10
"""Below this a percentile bootstrap is too narrow; the items are taken as they are."""
_CHUNK = 250


class Interval(NamedTuple):
    """Two ends of a 95 % interval."""

    low: float
    high: float


class Cluster(NamedTuple):
    """An item's successes and trials: what belongs together when items are drawn."""

    k: float
    n: float


def wilson(k: float, n: float) -> Interval | None:
    """Wilson's 95 % interval of ``k`` of ``n``, None for n = 0. ``k`` may be a sum of shares (several turns an item)."""
    from scipy.stats import binomtest
    from statsmodels.stats.proportion import proportion_confint

    if n == 0:
        return None
    if float(k).is_integer() and float(n).is_integer():
        found = binomtest(int(k), int(n)).proportion_ci(method="wilson")
        return Interval(float(found.low), float(found.high))
    low, high = cast(Any, proportion_confint(k, n, method="wilson"))
    return Interval(float(low), float(high))


def clopper_pearson(k: int, n: int) -> Interval | None:
    """The exact 95 % interval of ``k`` of ``n``, None for n = 0."""
    from scipy.stats import binomtest

    if n == 0:
        return None
    found = binomtest(k, n).proportion_ci(method="exact")
    return Interval(float(found.low), float(found.high))


def upper_bound(k: int, n: int, confidence: float = 0.95) -> float | None:
    """The exact one-sided upper bound of a rate of which ``k`` of ``n`` were seen; None for n = 0."""
    from scipy.stats import beta

    if n == 0:
        return None
    return 1.0 if k >= n else float(beta.ppf(confidence, k + 1, n - k))


def trials_needed(target: float, events: int = 0, confidence: float = 0.95) -> int:
    """How many trials with ``events`` events put the upper bound at ``target`` or below."""
    low, high = events + 1, 2
    while (upper_bound(events, max(high, low)) or 0) > target:
        high *= 2
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if (upper_bound(events, middle, confidence) or 0) <= target else (middle + 1, high)
    return low


def design_effect(turns_an_item: float, icc: float) -> float:
    """By how much turns of one conversation, alike by ``icc``, are worth less than turns of their own: 1 + (m - 1) x ICC."""
    return 1 + (turns_an_item - 1) * icc


@dataclass(frozen=True)
class Bootstrap:
    """What resampling whole items gave. ``undefined`` is the share of resamples without a value, which are left out, never replaced."""

    mean: float | None
    standard_error: float | None
    interval: Interval | None
    undefined: float = 0.0
    resamples: int = 0


def cluster_bootstrap(clusters: Mapping[str, Cluster], *, resamples: int = RESAMPLES, seed: int = SEED) -> Bootstrap:
    """Percentile bootstrap of Σk / Σn over whole items, ids sorted, so that one seed gives one result."""
    if not clusters:
        return Bootstrap(None, None, None)
    ordered = np.array([clusters[name] for name in sorted(clusters)], dtype=float)
    dice = np.random.default_rng(seed)
    values: list[NDArray[np.float64]] = []
    for start in range(0, resamples, _CHUNK):
        drawn = dice.integers(0, len(ordered), (min(_CHUNK, resamples - start), len(ordered)))
        totals = ordered[drawn].sum(axis=1)
        values.append(np.divide(totals[:, 0], totals[:, 1], out=np.full(len(totals), np.nan), where=totals[:, 1] > 0))
    return _summary(np.concatenate(values), np.ones(resamples))


def bootstrap_of(count: int, statistic: Callable[[NDArray[np.intp]], float | None], *, resamples: int, seed: int = SEED) -> Bootstrap:
    """Percentile bootstrap of any statistic of drawn item positions; None counts as undefined."""
    if count == 0:
        return Bootstrap(None, None, None)
    dice = np.random.default_rng(seed)
    found = [statistic(dice.integers(0, count, count)) for _ in range(resamples)]
    return _summary(np.array([math.nan if value is None else value for value in found]), np.ones(resamples))


def exact_bootstrap(count: int, statistic: Callable[[NDArray[np.intp]], float | None]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Every resample of ``count`` items (each multiset once) as values and probabilities: no dice. For few items only."""
    values, weights = [], []
    for drawn in itertools.combinations_with_replacement(range(count), count):
        value = statistic(np.array(drawn))
        values.append(math.nan if value is None else value)
        ways = math.factorial(count)
        for repeats in np.bincount(drawn):
            ways //= math.factorial(int(repeats))
        weights.append(ways)
    return np.array(values), np.array(weights) / float(count**count)


def exact_summary(values: NDArray[np.float64], weights: NDArray[np.float64]) -> Bootstrap:
    """Mean, standard error and percentile interval of an enumerated distribution."""
    return _summary(values, weights)


def clustered_interval(clusters: Mapping[str, Cluster], *, resamples: int = RESAMPLES, seed: int = SEED) -> tuple[Interval | None, str]:
    """The 95 % interval of Σk / Σn and how it was made: ``wilson`` for one trial an item, ``bootstrap``, or ``wilson_items`` where items
    are fewer than ten or all alike (a bootstrap of equal items has no width)."""
    counted = {name: cluster for name, cluster in clusters.items() if cluster.n > 0}
    trials = sum(cluster.n for cluster in counted.values())
    if not counted:
        return None, "undefined"
    k = sum(cluster.k for cluster in counted.values())
    if all(cluster.n == 1 and cluster.k in (0, 1) for cluster in counted.values()):
        return wilson(k, trials), "wilson"
    shares = {cluster.k / cluster.n for cluster in counted.values()}
    if len(counted) < FEWEST_CLUSTERS or len(shares) == 1:
        return wilson(len(counted) * k / trials, len(counted)), "wilson_items"
    return cluster_bootstrap(counted, resamples=resamples, seed=seed).interval, "bootstrap"


def naive_standard_error(values: Sequence[float]) -> float:
    """The standard error that takes every turn for independent: shown beside the clustered one, to say what clustering costs."""
    return float(np.std(values, ddof=1) / math.sqrt(len(values)))


def clustered_standard_error(clusters: Sequence[Sequence[float]]) -> float:
    """The cluster-robust standard error of the mean over turns."""
    from statsmodels.regression.linear_model import OLS

    outcomes = np.array([value for cluster in clusters for value in cluster], dtype=float)
    groups = np.array([number for number, cluster in enumerate(clusters) for _ in cluster])
    fitted = OLS(outcomes, np.ones(len(outcomes))).fit(cov_type="cluster", cov_kwds={"groups": groups})
    return float(np.asarray(fitted.bse)[0])


def _summary(values: NDArray[np.float64], weights: NDArray[np.float64]) -> Bootstrap:
    weights = weights / weights.sum()
    defined = ~np.isnan(values)
    share = float(weights[~defined].sum())
    if not defined.any():
        return Bootstrap(None, None, None, share, len(values))
    kept, worth = values[defined], weights[defined] / weights[defined].sum()
    mean = float((kept * worth).sum())
    order = np.argsort(kept, kind="stable")
    reached = np.cumsum(worth[order])
    low, high = (float(kept[order][min(np.searchsorted(reached, at - 1e-12), len(kept) - 1)]) for at in (0.025, 0.975))
    return Bootstrap(mean, math.sqrt(float(((kept - mean) ** 2 * worth).sum())), Interval(low, high), share, len(values))
