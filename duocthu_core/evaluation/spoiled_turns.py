"""A whole turn with one claim of its draft spoiled: does it reach the reader (spec 06, page 7)? The checks and the judge run as always."""

from __future__ import annotations

import json

from duocthu_core.answering.model import Claim
from duocthu_core.language_models.port import LanguageModel, ModelRequest, ModelResponse
from duocthu_core.pipeline.comparing import drafted_claims
from duocthu_core.pipeline.trace import Trace


class SpoiledDraft:
    """Gives the draft of a stored turn with one claim replaced, and asks ``model`` for everything else.

    It calls itself ``recorded``: its draft is nothing that a model says now, and the trace shows that.
    """

    provider = "recorded"

    def __init__(self, trace: Trace, was: Claim, now: Claim, model: LanguageModel) -> None:
        """``was``: the claim of ``trace`` that ``now`` stands in the place of; raises ValueError where the turn has no such claim."""
        drafted = drafted_claims(trace)
        if not any(claim.text == was.text for claim in drafted):
            raise ValueError(f"turn {trace.trace_id} has no claim {was.text[:60]!r}; choose one of its own")
        self._claims = [now if claim.text == was.text else claim for claim in drafted]
        self._model = model

    @property
    def model_id(self) -> str:
        """Names the model whose draft was spoiled."""
        return f"mutant+{self._model.model_id}"

    def complete(self, request: ModelRequest, *, timeout_s: float) -> ModelResponse:
        """The spoiled draft where a draft is asked for."""
        if request.purpose != "answer":
            return self._model.complete(request, timeout_s=timeout_s)
        claims = [{"text": claim.text, "citations": list(claim.citations), "drug_id": claim.drug_id} for claim in self._claims]
        document = {"claims": claims, "evidence_sufficient": True, "clarifying_question": None, "quick_replies": []}
        return ModelResponse(text=json.dumps(document, ensure_ascii=False), model=self.model_id)
