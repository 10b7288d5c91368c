"""The optional opinion of a model whether the evidence answers the question (spec 03, "sufficiency": off by default, fails open)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from duocthu_core.answering.fence import fenced
from duocthu_core.answering.json_reply import MalformedOutput, read_object
from duocthu_core.answering.prompts import evidence_payload, evidence_text
from duocthu_core.answering.templates import filled
from duocthu_core.language_models.port import ModelRequest, StopReason
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Ruleset

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["sufficient", "why"],
    "properties": {"sufficient": {"type": "boolean"}, "why": {"type": "string"}},
}


def sufficiency_request(question_text: str, evidence: Sequence[Evidence], ruleset: Ruleset) -> ModelRequest:
    """Asks whether ``evidence`` answers the question; quarantined blocks are not shown."""
    shown = [block for block in evidence if not block.quarantined]
    prompts = ruleset.prompts
    return ModelRequest(
        purpose="sufficiency",
        system=f"{prompts.sufficiency_system}\n\n{prompts.untrusted}",
        user=filled(prompts.sufficiency_user, evidence=evidence_text(shown), question=fenced(question_text)),
        json_schema=_SCHEMA,
        max_output_tokens=ruleset.generation.max_output_tokens,
        payload={"question": question_text, "evidence": evidence_payload(shown)},
    )


def parse_sufficiency(reply: str, stop_reason: StopReason) -> tuple[bool, str]:
    """Whether the evidence is said to suffice, and why; raises MalformedOutput, upon which the caller goes on as if it did."""
    content = read_object(reply, stop_reason)
    sufficient, why = content.get("sufficient"), content.get("why", "")
    if not isinstance(sufficient, bool):
        raise MalformedOutput("'sufficient' is neither true nor false")
    if not isinstance(why, str):
        raise MalformedOutput("'why' is no string")
    return sufficient, why
