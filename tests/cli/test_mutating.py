"""``mutate`` as a person at a terminal uses it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from duocthu_core.cli import main
from duocthu_core.verification.mutation import MUTANT_KINDS

_BOOK = """# **THUỐC THỬ**

12 **Thuốc thử** DTQGVN 2

## Liều lượng và cách dùng

Người lớn: uống 0,5 - 1 g/lần, tối đa 4 g/ngày.

Trẻ em 6 - 8 tuổi: uống 240 mg/lần, tối đa 960 mg/ngày.
"""


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """A corpus of one drug."""
    monkeypatch.setenv("DUOCTHU_DATA_DIR", str(tmp_path / "data"))
    source, path = tmp_path / "sach.md", tmp_path / "corpus.jsonl"
    source.write_text(_BOOK, encoding="utf-8")
    assert main(["corpus", "import", str(source), "--edition", "Bản thử", "--output", str(path)]) == 0
    capsys.readouterr()
    return str(path)


def test_the_table_names_every_kind(corpus: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutate", "--corpus", corpus, "--per-kind", "2"]) == 0
    table = capsys.readouterr().out
    assert all(kind in table for kind in MUTANT_KINDS)
    assert "2 true claims, 0 falsely rejected" in table


def test_json_holds_each_mutant_and_the_same_seed_gives_the_same(corpus: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["mutate", "--corpus", corpus, "--seed", "7", "--kind", "tenfold_dose", "--kind", "unit_swap", "--json"]
    assert main(command) == 0
    first = json.loads(capsys.readouterr().out)
    assert [row["kind"] for row in first["kinds"]] == ["tenfold_dose", "unit_swap"]
    assert {mutant["kind"] for mutant in first["mutants"]} == {"tenfold_dose", "unit_swap"}
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out) == first


def test_csv_begins_with_a_byte_order_mark(corpus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, encoding="utf-8"))
    assert main(["mutate", "--corpus", corpus, "--csv"]) == 0
    assert written.getvalue().startswith("\ufeffkind,result,".encode())


@pytest.mark.parametrize(
    "wrong", [["--kind", "nothing"], ["--per-kind", "0"], ["--seed", "x"], ["--corpus", "/nowhere.jsonl"], ["--json", "--csv"]]
)
def test_bad_input_is_one_line(corpus: str, wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutate", "--corpus", corpus, *wrong]) == 2
    assert capsys.readouterr().err.count("\n") == 1
