"""Blind first verdicts of the review as the evaluation reads them, and the agreement of people with the judge of now or of before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from duocthu_core.evaluation.judge_agreement import RESAMPLES, JudgeAgreement, bindings, judge_agreement
from duocthu_core.review.model import WHOLE_TURN, BlindVerdict, Judgement, Stratum, VerdictFilters
from duocthu_core.review.reviewing import Reviewing

_EVERYTHING = VerdictFilters()


class JudgeAsAsked(NamedTuple):
    """What agreement is bound to: another model, or another prompt, is another judge."""

    model: str
    """``provider/model``."""
    prompt_hash: str


@dataclass(frozen=True)
class PeopleVerdict:
    """A person's blind verdict on a claim that the judge was asked about: a ``ReviewedVerdict`` of the evaluation."""

    item_id: str
    claim_id: str
    reviewer: str
    verdict: Judgement
    judge_status: Literal["supported", "unsupported", "not_run"]
    judge_model: str
    prompt_hash: str
    stratum: Stratum


def people_verdict(said: BlindVerdict) -> PeopleVerdict | None:
    """``said`` for the evaluation; None for the question whether a whole turn was right, and where no judge was asked."""
    if said.claim_index == WHOLE_TURN or said.judge_status is None or not said.judge_model or not said.prompt_hash:
        return None
    return PeopleVerdict(
        item_id=said.trace_id,
        claim_id=str(said.claim_index),
        reviewer=said.reviewer,
        verdict=said.verdict,
        judge_status=said.judge_status,
        judge_model=said.judge_model,
        prompt_hash=said.prompt_hash,
        stratum=said.stratum,
    )


def verdicts_of_people(reviewing: Reviewing, filters: VerdictFilters = _EVERYTHING) -> list[PeopleVerdict]:
    """Blind first verdicts, without ``filters`` every one under the rubric of now, random and targeted."""
    found = (people_verdict(said) for said in reviewing.blind_verdicts(filters))
    return [verdict for verdict in found if verdict is not None]


def agreement_of(
    reviewing: Reviewing, current: JudgeAsAsked, bound_to: JudgeAsAsked | None = None, *, resamples: int = RESAMPLES
) -> JudgeAgreement:
    """The agreement of people with the judge model and prompt of ``bound_to``, or where it is None with those that answer now.

    It is marked expired where ``bound_to`` is not what ``current`` says.
    """
    model, prompt_hash = bound_to or current
    return judge_agreement(
        verdicts_of_people(reviewing),
        judge_model=model,
        prompt_hash=prompt_hash,
        current_judge_model=current.model,
        current_prompt_hash=current.prompt_hash,
        judged_all=_judged_of_random_queues(reviewing, model, prompt_hash),
        resamples=resamples,
    )


def judges_reviewed(reviewing: Reviewing) -> list[tuple[str, str, int]]:
    """Judge model, prompt hash and number of verdicts of everything that people have reviewed, the most first."""
    return bindings(verdicts_of_people(reviewing))


def _judged_of_random_queues(reviewing: Reviewing, model: str, prompt_hash: str) -> Sequence[bool]:
    """Whether the judge supported each claim of the turns that were drawn at random, reviewed by people or not yet."""
    store = reviewing.store
    drawn = {item.trace_id for queue in store.queues() if queue.stratum == "random" for item in store.items(queue.queue_id)}
    opinions = (claim.judge for trace_id in sorted(drawn) for claim in store.claims(trace_id))
    return [
        opinion.status == "supported"
        for opinion in opinions
        if opinion is not None and (opinion.judge_model, opinion.prompt_hash) == (model, prompt_hash) and opinion.status != "not_run"
    ]


FEWEST_FOR_CONFIDENCE = 20
"""Turns that people must have judged before the judge's word is given a rate on the screen."""


@dataclass(frozen=True)
class JudgeConfidence:
    """How often people agree with the judge of now: the only confidence in it that a reader of an answer is shown."""

    value: float
    interval: tuple[float, float]
    turns: int
    claims: int
    judge_model: str
    prompt_hash: str


def confidence_of(agreement: JudgeAgreement) -> JudgeConfidence | None:
    """What the agreement lets one say of the judge of now; None where it is expired, empty or too small."""
    accuracy = agreement.accuracy
    if agreement.expired or accuracy.value is None or accuracy.interval is None or agreement.items < FEWEST_FOR_CONFIDENCE:
        return None
    return JudgeConfidence(
        value=accuracy.value,
        interval=accuracy.interval,
        turns=agreement.items,
        claims=agreement.claims,
        judge_model=agreement.judge_model,
        prompt_hash=agreement.prompt_hash,
    )


def confidence_in(reviewing: Reviewing, current: JudgeAsAsked) -> JudgeConfidence | None:
    """The confidence in the judge of now, without what only the whole agreement needs (kappa's and alpha's intervals)."""
    own = VerdictFilters(stratum="random", judge_model=current.model, prompt_hash=current.prompt_hash)
    verdicts = verdicts_of_people(reviewing, own)
    if len({verdict.item_id for verdict in verdicts}) < FEWEST_FOR_CONFIDENCE:
        return None
    return confidence_of(judge_agreement(verdicts, judge_model=current.model, prompt_hash=current.prompt_hash, resamples=1))
