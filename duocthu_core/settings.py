"""Settings from the environment and ``.env`` (spec 01, "Settings"). A wrong value stops the start with one line that names the variable."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, Self

from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, SettingsConfigDict

PROJECT_ROOT = Path(__file__).resolve().parents[1]
DEMO_CORPUS = PROJECT_ROOT / "data" / "corpus" / "demo.jsonl"
DRUG_NAMES = PROJECT_ROOT / "data" / "corpus" / "names.csv"

Provider = Literal["offline", "openai", "bedrock", "recorded", "disabled"]
JudgeProvider = Literal["offline", "openai", "bedrock", "recorded"]
_TOKEN_MIN_CHARS = 16
SECRETS_DIR = "DUOCTHU_SECRETS_DIR"
"""Folder of files each named after a setting and holding its value, as containers get their secrets; the environment comes first."""


class SettingsError(Exception):
    """A wrong setting; the message is one line that names the variable and what it may be."""


def _names(name: str) -> AliasChoices:
    """Every setting answers to ``DUOCTHU_NAME`` and to the plain name that the specification gives."""
    return AliasChoices(f"DUOCTHU_{name}", name)


class Settings(BaseSettings):
    """What an installation may set."""

    model_config = SettingsConfigDict(env_file=".env", env_file_encoding="utf-8", extra="ignore", frozen=True, populate_by_name=True)

    database_url: str = Field(default="", validation_alias=AliasChoices("DUOCTHU_DATABASE_URL", "DATABASE_URL"))
    """SQLAlchemy URL; empty means SQLite in ``data_dir``."""
    data_dir: Path = Field(default=PROJECT_ROOT / ".duocthu", validation_alias="DUOCTHU_DATA_DIR")
    corpus_path: Path = Field(default=DEMO_CORPUS, validation_alias=_names("CORPUS_PATH"))
    names_path: Path = Field(default=DRUG_NAMES, validation_alias="DUOCTHU_NAMES_PATH")
    """CSV of drug names, brands and combinations beside the corpus."""
    ruleset: str = Field(default="default", validation_alias="DUOCTHU_RULESET")
    """The rules that answer until others are put in force on the Rules page."""
    ruleset_pinned: bool = Field(default=False, validation_alias="DUOCTHU_RULESET_PINNED")
    """Whether ``ruleset`` answers whatever was put in force."""

    answer_provider: Provider = Field(default="offline", validation_alias=_names("ANSWER_PROVIDER"))
    judge_provider: JudgeProvider | None = Field(default=None, validation_alias=_names("JUDGE_PROVIDER"))
    """None: the same provider as answers (``offline`` where answers are disabled)."""
    answer_model: str = Field(default="", validation_alias=_names("ANSWER_MODEL"))
    judge_model: str = Field(default="", validation_alias=_names("JUDGE_MODEL"))
    openai_base_url: str = Field(default="http://127.0.0.1:11434/v1", validation_alias=_names("OPENAI_BASE_URL"))
    openai_api_key: SecretStr = Field(default=SecretStr(""), validation_alias=_names("OPENAI_API_KEY"))
    bedrock_region: str = Field(default="", validation_alias=AliasChoices("DUOCTHU_BEDROCK_REGION", "AWS_REGION", "AWS_DEFAULT_REGION"))
    bedrock_endpoint_url: str = Field(
        default="", validation_alias=AliasChoices("DUOCTHU_BEDROCK_ENDPOINT_URL", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME")
    )
    recording_path: Path | None = Field(default=None, validation_alias="DUOCTHU_RECORDING_PATH")
    """JSONL of recorded responses, or a stored trace as JSON, for the provider ``recorded``."""

    turn_budget_s: float = Field(default=60.0, gt=0, le=3600, validation_alias=_names("TURN_BUDGET_S"))
    """Wall clock over all model calls of a turn (spec 04, "Budget")."""
    tier: Literal["free", "premium"] = Field(default="free", validation_alias="DUOCTHU_TIER")
    language: Literal["vi", "en"] = Field(default="vi", validation_alias="DUOCTHU_LANGUAGE")
    verification_cache_ttl_days: int | None = Field(default=None, ge=1, le=36500, validation_alias=_names("VERIFICATION_CACHE_TTL_DAYS"))
    """How long a verdict is kept (spec 05); None: as long as the ruleset says."""
    verification_cache_max_payload_kb: int = Field(default=64, ge=1, validation_alias=_names("VERIFICATION_CACHE_MAX_PAYLOAD_KB"))
    http_token: SecretStr = Field(default=SecretStr(""), validation_alias="DUOCTHU_HTTP_TOKEN")
    """Bearer token of the HTTP contract (spec 05); needed where it is reached from another machine."""
    session_hours: float = Field(default=12.0, gt=0, le=24 * 30, validation_alias="DUOCTHU_SESSION_HOURS")
    """How long a sign-in lasts (spec 06, "Access")."""
    proxy_user_header: str = Field(default="", validation_alias="DUOCTHU_PROXY_USER_HEADER")
    """Header in which a trusted proxy names the signed-in person's e-mail; empty: no proxy is trusted."""
    proxy_secret: SecretStr = Field(default=SecretStr(""), validation_alias="DUOCTHU_PROXY_SECRET")
    """What that proxy sends in ``X-Duocthu-Proxy-Secret``, so that nobody else can name themselves."""
    otlp_endpoint: str = Field(default="", validation_alias="DUOCTHU_OTLP_ENDPOINT")
    """OpenTelemetry collector that every turn is sent to (``http://host:4318/v1/traces``); empty: none."""
    http_requests_per_minute: int = Field(default=600, ge=0, validation_alias="DUOCTHU_HTTP_REQUESTS_PER_MINUTE")
    """What one client may ask the HTTP contract in a minute; 0: as much as it likes."""
    question_max_chars: int = Field(default=4000, ge=100, validation_alias="DUOCTHU_QUESTION_MAX_CHARS")

    @field_validator("otlp_endpoint")
    @classmethod
    def _an_address(cls, endpoint: str) -> str:
        if endpoint and not endpoint.startswith(("http://", "https://")):
            raise ValueError("a collector is named as http://host:4318/v1/traces")
        return endpoint

    @field_validator("http_token", "proxy_secret")
    @classmethod
    def _hard_to_guess(cls, token: SecretStr) -> SecretStr:
        value = token.get_secret_value()
        if value and (len(value) < _TOKEN_MIN_CHARS or not value.isascii() or not value.isprintable() or " " in value):
            raise ValueError(f"a token has at least {_TOKEN_MIN_CHARS} ASCII characters and no space")
        return token

    @model_validator(mode="after")
    def _a_proxy_is_told_whole(self) -> Self:
        if bool(self.proxy_user_header) != bool(self.proxy_secret.get_secret_value()):
            raise ValueError("DUOCTHU_PROXY_USER_HEADER and DUOCTHU_PROXY_SECRET are set together or not at all")
        return self

    @property
    def effective_database_url(self) -> str:
        """The database in use: the one set, or SQLite in ``data_dir``."""
        return self.database_url or f"sqlite:///{self.data_dir / 'workbench.sqlite3'}"

    @property
    def effective_judge_provider(self) -> JudgeProvider:
        """The judge in use: the one set, or the generator's provider."""
        if self.judge_provider is not None:
            return self.judge_provider
        return "offline" if self.answer_provider == "disabled" else self.answer_provider


def load_settings(**overrides: object) -> Settings:
    """The settings of this process; raises :class:`SettingsError` with one line for the first wrong value."""
    if folder := os.environ.get(SECRETS_DIR):
        overrides.setdefault("_secrets_dir", folder)
    try:
        return Settings(**overrides)  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        if not first["loc"]:  # of several variables; the message names them
            raise SettingsError(f"{first['msg'].removeprefix('Value error, ')}; correct it and start again") from None
        variable = str(first["loc"][0])
        field = next((field for name, field in Settings.model_fields.items() if variable == name or variable in _aliases(field)), None)
        if field is not None:
            variable = _aliases(field)[0]
        is_secret = field is not None and field.annotation is SecretStr
        got = "" if is_secret else f" (got {str(first.get('input'))[:60]!r})"
        raise SettingsError(f"{variable}: {first['msg']}{got}; correct it and start again") from None


def _aliases(field: FieldInfo) -> list[str]:
    """The variables that a setting answers to."""
    alias = field.validation_alias
    return [str(choice) for choice in alias.choices] if isinstance(alias, AliasChoices) else [str(alias)]
