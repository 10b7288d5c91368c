"""``rules`` and ``replay`` as a script uses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from duocthu_core.cli import main

QUESTION = "Liều paracetamol uống cho người lớn là bao nhiêu?"


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUOCTHU_DATA_DIR", str(tmp_path / "data"))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    said = capsys.readouterr()
    return code, said.out, said.err


def test_rules_go_out_are_edited_come_in_and_are_tried_on_a_stored_turn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.yaml"
    assert run(capsys, "rules", "export", "default", "--output", str(file))[0] == 0
    text = file.read_text(encoding="utf-8")
    _, asked, _ = run(capsys, "ask", QUESTION, "--json")
    trace = json.loads(asked)
    assert trace["outcome"] == "answered"

    file.write_text(text.replace("judge_min_confidence: 70", "judge_min_confidence: 700"), encoding="utf-8")
    code, _, error = run(capsys, "rules", "import", str(file), "--name", "chặt")
    assert code == 2
    assert error.startswith(f"duocthu: {file}, line ")
    assert "thresholds.judge_min_confidence" in error
    assert error.count("\n") == 1

    file.write_text(text.replace("judge_min_confidence: 70", "judge_min_confidence: 100"), encoding="utf-8")
    code, out, _ = run(capsys, "rules", "import", str(file), "--name", "chặt", "--note", "ngưỡng 100", "--json")
    assert code == 0
    saved = json.loads(out)
    assert (saved["name"], saved["version"]) == ("chặt", 1)
    assert "chặt  version 1" in run(capsys, "rules", "list")[1]
    code, _, error = run(capsys, "rules", "import", str(file), "--name", "chặt")
    assert (code, "--over ID" in error) == (2, True)

    assert run(capsys, "rules", "diff", "default", "chặt")[1].startswith("thresholds.judge_min_confidence: 70 -> 100\nframework_version: ")
    impact = json.loads(run(capsys, "rules", "impact", "default", "chặt", "--json")[1])
    assert impact["becomes_stale_prompt"] == 0
    assert impact["becomes_stale_framework"] > 0
    assert impact["calls"]["judge_calls"] == 0

    code, out, _ = run(capsys, "replay", trace["trace_id"], "--ruleset", "chặt", "--json")
    again = json.loads(out)
    assert code == 0
    assert (again["parent_trace_id"], again["ruleset_id"]) == (trace["trace_id"], saved["ruleset_id"])
    code, out, _ = run(capsys, "replay", trace["trace_id"], "--from", "guards")
    assert "first difference: none" in out
    assert "0 made" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rules", "show", "không có"], "there is no ruleset 'không có'"),
        (["replay", "nothing"], "there is no stored turn 'nothing'"),
        (["replay", "nothing", "--from", "middle"], "'middle' is no stage"),
        (["rules", "import", "/nowhere/x.yaml"], "cannot be read"),
        (["rules", "impact", "default", "default", "--turns", "0"], "from 1 on"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    code, out, error = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert said in error
    assert error.count("\n") == 1
