"""Two traces side by side: where they part, which claims answer each other, whose verdicts flipped, what each cost (spec 06, "Compare")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel, ConfigDict
from rapidfuzz import fuzz

from duocthu_core.answering.model import Claim
from duocthu_core.pipeline.outputs import AnswerOutput, EntailmentOutput, GenerationOutput, GroundingOutput, GuardsOutput, RepairOutput
from duocthu_core.pipeline.replaying import first_difference, same_record
from duocthu_core.pipeline.trace import STAGE_ORDER, Outcome, StageName, StageStatus, Trace, Why
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.folding import fold
from duocthu_core.text.spans import Span
from duocthu_core.text.word_diff import DiffPiece, word_diff, words_of
from duocthu_core.verification.guards.readings import readings_of
from duocthu_core.verification.model import CheckedClaim, RejectReason, VerdictStatus

_ALIKE_MIN = 55.0
"""rapidfuzz ratio from which two claims say the same thing in other words; below it, each stands alone."""
_PART_MIN = 0.8
"""Share of a claim's words that another claim must hold to say it within more; of its doses it must hold all."""
_PART_WORDS = 3
"""A claim of fewer words is found in too many others."""
_BEFORE_GUARDS = frozenset({"invalid_citation", "uncited_claim", "ungrounded_number"})


class _Compared(BaseModel):
    model_config = ConfigDict(frozen=True)


class ComparedStage(_Compared):
    """One stage in both traces."""

    name: StageName
    same: bool
    status: tuple[StageStatus | None, StageStatus | None]
    """None where the stage did not come up."""
    why: tuple[Why | None, Why | None]
    duration_ms: tuple[float, float]
    calls: tuple[int, int]
    is_first_difference: bool = False


class ComparedClaim(_Compared):
    """A claim of A and the claim of B that answers it; one of them may be missing."""

    index: tuple[int | None, int | None]
    """Places among the drafted claims, from 0."""
    text: tuple[str | None, str | None]
    pieces: tuple[DiffPiece, ...] = ()
    """Word by word; a dose with its unit and bound is one word."""
    citations_same: bool = True
    verdict: tuple[VerdictStatus | None, VerdictStatus | None] = (None, None)
    findings: tuple[tuple[RejectReason, ...], tuple[RejectReason, ...]] = ((), ())
    """What the checks without a model rejected it for."""
    unchecked: tuple[bool, bool] = (False, False)
    """Whether the turn ended before the guards came to it: then they found nothing because they did not look."""
    moved: bool = False
    """Whether it stands elsewhere among the others: they come in the same order without it."""
    part_of: int | None = None
    """Of a claim that only one turn has: place of the other turn's claim that says it too, within more (it was split or joined)."""

    @property
    def is_same(self) -> bool:
        """Whether both say the same, word for word."""
        return self.text[0] is not None and self.text[0] == self.text[1] and self.citations_same

    @property
    def flipped(self) -> bool:
        """Whether the judge or a check sees it otherwise. What was never judged or checked on one side is no other opinion."""
        if None in self.text:
            return False
        ours, theirs = (set(found) for found in self.findings)
        if any(self.unchecked):
            ours, theirs = ours & _BEFORE_GUARDS, theirs & _BEFORE_GUARDS
        return ours != theirs or (None not in self.verdict and self.verdict[0] != self.verdict[1])


class Amounts(_Compared):
    """What a turn took."""

    duration_ms: float
    model_calls: int
    judge_calls: int
    tokens: int
    cost_usd: float | None


class Comparison(_Compared):
    """Two traces compared, A first."""

    trace_ids: tuple[str, str]
    same_question: bool
    rulesets: tuple[str, str]
    generators: tuple[str, str]
    judges: tuple[str, str]
    corpora: tuple[str, str]
    first_difference: StageName | None
    stages: tuple[ComparedStage, ...]
    claims: tuple[ComparedClaim, ...]
    outcomes: tuple[Outcome, Outcome]
    reasons: tuple[RejectReason | None, RejectReason | None]
    amounts: tuple[Amounts, Amounts]

    @property
    def outcome_changed(self) -> bool:
        """Whether the turns end otherwise."""
        return self.outcomes[0] != self.outcomes[1] or self.reasons[0] != self.reasons[1]

    @property
    def flips(self) -> tuple[ComparedClaim, ...]:
        """Claims of both that are seen otherwise."""
        return tuple(claim for claim in self.claims if claim.flipped)


class ComparedSet(_Compared):
    """Many pairs: how outcomes flow from A to B, and the pairs that changed."""

    pairs: int
    flows: dict[str, dict[str, int]]
    """Outcome of A -> outcome of B -> pairs; an abstention with its reason (``abstained:unit_mismatch``)."""
    first_differences: dict[str, int]
    """Stage, or ``none`` -> pairs."""
    changed: tuple[tuple[str, str], ...]
    """Trace ids of the pairs whose outcome changed."""


def compare(one: Trace, other: Trace, ruleset: Ruleset) -> Comparison:
    """``one`` (A) and ``other`` (B); ``ruleset`` says what a dose looks like."""
    first = first_difference(one, other)
    return Comparison(
        trace_ids=(one.trace_id, other.trace_id),
        same_question=one.question == other.question,
        rulesets=(one.ruleset_id, other.ruleset_id),
        generators=(one.models.generator, other.models.generator),
        judges=(one.models.judge, other.models.judge),
        corpora=(one.corpus_id, other.corpus_id),
        first_difference=first,
        stages=tuple(_stage(name, one, other, first) for name in STAGE_ORDER if one.stage(name) or other.stage(name)),
        claims=tuple(_claims(one, other, ruleset)),
        outcomes=(one.outcome, other.outcome),
        reasons=(one.reject_reason, other.reject_reason),
        amounts=(_amounts(one), _amounts(other)),
    )


def compare_sets(pairs: Iterable[tuple[Trace, Trace]]) -> ComparedSet:
    """The outcomes of many pairs."""
    flows: dict[str, Counter[str]] = {}
    firsts: Counter[str] = Counter()
    changed: list[tuple[str, str]] = []
    count = 0
    for one, other in pairs:
        count += 1
        before, after = _ending(one), _ending(other)
        flows.setdefault(before, Counter())[after] += 1
        firsts[first_difference(one, other) or "none"] += 1
        if before != after:
            changed.append((one.trace_id, other.trace_id))
    return ComparedSet(
        pairs=count,
        flows={before: dict(after) for before, after in flows.items()},
        first_differences=dict(firsts),
        changed=tuple(changed),
    )


def doses_whole(text: str, ruleset: Ruleset) -> list[Span]:
    """The quantities of a text, each with its unit and the words of its bound: places that no difference may cut."""
    reading = readings_of(ruleset).of(text)
    tokens = reading.tokens
    spans: list[Span] = []
    for quantity in reading.quantities:
        places = [(quantity.start, quantity.end), *([quantity.bound_at] if quantity.bound_at else [])]
        start, end = min(place[0] for place in places), max(place[1] for place in places)
        spans.append(Span(tokens.starts[start], tokens.ends[end - 1]))
    return spans


def _ending(trace: Trace) -> str:
    return f"{trace.outcome}:{trace.reject_reason}" if trace.reject_reason else trace.outcome


def _stage(name: StageName, one: Trace, other: Trace, first: StageName | None) -> ComparedStage:
    ours, theirs = one.stage(name), other.stage(name)
    return ComparedStage(
        name=name,
        same=ours is not None and theirs is not None and same_record(ours, theirs),
        status=(ours.status if ours else None, theirs.status if theirs else None),
        why=(ours.why if ours else None, theirs.why if theirs else None),
        duration_ms=(ours.duration_ms if ours else 0.0, theirs.duration_ms if theirs else 0.0),
        calls=(len(ours.calls) if ours else 0, len(theirs.calls) if theirs else 0),
        is_first_difference=name == first,
    )


def _amounts(trace: Trace) -> Amounts:
    totals = trace.totals
    return Amounts(
        duration_ms=totals.duration_ms,
        model_calls=totals.model_calls,
        judge_calls=totals.judge_calls,
        tokens=totals.input_tokens + totals.output_tokens,
        cost_usd=totals.cost_usd,
    )


def _claims(one: Trace, other: Trace, ruleset: Ruleset) -> list[ComparedClaim]:
    ours, theirs = drafted_claims(one), drafted_claims(other)
    partner = _aligned(ours, theirs)
    facts = (_facts(one), _facts(other))
    moved = _moved(partner)
    compared = [
        _claim((index, partner.get(index)), ours, theirs, facts, ruleset).model_copy(
            update={"moved": index in moved, "part_of": _whole_of(ours[index], theirs, ruleset) if index not in partner else None}
        )
        for index in range(len(ours))
    ]
    taken = set(partner.values())
    for index in range(len(theirs)):
        if index not in taken:
            alone = _claim((None, index), ours, theirs, facts, ruleset)
            compared.append(alone.model_copy(update={"part_of": _whole_of(theirs[index], ours, ruleset)}))
    return compared


def drafted_claims(trace: Trace) -> tuple[Claim, ...]:
    """The claims that the turn ended with: those delivered, else those of the last draft, whatever a check said of them."""
    answer, repair, drafted = trace.stage("answer"), trace.stage("repair"), trace.stage("generation")
    if answer is not None and isinstance(answer.output, AnswerOutput) and answer.output.claims:
        return answer.output.claims
    if repair is not None and isinstance(repair.output, RepairOutput) and repair.output.draft is not None:
        return repair.output.draft.claims
    if drafted is not None and isinstance(drafted.output, GenerationOutput) and drafted.output.draft is not None:
        return drafted.output.draft.claims
    return ()


def _aligned(ours: Sequence[Claim], theirs: Sequence[Claim]) -> dict[int, int]:
    """Place in A -> place in B, the most alike first; each claim at most once."""
    scored = [
        (fuzz.token_sort_ratio(mine.text, other.text) + (1 if mine.text == other.text else 0), -abs(place - elsewhere), place, elsewhere)
        for place, mine in enumerate(ours)
        for elsewhere, other in enumerate(theirs)
    ]
    partner: dict[int, int] = {}
    for score, _, place, elsewhere in sorted(scored, key=lambda pair: (-pair[0], -pair[1], pair[2])):
        if score >= _ALIKE_MIN and place not in partner and elsewhere not in partner.values():
            partner[place] = elsewhere
    return partner


def _moved(partner: Mapping[int, int]) -> set[int]:
    """Places in A of the claims that stand elsewhere in B: the fewest without which the others come in the same order."""
    places = sorted(partner)
    longest: list[tuple[int, ...]] = []  # of the claims so far, the longest run in order that ends with each
    for number, place in enumerate(places):
        before = [longest[earlier] for earlier in range(number) if partner[places[earlier]] < partner[place]]
        longest.append((*max(before, key=len, default=()), place))
    return set(places) - set(max(longest, key=len, default=()))


def _whole_of(part: Claim, claims: Sequence[Claim], ruleset: Ruleset) -> int | None:
    """Place of the claim that holds what ``part`` says, each of its doses included; None where none does."""
    words = _words(part.text, ruleset)
    if len(words) < _PART_WORDS:
        return None
    figures = {word for word in words if any(sign.isdecimal() for sign in word)}
    shares: dict[int, float] = {}
    for place, claim in enumerate(claims):
        held = set(_words(claim.text, ruleset))
        if figures <= held:
            shares[place] = sum(word in held for word in words) / len(words)
    best = max(shares, key=shares.__getitem__, default=None)
    return best if best is not None and shares[best] >= _PART_MIN else None


def _words(text: str, ruleset: Ruleset) -> list[str]:
    return [fold(word) for word in words_of(text, doses_whole(text, ruleset)) if any(sign.isalnum() for sign in word)]


_Facts = tuple[dict[int, VerdictStatus], dict[int, tuple[RejectReason, ...]], bool]
"""Verdicts, rejections, and whether the guards looked."""


def _facts(trace: Trace) -> _Facts:
    """What was said of the claims that the turn ended with, by place."""
    repair = trace.stage("repair")
    if repair is not None and isinstance(repair.output, RepairOutput) and repair.output.draft is not None:
        found, verdicts = repair.output.claims, repair.output.verdicts
        if repair.output.accepted or trace.outcome != "answered":
            return {v.claim_index: v.status for v in verdicts}, _rejections(found), True
    judged, guards, grounded = trace.stage("entailment"), trace.stage("guards"), trace.stage("grounding")
    statuses: dict[int, VerdictStatus] = {}
    if judged is not None and isinstance(judged.output, EntailmentOutput):
        statuses = {v.claim_index: v.status for v in judged.output.verdicts}
    if guards is not None and isinstance(guards.output, GuardsOutput):
        return statuses, _rejections(guards.output.claims), True
    if grounded is not None and isinstance(grounded.output, GroundingOutput):
        return statuses, _rejections(grounded.output.claims), False
    return statuses, {}, False


def _rejections(checked: Sequence[CheckedClaim]) -> dict[int, tuple[RejectReason, ...]]:
    return {
        item.claim_index: tuple(dict.fromkeys(finding.reason for finding in item.findings if finding.level == "reject")) for item in checked
    }


def _claim(
    places: tuple[int | None, int | None],
    ours: Sequence[Claim],
    theirs: Sequence[Claim],
    facts: tuple[_Facts, _Facts],
    ruleset: Ruleset,
) -> ComparedClaim:
    mine, other = places
    left = ours[mine] if mine is not None else None
    right = theirs[other] if other is not None else None
    pieces: tuple[DiffPiece, ...] = ()
    if left is not None and right is not None:
        pieces = word_diff(left.text, right.text, lambda text: doses_whole(text, ruleset))
    (ours_judged, ours_found, ours_guarded), (theirs_judged, theirs_found, theirs_guarded) = facts
    here, there = -1 if mine is None else mine, -1 if other is None else other
    return ComparedClaim(
        index=places,
        text=(left.text if left else None, right.text if right else None),
        pieces=pieces,
        citations_same=left is None or right is None or left.citations == right.citations,
        verdict=(ours_judged.get(here), theirs_judged.get(there)),
        findings=(ours_found.get(here, ()), theirs_found.get(there, ())),
        unchecked=(not ours_guarded, not theirs_guarded),
    )
