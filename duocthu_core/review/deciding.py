"""What follows from verdicts: whether one is complete, which ones count, when a third person has to decide (spec 06, page 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from duocthu_core.review.errors import BadAssessment
from duocthu_core.review.model import HARMFUL, WHOLE_TURN, Assessment, Dispute, ReviewEvent


def check_assessment(assessment: Assessment) -> None:
    """Raises :class:`BadAssessment` where ``assessment`` is not whole: wrong words need a kind of error and the harm they could do."""
    if assessment.judgement == "wrong" and (assessment.error_kind is None or assessment.severity is None):
        raise BadAssessment("a wrong claim needs a kind of error and a severity")
    if assessment.judgement != "wrong" and (assessment.error_kind is not None or assessment.severity is not None):
        raise BadAssessment("only a wrong claim has a kind of error and a severity")


def latest(events: Iterable[ReviewEvent]) -> list[ReviewEvent]:
    """Of each (trace, claim, reviewer, rubric) the event that counts: the one of the highest revision."""
    newest: dict[tuple[str, int, str, str], ReviewEvent] = {}
    for event in events:
        key = (event.trace_id, event.claim_index, event.reviewer, event.rubric_version)
        if key not in newest or newest[key].revision < event.revision:
            newest[key] = event
    return list(newest.values())


def disputed_claims(events: Sequence[ReviewEvent]) -> tuple[int, ...]:
    """Claims of one turn that a third person has to decide, adjudicated ones among them.

    Two reviewers differ (cannot tell differs from nothing), or somebody saw harm of category E or worse. First verdicts count beside the
    latest: that a reviewer gave in after the reveal does not settle what two people had seen differently.
    """
    votes = [event for event in events if event.kind != "adjudication"]
    disputed = {event.claim_index for event in votes if event.assessment.severity in HARMFUL}
    for round_ in ([event for event in votes if event.kind == "first"], latest(votes)):
        said: dict[int, set[str]] = {}
        for event in round_:
            if event.assessment.judgement != "cannot_tell":
                said.setdefault(event.claim_index, set()).add(event.assessment.judgement)
        disputed |= {claim for claim, judgements in said.items() if len(judgements) > 1}
    return tuple(sorted(disputed, key=lambda claim: (claim == WHOLE_TURN, claim)))


def dispute_of(events: Sequence[ReviewEvent]) -> Dispute:
    """Whether the turn whose ``events`` these are waits for a third person."""
    disputed = set(disputed_claims(events))
    if not disputed:
        return "none"
    decided = {event.claim_index for event in events if event.kind == "adjudication"}
    return "settled" if disputed <= decided else "open"


def final_assessment(events: Sequence[ReviewEvent]) -> Assessment | None:
    """What holds of one claim: the last adjudication, else what all reviewers agree on, else nothing yet."""
    adjudications = [event for event in events if event.kind == "adjudication"]
    if adjudications:
        return max(adjudications, key=lambda event: event.created_at).assessment
    said = [event.assessment for event in latest(events) if event.assessment.judgement != "cannot_tell"]
    if not said or disputed_claims(events):
        return None
    return said[0]
