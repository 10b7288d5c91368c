"""Replies from a file instead of a model, and the recorder that writes such a file (spec 01, "Models").

A recording is JSONL, ``{"fingerprint", "response"}`` a line, or a stored trace as JSON, whose model calls are taken. Requests are known by
their fingerprint, so a changed prompt finds nothing and is an error: nothing is ever called.
"""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from duocthu_core.language_models.port import LanguageModel, ModelError, ModelErrorKind, ModelRequest, ModelResponse


class RecordingError(Exception):
    """A recording that cannot be read; the message names the file, the line and what is wrong."""


class _Line(BaseModel):
    model_config = ConfigDict(extra="ignore")

    fingerprint: str
    response: ModelResponse


class _Call(BaseModel):
    request: ModelRequest
    response: ModelResponse | None = None
    error_kind: ModelErrorKind | None = None
    error: str | None = None


class _Stage(BaseModel):
    calls: tuple[_Call, ...] = ()


class _Trace(BaseModel):
    """The part of a trace's JSON (spec 01, schema_version 1) that a replay needs."""

    stages: tuple[_Stage, ...]


Recorded = ModelResponse | ModelError
_Reply = TypeVar("_Reply")


class RecordedReplies(Generic[_Reply]):
    """What was recorded for each request, by fingerprint. Safe to share between threads.

    Where one request was recorded more than once (an identical retry), its replies come in the order of the recording and then from the
    first again, so that a second run of the same turn gets the same replies.
    """

    def __init__(self, recording: Iterable[tuple[str, _Reply]]) -> None:
        self._replies: defaultdict[str, list[_Reply]] = defaultdict(list)
        for fingerprint, reply in recording:
            self._replies[fingerprint].append(reply)
        self._served: defaultdict[str, int] = defaultdict(int)
        self._lock = threading.Lock()

    def next_for(self, fingerprint: str) -> _Reply | None:
        """The next reply to a request; None for one that was not recorded."""
        replies = self._replies.get(fingerprint)
        if not replies:
            return None
        with self._lock:
            reply = replies[self._served[fingerprint] % len(replies)]
            self._served[fingerprint] += 1
        return reply


class RecordedModel:
    """Answers each request with what was recorded for it (see :class:`RecordedReplies`)."""

    provider = "recorded"

    def __init__(self, recording: Iterable[tuple[str, Recorded]], model_id: str = "") -> None:
        recorded = list(recording)
        self._replies = RecordedReplies(recorded)
        named = {reply.model for _, reply in recorded if isinstance(reply, ModelResponse)}
        self.model_id = model_id or (named.pop() if len(named) == 1 else "recorded")

    def complete(self, request: ModelRequest, *, timeout_s: float) -> ModelResponse:
        """The recorded reply, or the recorded error; raises ModelError ``unavailable`` for a request that was not recorded."""
        if timeout_s <= 0:
            raise ModelError("budget_exhausted", "no time was left for this call")
        fingerprint = request.fingerprint()
        reply = self._replies.next_for(fingerprint)
        if reply is None:
            raise ModelError("unavailable", f"no recorded response for {request.purpose} request {fingerprint}")
        if isinstance(reply, ModelError):
            raise ModelError(reply.kind, reply.detail)
        return reply


def read_recording(path: Path) -> list[tuple[str, Recorded]]:
    """The fingerprints and replies of a JSONL recording or a trace, in order; raises :class:`RecordingError`."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordingError(f"{path}: cannot be read ({error}); check the path") from None
    whole = _json(text)
    if isinstance(whole, dict) and "stages" in whole:
        return _of_trace(path, whole)
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    return [_of_line(path, number, line) for number, line in lines]


class RecordingModel:
    """Passes every request on to ``model`` and appends what it answered to the JSONL file at ``path``."""

    def __init__(self, model: LanguageModel, path: Path) -> None:
        self._model = model
        self._path = path
        self._lock = threading.Lock()

    @property
    def provider(self) -> str:
        """The recorded model's."""
        return self._model.provider

    @property
    def model_id(self) -> str:
        """The recorded model's."""
        return self._model.model_id

    def complete(self, request: ModelRequest, *, timeout_s: float) -> ModelResponse:
        """The model's own response, once it is in the file; errors are not recorded."""
        response = self._model.complete(request, timeout_s=timeout_s)
        line = json.dumps({"fingerprint": request.fingerprint(), "response": response.model_dump(mode="json")}, ensure_ascii=False)
        with self._lock:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        return response


def _of_trace(path: Path, document: dict[str, Any]) -> list[tuple[str, Recorded]]:
    try:
        trace = _Trace.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise RecordingError(f"{path}: no trace: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    recording: list[tuple[str, Recorded]] = []
    for call in (call for stage in trace.stages for call in stage.calls):
        reply = call.response or ModelError(call.error_kind or "unavailable", call.error or "recorded without a response")
        recording.append((call.request.fingerprint(), reply))
    return recording


def _of_line(path: Path, number: int, line: str) -> tuple[str, Recorded]:
    try:
        recorded = _Line.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise RecordingError(f"{path}, line {number}: {'.'.join(map(str, first['loc'])) or 'no JSON'}: {first['msg']}") from None
    return recorded.fingerprint, recorded.response


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
