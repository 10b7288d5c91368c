"""The port to language models (spec 01, "Models"): one request, one response, three ways to fail."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

Purpose = Literal["answer", "entailment", "completeness", "sufficiency", "understanding"]
StopReason = Literal["end_turn", "max_tokens", "other"]
ModelErrorKind = Literal["unavailable", "budget_exhausted", "malformed"]


class ModelRequest(BaseModel):
    """Everything a model is told. Two requests with one :meth:`fingerprint` are the same request."""

    model_config = ConfigDict(frozen=True)

    purpose: Purpose
    system: str
    user: str
    json_schema: dict[str, Any] | None = None
    """JSON schema of the reply, for providers with structured output."""
    max_output_tokens: int = 2048
    temperature: float = 0.0
    payload: dict[str, Any] = Field(default_factory=dict)
    """The same facts as ``user`` in structured form (JSON values only). The offline model reads this; others never see it."""

    def fingerprint(self) -> str:
        """``sha256:…`` over the canonical JSON of the request."""
        canonical = json.dumps(self.model_dump(mode="json"), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()


class ModelResponse(BaseModel):
    """What came back, untouched."""

    model_config = ConfigDict(frozen=True)

    text: str
    model: str
    """Model id as the provider names it."""
    stop_reason: StopReason = "end_turn"
    input_tokens: int = 0
    output_tokens: int = 0


class ModelError(Exception):
    """A call that gave no usable response.

    ``kind`` is one of the three outcomes that the pipeline knows; ``detail`` is the provider's own error for the trace, already free of
    credentials.
    """

    def __init__(self, kind: ModelErrorKind, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind: ModelErrorKind = kind
        self.detail = detail


class LanguageModel(Protocol):
    """Any model: offline, recorded, OpenAI-compatible or Bedrock."""

    @property
    def provider(self) -> str:
        """``offline`` | ``openai`` | ``bedrock`` | ``recorded`` | ``disabled``."""
        ...

    @property
    def model_id(self) -> str:
        """The model's id as it is stored with what it judged."""
        ...

    def complete(self, request: ModelRequest, *, timeout_s: float) -> ModelResponse:
        """Answers ``request`` within ``timeout_s`` seconds of wall clock, retries included; raises :class:`ModelError`."""
        ...
