"""Everything that a person can get wrong in the text of rules: told at its line, by a name that has a sentence in both languages."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import get_args

import pytest

from duocthu_core.pipeline.accepting import check_ruleset, lines_of_text
from duocthu_core.rulesets.documents import RulesetDraft, assembled, read_ruleset, ruleset_text, table_text
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.problems import Kind, Problem, ProblemCode, RulesetProblems
from duocthu_core.rulesets.yaml_text import MOST_CHARS, YamlText, decoded
from duocthu_core.text.catalogue import LANGUAGES, Language, sentence
from tests.pipeline.corpora import small_corpus


@pytest.fixture(scope="module")
def text() -> str:
    """The rules that ship, as one document; writing it takes a second."""
    return ruleset_text(shipped_ruleset())


def problems_in(data: bytes) -> list[Problem]:
    """What is wrong in an imported document; nothing where it is accepted."""
    try:
        text = decoded(data, "mine.yaml")
        check_ruleset(read_ruleset(text, "mine.yaml"), small_corpus(), line_of=lines_of_text(text, "mine.yaml"))
    except RulesetProblems as error:
        return error.problems
    return []


Case = tuple[str, str, ProblemCode, dict[str, str]]
_CASES: dict[str, Case] = {
    "unknown key": ("  accept_partial: false", "  accept_partiall: false", "unknown", {"near": "accept_partial"}),
    "unknown part": ("retrieval:\n", "retrievall:\n", "unknown", {"near": "retrieval"}),
    "word for a number": ("  max_blocks: 24", "  max_blocks: nhiều", "no_whole_number", {"given": "nhiều"}),
    "decimal comma": ("  support_share_min: 0.6", "  support_share_min: 0,6", "no_number", {"given": "0,6"}),
    "broken number": ("  max_blocks: 24", "  max_blocks: 24.5", "no_whole_number", {}),
    "number too large": ("judge_min_confidence: 70", "judge_min_confidence: 700", "too_large", {"most": "100"}),
    "number too small": ("  max_blocks: 24", "  max_blocks: 0", "too_small", {"least": "1"}),
    "endless number": ("  ttl_days: 30", "  ttl_days: " + "9" * 500, "no_number", {}),
    "no number at all": ("  evidence_overlap_min: 1.0", "  evidence_overlap_min: .nan", "no_number", {}),
    "no switch": ("  accept_partial: false", "  accept_partial: đôi khi", "no_switch", {}),
    "list for a text": ("  judge_user: '{claims}'", "  judge_user: ['{claims}']", "no_text", {}),
    "text for a list": ("  answer_rules:\n", "  answer_rules: không\n  answer_ruless:\n", "no_list", {}),
    "guard level": ("  unit_mismatch: reject", "  unit_mismatch: lỏng", "not_offered", {"offered": "reject, warn, off"}),
    "guard name": ("  unit_mismatch: reject", "  unit_mismach: reject", "unknown_guard", {"near": "unit_mismatch"}),
    "table name": ("  units:\n", "  unitz:\n", "missing", {"near": "unitz"}),
    "tab": ("  max_blocks: 24", "\tmax_blocks: 12", "tab", {}),
    "indented too little": ("  max_blocks: 24", " max_blocks: 12", "indentation", {}),
    "indented too far": ("  max_blocks: 24", "      max_blocks: 12", "indentation", {}),
    "colon too many": ("  max_blocks: 24", "  max_blocks: tối đa: 12", "colon", {}),
    "colon forgotten": ("  max_blocks: 24\n", "  max_blocks 12\n", "no_colon", {}),
    "bracket left open": ("  max_blocks: 24", "  max_blocks: [12", "unclosed", {}),
    "quote left open": ("  judge_user: '{claims}'", "  judge_user: '{claims}", "unclosed", {}),
    "backslash": ("  judge_user: '{claims}'", '  judge_user: "{claims} \\q"', "escape", {}),
    "first sign": ("  judge_user: '{claims}'", "  judge_user: @{claims}", "first_sign", {"sign": "@"}),
    "control character": ("  max_blocks: 24", "  max_blocks: 24\x07", "bad_character", {"sign": "U+0007"}),
    "repeated key": ("  max_blocks: 24", "  max_blocks: 24\n  max_blocks: 13", "repeated_key", {"word": "max_blocks"}),
    "anchor and reference": ("  max_blocks: 24\n  search_limit: 20", "  max_blocks: &n 12\n  search_limit: *n", "alias", {}),
    "reference to nothing": ("  max_blocks: 24", "  max_blocks: *n", "alias", {}),
    "tag": ("  max_blocks: 24", "  max_blocks: !!python/object:os.system 12", "tag", {}),
    "second document": ("thresholds:\n", "---\nthresholds:\n", "several_documents", {}),
    "mark missing": ("  judge_user: '{claims}'", "  judge_user: đối chiếu", "mark_missing", {"mark": "{claims}"}),
    "empty prompt": ("  answer_no_figures: ", "  answer_no_figures: '' # ", "empty_text", {}),
    "empty list": ("    no_hits_markers:\n", "    no_hits_markers: []\n    was:\n", "empty_list", {}),
    "empty text": ("      - miligam\n", "      - ' '\n", "empty_text", {}),
    "wrong kind": ("      - miligam\n", "      - true\n", "wrong_kind", {"found": "switch", "expected": "text"}),
    "too deep": ("  max_blocks: 24", "  max_blocks: " + "[" * 5000, "too_deep", {}),
}


def place_for(case: Case, text: str) -> Case:
    """The case with an empty list that the rules that ship really have."""
    _old, _new, code, values = case
    if code != "empty_list":
        return case
    lines = text.split("\n")
    number = next(n for n, line in enumerate(lines) if line == "tables:" or line.startswith("tables:"))
    first = next(n for n in range(number, len(lines) - 1) if lines[n].endswith(":") and lines[n + 1].lstrip().startswith("- "))
    end = next(n for n in range(first + 1, len(lines)) if not lines[n].lstrip().startswith("- "))
    return "\n".join(lines[first:end]), lines[first] + " []", code, values


@pytest.mark.parametrize("case", _CASES.values(), ids=_CASES)
def test_every_fault_of_a_document_is_told_at_its_line(text: str, case: Case) -> None:
    old, new, code, values = place_for(case, text)
    assert text.count(old) >= 1, "the rules that ship have this place"
    line = text[: text.index(old)].count("\n") + 1
    problems = problems_in(text.replace(old, new, 1).encode())
    found = [problem for problem in problems if problem.code == code]
    assert found, problems
    assert found[0].values.items() >= values.items(), found
    assert found[0].line is not None or code == "too_deep", found
    if code not in ("missing",):  # a missing key has no line: that of what it is missing from is told
        assert abs((found[0].line or line) - line) <= new.count("\n") + 1, (line, found)


def test_a_byte_that_is_no_utf8_is_told_at_its_line(text: str) -> None:
    broken = text.replace("author: ", "author: Lan # \udcff ", 1)
    (problem,) = problems_in(broken.encode("utf-8", "surrogateescape"))
    assert (problem.code, problem.line) == ("not_utf8", 2)
    assert problems_in(text.encode("utf-16"))[0].code == "not_utf8"


def test_a_mark_at_the_beginning_and_lines_of_another_system_are_no_fault(text: str, ruleset: Ruleset) -> None:
    assert read_ruleset(decoded(text.replace("\n", "\r\n").encode("utf-8-sig"), "t")).ruleset_id == ruleset.ruleset_id


@pytest.mark.parametrize("bomb", ["level", "recursive"])
def test_references_that_stand_for_ever_more_are_refused_at_once(bomb: str) -> None:
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30))]
    text = "\n".join(lines) if bomb == "level" else "a: &a [*a, *a]"
    began = time.process_time()
    with pytest.raises(RulesetProblems) as caught:
        YamlText(text, "t")
    assert caught.value.problems[0].code == "alias"
    assert time.process_time() - began < 5, "billions of them were built"


def test_a_text_that_is_too_long_is_not_read(text: str) -> None:
    (problem,) = problems_in(b"x: " + b"a" * (5 * 1024 * 1024))
    assert problem.code == "too_big"
    assert len(text) * 4 < MOST_CHARS, "there is room for many more words"


def test_words_that_older_yaml_takes_for_switches_and_times_stay_words() -> None:
    text = "off: off\nwords: [no, on, yes, y, 8:30, 2026-01-01, 017, 1_000]\n1: một\n~: không"
    assert YamlText(text, "t").content == {
        "off": "off",
        "words": ["no", "on", "yes", "y", "8:30", "2026-01-01", "017", "1_000"],
        "1": "một",
        "~": "không",
    }


def test_a_guard_may_be_written_off_without_quotes(text: str) -> None:
    assert read_ruleset(text.replace("  unit_mismatch: reject", "  unit_mismatch: off", 1)).guard_level("unit_mismatch") == "off"


def test_broken_yaml_in_a_table_is_told_at_the_line_of_that_table(ruleset: Ruleset) -> None:
    text = table_text(ruleset.tables["units"]).replace("    kind: mass", "    kind: [mass", 1)
    line = text.split("\n").index("    kind: [mass") + 1
    with pytest.raises(RulesetProblems) as caught:
        assembled(RulesetDraft(base_id="", tables={"units": text}), ruleset, name="thử", author="", note="")
    (problem,) = caught.value.problems
    assert (problem.code, problem.place, problem.line) == ("unclosed", "tables.units", line)


def test_the_line_is_quoted_as_it_was_written() -> None:
    problems = RulesetProblems("t", [Problem(code="tab", place="", line=2), Problem(code="too_deep", place="")])
    quoted = problems.quoting(lambda _problem: "a: 1\n\tb: <b>2</b>\n")
    assert [problem.written for problem in quoted.problems] == ["b: <b>2</b>", ""]


def test_an_edited_list_is_only_empty_where_something_was_taken_away(text: str) -> None:
    edits: list[Callable[[str], str]] = [
        lambda text: re.sub(r"(- mg)\n *- miligam(?=\n)", r"\1", text, count=1),
        lambda text: re.sub(r"(- mg)(\n *)- miligam(?=\n)", r"\1\2- miligam\2- mi li gam", text, count=1),
    ]
    for edit in edits:
        assert edit(text) != text
        assert problems_in(edit(text).encode()) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fault_has_a_sentence_in_both_languages(language: Language) -> None:
    keys = [f"rules_problem.{code}" for code in get_args(ProblemCode)] + [f"rules_kind.{kind}" for kind in get_args(Kind)]
    assert [key for key in keys if sentence(language, key) == key.rpartition(".")[2]] == []
