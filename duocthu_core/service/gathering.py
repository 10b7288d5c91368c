"""Evidence for a claim out of this product's own retrieval, and on request the judge's word on each block (spec 05, "HTTP")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from duocthu_core.answering.json_reply import MalformedOutput
from duocthu_core.answering.model import Claim
from duocthu_core.bootstrap import Services
from duocthu_core.conversation.model import ConversationState
from duocthu_core.language_models.port import ModelError
from duocthu_core.pipeline.budget import Budget
from duocthu_core.pipeline.calling import CallLog, reject_reason_of
from duocthu_core.retrieval.model import Evidence
from duocthu_core.retrieval.retrieving import retrieve
from duocthu_core.service.contract import GatherRequest, NliStatus
from duocthu_core.understanding.resolution import resolve
from duocthu_core.verification.judge import parse_verdicts
from duocthu_core.verification.judge_prompts import entailment_request
from duocthu_core.verification.model import RawVerdict

_FAILURES: dict[str, NliStatus] = {
    "provider_unavailable": "provider_unavailable",
    "request_budget_exhausted": "request_budget_exhausted",
}


@dataclass(frozen=True)
class Comparison:
    """What the judge said about a claim and each block, by block index; ``status`` says why there may be nothing."""

    status: NliStatus
    verdicts: dict[int, RawVerdict]


def evidence_for(asked: GatherRequest, services: Services) -> tuple[Evidence, ...]:
    """The blocks that a turn about the claim alone would be answered from, in the order of the book; never a quarantined one.

    Drug and section of the request stand in for what the claim leaves unsaid.
    """
    parts = services.pipeline.parts
    question = parts.understander.read(asked.claim)
    names = {drug_id: monograph.name for drug_id, monograph in parts.corpus.monographs.items()}
    resolved = resolve(question, ConversationState(conversation_id=""), parts.ruleset, names).resolved
    if asked.drug_id in parts.corpus.monographs and not resolved.drug_ids:
        resolved = resolved.model_copy(update={"drug_ids": (asked.drug_id,), "drug_id": asked.drug_id})
    if asked.section_key and resolved.section_key is None:
        resolved = resolved.model_copy(update={"section_key": asked.section_key})
    return retrieve(question, resolved, parts.corpus, parts.index, parts.ruleset).evidence[: asked.max_evidence]


def compare(claim: str, evidence: Sequence[Evidence], services: Services) -> Comparison:
    """One pass of the judge over ``claim`` and each block by itself. Fails closed: a judge that cannot be understood has said nothing."""
    if not evidence:
        return Comparison("no_evidence", {})
    parts = services.pipeline.parts
    pairs = [Claim(text=claim, citations=(block.index,)) for block in evidence]
    calls = CallLog(Budget(services.settings.turn_budget_s), parts.price)
    try:
        response = calls.complete(parts.judge, entailment_request(pairs, evidence, parts.ruleset))
        raw = parse_verdicts(response.text, response.stop_reason, pairs, evidence)
    except ModelError as error:
        return Comparison(_FAILURES.get(reject_reason_of(error), "malformed_output"), {})
    except MalformedOutput:
        return Comparison("malformed_output", {})
    return Comparison("ran", {block.index: verdict for block, verdict in zip(evidence, raw, strict=True)})
