"""The judge against people: how often it is right, by how much it beats the commonest answer, and when that knowledge expires.

Only blind first verdicts on claims of a random sample enter. "Cannot tell" is no rating: its share is shown. Every item weighs 1, so that
a long answer does not count for more than a short one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from duocthu_core.evaluation.results import Count
from duocthu_core.evaluation.statistics.agreement import (
    AltTest,
    ac1,
    alpha,
    alt_test,
    kappa,
    majority_baseline,
    prediction_powered,
)
from duocthu_core.evaluation.statistics.intervals import Bootstrap, Cluster, bootstrap_of, clustered_interval, wilson

RESAMPLES = 2_000


class ReviewedVerdict(Protocol):
    """A person's blind first verdict on a claim, and what the judge had said of it."""

    @property
    def item_id(self) -> str:
        """The turn: what is drawn and weighed."""
        ...

    @property
    def claim_id(self) -> str: ...

    @property
    def reviewer(self) -> str: ...

    @property
    def verdict(self) -> Literal["right", "wrong", "cannot_tell"]: ...

    @property
    def judge_status(self) -> Literal["supported", "unsupported", "not_run"]:
        """Made of the judge's raw verdict."""
        ...

    @property
    def judge_model(self) -> str: ...

    @property
    def prompt_hash(self) -> str: ...

    @property
    def stratum(self) -> Literal["random", "targeted"]: ...


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Rate(_Frozen):
    """A value with its 95 % interval; None is "undefined"."""

    value: float | None
    interval: tuple[float, float] | None = None
    k: float | None = None
    n: float | None = None


class Confusion(_Frozen):
    """People (rows) by judge (columns), in claims."""

    right_supported: int = 0
    right_unsupported: int = 0
    wrong_supported: int = 0
    """The dangerous cell: people say wrong, the judge let it pass."""
    wrong_unsupported: int = 0

    @property
    def table(self) -> list[list[int]]:
        """Rows right, wrong; columns supported, unsupported."""
        return [[self.right_supported, self.right_unsupported], [self.wrong_supported, self.wrong_unsupported]]


class JudgeAgreement(_Frozen):
    """How the judge and people agree, bound to one judge model and prompt."""

    judge_model: str
    prompt_hash: str
    expired: tuple[Literal["judge_model", "prompt_hash"], ...] = ()
    """What changed since: the figures are of the past, and no confidence is shown from them."""
    items: int
    claims: int
    reviewers: int
    targeted_left_out: int
    cannot_tell: Count
    not_run: int
    """Claims that the judge never judged; no row of the confusion."""
    undecided: int
    """Claims on which reviewers were split evenly: waiting for adjudication."""
    confusion: Confusion
    accuracy: Rate
    majority: Rate
    tpr: Rate
    """Of claims that people call right, the share that the judge supports."""
    tnr: Rate
    """Of claims that people call wrong, the share that the judge does not support."""
    kappa: Rate
    kappa_undefined: float = 0.0
    """Share of resamples without a kappa."""
    kappa_asymptotic: Rate
    ac1: Rate
    alpha: Rate
    """Krippendorff's, between reviewers; weighs claims with at least two ratings."""
    alpha_undefined: float = 0.0
    true_rate: Rate
    """Share of right claims over everything judged, by the judge corrected by people (PPI); random sample only."""


class Agreed(_Frozen):
    """A claim with what people make of it together."""

    item_id: str
    claim_id: str
    right: bool
    supported: bool


def judge_agreement(
    verdicts: Iterable[ReviewedVerdict],
    *,
    judge_model: str,
    prompt_hash: str,
    current_judge_model: str | None = None,
    current_prompt_hash: str | None = None,
    judged_all: Sequence[bool] = (),
    resamples: int = RESAMPLES,
) -> JudgeAgreement:
    """Agreement over the verdicts on what ``judge_model`` said under ``prompt_hash``.

    ``current_…`` is what judges now: where it differs, the result is marked expired. ``judged_all`` says of every claim that this judge
    judged whether it supported it; with it the true rate is estimated.
    """
    own = [verdict for verdict in verdicts if (verdict.judge_model, verdict.prompt_hash) == (judge_model, prompt_hash)]
    random = [verdict for verdict in own if verdict.stratum == "random"]
    rated = [verdict for verdict in random if verdict.verdict != "cannot_tell"]
    agreed, undecided, not_run = _agreed(rated)
    weights = _weights(agreed)
    estimates = _between(agreed, resamples)
    alphas, spread = _alpha(rated, resamples)
    current = {"judge_model": (current_judge_model, judge_model), "prompt_hash": (current_prompt_hash, prompt_hash)}
    return JudgeAgreement(
        judge_model=judge_model,
        prompt_hash=prompt_hash,
        expired=tuple(name for name, (now, then) in current.items() if now is not None and now != then),  # type: ignore[misc]
        items=len({claim.item_id for claim in agreed}),
        claims=len(agreed),
        reviewers=len({verdict.reviewer for verdict in rated}),
        targeted_left_out=len(own) - len(random),
        cannot_tell=Count(k=len(random) - len(rated), n=len(random)),
        not_run=not_run,
        undecided=undecided,
        confusion=_confusion(agreed),
        accuracy=_share(agreed, weights, lambda _: True, lambda claim: claim.right == claim.supported),
        majority=Rate(value=majority_baseline(_weighted_table(agreed, weights)) if agreed else None),
        tpr=_share(agreed, weights, lambda claim: claim.right, lambda claim: claim.supported),
        tnr=_share(agreed, weights, lambda claim: not claim.right, lambda claim: not claim.supported),
        **estimates,
        alpha=alphas,
        alpha_undefined=spread.undefined,
        true_rate=_true_rate(agreed, judged_all),
    )


def bindings(verdicts: Iterable[ReviewedVerdict]) -> list[tuple[str, str, int]]:
    """Every judge model and prompt hash that people's verdicts speak of, with their number, the most first."""
    found = Counter((verdict.judge_model, verdict.prompt_hash) for verdict in verdicts)
    return [(model, prompt, count) for (model, prompt), count in found.most_common()]


def _agreed(rated: Sequence[ReviewedVerdict]) -> tuple[list[Agreed], int, int]:
    """One label a claim: the majority of its reviewers. An even split has none yet; an unjudged claim says nothing of the judge."""
    by_claim: defaultdict[tuple[str, str], list[ReviewedVerdict]] = defaultdict(list)
    for verdict in rated:
        by_claim[verdict.item_id, verdict.claim_id].append(verdict)
    agreed: list[Agreed] = []
    undecided = not_run = 0
    for (item_id, claim_id), given in sorted(by_claim.items(), key=lambda entry: entry[0]):
        right = sum(1 if verdict.verdict == "right" else -1 for verdict in given)
        if given[0].judge_status == "not_run":
            not_run += 1
        elif right == 0:
            undecided += 1
        else:
            agreed.append(Agreed(item_id=item_id, claim_id=claim_id, right=right > 0, supported=given[0].judge_status == "supported"))
    return agreed, undecided, not_run


def _weights(agreed: Sequence[Agreed]) -> list[float]:
    sizes = Counter(claim.item_id for claim in agreed)
    return [1 / sizes[claim.item_id] for claim in agreed]


def _weighted_table(agreed: Sequence[Agreed], weights: Sequence[float]) -> NDArray[np.float64]:
    table = np.zeros((2, 2))
    for claim, weight in zip(agreed, weights, strict=True):
        table[int(not claim.right), int(not claim.supported)] += weight
    return table


def _confusion(agreed: Sequence[Agreed]) -> Confusion:
    cells = Counter((claim.right, claim.supported) for claim in agreed)
    return Confusion(
        right_supported=cells[True, True],
        right_unsupported=cells[True, False],
        wrong_supported=cells[False, True],
        wrong_unsupported=cells[False, False],
    )


def _between(agreed: Sequence[Agreed], resamples: int) -> dict:
    """Kappa and AC1 of the weighted table. The interval of kappa draws whole items; the asymptotic one is of the unweighted cells."""
    by_item: defaultdict[str, list[Agreed]] = defaultdict(list)
    for claim in agreed:
        by_item[claim.item_id].append(claim)
    tables = np.array([_weighted_table(found, _weights(found)) for _, found in sorted(by_item.items())])
    whole = tables.sum(axis=0) if len(tables) else np.zeros((2, 2))
    spread = bootstrap_of(len(tables), lambda drawn: kappa(tables[drawn].sum(axis=0)).value, resamples=resamples)
    plain = kappa(_confusion(agreed).table)
    gwet = ac1(whole)
    value = kappa(whole).value
    return {
        "kappa": Rate(value=value, interval=spread.interval if value is not None else None),
        "kappa_undefined": spread.undefined,
        "kappa_asymptotic": Rate(value=plain.value, interval=plain.interval),
        "ac1": Rate(value=gwet.value, interval=gwet.interval),
    }


def _share(agreed: Sequence[Agreed], weights: Sequence[float], among, hit) -> Rate:
    clusters: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for claim, weight in zip(agreed, weights, strict=True):
        if among(claim):
            clusters[claim.item_id][0] += weight * hit(claim)
            clusters[claim.item_id][1] += weight
    k, n = sum(cell[0] for cell in clusters.values()), sum(cell[1] for cell in clusters.values())
    if not n:
        return Rate(value=None)
    interval, how = clustered_interval({name: Cluster(*cell) for name, cell in clusters.items()})
    if how == "wilson_items":
        interval = wilson(k / n * len(clusters), len(clusters))
    return Rate(value=k / n, interval=interval, k=k, n=n)


def _alpha(rated: Sequence[ReviewedVerdict], resamples: int) -> tuple[Rate, Bootstrap]:
    """Between reviewers, over the claims; the interval draws whole items."""
    reviewers = sorted({verdict.reviewer for verdict in rated})
    claims = sorted({(verdict.item_id, verdict.claim_id) for verdict in rated})
    if len(reviewers) < 2 or not claims:
        return Rate(value=None), Bootstrap(None, None, None)
    table = np.full((len(reviewers), len(claims)), np.nan)
    rows, columns = {name: row for row, name in enumerate(reviewers)}, {claim: column for column, claim in enumerate(claims)}
    for verdict in rated:
        table[rows[verdict.reviewer], columns[verdict.item_id, verdict.claim_id]] = float(verdict.verdict == "right")
    items = sorted({item_id for item_id, _ in claims})
    of_item = [np.array([columns[claim] for claim in claims if claim[0] == item_id]) for item_id in items]
    spread = bootstrap_of(len(items), lambda drawn: alpha(table[:, np.concatenate([of_item[at] for at in drawn])]), resamples=resamples)
    value = alpha(table)
    return Rate(value=value, interval=spread.interval if value is not None else None), spread


def _true_rate(agreed: Sequence[Agreed], judged_all: Sequence[bool]) -> Rate:
    found = prediction_powered(judged_all, [claim.supported for claim in agreed], [claim.right for claim in agreed])
    if found is None or len(judged_all) < len(agreed):
        return Rate(value=None)
    low, high = (min(1.0, max(0.0, end)) for end in found.interval)
    return Rate(value=min(1.0, max(0.0, found.value)), interval=(low, high))


def may_replace_a_reviewer(verdicts: Iterable[ReviewedVerdict], epsilon: float) -> AltTest | None:
    """The alternative annotator test over claims that at least three people rated; ``epsilon`` is fixed before anybody looks.

    On each claim, whoever agrees with more of the other reviewers is closer to them, the reviewer or the judge; both on a tie. None with
    fewer than three reviewers or thirty claims of one of them.
    """
    by_claim: defaultdict[tuple[str, str], dict[str, ReviewedVerdict]] = defaultdict(dict)
    for verdict in verdicts:
        if verdict.stratum == "random" and verdict.verdict != "cannot_tell" and verdict.judge_status != "not_run":
            by_claim[verdict.item_id, verdict.claim_id].setdefault(verdict.reviewer, verdict)
    own: defaultdict[str, list[int]] = defaultdict(list)
    judged: defaultdict[str, list[int]] = defaultdict(list)
    for given in (given for _, given in sorted(by_claim.items()) if len(given) >= 3):
        for reviewer, verdict in sorted(given.items()):
            others = [other.verdict == "right" for name, other in given.items() if name != reviewer]
            person = sum(other == (verdict.verdict == "right") for other in others)
            judge = sum(other == (verdict.judge_status == "supported") for other in others)
            own[reviewer].append(int(person >= judge))
            judged[reviewer].append(int(judge >= person))
    return alt_test([(reviewer, own[reviewer], judged[reviewer]) for reviewer in sorted(own)], epsilon)
