"""Amazon Bedrock through boto3's Converse (spec 01, "Models"): structured output, retries and time-outs within the turn's budget."""

from __future__ import annotations

import json
import logging
import os
import re
from contextvars import ContextVar
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from boto3.session import Session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ReadTimeoutError
from botocore.parsers import ResponseParserError

from duocthu_core.language_models.deadline import CallClock, OutOfTime, answer_within
from duocthu_core.language_models.errors import detail_of
from duocthu_core.language_models.port import ModelError, ModelRequest, ModelResponse, StopReason
from duocthu_core.language_models.replies import response_of

_STOP_REASONS: dict[Any, StopReason] = {
    "end_turn": "end_turn",
    "stop_sequence": "end_turn",
    "max_tokens": "max_tokens",
    # Cut off as well, by the model's window instead of the request's limit.
    "model_context_window_exceeded": "max_tokens",
}
_CONNECT_TIMEOUT_S = 5.0
_READ_TIMEOUT_S = 60.0
_SECRET_VARIABLES = (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_SECURITY_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
)


@dataclass
class _Call:
    """What is known of the call in hand."""

    clock: CallClock
    sent_secrets: list[str] = field(default_factory=list)
    """What the signed headers held: all that a provider's error can quote of the credentials."""
    body: bytes = b""
    """The latest reply as received; botocore drops what its model does not know."""
    announced_bytes: int = 0
    """Its Content-Length, which botocore does not check."""


# botocore's event handlers are told the request or the reply only; a call and its handlers run in one thread with a context of its own.
_call: ContextVar[_Call] = ContextVar("bedrock_call")


class BedrockModel:
    """A model of Amazon Bedrock.

    ``model_id`` is a model id, an inference profile or its ARN; credentials come from boto3's own chain. ``endpoint_url`` replaces the
    region's endpoint. Retries are botocore's adaptive ones, at most ``max_retries``; none is sent after the time of the call is over.
    """

    provider = "bedrock"

    def __init__(self, model_id: str, region: str, endpoint_url: str | None = None, *, max_retries: int = 2) -> None:
        self.model_id = model_id
        self._session = Session(region_name=region)
        config = Config(
            connect_timeout=_CONNECT_TIMEOUT_S,
            read_timeout=_READ_TIMEOUT_S,
            retries={"mode": "adaptive", "total_max_attempts": max_retries + 1},
        )
        self._client: Any = self._session.client("bedrock-runtime", endpoint_url=endpoint_url or None, config=config)
        events = self._client.meta.events
        events.register("before-send.bedrock-runtime.Converse", _limit_attempt)
        events.register("before-parse.bedrock-runtime.Converse", _note_reply)
        events.register("response-received.bedrock-runtime.Converse", _note_exception)
        converse = self._client.meta.service_model.operation_model("Converse")
        self._takes_schema = "outputConfig" in converse.input_shape.members
        _keep_signed_headers_out_of_logs()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model_id!r}, {self._session.region_name!r})"

    def complete(self, request: ModelRequest, *, timeout_s: float) -> ModelResponse:
        """See :meth:`duocthu_core.language_models.port.LanguageModel.complete`."""
        return answer_within(timeout_s, lambda clock: self._answer(request, clock), name=f"bedrock {request.purpose}")

    def _answer(self, request: ModelRequest, clock: CallClock) -> ModelResponse | ModelError:
        _call.set(_Call(clock))
        with_schema = request.json_schema is not None and self._takes_schema
        reply = self._converse(request, with_schema)
        if isinstance(reply, ClientError) and _code(reply) == "ValidationException" and with_schema:
            # Not every model has structured output; the schema then goes with the system prompt, once and from then on.
            reply = self._converse(request, False)
            self._takes_schema = isinstance(reply, Exception)
        if isinstance(reply, Exception):
            return ModelError("unavailable", _detail(f"{type(reply).__name__}: {reply}"))
        return self._response(reply)

    def _converse(self, request: ModelRequest, with_schema: bool) -> dict[str, Any] | BotoCoreError | ClientError:
        """The parsed reply, empty where a body came that is none; or the error that stood in its place."""
        try:
            return self._client.converse(**self._parameters(request, with_schema))
        except (BotoCoreError, ClientError) as error:
            _call.get().clock.remaining()  # an attempt that waited for all the time there was is no error of the provider: OutOfTime
            if isinstance(error, ReadTimeoutError):  # each attempt may wait for all the time that is left: it was used up
                raise OutOfTime from error
            return error
        except (ResponseParserError, AttributeError, TypeError, ValueError):
            # botocore's parser trusts the shape of what comes with status 200.
            if not _call.get().body:
                raise
            return {}

    def _parameters(self, request: ModelRequest, with_schema: bool) -> dict[str, Any]:
        system = request.system
        parameters: dict[str, Any] = {
            "modelId": self.model_id,
            "messages": [{"role": "user", "content": [{"text": request.user}]}],
            "inferenceConfig": {"maxTokens": request.max_output_tokens, "temperature": request.temperature},
        }
        if request.json_schema is not None:
            schema = json.dumps(request.json_schema, ensure_ascii=False)
            if with_schema:
                structure = {"jsonSchema": {"schema": schema, "name": request.purpose}}
                parameters["outputConfig"] = {"textFormat": {"type": "json_schema", "structure": structure}}
            else:
                system = f"{system}\n\nJSON Schema:\n{schema}"
        return parameters | {"system": [{"text": system}]}

    def _response(self, reply: dict[str, Any]) -> ModelResponse | ModelError:
        try:
            usage = reply.get("usage") or {}
            return response_of(
                text="".join(part["text"] for part in reply["output"]["message"]["content"] if "text" in part),
                model=self.model_id,
                stop_reason=_STOP_REASONS.get(reply.get("stopReason"), "other"),
                input_tokens=usage.get("inputTokens") or 0,
                output_tokens=usage.get("outputTokens") or 0,
            )
        except (ValueError, LookupError, TypeError) as error:
            call = _call.get()
            body = call.body.decode("utf-8", errors="replace")
            if len(call.body) < call.announced_bytes:
                return ModelError(
                    "unavailable", _detail(f"the connection closed after {len(call.body)} of {call.announced_bytes} bytes: {body}")
                )
            return ModelError("malformed", _detail(f"no Converse reply ({type(error).__name__}): {body}"))


def _limit_attempt(request: Any, **_: Any) -> None:
    """botocore's ``before-send`` event: no attempt after the call's time is over, and none that waits longer than what is left."""
    call = _call.get()
    request.context["read_timeout"] = call.clock.remaining()
    signed = str(request.headers.get("Authorization", ""))
    call.sent_secrets += re.findall(r"(?:Credential=|Signature=|Bearer )([^/,\s]+)", signed)
    call.sent_secrets.append(str(request.headers.get("X-Amz-Security-Token", "")))


def _note_reply(response_dict: dict[str, Any], **_: Any) -> None:
    """botocore's ``before-parse`` event: the reply of this attempt, before botocore makes something of it."""
    call = _call.get()
    call.body = response_dict["body"]
    announced = str(response_dict["headers"].get("Content-Length", ""))
    call.announced_bytes = int(announced) if announced.isdecimal() else 0
    if response_dict["status_code"] != HTTPStatus.OK:
        told = call.body.decode("utf-8", errors="replace")
        call.clock.last_failure = _detail(f"HTTP {response_dict['status_code']}: {told}")


def _note_exception(exception: Exception | None = None, **_: Any) -> None:
    """botocore's ``response-received`` event: an attempt without a reply."""
    if exception is not None and not isinstance(exception, OutOfTime | ReadTimeoutError):  # silence is no failure of its own
        _call.get().clock.last_failure = _detail(f"{type(exception).__name__}: {exception}")


def _detail(text: str) -> str:
    return detail_of(text, [*_call.get().sent_secrets, *(os.environ.get(name, "") for name in _SECRET_VARIABLES)])


def _code(error: ClientError) -> str:
    return error.response.get("Error", {}).get("Code", "")


def _keep_signed_headers_out_of_logs() -> None:
    """botocore writes signed headers and session tokens to its log at DEBUG: it is kept at INFO or above, whatever the root is set to."""
    logger = logging.getLogger("botocore")
    if logger.level < logging.INFO:
        logger.setLevel(max(logging.INFO, logger.getEffectiveLevel()))
