"""The command line as a script sees it: what is printed where, and the exit code (spec 01)."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from duocthu_core.cli import main
from duocthu_core.corpus.jsonl import save_corpus
from duocthu_core.pipeline.trace import Trace
from tests.conftest import case_ids, cases
from tests.pipeline.corpora import small_corpus


class Shell:
    """Runs a command in this process and keeps what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: str, stdin: str = "") -> tuple[int, str, str]:
        self._monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        self._capsys.readouterr()
        code = main(arguments)
        out, err = self._capsys.readouterr()
        return code, out, err


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shell:
    save_corpus(small_corpus(), tmp_path / "corpus.jsonl")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DUOCTHU_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("DUOCTHU_CORPUS_PATH", str(tmp_path / "corpus.jsonl"))
    return Shell(capsys, monkeypatch)


def assert_one_line(err: str, *words: str) -> None:
    assert err.count("\n") == 1, err
    assert "Traceback" not in err
    for word in words:
        assert word in err, err


QUESTION = "Liều paracetamol uống cho người lớn?"


def test_ask_prints_answer_pages_and_disclaimer(shell: Shell) -> None:
    code, out, err = shell("ask", QUESTION)
    assert code == 0, err
    assert "0,5 - 1 g/lần" in out
    assert "trang 1120" in out
    assert "không thay thế chỉ định" in out


def test_every_citation_of_the_demonstration_corpus_says_what_it_is(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DUOCTHU_CORPUS_PATH")
    _, out, _ = shell("ask", QUESTION)
    cited = [line for line in out.splitlines() if line.lstrip().startswith("•")]
    assert cited
    assert all(line.endswith(", Bộ minh hoạ]") for line in cited)


def test_ask_json_prints_the_whole_trace_and_nothing_else(shell: Shell) -> None:
    code, out, _ = shell("ask", QUESTION, "--json")
    trace = Trace.model_validate_json(out)
    assert (code, trace.outcome) == (0, "answered")
    given = json.loads(out)
    assert set(given) >= {
        "trace_id",
        "parent_trace_id",
        "conversation_id",
        "turn_index",
        "created_at",
        "question",
        "resolved",
        "ruleset_id",
    }
    assert set(given) >= {"corpus_id", "models", "outcome", "reject_reason", "message", "answer", "clarifying_question", "quick_replies"}
    assert set(given) >= {"disclaimer", "evidence", "stages", "totals", "schema_version"}


def test_an_abstention_is_done(shell: Shell) -> None:
    code, out, _ = shell("ask", "Chó bị sốt uống paracetamol mấy viên?", "--json")
    assert (code, json.loads(out)["reject_reason"]) == (0, "out_of_scope")


def test_a_conversation_goes_on_by_its_id(shell: Shell) -> None:
    shell("ask", QUESTION, "--conversation", "abc")
    _, out, _ = shell("ask", "Còn chống chỉ định?", "--conversation", "abc", "--json")
    trace = json.loads(out)
    assert (trace["resolved"]["drug_id"], trace["turn_index"]) == ("paracetamol", 2)


def test_ask_jsonl_runs_each_line_as_one_conversation_and_goes_on_after_a_bad_one(shell: Shell) -> None:
    lines = [
        json.dumps({"turns": [QUESTION, "Còn chống chỉ định?"]}, ensure_ascii=False),
        "{not json",
        '{"turns": []}',
        '{"turns": ["ok"]}',
    ]
    code, out, _ = shell("ask", "--jsonl", stdin="\n".join(lines))
    results = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert results[0]["turn_index"] == 2
    assert "error" in results[1]
    assert "error" in results[2]
    assert results[3]["outcome"] == "smalltalk"


@pytest.mark.parametrize(
    ("arguments", "environment", "words"),
    [
        (["ask", QUESTION], {"DUOCTHU_CORPUS_PATH": "/nowhere/corpus.jsonl"}, ["/nowhere/corpus.jsonl"]),
        (["ask", ""], {}, ["trống"]),
        (["ask", "x" * 100_000], {}, ["100000"]),
        (["ask"], {}, ["question"]),
        (["ask", QUESTION, "--provider", "gpt"], {}, ["ANSWER_PROVIDER", "gpt"]),
        (["ask", QUESTION, "--ruleset", "không có"], {}, ["không có"]),
        (["ask", QUESTION], {"DUOCTHU_TURN_BUDGET_S": "nhanh"}, ["DUOCTHU_TURN_BUDGET_S"]),
        (["ask", QUESTION], {"DUOCTHU_ANSWER_PROVIDER": "openai"}, ["DUOCTHU_ANSWER_MODEL"]),
        (["corpus", "stats"], {"DUOCTHU_CORPUS_PATH": "/nowhere"}, ["/nowhere"]),
        (["nonsense"], {}, ["nonsense"]),
        ([], {}, ["COMMAND"]),
    ],
    ids=["no corpus", "empty", "100 kB", "none", "provider", "ruleset", "setting", "no model", "stats", "command", "nothing"],
)
def test_bad_input_is_one_line_and_exit_code_2(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, arguments: list[str], environment: dict[str, str], words: list[str]
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    code, out, err = shell(*arguments)
    assert (code, out) == (2, "")
    assert_one_line(err, *words)


@pytest.mark.parametrize("command", ["ground", "resolve"])
@pytest.mark.parametrize(
    "stdin", ["", "{", "[]", "3", '{"turns": "x"}', '{"answer": 3, "evidence": []}', '{"claims": [], "evidence": "x"}']
)
def test_unusable_json_is_one_line_and_exit_code_2(shell: Shell, command: str, stdin: str) -> None:
    code, out, err = shell(command, "--json", stdin=stdin)
    assert (code, out) == (2, "")
    assert_one_line(err)


def test_a_database_that_cannot_be_opened_is_a_failure_with_one_line(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUOCTHU_DATABASE_URL", "postgresql+psycopg://someone:s3cret-canary@127.0.0.1:1/none")
    code, _, err = shell("ask", QUESTION)
    assert code == 1
    assert_one_line(err)
    assert "s3cret-canary" not in err


GROUNDING = cases("grounding") + [case | {"ok": case["published"]} for case in cases("guards")]


@pytest.mark.parametrize("case", GROUNDING, ids=case_ids(GROUNDING))
def test_ground_says_what_each_case_says(shell: Shell, case: dict[str, Any]) -> None:
    given = {key: case[key] for key in ("answer", "claims", "evidence") if key in case}
    code, out, _ = shell("ground", "--json", stdin=json.dumps(given, ensure_ascii=False))
    said = json.loads(out)
    assert (code, said["ok"]) == (0, case["ok"]), case["why"]
    if not case["ok"]:
        assert said["reasons"]
        if "reasons" in case:
            assert set(said["reasons"]) & set(case["reasons"])
    if "segments" in case:
        assert len(said["claims"]) == case["segments"]


def test_ground_names_the_place_on_both_sides(shell: Shell) -> None:
    given = {
        "claims": [{"text": "Liều 5 mg mỗi ngày.", "citations": [1]}],
        "evidence": [{"text": "Liều 5 microgam mỗi ngày.", "drug_id": "x", "page": 7}],
    }
    _, out, _ = shell("ground", "--json", stdin=json.dumps(given))
    (finding,) = json.loads(out)["claims"][0]["findings"]
    assert set(finding) == {"reason", "level", "token", "claim_span", "evidence"}
    assert finding["reason"] == "unit_mismatch"
    start, end = finding["claim_span"]
    assert "mg" in "Liều 5 mg mỗi ngày."[start:end]
    (place,) = finding["evidence"]
    start, end = place["span"]
    assert "microgam" in "Liều 5 microgam mỗi ngày."[start:end]


def test_ground_jsonl_answers_every_line(shell: Shell) -> None:
    good = json.dumps({"answer": "Liều 1 g [1].", "evidence": ["Liều 1 g."]})
    code, out, _ = shell("ground", "--jsonl", stdin=f"{good}\nrubbish\n{good}\n")
    results = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [result.get("ok") for result in results] == [True, None, True]
    assert "error" in results[1]


def test_resolve_says_what_each_turn_is_about(shell: Shell) -> None:
    turns = ["Liều paracetamol cho người lớn?", "Còn trẻ em thì sao?", "cảm ơn"]
    code, out, _ = shell("resolve", "--json", stdin=json.dumps({"turns": turns}))
    first, second, third = json.loads(out)
    assert code == 0
    assert first["drug_id"] == "paracetamol"
    assert first["section_key"] == "lieu_luong_cach_dung"
    assert first["population"] == "nguoi_lon"
    assert second["inherited"]["drug_id"] == 2
    assert second["population"] == "tre_em"
    assert (third["is_smalltalk"], third["outcome"]) == (True, "smalltalk")
    assert set(first) >= {"drug_ids", "drug_id", "section_key", "population", "verbosity", "intent", "inherited", "is_smalltalk", "outcome"}


def test_corpus_check_and_stats(shell: Shell) -> None:
    assert shell("corpus", "check")[0] == 0
    code, out, _ = shell("corpus", "stats")
    assert code == 0
    assert json.loads(out)


def test_an_import_writes_a_report_and_a_corpus(shell: Shell, tmp_path: Path) -> None:
    source = tmp_path / "thuoc.md"
    source.write_text(
        "# **THUỐC THỬ**\n\n#### Chỉ định\n\nĐau nhẹ. 12 **Thuốc thử** DTQGVN 2\n\n#### Chống chỉ định\n\nQuá mẫn với thuốc.\n",
        encoding="utf-8",
    )
    code, out, err = shell("corpus", "import", str(source), "--edition", "Bản thử", "--output", str(tmp_path / "new.jsonl"))
    assert (code, out) == (0, ""), err
    assert "THUỐC THỬ" in err.upper()
    assert (tmp_path / "new.jsonl").is_file()


def test_an_import_of_a_missing_file_leaves_the_old_corpus(shell: Shell, tmp_path: Path) -> None:
    before = (tmp_path / "corpus.jsonl").read_bytes()
    code, _, err = shell("corpus", "import", str(tmp_path / "none.md"), "--edition", "x")
    assert code == 2
    assert "none.md" in err
    assert (tmp_path / "corpus.jsonl").read_bytes() == before
