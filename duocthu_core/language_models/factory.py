"""The model of a role, as the settings name it (spec 01, "Models", "Settings")."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from duocthu_core.language_models.port import LanguageModel
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.settings import Provider, Settings, SettingsError

Role = Literal["generator", "judge"]
_PROVIDER_VARIABLES: dict[Role, str] = {"generator": "DUOCTHU_ANSWER_PROVIDER", "judge": "DUOCTHU_JUDGE_PROVIDER"}
_MODEL_VARIABLES: dict[Role, str] = {"generator": "DUOCTHU_ANSWER_MODEL", "judge": "DUOCTHU_JUDGE_MODEL"}


def build_model(settings: Settings, role: Role, ruleset: Ruleset) -> LanguageModel:
    """The language model that ``settings`` name for ``role``; raises :class:`SettingsError` with one line that names what is missing.

    A provider's package is imported only where that provider is set: on a fresh machine none is.
    """
    match _provider(settings, role):
        case "offline":
            from duocthu_core.language_models.offline import OfflineModel  # noqa: PLC0415

            return OfflineModel(ruleset)
        case "openai":
            return _openai(settings, role)
        case "bedrock":
            return _bedrock(settings, role)
        case "recorded":
            return _recorded(settings, role)
        case "disabled":
            from duocthu_core.language_models.disabled import DisabledModel  # noqa: PLC0415

            return DisabledModel()


def _openai(settings: Settings, role: Role) -> LanguageModel:
    from duocthu_core.language_models.openai_compatible import OpenAICompatibleModel  # noqa: PLC0415

    variable = "DUOCTHU_OPENAI_BASE_URL"
    example = "give the address under which /chat/completions is found, such as http://127.0.0.1:11434/v1"
    url = settings.openai_base_url.strip()
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
        parts = urlsplit("")
    if not usable:
        raise SettingsError(f"{variable}: no http(s) address; {example}")
    if parts.query or parts.fragment:
        raise SettingsError(f"{variable}: holds a query, which servers and proxies log; put a key into DUOCTHU_OPENAI_API_KEY")
    key = settings.openai_api_key.get_secret_value()
    if not key.isascii() or any(character.isspace() or not character.isprintable() for character in key):
        raise SettingsError("DUOCTHU_OPENAI_API_KEY: holds white space or a character that no header can carry; copy the key once more")
    return OpenAICompatibleModel(url, _model_id(settings, role), settings.openai_api_key)


def _bedrock(settings: Settings, role: Role) -> LanguageModel:
    if not settings.bedrock_region:
        raise SettingsError(f"DUOCTHU_BEDROCK_REGION: missing for {_PROVIDER_VARIABLES[role]}=bedrock; set it, such as ap-southeast-1")
    model_id = _model_id(settings, role)
    from botocore.exceptions import BotoCoreError  # noqa: PLC0415

    from duocthu_core.language_models.bedrock import BedrockModel  # noqa: PLC0415
    from duocthu_core.language_models.errors import detail_of  # noqa: PLC0415

    try:
        return BedrockModel(model_id, settings.bedrock_region, settings.bedrock_endpoint_url or None)
    except (BotoCoreError, ValueError) as error:
        problem = detail_of(str(error))
    raise SettingsError(f"DUOCTHU_BEDROCK_REGION, DUOCTHU_BEDROCK_ENDPOINT_URL or AWS_PROFILE: {problem}; correct it and start again")


def _recorded(settings: Settings, role: Role) -> LanguageModel:
    from duocthu_core.language_models.recorded import RecordedModel, RecordingError, read_recording  # noqa: PLC0415

    if settings.recording_path is None:
        raise SettingsError(
            f"DUOCTHU_RECORDING_PATH: missing for {_PROVIDER_VARIABLES[role]}=recorded; name a JSONL recording or a stored trace"
        )
    try:
        return RecordedModel(read_recording(settings.recording_path), _configured_model_id(settings, role))
    except RecordingError as error:
        raise SettingsError(f"DUOCTHU_RECORDING_PATH: {error}") from None


def _configured_model_id(settings: Settings, role: Role) -> str:
    """The model id set for ``role``; a judge without one of its own uses the generator's where both have one provider."""
    if role == "generator":
        return settings.answer_model.strip()
    shared = settings.answer_model if settings.effective_judge_provider == settings.answer_provider else ""
    return (settings.judge_model or shared).strip()


def _model_id(settings: Settings, role: Role) -> str:
    model_id = _configured_model_id(settings, role)
    if not model_id:
        raise SettingsError(
            f"{_MODEL_VARIABLES[role]}: missing for {_PROVIDER_VARIABLES[role]}={_provider(settings, role)}; name the model"
        )
    return model_id


def _provider(settings: Settings, role: Role) -> Provider:
    return settings.answer_provider if role == "generator" else settings.effective_judge_provider
