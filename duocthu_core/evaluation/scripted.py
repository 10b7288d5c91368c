"""A model whose replies are part of a case: the pipeline's checks are measured on what a bad model says, whatever model runs."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterable
from typing import Any

from duocthu_core.corpus.collection import Corpus
from duocthu_core.evaluation.model import ScriptedClaim, ScriptedReply
from duocthu_core.language_models.port import LanguageModel, ModelError, ModelRequest, ModelResponse, Purpose


class ScriptError(Exception):
    """A reply that cannot be given in this turn: the case is broken, and counts as not run."""


class ScriptedModel:
    """Gives the replies of a case in order, each to a call of its purpose, and asks ``model`` for purposes without any.

    It calls itself ``recorded``: nothing it says comes from a model that runs now. The last reply of a purpose answers further calls
    too (an identical retry).
    """

    provider = "recorded"

    def __init__(self, replies: Iterable[ScriptedReply], model: LanguageModel, corpus: Corpus) -> None:
        self._model = model
        self._corpus = corpus
        self._replies: defaultdict[Purpose, deque[ScriptedReply]] = defaultdict(deque)
        for reply in replies:
            self._replies[reply.purpose].append(reply)

    @property
    def model_id(self) -> str:
        """The run's own model stays named, since it answers what is not scripted."""
        return f"case+{self._model.model_id}"

    def complete(self, request: ModelRequest, *, timeout_s: float) -> ModelResponse:
        """The next reply of the case for this purpose, or the model's own."""
        left = self._replies.get(request.purpose)
        if not left:
            return self._model.complete(request, timeout_s=timeout_s)
        reply = left.popleft() if len(left) > 1 else left[0]
        if reply.error is not None:
            raise ModelError(reply.error, "the model of this case fails so")
        return ModelResponse(text=self._text(reply, request), model=self.model_id, stop_reason=reply.stop_reason)

    def _text(self, reply: ScriptedReply, request: ModelRequest) -> str:
        if reply.text is not None:
            return reply.text
        if reply.claims is not None:
            return _json(
                claims=[self._claim(claim, request) for claim in reply.claims],
                evidence_sufficient=reply.sufficient,
                clarifying_question=None,
                quick_replies=[],
            )
        if reply.stances is not None:
            claims = request.payload["claims"]
            if len(claims) != len(reply.stances):
                raise ScriptError(f"{len(reply.stances)} stances for {len(claims)} claims; give one a claim")
            return _json(verdicts=[_verdict(claim, stance) for claim, stance in zip(claims, reply.stances, strict=True)])
        if reply.missing is not None:
            objections = [{"description": what, "evidence_quote": quote} for what, quote in reply.missing]
            return _json(complete=not objections, missing_evidence=objections)
        raise ScriptError(f"a reply for {reply.purpose} says nothing; give claims, stances, missing, text or error")

    def _claim(self, claim: ScriptedClaim, request: ModelRequest) -> dict[str, Any]:
        citations = [*(self._index_of(block_id, request) for block_id in claim.blocks), *claim.indices]
        return {"text": claim.text, "citations": citations, "drug_id": claim.drug_id}

    def _index_of(self, block_id: str, request: ModelRequest) -> int:
        block = self._corpus.block(block_id)
        shown = request.payload["evidence"]
        for entry in shown:
            if block is not None and entry["text"] == block.shown_text and entry["drug_id"] == block.drug_id:
                return int(entry["index"])
        raise ScriptError(f"block {block_id} is not among the {len(shown)} that the model was shown; cite one that is")


def _verdict(claim: dict[str, Any], stance: str) -> dict[str, Any]:
    quote = str(claim["blocks"][0]["text"]).split("\n")[-1] if stance in ("SUPPORTS", "PARTIAL") else ""
    return {"index": claim["index"], "stance": stance, "confidence": 95, "evidence_quote": quote, "reasoning": ""}


def _json(**document: Any) -> str:
    return json.dumps(document, ensure_ascii=False)
