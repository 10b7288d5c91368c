"""What the judge is told (spec 04, check 2): each claim with only the blocks it cites, wording compared with wording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from duocthu_core.answering.model import Claim
from duocthu_core.answering.prompts import evidence_payload, indented, one_line
from duocthu_core.answering.templates import filled
from duocthu_core.language_models.port import ModelRequest
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.model import Stance

_TOKENS_PER_VERDICT = 300
"""Room for one verdict with its quote: a reply that is cut off is no verdict at all."""

VERDICTS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["verdicts"],
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["index", "stance", "confidence", "evidence_quote", "reasoning"],
                "properties": {
                    "index": {"type": "integer"},
                    "stance": {"type": "string", "enum": list(get_args(Stance))},
                    "confidence": {"type": "integer", "minimum": 0, "maximum": 100},
                    "evidence_quote": {"type": "string"},
                    "reasoning": {"type": "string"},
                },
            },
        }
    },
}
"""JSON schema of the judge's reply, for providers with structured output."""


def judged_claims(claims: Sequence[Claim], evidence: Sequence[Evidence]) -> Mapping[int, tuple[Claim, tuple[Evidence, ...]]]:
    """Number (from 1, the claim's place in ``claims``) -> the claim and the blocks it cites.

    Claims without a citation that exists are left out: no evidence is never "supported", and there is nothing to compare with.
    """
    blocks = {block.index: block for block in evidence if not block.quarantined}
    cited = {
        number: (claim, tuple(blocks[index] for index in dict.fromkeys(claim.citations) if index in blocks))
        for number, claim in enumerate(claims, start=1)
    }
    return {number: pair for number, pair in cited.items() if pair[1]}


def entailment_request(claims: Sequence[Claim], evidence: Sequence[Evidence], ruleset: Ruleset) -> ModelRequest:
    """One request over all claims, each shown with the blocks it cites and no other.

    A claim may not see a block that only another claim cites, so a block that two claims cite is shown twice.
    """
    judged = judged_claims(claims, evidence)
    shown = "\n\n".join(_claim_text(number, claim, blocks) for number, (claim, blocks) in judged.items())
    return ModelRequest(
        purpose="entailment",
        system=ruleset.judge_system_prompt,
        user=filled(ruleset.prompts.judge_user, claims=shown),
        json_schema=VERDICTS_SCHEMA,
        max_output_tokens=max(ruleset.generation.max_output_tokens, _TOKENS_PER_VERDICT * len(judged)),
        payload={
            "claims": [
                {"index": number, "text": claim.text, "drug_id": claim.drug_id, "blocks": evidence_payload(blocks)}
                for number, (claim, blocks) in judged.items()
            ]
        },
    )


def _claim_text(number: int, claim: Claim, blocks: Sequence[Evidence]) -> str:
    head = f"MỆNH ĐỀ {number}: {one_line(claim.text)}\nKhối mà mệnh đề {number} dẫn:"
    return "\n".join([head, *(f"({_metadata(block)})\n{indented(block.text)}" for block in blocks)])


def _metadata(block: Evidence) -> str:
    """Drug and section of a block: a monograph calls its own drug by its class. No number of it is evidence."""
    parts = [("drug_id", block.drug_id), ("thuốc", block.drug_name), ("mục", block.section_title)]
    return "; ".join(f"{name}={one_line(value)}" for name, value in parts if value)
