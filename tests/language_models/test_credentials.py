"""No credential in any error, detail, repr or log, whatever the provider answers (spec 01: "credentials never")."""

from __future__ import annotations

import base64
import logging
import traceback
from collections.abc import Callable

import pytest
from pydantic import SecretStr

from duocthu_core.language_models.bedrock import BedrockModel
from duocthu_core.language_models.openai_compatible import OpenAICompatibleModel
from duocthu_core.language_models.port import LanguageModel, ModelError
from tests.language_models.requests import answer_request
from tests.servers import converse_server as bedrock
from tests.servers import openai_server as chat_server
from tests.servers import scripted_http as http
from tests.servers.scripted_http import Answer, Exchange, ScriptedServer

ACCESS_KEY = "CANARYACCESSKEY7"
SECRET_KEY = "canary/secret+key"
SESSION_TOKEN = "canary+session/token=="
API_KEY = "canary-api-key"
USER = "canaryuser"
PASSWORD = "canary:pass"
BASIC = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
CANARIES = (ACCESS_KEY, SECRET_KEY, SESSION_TOKEN, API_KEY, USER, PASSWORD, BASIC)


def echoes_everything(exchange: Exchange) -> None:
    """An error page that shows the request's headers."""
    exchange.send(502, f"<pre>{exchange.received.headers}</pre>".encode(), "text/html")


def echoes_with_status_200(exchange: Exchange) -> None:
    """A page that shows the request's headers, as if all were well."""
    exchange.send(200, f"<pre>{exchange.received.headers}</pre>".encode(), "text/html")


def names_the_account(exchange: Exchange) -> None:
    """An error with ARN and account."""
    bedrock.access_denied(exchange)


COMMON = [echoes_everything, echoes_with_status_200, names_the_account, http.reset, http.half_a_json, http.broken_off, http.stay_silent]


def what_is_shown(model: LanguageModel, caplog: pytest.LogCaptureFixture) -> tuple[str, ModelError]:
    """Everything that a failed call leaves behind, down to the locals of every frame that its traceback keeps, and its error."""
    with caplog.at_level(logging.DEBUG):
        try:
            model.complete(answer_request(), timeout_s=2.0)
        except ModelError as error:
            frames = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
            behind = repr([error.__cause__, error.__context__])
            return "\n".join([str(error), repr(error), error.detail, repr(model), frames, behind, caplog.text]), error
    pytest.fail("the call did not fail")


def assert_no_canary(shown: str) -> None:
    assert [canary for canary in CANARIES if canary in shown] == []
    assert "123456789012" not in shown


@pytest.mark.parametrize("answer", [*COMMON, bedrock.signature_refused], ids=lambda answer: answer.__name__)
def test_bedrock(converse: ScriptedServer, no_aws: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, answer: Answer) -> None:
    no_aws.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
    no_aws.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    no_aws.setenv("AWS_SESSION_TOKEN", SESSION_TOKEN)
    converse.default = answer
    with caplog.at_level(logging.DEBUG):
        model = BedrockModel("m", "ap-southeast-1", converse.url, max_retries=0)
    shown, _ = what_is_shown(model, caplog)
    assert_no_canary(shown)
    assert ACCESS_KEY in converse.received[0].headers["authorization"]  # it was really sent


def test_bedrock_with_keys_of_a_file(
    converse: ScriptedServer, no_aws: pytest.MonkeyPatch, tmp_path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "keys").write_text(
        f"[default]\naws_access_key_id = {ACCESS_KEY}\naws_secret_access_key = {SECRET_KEY}\naws_session_token = {SESSION_TOKEN}\n"
    )
    no_aws.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "keys"))
    converse.default = bedrock.signature_refused
    shown, error = what_is_shown(BedrockModel("m", "ap-southeast-1", converse.url, max_retries=0), caplog)
    assert_no_canary(shown)
    assert "InvalidSignatureException" in error.detail


OPENAI_WITH: dict[str, Callable[[str], OpenAICompatibleModel]] = {
    "a key": lambda url: OpenAICompatibleModel(f"{url}/v1", "m", SecretStr(API_KEY), max_retries=0),
    "user info": lambda url: OpenAICompatibleModel(url.replace("http://", f"http://{USER}:{PASSWORD}@") + "/v1", "m", max_retries=0),
}


@pytest.mark.parametrize("answer", [*COMMON, chat_server.key_refused], ids=lambda answer: answer.__name__)
@pytest.mark.parametrize("credentials", OPENAI_WITH)
def test_openai(chat: ScriptedServer, caplog: pytest.LogCaptureFixture, answer: Answer, credentials: str) -> None:
    chat.default = answer
    shown, _ = what_is_shown(OPENAI_WITH[credentials](chat.url), caplog)
    assert_no_canary(shown)
    assert chat.received[0].headers["authorization"] in (f"Bearer {API_KEY}", f"Basic {BASIC}")
