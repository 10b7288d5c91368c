"""Two runs over the same items: McNemar, sign flips of item sums, many tests at once, and how many pairs a test needs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast


@dataclass(frozen=True)
class McNemar:
    """``b``: right before, wrong after; ``c``: the reverse. ``worse`` is the one-sided exact p that "after" is no worse."""

    b: int
    c: int
    exact: float
    midp: float
    worse: float
    chi2: float | None
    chi2_corrected: float | None


def mcnemar(b: int, c: int) -> McNemar:
    """Exact, mid-p and chi-squared p values of ``b`` against ``c`` discordant pairs; no discordant pair is p = 1."""
    from scipy.stats import binom, binomtest
    from statsmodels.stats.contingency_tables import mcnemar as test

    n, least = b + c, min(b, c)
    table = [[0, b], [c, 0]]
    exact = 1.0 if n == 0 else _p(test(table, exact=True))
    # Mid-p is exact - pmf only where b and c differ: for b = c the two tails overlap (3, 3 would give .6875).
    midp = 1.0 if b == c else min(1.0, 2 * float(binom.cdf(least, n, 0.5) - 0.5 * binom.pmf(least, n, 0.5)))
    worse = 1.0 if n == 0 else float(binomtest(b, n, 0.5, alternative="greater").pvalue)
    chi2, corrected = (None, None) if n == 0 else (_p(test(table, exact=False, correction=how)) for how in (False, True))
    return McNemar(b, c, exact, midp, worse, chi2, corrected)


@dataclass(frozen=True)
class SignFlip:
    """Item differences summed, and the share of sign patterns whose sum is at least as far from 0."""

    total: int
    patterns: int
    as_far: int
    p: float
    worse: float
    """One-sided: the share of patterns whose sum is at most the observed one (differences are after - before)."""


def sign_flip(differences: Sequence[int]) -> SignFlip:
    """The exact sign-flip test over the sums of items. The distribution of all 2**j sums is convolved, so that j may be large."""
    sizes = [abs(difference) for difference in differences if difference]
    total = sum(differences)
    sums: Counter[int] = Counter({0: 1})
    for size in sizes:
        spread: Counter[int] = Counter()
        for reached, ways in sums.items():
            spread[reached + size] += ways
            spread[reached - size] += ways
        sums = spread
    patterns = 2 ** len(sizes)
    as_far = sum(ways for reached, ways in sums.items() if abs(reached) >= abs(total))
    as_low = sum(ways for reached, ways in sums.items() if reached <= total)
    return SignFlip(total, patterns, as_far, as_far / patterns, as_low / patterns)


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's adjusted p values of tests made at once (slices)."""
    from statsmodels.stats.multitest import multipletests

    if not p_values:
        return {}
    adjusted = cast(Any, multipletests(list(p_values.values()), method="holm")[1])
    return {name: float(value) for name, value in zip(p_values, adjusted, strict=True)}


def loss_upper_bound(b: int, c: int, pairs: int, confidence: float = 0.95) -> float | None:
    """One-sided upper bound of the loss (b - c) / pairs: Wald's with half a pair added to each cell (Agresti and Min 2005).

    The plain one says 0 ± 0 where no pair differs. None for no pairs.
    """
    from scipy.stats import norm as normal

    if pairs == 0:
        return None
    n = pairs + 2
    difference = (b - c) / n
    spread = math.sqrt(max(0.0, (b + c + 1) / n - difference**2) / n)
    return min(1.0, difference + float(normal.ppf(confidence)) * spread)


def pairs_needed(discordant: float, difference: float, power: float = 0.8) -> int:
    """How many pairs McNemar's test (two-sided, 5 %) needs for ``difference`` at a share of ``discordant`` pairs (Connor 1987)."""
    from scipy.stats import norm as normal

    spread = math.sqrt(discordant - difference**2)
    needed = (float(normal.ppf(0.975)) * math.sqrt(discordant) + float(normal.ppf(power)) * spread) ** 2 / difference**2
    return math.ceil(needed)


def _p(result: object) -> float:
    return float(cast(Any, result).pvalue)
