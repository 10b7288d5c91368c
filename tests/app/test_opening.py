"""Starting with a wrong setting: one line that names the variable, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_wrong_setting_stops_the_start_with_one_line(tmp_path: Path) -> None:
    environment = os.environ | {"DUOCTHU_TURN_BUDGET_S": "-3", "DUOCTHU_DATA_DIR": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", "import app"], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 2
    lines = [line for line in ended.stderr.splitlines() if "ScriptRunContext" not in line]
    assert len(lines) == 1, ended.stderr
    assert lines[0].startswith("DUOCTHU_TURN_BUDGET_S: ")
