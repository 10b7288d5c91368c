"""Models that say what a test wants, and misbehave as real ones do."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from duocthu_core.language_models.port import ModelError, ModelRequest, ModelResponse

Reply = str | ModelError | Callable[[ModelRequest], str]


class ScriptedModel:
    """Answers its calls from a list, in order; running out is an error, as with a recording."""

    provider = "recorded"
    model_id = "scripted"

    def __init__(self, *replies: Reply, stop_reason: str = "end_turn") -> None:
        self._replies = list(replies)
        self._stop_reason = stop_reason
        self.requests: list[ModelRequest] = []

    def complete(self, request: ModelRequest, *, timeout_s: float) -> ModelResponse:
        assert timeout_s > 0, "no call may be made with nothing left of the budget"
        self.requests.append(request)
        if not self._replies:
            raise ModelError("unavailable", "no reply scripted")
        reply = self._replies.pop(0)
        if isinstance(reply, ModelError):
            raise reply
        text = reply(request) if callable(reply) else reply
        return ModelResponse.model_validate(
            {"text": text, "model": self.model_id, "stop_reason": self._stop_reason, "input_tokens": 10, "output_tokens": 5}
        )


def draft(*claims: tuple[str, Sequence[int]], **more: Any) -> str:
    """A generator's reply."""
    reply = {
        "claims": [{"text": text, "citations": list(citations), "drug_id": None} for text, citations in claims],
        "evidence_sufficient": True,
        "clarifying_question": None,
        "quick_replies": [],
    }
    return json.dumps(reply | more, ensure_ascii=False)


def verdicts(*stances: str, confidence: int = 95) -> Callable[[ModelRequest], str]:
    """A judge's reply: one stance a claim; the quote is the start of the claim's first cited block."""

    def reply(request: ModelRequest) -> str:
        claims = request.payload["claims"]
        found = [
            {
                "index": claim["index"],
                "stance": stance,
                "confidence": confidence,
                "evidence_quote": claim["blocks"][0]["text"].split("\n")[-1],
                "reasoning": "",
            }
            for claim, stance in zip(claims, stances, strict=True)
        ]
        return json.dumps({"verdicts": found}, ensure_ascii=False)

    return reply


COMPLETE = json.dumps({"complete": True, "missing_evidence": []})


def incomplete(description: str, quote: str) -> str:
    """A judge's objection."""
    return json.dumps({"complete": False, "missing_evidence": [{"description": description, "evidence_quote": quote}]}, ensure_ascii=False)
