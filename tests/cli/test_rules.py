"""``rules`` and ``replay`` as a script uses them."""

from __future__ import annotations

import io
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


def stored(capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, old: str, new: str) -> str:
    """Saves the rules that ship with one change under ``name``; gives their id."""
    text = run(capsys, "rules", "export", "default")[1]
    assert old in text
    file = tmp_path / "changed.yaml"
    file.write_text(text.replace(old, new), encoding="utf-8")
    code, out, error = run(capsys, "rules", "import", str(file), "--name", name, "--json")
    assert code == 0, error
    return json.loads(out)["ruleset_id"]


def test_saving_changes_nothing_for_readers_until_rules_are_put_in_force(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def answering() -> str:
        return json.loads(run(capsys, "ask", QUESTION, "--json")[1])["ruleset_id"]

    before = answering()
    mine = stored(capsys, tmp_path, "chặt", "judge_min_confidence: 70", "judge_min_confidence: 80")
    assert answering() == before
    assert json.loads(run(capsys, "rules", "activate", "chặt", "--json")[1])["answering"] == mine
    assert answering() == mine
    named = json.loads(run(capsys, "ask", QUESTION, "--ruleset", "default", "--json")[1])
    assert named["ruleset_id"] == before, "rules that are named answer whatever is in force"
    judged = json.loads(run(capsys, "cache", "stats", "--json")[1])["judge"]["framework_version"]
    assert judged == json.loads(run(capsys, "rules", "show", "chặt", "--json")[1])["framework_version"]
    assert run(capsys, "rules", "activate")[0] == 0
    assert answering() == before


def test_ground_and_resolve_take_stored_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    claims = [{"text": "Người lớn uống tối đa 4 mg/ngày.", "citations": [1]}]
    given = json.dumps({"claims": claims, "evidence": ["Người lớn: uống tối đa 4 g/ngày."]})

    def grounded(*options: str) -> bool:
        monkeypatch.setattr("sys.stdin", io.StringIO(given))
        return json.loads(run(capsys, "ground", "--json", *options)[1])["ok"]

    assert not grounded()
    assert not (tmp_path / "data").exists(), "without rules of one's own no database is made"
    monkeypatch.setattr("sys.stdin", io.StringIO(given))
    assert run(capsys, "ground", "--json", "--ruleset", "lỏng")[0] == 2
    assert not (tmp_path / "data").exists()
    text = run(capsys, "rules", "export", "default")[1]
    guards = text[text.index("\nguards:") : text.index("\ntables:")]
    stored(capsys, tmp_path, "lỏng", guards, guards.replace(": reject", ": 'off'"))
    loose = grounded("--ruleset", "lỏng")
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps({"turns": [QUESTION]})))
    code, out, _ = run(capsys, "resolve", "--json", "--ruleset", "lỏng")
    assert (code, json.loads(out)[0]["drug_id"]) == (0, "paracetamol")
    assert loose
    assert not grounded()


def test_a_turn_is_replayed_with_another_model(capsys: pytest.CaptureFixture[str]) -> None:
    trace = json.loads(run(capsys, "ask", QUESTION, "--json")[1])
    code, out, error = run(capsys, "replay", trace["trace_id"], "--provider", "disabled", "--json")
    assert code == 0, error
    again = json.loads(out)
    assert again["models"]["generator"].startswith("disabled/")
    assert again["models"]["judge"] == trace["models"]["judge"]
    assert run(capsys, "replay", trace["trace_id"], "--provider", "openai")[0] == 2
    assert run(capsys, "replay", trace["trace_id"], "--provider", "nobody")[0] == 2
