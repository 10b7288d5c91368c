"""``eval``: run, gate, compare, list, and their exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from duocthu_core.cli import main
from duocthu_core.evaluation import gate as gating
from duocthu_core.evaluation.sets import EVALS_FOLDER
from duocthu_core.verification.guards import check as guard_check

IDS = ("tc-cho", "par-ccd", "mx-don-vi-kg", "nl-9-thang")


@pytest.fixture
def small_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four items of the shipped set, and a folder of their own for everything that is kept."""
    monkeypatch.setenv("DUOCTHU_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr("duocthu_core.evaluation.evaluating.DEFAULT_CLAIMS", 3)
    lines = [line for line in (EVALS_FOLDER / "demo.jsonl").read_text(encoding="utf-8").splitlines() if json.loads(line)["id"] in IDS]
    path = tmp_path / "nhỏ.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["eval", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_run_a_baseline_a_gate_and_a_comparison(small_set: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "baseline.json")
    code, out, _ = run(capsys, "baseline", str(small_set), "--output", file, "--json")
    assert (code, json.loads(out)["items"]) == (0, 4)
    code, out, _ = run(capsys, "run", str(small_set), "--gate", file, "--json")
    found = json.loads(out)
    assert (code, found["gate"]["status"], found["report"]["done"]) == (0, "passed", 4)
    assert found["report"]["second_read"] == 0
    code, out, _ = run(capsys, "list", "--json")
    runs = [entry["run_id"] for entry in json.loads(out)["runs"]]
    assert (code, len(runs)) == (0, 2)
    code, out, _ = run(capsys, "compare", *runs, "--json")
    assert (code, json.loads(out)["changed"], json.loads(out)["overall"]["p"]) == (0, [], 1.0)
    code, out, _ = run(capsys, "compare", *runs)
    assert "no difference shown" in out


def test_a_weakened_guard_exits_1_and_names_the_case(
    small_set: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(tmp_path / "baseline.json")
    assert run(capsys, "baseline", str(small_set), "--output", file)[0] == 0
    for guard in ("figure_findings", "exchanged_findings"):  # what one of the two catches, the other catches too
        monkeypatch.setattr(guard_check, guard, lambda *_: [])
    code, out, _ = run(capsys, "run", str(small_set), "--gate", file)
    assert code == 1
    assert "gate: regression (exact)" in out
    assert "mx-don-vi-kg (turn 1): abstained:unit_mismatch → answered" in out


def test_another_ruleset_exits_2_before_anything_is_run(small_set: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "baseline.json"
    assert run(capsys, "baseline", str(small_set), "--output", str(file))[0] == 0
    other = json.loads(file.read_text(encoding="utf-8"))
    other["identity"]["ruleset_id"] = "sha256:other"
    file.write_text(json.dumps(other), encoding="utf-8")
    code, _, err = run(capsys, "run", str(small_set), "--gate", str(file))
    assert code == 2
    assert "the ruleset of this run is not the baseline's" in err
    assert err.count("\n") == 1
    assert len(json.loads(run(capsys, "list", "--json")[1])["runs"]) == 1


def test_bad_input_exits_2_with_the_line(small_set: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small_set.write_text('{"id":"a","turns":[{"q":"Liều?"}]}\n{', encoding="utf-8")
    code, _, err = run(capsys, "run", str(small_set))
    assert code == 2
    assert [line.split(":")[1].strip() for line in err.splitlines()] == ["line 1", "line 2"]
    assert run(capsys, "run", "nowhere")[0] == 2
    assert run(capsys, "compare", "x", "y")[0] == 2
    assert run(capsys, "run", "demo", "--workers", "0")[0] == 2


def test_the_gate_reads_the_committed_baseline_by_default() -> None:
    assert gating.BASELINE_PATH == EVALS_FOLDER / "baseline.json"
    assert gating.BASELINE_PATH.is_file()


def test_a_run_is_scored_again_after_its_expectations_changed(small_set: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "run", str(small_set))[0] == 0
    (first,) = json.loads(run(capsys, "list", "--json")[1])["runs"]
    changed = small_set.read_text(encoding="utf-8").replace('"abstained:unit_mismatch"', '"abstained:route_mismatch"')
    small_set.write_text(changed, encoding="utf-8")
    code, out, err = run(capsys, "rescore", first["run_id"], "--set", str(small_set), "--json")
    assert (code, err) == (0, "")
    report = json.loads(out)["report"]
    right = next(rate for rate in report["all"]["rates"] if rate["name"] == "every_turn_right")
    assert (code, report["run"]["status"], right["k"], right["n"]) == (0, "finished", 3, 4)
    small_set.write_text(changed.replace('"q": "', '"q": "Xin hỏi: ').replace('"q":"', '"q":"Xin hỏi: '), encoding="utf-8")
    code, _, err = run(capsys, "rescore", first["run_id"], "--set", str(small_set))
    assert (code, "turns differ of" in err, err.count("\n")) == (2, True, 1)
