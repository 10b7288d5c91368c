"""Shared fixtures: the cases, the corpus of real text, the shipped rules."""

from __future__ import annotations

import gc
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.rulesets.model import Ruleset
from tests.servers.databases import (
    database,
    empty_database_url,
    postgresql,
    postgresql_database,
    postgresql_database_of_the_session,
    postgresql_template,
    sqlite_database,
)

__all__ = [
    "database",
    "empty_database_url",
    "postgresql",
    "postgresql_database",
    "postgresql_database_of_the_session",
    "postgresql_template",
    "sqlite_database",
]

ROOT = Path(__file__).resolve().parents[1]
SHARED_CORPUS = ROOT.parent / "shared" / "corpus"

# No property may fail by the clock: neither by a deadline nor by slow generation. CI draws the same examples every time, so that what
# fails there fails here too.
settings.register_profile(
    "suite",
    deadline=None,
    max_examples=100,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("suite")


def pytest_collection_finish() -> None:
    """Thousands of collected tests and imported modules stay to the end: looking through them again and again for garbage took a third of
    the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def cases(name: str) -> list[dict[str, Any]]:
    """The lines of ``tests/cases/{name}.jsonl``."""
    with (ROOT / "tests" / "cases" / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def case_ids(rows: list[dict[str, Any]]) -> list[str]:
    """Their ids, for pytest."""
    return [row["id"] for row in rows]


@pytest.fixture(scope="session")
def ruleset() -> Ruleset:
    """The rules that ship."""
    return shipped_ruleset()


@pytest.fixture(scope="session")
def shared_corpus() -> Path:
    """The folder of real text; skips where it is missing, fails in CI."""
    if not SHARED_CORPUS.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"{SHARED_CORPUS} is missing in CI")
        pytest.skip(f"{SHARED_CORPUS} is not here")
    return SHARED_CORPUS
