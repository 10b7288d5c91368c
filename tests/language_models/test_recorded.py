"""Replaying recordings."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from duocthu_core.language_models.port import ModelError, ModelRequest, ModelResponse
from duocthu_core.language_models.recorded import RecordedModel, RecordingError, RecordingModel, read_recording
from duocthu_core.pipeline.trace import ModelCall, StageRecord, Why
from tests.language_models.requests import answer_request

FIRST = ModelResponse(text='{"evidence_sufficient": false}', model="apac.amazon.nova-lite-v1:0", input_tokens=10, output_tokens=5)
SECOND = ModelResponse(text='{"claims": []}', model="apac.amazon.nova-lite-v1:0", stop_reason="max_tokens")


class Scripted:
    """Answers with the next of its replies."""

    provider = "openai"
    model_id = "qwen"

    def __init__(self, *replies: ModelResponse | ModelError) -> None:
        self.replies = list(replies)

    def complete(self, request: ModelRequest, *, timeout_s: float) -> ModelResponse:
        reply = self.replies.pop(0)
        if isinstance(reply, ModelError):
            raise reply
        return reply


def test_what_was_recorded_is_replayed(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "recording.jsonl"
    recorder = RecordingModel(Scripted(FIRST), path)
    assert recorder.complete(answer_request(), timeout_s=5) == FIRST
    replay = RecordedModel(read_recording(path))
    assert replay.complete(answer_request(), timeout_s=5) == FIRST
    assert (replay.provider, replay.model_id) == ("recorded", "apac.amazon.nova-lite-v1:0")


def test_the_recorder_is_the_model_it_records(tmp_path: Path) -> None:
    recorder = RecordingModel(Scripted(), tmp_path / "recording.jsonl")
    assert (recorder.provider, recorder.model_id) == ("openai", "qwen")


def test_an_error_is_passed_on_and_not_recorded(tmp_path: Path) -> None:
    path = tmp_path / "recording.jsonl"
    with pytest.raises(ModelError, match="malformed"):
        RecordingModel(Scripted(ModelError("malformed", "no JSON")), path).complete(answer_request(), timeout_s=5)
    assert not path.exists()


def test_a_request_that_was_not_recorded_is_an_error() -> None:
    replay = RecordedModel([(answer_request().fingerprint(), FIRST)])
    with pytest.raises(ModelError) as caught:
        replay.complete(answer_request(system="Quy tắc khác."), timeout_s=5)
    assert caught.value.kind == "unavailable"
    assert caught.value.detail.startswith("no recorded response for answer request sha256:")


def test_an_identical_retry_gets_its_own_reply_and_a_second_run_the_same_two() -> None:
    fingerprint = answer_request().fingerprint()
    replay = RecordedModel([(fingerprint, FIRST), (fingerprint, SECOND)])
    assert [replay.complete(answer_request(), timeout_s=5) for _ in range(4)] == [FIRST, SECOND, FIRST, SECOND]


def test_a_stored_trace_is_a_recording_with_its_errors(tmp_path: Path) -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    judge_request = answer_request(purpose="entailment")

    def call(request: ModelRequest, **outcome: object) -> ModelCall:
        return ModelCall.model_validate(
            {"provider": "bedrock", "model": "m", "request": request, "started_at": now, "duration_ms": 1.0} | outcome
        )

    stages = [
        StageRecord(
            name="generation",
            status="ran",
            why=Why(code="ran"),
            started_at=now,
            calls=(call(answer_request(), response=FIRST), call(answer_request(), response=SECOND)),
        ),
        StageRecord(
            name="entailment",
            status="stopped",
            why=Why(code="failed"),
            started_at=now,
            calls=(call(judge_request, error_kind="budget_exhausted", error="no answer within 3.0 s"),),
        ),
    ]
    path = tmp_path / "trace.json"
    path.write_text(
        json.dumps({"schema_version": 1, "stages": [stage.model_dump(mode="json") for stage in stages]}, indent=1), encoding="utf-8"
    )
    replay = RecordedModel(read_recording(path))
    assert [replay.complete(answer_request(), timeout_s=5) for _ in range(2)] == [FIRST, SECOND]
    with pytest.raises(ModelError) as caught:
        replay.complete(judge_request, timeout_s=5)
    assert (caught.value.kind, caught.value.detail) == ("budget_exhausted", "no answer within 3.0 s")


def test_without_time_left_nothing_is_replayed() -> None:
    with pytest.raises(ModelError) as caught:
        RecordedModel([(answer_request().fingerprint(), FIRST)]).complete(answer_request(), timeout_s=0)
    assert caught.value.kind == "budget_exhausted"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"fingerprint": "sha256:1", "response": {"text": "a", "model": "m"}}\n{"fingerprint": 1}\n', "line 2: fingerprint"),
        ("no json\n", "line 1: no JSON"),
        ('{"stages": [{"calls": [{"request": 1}]}]}', "no trace: stages.0.calls.0.request"),
    ],
)
def test_a_recording_that_cannot_be_read_says_where(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "recording.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RecordingError, match=message) as caught:
        read_recording(path)
    assert str(path) in str(caught.value)


def test_a_recording_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="check the path"):
        read_recording(tmp_path / "missing.jsonl")
