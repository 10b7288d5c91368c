"""Local servers and credentials for the adapters' tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.converse_server import converse_server
from tests.servers.openai_server import openai_server
from tests.servers.scripted_http import ScriptedServer


@pytest.fixture
def converse() -> Iterator[ScriptedServer]:
    with converse_server() as server:
        yield server


@pytest.fixture
def chat() -> Iterator[ScriptedServer]:
    with openai_server() as server:
        yield server


@pytest.fixture
def no_aws(monkeypatch: pytest.MonkeyPatch, tmp_path) -> pytest.MonkeyPatch:
    """An environment in which boto3 finds nothing: no keys, no profile, no metadata service."""
    import os

    for name in list(os.environ):
        if name.startswith("AWS_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "no-credentials"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "no-config"))
    return monkeypatch


@pytest.fixture
def aws_keys(no_aws: pytest.MonkeyPatch) -> None:
    """Keys with which boto3 signs; the local server checks none."""
    no_aws.setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
    no_aws.setenv("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
