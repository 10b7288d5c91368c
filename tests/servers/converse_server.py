"""A local server that answers and fails like Amazon Bedrock's Converse (errors worded as the service words them)."""

from __future__ import annotations

import json
from typing import Any

from tests.servers.scripted_http import Answer, Exchange, ScriptedServer

REPLY = '{"claims": [{"text": "Người lớn: 0,5 - 1 g mỗi 4 - 6 giờ.", "citations": [1], "drug_id": null}], "evidence_sufficient": true}'


def reply(text: str = REPLY, stop_reason: str = "end_turn", input_tokens: int = 812, output_tokens: int = 64) -> bytes:
    """The body of a Converse answer."""
    return json.dumps(
        {
            "output": {"message": {"role": "assistant", "content": [{"text": text}]}},
            "stopReason": stop_reason,
            "usage": {"inputTokens": input_tokens, "outputTokens": output_tokens, "totalTokens": input_tokens + output_tokens},
            "metrics": {"latencyMs": 7},
        }
    ).encode()


def answers(text: str = REPLY, **how: Any) -> Answer:
    """A whole answer."""
    return lambda exchange: exchange.send(200, reply(text, **how))


def cut_off(exchange: Exchange) -> None:
    """A reply that ends at the limit of tokens."""
    exchange.send(200, reply('{"claims": [{"text": "Người lớn: 0,5 -', stop_reason="max_tokens", output_tokens=16))


def fails(status: int, code: str, message: str) -> Answer:
    """An error of the service: its name in the header, its message in the body."""
    body = json.dumps({"message": message}).encode()
    return lambda exchange: exchange.send(status, body, headers={"x-amzn-ErrorType": f"{code}:http://internal.amazon.com/coral/"})


def throttled(exchange: Exchange) -> None:
    """429 of the service."""
    fails(429, "ThrottlingException", "Too many requests, please wait before trying again.")(exchange)


def access_denied(exchange: Exchange) -> None:
    """403 that names the caller with account and session, as the service does."""
    fails(
        403,
        "AccessDeniedException",
        "User: arn:aws:sts::123456789012:assumed-role/Pharmacy/session-1 is not authorized to perform: bedrock:InvokeModel on resource: "
        "arn:aws:bedrock:ap-southeast-1:123456789012:inference-profile/apac.model",
    )(exchange)


def signature_refused(exchange: Exchange) -> None:
    """403 that quotes the signed request back, credentials and all."""
    signed = "\n".join(f"{name}:{value}" for name, value in exchange.received.headers.items())
    message = f"The request signature we calculated does not match. The Canonical String should have been 'POST\n/model\n\n{signed}'"
    fails(403, "InvalidSignatureException", message)(exchange)


def refuses_structured_output(exchange: Exchange) -> None:
    """400 of a model without structured output."""
    if "outputConfig" in exchange.received.body:
        fails(400, "ValidationException", "This model doesn't support the outputConfig.textFormat field.")(exchange)
    else:
        exchange.send(200, reply())


def converse_server() -> ScriptedServer:
    """A server that answers Converse requests."""
    return ScriptedServer(default=answers())
