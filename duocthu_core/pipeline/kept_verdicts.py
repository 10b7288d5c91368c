"""Verdicts as the cache keeps them: what the judge said (raw), and what the thresholds made of it (processed) (spec 05).

The cache gives both back unchanged. They are read strictly, and a quote is looked for again in the blocks at hand, since an entry may
come from another backend and its blocks may stand in another order: what cannot be used is judged again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from duocthu_core.answering.model import Claim
from duocthu_core.language_models.port import ModelResponse
from duocthu_core.pipeline.calling import CallPrice
from duocthu_core.pipeline.verdict_cache import KnownVerdict
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.completeness import check_objections
from duocthu_core.verification.judge import locate_quote, statuses
from duocthu_core.verification.model import CheckedObjection, MissingEvidence, RawVerdict, Verdict

UnusableRule = Literal["unreadable", "quote_elsewhere"]
_Form = TypeVar("_Form", bound=BaseModel)


class Unusable(Exception):
    """A stored verdict that cannot be used; ``rule`` says why: its form is not ours, or its quote stands in none of the blocks at hand."""

    def __init__(self, rule: UnusableRule) -> None:
        super().__init__(rule)
        self.rule: UnusableRule = rule


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True)


class Spent(_Document):
    """What the call cost that made a verdict, and over how many claims."""

    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cost_usd: float | None = None
    shared_by: int = Field(default=1, ge=1)

    @property
    def tokens(self) -> int:
        """This verdict's part of the tokens."""
        return round((self.input_tokens + self.output_tokens) / self.shared_by)

    @property
    def cost(self) -> float | None:
        """This verdict's part of the cost in USD; None where the price was unknown."""
        return None if self.cost_usd is None else self.cost_usd / self.shared_by


class RecalledCompleteness(_Document):
    """The judge's opinion whether an answer is complete, with its objections checked against the blocks at hand."""

    complete: bool
    objections: tuple[CheckedObjection, ...] = ()


class _RawClaim(RawVerdict):
    confidence: int = Field(ge=0, le=100)


class _ProcessedClaim(_Document):
    status: Literal["supported", "unsupported"]
    why: str
    spent: Spent = Spent()


class _RawCompleteness(_Document):
    complete: bool
    missing_evidence: tuple[MissingEvidence, ...]


class _ProcessedObjection(MissingEvidence):
    accepted: bool
    why: str


class _ProcessedCompleteness(_Document):
    complete: bool
    objections: tuple[_ProcessedObjection, ...] = ()
    spent: Spent = Spent()


class _SpentOnly(_Document):
    spent: Spent = Spent()


def spent_on(response: ModelResponse, price: CallPrice, provider: str, model_id: str, shared_by: int) -> Spent:
    """The tokens and the cost of a judge call over ``shared_by`` claims."""
    cost = price(provider, model_id, response.input_tokens, response.output_tokens)
    return Spent(input_tokens=response.input_tokens, output_tokens=response.output_tokens, cost_usd=cost, shared_by=shared_by)


def claim_documents(verdict: Verdict, spent: Spent) -> tuple[JsonValue, JsonValue]:
    """Raw and processed documents of a verdict on one claim."""
    assert verdict.raw is not None, "only verdicts of a judge that ran are kept"
    assert verdict.status != "not_run"
    return verdict.raw.model_dump(mode="json"), _ProcessedClaim(status=verdict.status, why=verdict.why, spent=spent).model_dump(mode="json")


def completeness_documents(
    complete: bool, missing: Sequence[MissingEvidence], checked: Sequence[CheckedObjection], spent: Spent
) -> tuple[JsonValue, JsonValue]:
    """Raw and processed documents of the judge's opinion on a whole answer."""
    raw = _RawCompleteness(complete=complete, missing_evidence=tuple(missing))
    objections = tuple(_ProcessedObjection(**item.objection.model_dump(), accepted=item.accepted, why=item.why) for item in checked)
    processed = _ProcessedCompleteness(complete=complete, objections=objections, spent=spent)
    return raw.model_dump(mode="json"), processed.model_dump(mode="json")


def spent_of(known: KnownVerdict) -> Spent:
    """What the call cost that made a stored verdict; nothing where the entry does not say."""
    try:
        return _SpentOnly.model_validate(known.processed).spent
    except ValidationError:
        return Spent()


def verdict_of(known: KnownVerdict, position: int, claim: Claim, evidence: Sequence[Evidence], ruleset: Ruleset) -> Verdict:
    """The verdict on the claim at ``position``: the stored status, or for other thresholds one made anew from what the judge said.

    ``evidence`` are the blocks that the claim cites. Raises :class:`Unusable`.
    """
    raw = _raw_claim(known, position)
    quote = locate_quote(raw.evidence_quote, evidence) if raw is not None else None
    if raw is not None and raw.evidence_quote.strip() and quote is None:
        raise Unusable("quote_elsewhere")
    if known.use == "recompute":
        if raw is None:
            raise Unusable("unreadable")
        cites_all = claim.model_copy(update={"citations": tuple(block.index for block in evidence)})
        (verdict,) = statuses([raw.model_copy(update={"index": 1})], ruleset.thresholds, [cites_all], evidence)
        return verdict.model_copy(update={"claim_index": position, "raw": raw, "from_cache": True})
    kept = _read(_ProcessedClaim, known.processed)
    if kept.status == "supported" and quote is None and ruleset.thresholds.judge_require_quote:
        raise Unusable("quote_elsewhere")
    return Verdict(claim_index=position, status=kept.status, raw=raw, why=kept.why, quote=quote, from_cache=True)


def completeness_of(known: KnownVerdict, claims: Sequence[Claim], evidence: Sequence[Evidence], ruleset: Ruleset) -> RecalledCompleteness:
    """The judge's opinion on the whole answer, likewise. Raises :class:`Unusable`."""
    if known.use == "recompute":
        raw = _read(_RawCompleteness, known.raw)
        checked = check_objections(raw.missing_evidence, claims, evidence, ruleset.thresholds, ruleset=ruleset)
        recalled = RecalledCompleteness(complete=raw.complete, objections=checked)
    else:
        kept = _read(_ProcessedCompleteness, known.processed)
        recalled = RecalledCompleteness(complete=kept.complete, objections=tuple(_objection(item, evidence) for item in kept.objections))
    same_evidence = known.overlap == 1.0
    for item in recalled.objections:
        if item.quote is None and (item.accepted or not same_evidence):
            raise Unusable("quote_elsewhere")
    return recalled


def _objection(kept: _ProcessedObjection, evidence: Sequence[Evidence]) -> CheckedObjection:
    shown = [block for block in evidence if not block.quarantined]
    objection = MissingEvidence(description=kept.description, evidence_quote=kept.evidence_quote)
    return CheckedObjection(objection=objection, accepted=kept.accepted, why=kept.why, quote=locate_quote(kept.evidence_quote, shown))


def _raw_claim(known: KnownVerdict, position: int) -> RawVerdict | None:
    if known.raw is None:
        return None
    return RawVerdict.model_validate(_read(_RawClaim, known.raw).model_dump() | {"index": position + 1})


def _read(form: type[_Form], document: JsonValue) -> _Form:
    try:
        return form.model_validate(document)
    except ValidationError:
        raise Unusable("unreadable") from None
