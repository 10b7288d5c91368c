"""What the product depends on: bounded, locked, free to use in a hospital, and without known holes where that can be looked up."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LOCKS = {"requirements.txt": "requirements.lock", "requirements-dev.txt": "requirements-dev.lock"}


def wanted(name: str) -> list[Requirement]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith(("#", "-r"))]


def locked(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return {canonicalize_name(line.split("==")[0]): line.split("==")[1] for line in lines if "==" in line}


@pytest.mark.parametrize("name", LOCKS)
def test_every_range_has_both_bounds_and_the_lock_lies_in_it(name: str) -> None:
    versions = locked(LOCKS[name])
    for requirement in wanted(name):
        operators = {clause.operator for clause in requirement.specifier}
        assert {">=", "<"} <= operators, requirement
        assert requirement.specifier.contains(versions[canonicalize_name(requirement.name)]), requirement


def test_the_two_locks_agree() -> None:
    runtime, development = locked("requirements.lock"), locked("requirements-dev.lock")
    assert {name: development.get(name) for name in runtime} == runtime


def test_no_dependency_is_under_the_affero_licence() -> None:
    for name in locked("requirements-dev.lock"):
        metadata = importlib.metadata.metadata(name)
        licence = metadata.get("License") or ""  # some give whole texts here, those of bundled parts with them: the name is its first line
        said = " ".join(
            [metadata.get("License-Expression") or "", licence.strip().partition("\n")[0], *(metadata.get_all("Classifier") or [])]
        )
        assert not re.search(r"\bAGPL|Affero", said), name


def test_no_known_hole_in_what_is_locked() -> None:
    command = [sys.executable, "-m", "pip_audit", "-r", "requirements.lock", "--no-deps", "--disable-pip", "--format", "json"]
    finished = subprocess.run(
        [*command, "--timeout", "5", "--progress-spinner", "off"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )
    if not finished.stdout.startswith("{"):
        pytest.skip(f"no advisory database could be asked: {finished.stderr[-200:]}")
    audited = [each for each in json.loads(finished.stdout)["dependencies"] if "skip_reason" not in each]
    if not audited:
        pytest.skip("the package index here holds no advisories")
    assert {each["name"]: each["vulns"] for each in audited if each["vulns"]} == {}
