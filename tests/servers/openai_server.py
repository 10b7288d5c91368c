"""A local server that answers and fails like an OpenAI-compatible one (Ollama, vLLM, llama.cpp)."""

from __future__ import annotations

import json
from typing import Any

from tests.servers.converse_server import REPLY
from tests.servers.scripted_http import Answer, Exchange, ScriptedServer


def reply(text: str | None = REPLY, finish_reason: str = "stop", input_tokens: int = 812, output_tokens: int = 64) -> bytes:
    """The body of a chat completion."""
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1767225600,
            "model": "qwen2.5-coder:1.5b",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish_reason}],
            "usage": {"prompt_tokens": input_tokens, "completion_tokens": output_tokens, "total_tokens": input_tokens + output_tokens},
        }
    ).encode()


def answers(text: str | None = REPLY, **how: Any) -> Answer:
    """A whole answer."""
    return lambda exchange: exchange.send(200, reply(text, **how))


def cut_off(exchange: Exchange) -> None:
    """A reply that ends at the limit of tokens."""
    exchange.send(200, reply('{"claims": [{"text": "Người lớn: 0,5 -', finish_reason="length", output_tokens=16))


def fails(status: int, message: str, headers: dict[str, str] | None = None) -> Answer:
    """An error answer."""
    body = json.dumps({"error": {"message": message, "type": "error", "param": None, "code": None}}).encode()
    return lambda exchange: exchange.send(status, body, headers=headers)


def throttled(exchange: Exchange) -> None:
    """429 without a time to wait."""
    fails(429, "Rate limit reached for requests")(exchange)


def key_refused(exchange: Exchange) -> None:
    """401 that quotes the key and the headers back."""
    key = exchange.received.headers.get("authorization", "")
    fails(401, f"Incorrect API key provided: {key.removeprefix('Bearer ')}. Request headers: {json.dumps(exchange.received.headers)}")(
        exchange
    )


def refuses_response_format(exchange: Exchange) -> None:
    """400 of a server without structured output."""
    if "response_format" in exchange.received.body:
        fails(400, "response_format json_schema is not supported")(exchange)
    else:
        exchange.send(200, reply())


def openai_server() -> ScriptedServer:
    """A server that answers chat completions."""
    return ScriptedServer(default=answers())
