"""The Bedrock adapter through real boto3, against a local server that answers and fails like Converse."""

from __future__ import annotations

import json
import time

import pytest

from duocthu_core.language_models.bedrock import BedrockModel
from duocthu_core.language_models.port import ModelError
from tests.language_models.requests import SCHEMA, answer_request
from tests.servers import converse_server as bedrock
from tests.servers import scripted_http as http
from tests.servers.scripted_http import Answer, ScriptedServer, free_port

pytestmark = pytest.mark.usefixtures("aws_keys")
MODEL = "apac.amazon.nova-lite-v1:0"


def model_at(url: str, **how: int) -> BedrockModel:
    return BedrockModel(MODEL, "ap-southeast-1", url, **how)


def failure(model: BedrockModel, timeout_s: float) -> tuple[ModelError, float]:
    """The error of one call and the seconds it took."""
    started = time.monotonic()
    with pytest.raises(ModelError) as caught:
        model.complete(answer_request(), timeout_s=timeout_s)
    return caught.value, time.monotonic() - started


def test_an_answer_comes_back_untouched(converse: ScriptedServer) -> None:
    response = model_at(converse.url).complete(answer_request(), timeout_s=10)
    assert response.text == bedrock.REPLY
    assert (response.model, response.stop_reason, response.input_tokens, response.output_tokens) == (MODEL, "end_turn", 812, 64)


def test_what_is_sent(converse: ScriptedServer) -> None:
    model_at(converse.url).complete(answer_request(), timeout_s=10)
    (received,) = converse.received
    assert received.path == "/model/apac.amazon.nova-lite-v1%3A0/converse"
    assert received.body["system"] == [{"text": "Chỉ dùng BẰNG CHỨNG."}]
    assert received.body["messages"] == [{"role": "user", "content": [{"text": answer_request().user}]}]
    assert received.body["inferenceConfig"] == {"maxTokens": 256, "temperature": 0.0}
    structure = received.body["outputConfig"]["textFormat"]["structure"]["jsonSchema"]
    assert json.loads(structure["schema"]) == SCHEMA
    assert "payload" not in json.dumps(received.body)


def test_without_a_schema_none_is_sent(converse: ScriptedServer) -> None:
    model_at(converse.url).complete(answer_request(json_schema=None), timeout_s=10)
    assert "outputConfig" not in converse.received[0].body


def test_a_model_without_structured_output_gets_the_schema_with_the_system_prompt(converse: ScriptedServer) -> None:
    converse.default = bedrock.refuses_structured_output
    model = model_at(converse.url)
    assert model.complete(answer_request(), timeout_s=10).text == bedrock.REPLY
    model.complete(answer_request(), timeout_s=10)
    assert ["outputConfig" in received.body for received in converse.received] == [True, False, False]
    assert json.dumps(SCHEMA) in converse.received[1].body["system"][0]["text"]


def test_another_validation_error_is_reported_and_the_schema_is_kept(converse: ScriptedServer) -> None:
    converse.default = bedrock.fails(400, "ValidationException", "Input is too long for requested model.")
    model = model_at(converse.url)
    error, _ = failure(model, 10)
    assert error.kind == "unavailable"
    assert "Input is too long" in error.detail
    converse.default = bedrock.answers()
    model.complete(answer_request(), timeout_s=10)
    assert "outputConfig" in converse.received[-1].body


def test_a_reply_cut_off_at_the_limit_says_so(converse: ScriptedServer) -> None:
    converse.then(bedrock.cut_off)
    response = model_at(converse.url).complete(answer_request(), timeout_s=10)
    assert response.stop_reason == "max_tokens"
    assert response.output_tokens == 16


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("model_context_window_exceeded", "max_tokens"),
        ("stop_sequence", "end_turn"),
        ("guardrail_intervened", "other"),
        ("new_one", "other"),
    ],
)
def test_stop_reasons(converse: ScriptedServer, reason: str, told: str) -> None:
    converse.then(bedrock.answers(stop_reason=reason))
    assert model_at(converse.url).complete(answer_request(), timeout_s=10).stop_reason == told


def test_a_throttled_call_is_tried_again(converse: ScriptedServer) -> None:
    converse.then(bedrock.throttled)
    assert model_at(converse.url).complete(answer_request(), timeout_s=30).text == bedrock.REPLY
    assert len(converse.received) == 2


def test_a_call_throttled_for_good_is_unavailable(converse: ScriptedServer) -> None:
    converse.default = bedrock.throttled
    error, seconds = failure(model_at(converse.url, max_retries=1), 30)
    assert error.kind == "unavailable"
    assert "ThrottlingException" in error.detail
    assert "Too many requests" in error.detail
    assert len(converse.received) == 2
    assert seconds < 30


def test_retries_end_with_the_time_given_and_nothing_is_sent_after_it(converse: ScriptedServer) -> None:
    converse.default = bedrock.throttled
    model = model_at(converse.url, max_retries=50)
    started = time.monotonic()
    error, seconds = failure(model, 1.5)
    assert error.kind == "unavailable"
    assert "Too many requests" in error.detail
    assert seconds < 4
    time.sleep(2.5)
    assert max(received.at for received in converse.received) - started < 2.0


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (bedrock.access_denied, "unavailable", "AccessDeniedException"),
        (bedrock.fails(404, "ResourceNotFoundException", "Could not resolve the foundation model"), "unavailable", "foundation model"),
        (
            bedrock.fails(403, "UnrecognizedClientException", "The security token included in the request is invalid."),
            "unavailable",
            "invalid",
        ),
        (http.html_with_status_200, "malformed", "sign in to the hospital network"),
        (http.half_a_json, "malformed", '{"output"'),
        (bedrock.answers(text=""), "malformed", "ValueError"),
        (bedrock.answers(text="nửa ký tự \ud800"), "malformed", "UnicodeEncodeError"),
        (lambda exchange: exchange.send(200, b"{}"), "malformed", "{}"),
        (lambda exchange: exchange.send(200, b"[1, 2]"), "malformed", "[1, 2]"),
        (lambda exchange: exchange.send(200, b'{"output": "text"}'), "malformed", '{"output": "text"}'),
        (http.broken_off, "unavailable", "after 21 of 4096 bytes"),
        (lambda exchange: exchange.send(403, b"<html>Forbidden by proxy</html>", "text/html"), "unavailable", "403"),
    ],
)
def test_failures_that_are_not_tried_again(converse: ScriptedServer, answer: Answer, kind: str, words: str) -> None:
    converse.default = answer
    error, seconds = failure(model_at(converse.url), 10)
    assert error.kind == kind
    assert words in error.detail
    assert len(converse.received) == 1
    assert seconds < 10


def test_a_connection_closed_in_between_is_tried_again(converse: ScriptedServer) -> None:
    converse.then(http.reset)
    assert model_at(converse.url).complete(answer_request(), timeout_s=30).text == bedrock.REPLY


def test_a_connection_closed_each_time_is_unavailable(converse: ScriptedServer) -> None:
    converse.default = http.reset
    error, _ = failure(model_at(converse.url, max_retries=0), 10)
    assert error.kind == "unavailable"
    assert "Connection" in error.detail


def test_a_server_that_is_not_there_is_unavailable() -> None:
    error, seconds = failure(model_at(f"http://127.0.0.1:{free_port()}", max_retries=0), 10)
    assert error.kind == "unavailable"
    assert "EndpointConnectionError" in error.detail
    assert seconds < 10


def test_a_silent_server_uses_the_budget_up(converse: ScriptedServer) -> None:
    converse.default = http.stay_silent
    error, seconds = failure(model_at(converse.url), 1.0)
    assert error.kind == "budget_exhausted"
    assert 0.9 < seconds < 4


def test_a_body_that_drips_uses_the_budget_up(converse: ScriptedServer) -> None:
    converse.default = lambda exchange: exchange.drip(bedrock.reply(), every_s=0.1)
    error, seconds = failure(model_at(converse.url), 1.0)
    assert error.kind == "budget_exhausted"
    assert 0.9 < seconds < 4


def test_without_time_left_no_call_is_made(converse: ScriptedServer) -> None:
    error, _ = failure(model_at(converse.url), 0.0)
    assert error.kind == "budget_exhausted"
    assert converse.received == []


def test_without_credentials_it_is_unavailable(converse: ScriptedServer, no_aws: pytest.MonkeyPatch) -> None:
    no_aws.delenv("AWS_ACCESS_KEY_ID")
    no_aws.delenv("AWS_SECRET_ACCESS_KEY")
    error, seconds = failure(model_at(converse.url), 10)
    assert error.kind == "unavailable"
    assert "NoCredentialsError" in error.detail
    assert converse.received == []
    assert seconds < 10


def test_calls_at_once_do_not_share_their_time_or_errors(converse: ScriptedServer) -> None:
    from concurrent.futures import ThreadPoolExecutor

    converse.default = lambda exchange: (
        http.stay_silent(exchange)
        if "im lặng" in json.dumps(exchange.received.body, ensure_ascii=False)
        else exchange.send(200, bedrock.reply())
    )
    model = model_at(converse.url)

    def ask(user: str) -> str:
        try:
            return model.complete(answer_request(user), timeout_s=1.5).text
        except ModelError as error:
            return error.kind

    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(ask, ["im lặng", "a", "b", "im lặng", "c", "d"]))
    assert outcomes == ["budget_exhausted", bedrock.REPLY, bedrock.REPLY, "budget_exhausted", bedrock.REPLY, bedrock.REPLY]
