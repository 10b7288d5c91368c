"""Asking the offline model over blocks written by hand, through the same request and parsing as any model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from duocthu_core.answering.claims import parse_draft
from duocthu_core.answering.model import Claim, Draft
from duocthu_core.answering.planning import plan
from duocthu_core.answering.prompts import answer_request
from duocthu_core.language_models.offline import OfflineModel
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.rulesets.model import Thresholds
from duocthu_core.text.spans import Span
from duocthu_core.understanding.model import Question, ResolvedQuestion, Stated, StatedKind, StatedValues
from duocthu_core.verification.completeness import completeness_request, parse_completeness
from duocthu_core.verification.judge import parse_verdicts, statuses
from duocthu_core.verification.judge_prompts import entailment_request
from duocthu_core.verification.model import MissingEvidence, RawVerdict

MONTHS = 12


@lru_cache(maxsize=1)
def model() -> OfflineModel:
    """One offline model with the rules that ship."""
    return OfflineModel(shipped_ruleset())


def stated(kind: StatedKind, text: str, value: float) -> Stated:
    """A value of the patient; ages in months."""
    return Stated(kind=kind, text=text, low=value, high=value, span=Span(0, len(text)))


def age(years: float) -> Stated:
    """An age in years."""
    return stated("age", f"{years:g} tuổi", years * MONTHS)


def weight(kilograms: float) -> Stated:
    """A body weight."""
    return stated("weight", f"{kilograms:g} kg", kilograms)


def asked(
    text: str,
    evidence: Sequence[Evidence],
    *values: Stated,
    missing: Sequence[str] = (),
    amounts: bool = False,
    no_figures: bool = False,
    **resolved: object,
) -> Draft:
    """The draft for a question as the rules would have resolved it."""
    ruleset = shipped_ruleset()
    question = Question(text=text, stated=values, asks_amounts=amounts, suppress_numbers=no_figures)
    found = resolved_question(evidence, *values, **resolved)
    request = answer_request(question, found, evidence, plan(question, found, evidence, ruleset), "", ruleset, missing)
    response = model().complete(request, timeout_s=1.0)
    return parse_draft(
        response.text, list_mode=found.intent == "condition_list", stop_reason=response.stop_reason, rules=ruleset.generation
    )


def resolved_question(evidence: Sequence[Evidence], *values: Stated, **resolved: object) -> ResolvedQuestion:
    """A resolved question about the drug and section of the first block, unless told otherwise."""
    by_kind = {value.kind: value.text for value in values}
    defaults: dict[str, object] = {
        "drug_ids": tuple(dict.fromkeys(block.drug_id for block in evidence)),
        "section_key": evidence[0].section_key if evidence else None,
        "stated": StatedValues(age=by_kind.get("age"), weight=by_kind.get("weight")),
    }
    return ResolvedQuestion.model_validate({**defaults, **resolved})


def texts(draft: Draft) -> list[str]:
    """The claims' texts."""
    return [claim.text for claim in draft.claims]


def judged(claim: str, *blocks: Evidence) -> RawVerdict:
    """The raw verdict on one claim that cites all of ``blocks``."""
    claims = [Claim(text=claim, citations=tuple(block.index for block in blocks))]
    response = model().complete(entailment_request(claims, blocks, shipped_ruleset()), timeout_s=1.0)
    (raw,) = parse_verdicts(response.text, response.stop_reason, claims, blocks)
    return raw


def all_supported(draft: Draft, evidence: Sequence[Evidence]) -> bool:
    """Whether the offline judge supports every claim of a draft."""
    response = model().complete(entailment_request(draft.claims, evidence, shipped_ruleset()), timeout_s=1.0)
    raw = parse_verdicts(response.text, response.stop_reason, draft.claims, evidence)
    return all(verdict.status == "supported" for verdict in statuses(raw, Thresholds(), draft.claims, evidence))


def objections(text: str, draft_claims: Sequence[Claim], evidence: Sequence[Evidence], *values: Stated, **resolved: object):
    """What the offline judge says an answer leaves out."""
    question = Question(text=text, stated=values)
    request = completeness_request(question, resolved_question(evidence, *values, **resolved), draft_claims, evidence, shipped_ruleset())
    response = model().complete(request, timeout_s=1.0)
    complete, found = parse_completeness(response.text, response.stop_reason)
    assert complete is (found == ())
    return tuple(MissingEvidence.model_validate(item) for item in found)
