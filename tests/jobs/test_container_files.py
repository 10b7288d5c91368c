"""The container and compose files, read as an engine would: no engine is needed to see what they start and what they leave out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from duocthu_core.cli import _parser
from duocthu_core.settings import load_settings

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
CONTAINERFILE = (ROOT / "Containerfile").read_text(encoding="utf-8")


def instruction(name: str) -> str:
    """The last instruction of this name, its continued lines joined."""
    return re.findall(rf"^{name} (.*)$", CONTAINERFILE.replace("\\\n", " "), re.MULTILINE)[-1].strip()


def test_two_applications_and_two_workers_wait_for_one_upgrade_of_one_database() -> None:
    assert set(SERVICES) == {"database", "upgrade", "app-1", "app-2", "worker"}
    assert SERVICES["worker"]["deploy"]["replicas"] == 2
    for name in ("app-1", "app-2", "worker"):
        assert SERVICES[name]["depends_on"] == {"upgrade": {"condition": "service_completed_successfully"}}
    assert SERVICES["upgrade"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert SERVICES["upgrade"]["restart"] == "no"


@pytest.mark.parametrize("name", ["upgrade", "worker"])
def test_every_command_is_one_that_the_product_has(name: str) -> None:
    python, module, package, *arguments = SERVICES[name]["command"]
    assert (python, module, package) == ("python", "-m", "duocthu_core")
    _parser().parse_args(arguments)


def test_the_applications_are_reached_only_through_this_machine() -> None:
    assert [SERVICES[name]["ports"] for name in ("app-1", "app-2")] == [["127.0.0.1:8501:8501"], ["127.0.0.1:8502:8501"]]
    assert "ports" not in SERVICES["database"]
    command = json.loads(instruction("CMD"))
    assert command[:5] == ["python", "-m", "streamlit", "run", "app.py"]
    assert (ROOT / command[4]).is_file()


def test_nothing_runs_as_root_and_everything_is_watched() -> None:
    assert instruction("USER") == "10001"
    assert "8501/_stcore/health" in instruction("HEALTHCHECK")
    for name in ("database", "worker"):
        assert SERVICES[name]["healthcheck"]["test"][0] == "CMD"
    for name in ("upgrade", "app-1", "app-2", "worker"):
        assert SERVICES[name]["cap_drop"] == ["ALL"]
        assert SERVICES[name]["read_only"] is True


def test_secrets_come_as_files_and_stand_in_no_file_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert COMPOSE["secrets"]["database_url"] == {"file": "./secrets/database_url"}
    environment = {name for service in SERVICES.values() for name in service.get("environment", {})}
    assert not any(word in name for name in environment for word in ("URL", "KEY", "TOKEN")), environment
    (target,) = (secret["target"] for secret in SERVICES["worker"]["secrets"])
    (tmp_path / target).write_text("postgresql+psycopg://duocthu:dau-moc-0817@database/duocthu\n", encoding="utf-8")
    monkeypatch.delenv("DUOCTHU_DATABASE_URL", raising=False)
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("DUOCTHU_SECRETS_DIR", str(tmp_path))
    assert load_settings(_env_file=None).database_url == "postgresql+psycopg://duocthu:dau-moc-0817@database/duocthu"


def test_what_must_not_be_in_an_image_is_left_out() -> None:
    left_out = (ROOT / ".containerignore").read_text(encoding="utf-8")
    assert (ROOT / ".dockerignore").read_text(encoding="utf-8") == left_out
    assert {".git", ".env", ".duocthu", "secrets", ".streamlit/secrets.toml"} <= set(left_out.splitlines())
    assert "requirements.lock" not in left_out
