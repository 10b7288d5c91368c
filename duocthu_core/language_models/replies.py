"""A provider's reply as a :class:`ModelResponse`, checked for what every provider can get wrong."""

from __future__ import annotations

from typing import Any

from duocthu_core.language_models.port import ModelResponse, StopReason


def response_of(*, text: Any, model: str, stop_reason: StopReason, input_tokens: int, output_tokens: int) -> ModelResponse:
    """The response; raises ValueError for a reply without text, or with half a character in it, which no trace could store."""
    if not isinstance(text, str) or not text.strip():
        raise ValueError("the reply has no text")
    text.encode()  # a lone surrogate ("\\ud800" in the provider's JSON) raises UnicodeEncodeError, a ValueError
    return ModelResponse(text=text, model=model, stop_reason=stop_reason, input_tokens=input_tokens, output_tokens=output_tokens)
