"""The OpenAI-compatible adapter over loopback, against a local server that answers and fails like one."""

from __future__ import annotations

import gzip
import time

import openai
import pytest
from pydantic import SecretStr

from duocthu_core.language_models.openai_compatible import OpenAICompatibleModel
from duocthu_core.language_models.port import ModelError
from tests.language_models.requests import SCHEMA, answer_request
from tests.servers import openai_server as chat_server
from tests.servers import scripted_http as http
from tests.servers.scripted_http import Answer, ScriptedServer, free_port

MODEL = "qwen2.5-coder:1.5b"


def model_at(url: str, key: str = "", **how: int) -> OpenAICompatibleModel:
    return OpenAICompatibleModel(f"{url}/v1", MODEL, SecretStr(key), **how)


def failure(model: OpenAICompatibleModel, timeout_s: float) -> tuple[ModelError, float]:
    """The error of one call and the seconds it took."""
    started = time.monotonic()
    with pytest.raises(ModelError) as caught:
        model.complete(answer_request(), timeout_s=timeout_s)
    return caught.value, time.monotonic() - started


def test_an_answer_comes_back_untouched(chat: ScriptedServer) -> None:
    response = model_at(chat.url).complete(answer_request(), timeout_s=10)
    assert response.text == chat_server.REPLY
    assert (response.model, response.stop_reason, response.input_tokens, response.output_tokens) == (MODEL, "end_turn", 812, 64)


def test_what_is_sent(chat: ScriptedServer) -> None:
    model_at(chat.url, "key-1").complete(answer_request(), timeout_s=10)
    (received,) = chat.received
    assert received.path == "/v1/chat/completions"
    assert received.headers["authorization"] == "Bearer key-1"
    assert received.body == {
        "model": MODEL,
        "messages": [{"role": "system", "content": "Chỉ dùng BẰNG CHỨNG."}, {"role": "user", "content": answer_request().user}],
        "max_tokens": 256,
        "temperature": 0.0,
        "stream": False,
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}},
    }


def test_user_info_of_the_address_is_sent_as_basic_authentication(chat: ScriptedServer) -> None:
    address = chat.url.replace("http://", "http://duoc:thu@")
    OpenAICompatibleModel(f"{address}/v1/", MODEL).complete(answer_request(), timeout_s=10)
    assert chat.received[0].headers["authorization"] == "Basic ZHVvYzp0aHU="
    assert chat.received[0].path == "/v1/chat/completions"


def test_a_server_on_this_machine_is_not_asked_through_a_proxy(chat: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert model_at(chat.url).complete(answer_request(), timeout_s=10).text == chat_server.REPLY


def test_a_server_without_structured_output_is_asked_once_without_it(chat: ScriptedServer) -> None:
    chat.default = chat_server.refuses_response_format
    model = model_at(chat.url)
    assert model.complete(answer_request(), timeout_s=10).text == chat_server.REPLY
    model.complete(answer_request(), timeout_s=10)
    assert ["response_format" in received.body for received in chat.received] == [True, False, False]


def test_another_400_is_reported_and_the_schema_is_kept(chat: ScriptedServer) -> None:
    chat.then(*[chat_server.fails(400, "the request exceeds the available context size")] * 2)
    model = model_at(chat.url)
    error, _ = failure(model, 10)
    assert error.kind == "unavailable"
    assert error.detail == "HTTP 400: the request exceeds the available context size"
    model.complete(answer_request(), timeout_s=10)
    assert "response_format" in chat.received[-1].body


def test_a_reply_cut_off_at_the_limit_says_so(chat: ScriptedServer) -> None:
    chat.then(chat_server.cut_off)
    response = model_at(chat.url).complete(answer_request(), timeout_s=10)
    assert response.stop_reason == "max_tokens"
    assert response.output_tokens == 16


def test_a_throttled_call_is_tried_again_after_the_time_asked_for(chat: ScriptedServer) -> None:
    chat.then(chat_server.fails(429, "slow down", {"Retry-After": "1"}))
    started = time.monotonic()
    assert model_at(chat.url).complete(answer_request(), timeout_s=20).text == chat_server.REPLY
    assert time.monotonic() - started >= 1.0
    assert len(chat.received) == 2


def test_a_wait_longer_than_the_time_left_is_not_begun(chat: ScriptedServer) -> None:
    chat.default = chat_server.fails(429, "slow down", {"Retry-After": "30"})
    error, seconds = failure(model_at(chat.url), 20)
    assert (error.kind, error.detail) == ("unavailable", "HTTP 429: slow down")
    assert seconds < 10
    assert len(chat.received) == 1


def test_a_call_throttled_for_good_is_unavailable(chat: ScriptedServer) -> None:
    chat.default = chat_server.throttled
    error, _ = failure(model_at(chat.url, max_retries=1), 20)
    assert (error.kind, error.detail) == ("unavailable", "HTTP 429: Rate limit reached for requests")
    assert len(chat.received) == 2


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (chat_server.fails(401, "Incorrect API key provided"), "unavailable", "HTTP 401: Incorrect API key provided"),
        (chat_server.fails(404, 'model "qwen" not found, try pulling it first'), "unavailable", "try pulling it first"),
        (lambda exchange: exchange.send(302, b"", headers={"Location": "http://127.0.0.1/login"}), "unavailable", "HTTP 302"),
        (http.html_with_status_200, "malformed", "sign in to the hospital network"),
        (http.half_a_json, "malformed", '{"output"'),
        (chat_server.answers(text=None), "malformed", "ValueError"),
        (chat_server.answers(text="nửa ký tự \ud800"), "malformed", "UnicodeEncodeError"),
        (lambda exchange: exchange.send(200, b'{"choices": []}'), "malformed", '{"choices": []}'),
        (lambda exchange: exchange.send(200, b"[]"), "malformed", "[]"),
        (lambda exchange: exchange.send(200, b"\xff\xfe"), "malformed", ""),
        (lambda exchange: exchange.send(200, b"no gzip", headers={"Content-Encoding": "gzip"}), "malformed", "DecodingError"),
        (
            lambda exchange: exchange.send(200, gzip.compress(b" " * 9_000_000), headers={"Content-Encoding": "gzip"}),
            "malformed",
            "longer than",
        ),
    ],
)
def test_failures_that_are_not_tried_again(chat: ScriptedServer, answer: Answer, kind: str, words: str) -> None:
    chat.default = answer
    error, seconds = failure(model_at(chat.url), 10)
    assert error.kind == kind
    assert words in error.detail
    assert len(chat.received) == 1
    assert seconds < 10


@pytest.mark.parametrize("answer", [http.reset, http.broken_off], ids=["reset", "broken off"])
def test_a_connection_closed_in_between_is_tried_again(chat: ScriptedServer, answer: Answer) -> None:
    chat.then(answer)
    assert model_at(chat.url).complete(answer_request(), timeout_s=20).text == chat_server.REPLY


def test_a_connection_closed_each_time_is_unavailable(chat: ScriptedServer) -> None:
    chat.default = http.reset
    error, _ = failure(model_at(chat.url, max_retries=1), 10)
    assert error.kind == "unavailable"
    assert "Error" in error.detail
    assert len(chat.received) == 2


def test_a_server_that_is_not_there_is_unavailable() -> None:
    error, seconds = failure(model_at(f"http://127.0.0.1:{free_port()}"), 10)
    assert error.kind == "unavailable"
    assert "ConnectError" in error.detail
    assert seconds < 10


def test_a_silent_server_uses_the_budget_up(chat: ScriptedServer) -> None:
    chat.default = http.stay_silent
    error, seconds = failure(model_at(chat.url), 1.0)
    assert error.kind == "budget_exhausted"
    assert 0.9 < seconds < 4


def test_a_body_that_drips_uses_the_budget_up(chat: ScriptedServer) -> None:
    chat.default = lambda exchange: exchange.drip(chat_server.reply(), every_s=0.1)
    error, seconds = failure(model_at(chat.url), 1.0)
    assert error.kind == "budget_exhausted"
    assert 0.9 < seconds < 4


def test_time_that_runs_out_on_a_retry_names_the_failure_before(chat: ScriptedServer) -> None:
    chat.then(chat_server.fails(503, "model is loading"), http.stay_silent)
    error, seconds = failure(model_at(chat.url), 2.0)
    assert error.kind == "unavailable"
    assert "model is loading" in error.detail
    assert 1.9 < seconds < 5


def test_without_time_left_no_call_is_made(chat: ScriptedServer) -> None:
    error, _ = failure(model_at(chat.url), -1.0)
    assert error.kind == "budget_exhausted"
    assert chat.received == []


def test_the_local_server_is_one_to_openais_own_client(chat: ScriptedServer) -> None:
    with openai.OpenAI(base_url=f"{chat.url}/v1", api_key="key-1", max_retries=0, timeout=10) as client:
        messages: list = [{"role": "user", "content": "liều paracetamol?"}]
        completion = client.chat.completions.create(model=MODEL, messages=messages)
        assert completion.choices[0].message.content == chat_server.REPLY
        chat.then(chat_server.throttled, chat_server.key_refused)
        with pytest.raises(openai.RateLimitError, match="Rate limit reached"):
            client.chat.completions.create(model=MODEL, messages=messages)
        with pytest.raises(openai.AuthenticationError, match="Incorrect API key"):
            client.chat.completions.create(model=MODEL, messages=messages)
