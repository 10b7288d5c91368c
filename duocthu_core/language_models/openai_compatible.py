"""Any server that speaks OpenAI's chat completions: Ollama, vLLM, llama.cpp (spec 01, "Models").

httpx and not the ``openai`` package: one POST is all that is used of it, and that package sends the organisation and project of the
environment to whatever server is configured, and reads a body for as long as it drips.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Generator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

import httpx
from pydantic import SecretStr

from duocthu_core.language_models.deadline import CallClock, answer_within
from duocthu_core.language_models.errors import detail_of
from duocthu_core.language_models.port import ModelError, ModelRequest, ModelResponse, StopReason
from duocthu_core.language_models.replies import response_of

_STOP_REASONS: dict[Any, StopReason] = {"stop": "end_turn", "length": "max_tokens"}
_PASSING_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_CONNECT_TIMEOUT_S = 5.0
_BODY_MAX_BYTES = 8 * 1024 * 1024
_BACKOFF_S = 0.5
_BACKOFF_MAX_S = 8.0


@dataclass(frozen=True)
class _Failure:
    """An attempt that brought no reply: scrubbed detail, HTTP status if there was one, seconds that the server asked to wait."""

    detail: str
    status: int | None = None
    retry_after_s: float | None = None

    @property
    def may_pass(self) -> bool:
        return self.status is None or self.status in _PASSING_STATUSES


class _Credentials(httpx.Auth):
    """Puts the key into the request at the last moment, so that no request object built here holds it."""

    def __init__(self, key: SecretStr, user: SecretStr, password: SecretStr) -> None:
        self._key = key
        self._basic = httpx.BasicAuth(user.get_secret_value(), password.get_secret_value()) if user.get_secret_value() else None
        name, word = user.get_secret_value(), password.get_secret_value()
        self.secrets = (key.get_secret_value(), name, word, f"{name}:{word}")

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        if self._key.get_secret_value():
            request.headers["Authorization"] = f"Bearer {self._key.get_secret_value()}"
            yield request
        elif self._basic is not None:
            yield from self._basic.auth_flow(request)
        else:
            yield request


class OpenAICompatibleModel:
    """A model behind an OpenAI-compatible server.

    ``base_url`` ends where ``/chat/completions`` begins. Without an ``api_key``, user info in it is sent as basic authentication.
    """

    provider = "openai"

    def __init__(self, base_url: str, model_id: str, api_key: SecretStr | None = None, *, max_retries: int = 2) -> None:
        url = httpx.URL(base_url.rstrip("/") + "/chat/completions")
        self.model_id = model_id
        self._credentials = _Credentials(api_key or SecretStr(""), SecretStr(url.username), SecretStr(url.password))
        self._url = url.copy_with(username=None, password=None)
        self._max_retries = max_retries
        self._takes_schema = True
        # A proxy of the environment is for the world outside, not for a server on this machine.
        self._client = httpx.Client(mounts={f"all://{host}": None for host in ("localhost", "127.0.0.1", "[::1]")})

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self._url)!r}, {self.model_id!r})"

    def complete(self, request: ModelRequest, *, timeout_s: float) -> ModelResponse:
        """See :meth:`duocthu_core.language_models.port.LanguageModel.complete`."""
        return answer_within(timeout_s, lambda clock: self._call(request, clock), name=f"openai {request.purpose}")

    def _call(self, request: ModelRequest, clock: CallClock) -> ModelResponse | ModelError:
        with_schema = request.json_schema is not None and self._takes_schema
        outcome = self._attempts(request, with_schema, clock)
        if isinstance(outcome, _Failure) and outcome.status == HTTPStatus.BAD_REQUEST and with_schema:
            outcome = self._attempts(request, False, clock)
            # Taken without the schema, so the schema is what it refuses: the next call need not ask again.
            self._takes_schema = not isinstance(outcome, ModelResponse)
        return ModelError("unavailable", outcome.detail) if isinstance(outcome, _Failure) else outcome

    def _attempts(self, request: ModelRequest, with_schema: bool, clock: CallClock) -> ModelResponse | ModelError | _Failure:
        """The outcome after at most ``max_retries`` retries; none is waited for that could not start in time."""
        attempt = 0
        while True:
            outcome = self._attempt(request, with_schema, clock)
            if not isinstance(outcome, _Failure):
                return outcome
            clock.last_failure = outcome.detail
            backoff = random.uniform(0.5, 1.0) * min(_BACKOFF_MAX_S, _BACKOFF_S * 2**attempt)  # noqa: S311 - spreads retries, hides nothing
            wait = backoff if outcome.retry_after_s is None else max(backoff, outcome.retry_after_s)
            if not outcome.may_pass or attempt == self._max_retries or wait >= clock.remaining():
                return outcome
            time.sleep(wait)
            attempt += 1

    def _attempt(self, request: ModelRequest, with_schema: bool, clock: CallClock) -> ModelResponse | ModelError | _Failure:
        left = clock.remaining()
        timeout = httpx.Timeout(left, connect=min(_CONNECT_TIMEOUT_S, left))
        try:
            with self._client.stream(
                "POST", self._url, json=self._body_of(request, with_schema), auth=self._credentials, timeout=timeout
            ) as response:
                body = bytearray()
                for piece in response.iter_bytes():
                    clock.remaining()
                    body += piece
                    if len(body) > _BODY_MAX_BYTES:
                        return ModelError("malformed", f"the reply is longer than {_BODY_MAX_BYTES} bytes")
        except httpx.TransportError as error:
            clock.remaining()
            return _Failure(self._detail(f"{type(error).__name__}: {error}"))
        except httpx.DecodingError as error:
            return ModelError("malformed", self._detail(f"{type(error).__name__}: {error}"))
        text = body.decode("utf-8", errors="replace")
        if response.status_code != HTTPStatus.OK:
            detail = self._detail(f"HTTP {response.status_code}: {_error_message(text)}")
            return _Failure(detail, response.status_code, _seconds(response.headers.get("Retry-After", "")))
        return self._reply(text)

    def _reply(self, text: str) -> ModelResponse | ModelError | _Failure:
        try:
            reply = json.loads(text)
            choice = reply["choices"][0]
            usage = reply.get("usage") or {}
            return response_of(
                text=choice["message"]["content"],
                model=reply.get("model") or self.model_id,
                stop_reason=_STOP_REASONS.get(choice.get("finish_reason"), "other"),
                input_tokens=usage.get("prompt_tokens") or 0,
                output_tokens=usage.get("completion_tokens") or 0,
            )
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            return ModelError("malformed", self._detail(f"no chat completion ({type(error).__name__}): {text}"))

    def _body_of(self, request: ModelRequest, with_schema: bool) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model_id,
            "messages": [{"role": "system", "content": request.system}, {"role": "user", "content": request.user}],
            "max_tokens": request.max_output_tokens,
            "temperature": request.temperature,
            "stream": False,
        }
        if with_schema:
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": request.purpose, "schema": request.json_schema}}
        return body

    def _detail(self, text: str) -> str:
        return detail_of(text, self._credentials.secrets)


def _error_message(body: str) -> str:
    """The message of ``{"error": {"message"}}``, ``{"error": "…"}`` or ``{"message"}``, else the body as it is."""
    try:
        told = json.loads(body)
    except ValueError:
        return body
    if isinstance(told, dict):
        error = told.get("error", told)
        message = error.get("message") if isinstance(error, dict) else error
        if isinstance(message, str) and message:
            return message
    return body


def _seconds(retry_after: str) -> float | None:
    """The seconds of a Retry-After header, which holds a number or a date."""
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (ValueError, TypeError):
        return None
