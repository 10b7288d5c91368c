"""No generator: answers are quotes of the source (spec 01, "Models"; spec 04)."""

from __future__ import annotations

from duocthu_core.language_models.port import ModelError, ModelRequest, ModelResponse


class DisabledModel:
    """Stands where a generator would be; the pipeline asks its ``provider`` and quotes instead."""

    provider = "disabled"
    model_id = "disabled"

    def complete(self, request: ModelRequest, *, timeout_s: float) -> ModelResponse:  # noqa: ARG002 - the port names it
        """Always fails: whoever calls it forgot to ask."""
        raise ModelError("unavailable", f"no model is configured for {request.purpose} (ANSWER_PROVIDER=disabled)")
