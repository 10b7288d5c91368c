"""Models from settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from duocthu_core.language_models.factory import Role, build_model
from duocthu_core.language_models.port import LanguageModel, ModelError
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.settings import Settings, SettingsError
from tests.language_models.requests import answer_request
from tests.servers.scripted_http import ScriptedServer

OPENAI = {"answer_provider": "openai", "answer_model": "qwen2.5-coder:1.5b", "openai_base_url": "http://127.0.0.1:8777/v1"}
BEDROCK = {"answer_provider": "bedrock", "answer_model": "apac.amazon.nova-lite-v1:0", "bedrock_region": "ap-southeast-1"}


def built(ruleset: Ruleset, role: Role = "generator", /, **values: object) -> LanguageModel:
    return build_model(Settings(_env_file=None, **values), role, ruleset)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "provider", "model_id"), [(OPENAI, "openai", "qwen2.5-coder:1.5b"), (BEDROCK, "bedrock", "apac.amazon.nova-lite-v1:0")]
)
def test_a_configured_generator(ruleset: Ruleset, values: dict, provider: str, model_id: str) -> None:
    model = built(ruleset, **values)
    assert (model.provider, model.model_id) == (provider, model_id)


def test_a_fresh_machine_answers_offline_for_both_roles(ruleset: Ruleset) -> None:
    assert [built(ruleset, role).provider for role in ("generator", "judge")] == ["offline", "offline"]


def test_without_a_generator_the_call_is_an_error_and_the_judge_is_offline(ruleset: Ruleset) -> None:
    model = built(ruleset, answer_provider="disabled")
    assert model.provider == "disabled"
    with pytest.raises(ModelError, match="ANSWER_PROVIDER=disabled"):
        model.complete(answer_request(), timeout_s=5)
    assert built(ruleset, "judge", answer_provider="disabled").provider == "offline"


def test_the_judge_may_be_another_model_than_the_generator(ruleset: Ruleset) -> None:
    assert built(ruleset, "judge", **OPENAI).model_id == "qwen2.5-coder:1.5b"
    assert built(ruleset, "judge", **OPENAI, judge_model="llama3.1").model_id == "llama3.1"
    assert built(ruleset, "judge", **OPENAI, judge_provider="bedrock", judge_model="m", bedrock_region="us-east-1").provider == "bedrock"


def test_the_settings_reach_the_server(ruleset: Ruleset, chat: ScriptedServer) -> None:
    model = built(ruleset, **OPENAI | {"openai_base_url": f"{chat.url}/v1", "openai_api_key": "key-1"})
    model.complete(answer_request(), timeout_s=10)
    assert chat.received[0].headers["authorization"] == "Bearer key-1"


@pytest.mark.usefixtures("aws_keys")
def test_the_settings_reach_bedrock(ruleset: Ruleset, converse: ScriptedServer) -> None:
    built(ruleset, **BEDROCK, bedrock_endpoint_url=converse.url).complete(answer_request(), timeout_s=10)
    assert "/ap-southeast-1/bedrock/" in converse.received[0].headers["authorization"]


def test_a_recording_is_replayed(ruleset: Ruleset, tmp_path: Path) -> None:
    path = tmp_path / "recording.jsonl"
    line = {"fingerprint": answer_request().fingerprint(), "response": {"text": "{}", "model": "m"}}
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    model = built(ruleset, answer_provider="recorded", recording_path=path)
    assert model.complete(answer_request(), timeout_s=5).text == "{}"


@pytest.mark.parametrize(
    ("role", "values", "variable"),
    [
        ("generator", OPENAI | {"answer_model": " "}, "DUOCTHU_ANSWER_MODEL"),
        ("judge", {"judge_provider": "openai"}, "DUOCTHU_JUDGE_MODEL"),
        ("judge", {"judge_provider": "openai", "answer_model": "of another provider"}, "DUOCTHU_JUDGE_MODEL"),
        ("generator", OPENAI | {"openai_base_url": "127.0.0.1:8777/v1"}, "DUOCTHU_OPENAI_BASE_URL"),
        ("generator", OPENAI | {"openai_base_url": "ftp://host/v1"}, "DUOCTHU_OPENAI_BASE_URL"),
        ("generator", OPENAI | {"openai_base_url": "http://host:99999/v1"}, "DUOCTHU_OPENAI_BASE_URL"),
        ("generator", OPENAI | {"openai_base_url": ""}, "DUOCTHU_OPENAI_BASE_URL"),
        ("generator", OPENAI | {"openai_base_url": "http://host/v1?api-key=canary"}, "DUOCTHU_OPENAI_BASE_URL"),
        ("generator", OPENAI | {"openai_api_key": "canary\nkey"}, "DUOCTHU_OPENAI_API_KEY"),
        ("generator", BEDROCK | {"answer_model": ""}, "DUOCTHU_ANSWER_MODEL"),
        ("generator", BEDROCK | {"bedrock_region": ""}, "DUOCTHU_BEDROCK_REGION"),
        ("generator", BEDROCK | {"bedrock_region": "not a region"}, "DUOCTHU_BEDROCK_REGION"),
        ("generator", BEDROCK | {"bedrock_endpoint_url": "no-address"}, "DUOCTHU_BEDROCK_ENDPOINT_URL"),
        ("generator", {"answer_provider": "recorded"}, "DUOCTHU_RECORDING_PATH"),
        ("judge", {"judge_provider": "recorded", "recording_path": Path("/nowhere/recording.jsonl")}, "DUOCTHU_RECORDING_PATH"),
    ],
)
def test_what_is_missing_or_wrong_is_named_in_one_line(ruleset: Ruleset, role: Role, values: dict, variable: str) -> None:
    with pytest.raises(SettingsError) as caught:
        built(ruleset, role, **values)
    assert variable in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "canary" not in str(caught.value)


@pytest.mark.usefixtures("no_aws")
def test_a_profile_that_is_not_there_is_named(ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "no-such-profile")
    with pytest.raises(SettingsError, match=r"AWS_PROFILE.*no-such-profile"):
        built(ruleset, **BEDROCK)
