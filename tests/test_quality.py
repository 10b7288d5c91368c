"""Lint, types and the house's import rules, held like any other behaviour."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["lint-imports", "--no-cache"],
        ["basedpyright", "--level", "error", "--pythonpath", sys.executable],
    ],
    ids=["lint", "format", "import-rules", "types"],
)
def test_the_tree_is_clean(command: list[str]) -> None:
    finished = subprocess.run([BIN / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout[-4000:] + finished.stderr[-2000:]
