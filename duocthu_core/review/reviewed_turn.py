"""What of a stored turn is put before people: its claims with the judge's opinion of each, and, where nothing was answered, the question
whether that was right.

The claims are those of the draft that the turn ended with, delivered or not: a judge is measured on what it refused as well, and what a
check kept back can have been right.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

from duocthu_core.answering.model import Claim
from duocthu_core.pipeline.outputs import AnswerOutput, EntailmentOutput, GenerationOutput, GroundingOutput, GuardsOutput, RepairOutput
from duocthu_core.pipeline.trace import StageName, Trace
from duocthu_core.retrieval.model import Evidence
from duocthu_core.review.model import WHOLE_TURN, JudgeOpinion, ReviewClaim
from duocthu_core.verification.model import CheckedClaim, ClaimBinding, Verdict

_ANSWERED = ("answered", "extractive")


def reviewed_claims(trace: Trace) -> tuple[ReviewClaim, ...]:
    """The claims of ``trace`` in their order, and :data:`WHOLE_TURN` last where the turn did not answer."""
    answer = trace.stage("answer")
    delivered = set(answer.output.claims) if answer is not None and isinstance(answer.output, AnswerOutput) else set()
    opinions = _opinions(trace)
    claims = [
        ReviewClaim(
            claim_index=index,
            text=claim.text,
            citations=claim.citations,
            delivered=claim in delivered,
            content_hash=content_hash(claim.text, cited(trace, claim.citations)),
            judge=opinions.get(index),
        )
        for index, claim in enumerate(_draft_claims(trace))
    ]
    if trace.outcome not in _ANSWERED:
        whole = ReviewClaim(
            claim_index=WHOLE_TURN, text=trace.question, delivered=True, content_hash=content_hash(trace.question, trace.evidence)
        )
        claims.append(whole)
    return tuple(claims)


def cited(trace: Trace, citations: Sequence[int]) -> tuple[Evidence, ...]:
    """The blocks of ``trace`` that ``citations`` name, each once, in the order of the citations."""
    blocks = {block.index: block for block in trace.evidence}
    return tuple(blocks[index] for index in dict.fromkeys(citations) if index in blocks)


def content_hash(text: str, blocks: Sequence[Evidence]) -> str:
    """``sha256:…`` of a claim's text and the texts that it is judged by."""
    content = json.dumps([text, [[block.block_id, block.text] for block in blocks]], ensure_ascii=False)
    return "sha256:" + hashlib.sha256(content.encode()).hexdigest()


def checked_claims(trace: Trace) -> tuple[Mapping[int, ClaimBinding], Mapping[int, CheckedClaim]]:
    """Bindings and findings of the last check that bound the claims of the draft that is reviewed, by the claim's index."""
    stages: tuple[StageName, ...] = ("repair", "guards", "grounding") if _is_repaired(trace) else ("guards", "grounding")
    for name in stages:
        record = trace.stage(name)
        if record is not None and isinstance(record.output, RepairOutput | GuardsOutput | GroundingOutput) and record.output.bindings:
            bindings = {binding.claim_index: binding for binding in record.output.bindings}
            return bindings, {claim.claim_index: claim for claim in record.output.claims}
    return {}, {}


def guard_warned(trace: Trace) -> bool:
    """Whether a check had a doubt about a claim and let it pass."""
    _bindings, checked = checked_claims(trace)
    return any(finding.level == "warn" for claim in checked.values() for finding in claim.findings)


def is_about(trace: Trace, drug_id: str | None, section_key: str | None) -> bool:
    """Whether ``trace`` was asked about the drug and the section, or has evidence of them."""
    drugs = {*trace.resolved.drug_ids, trace.resolved.drug_id, *(block.drug_id for block in trace.evidence)}
    sections = {trace.resolved.section_key, *(block.section_key for block in trace.evidence)}
    return (drug_id is None or drug_id in drugs) and (section_key is None or section_key in sections)


def _is_repaired(trace: Trace) -> bool:
    record = trace.stage("repair")
    return record is not None and isinstance(record.output, RepairOutput) and record.output.accepted


def _draft_claims(trace: Trace) -> tuple[Claim, ...]:
    repair, generation, answer = trace.stage("repair"), trace.stage("generation"), trace.stage("answer")
    if _is_repaired(trace) and repair is not None and isinstance(repair.output, RepairOutput) and repair.output.draft is not None:
        return repair.output.draft.claims
    if generation is not None and isinstance(generation.output, GenerationOutput) and generation.output.draft is not None:
        return generation.output.draft.claims
    if trace.outcome == "extractive":
        said = [claim for block in trace.answer.blocks for claim in block.claims]
        return tuple(Claim(text=claim.text, citations=tuple(citation.index for citation in claim.citations)) for claim in said)
    return answer.output.claims if answer is not None and isinstance(answer.output, AnswerOutput) else ()


def _opinions(trace: Trace) -> dict[int, JudgeOpinion]:
    entailment, repair = trace.stage("entailment"), trace.stage("repair")
    if entailment is None or not isinstance(entailment.output, EntailmentOutput):
        return {}
    said = entailment.output
    verdicts: Sequence[Verdict] = said.verdicts
    if _is_repaired(trace) and repair is not None and isinstance(repair.output, RepairOutput):
        verdicts = repair.output.verdicts
    return {
        verdict.claim_index: JudgeOpinion(
            status=verdict.status,
            stance=verdict.raw.stance if verdict.raw else None,
            confidence=verdict.raw.confidence if verdict.raw else None,
            reasoning=verdict.raw.reasoning if verdict.raw else "",
            judge_model=said.judge_model,
            prompt_hash=said.prompt_hash,
        )
        for verdict in verdicts
    }
