"""The summary: labels only, whole lines, within its budget (spec 02, rule 8)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.conversation.model import Turn
from duocthu_core.conversation.state import section_labels
from duocthu_core.conversation.summary import cut_at_word, summarise, summary_line
from duocthu_core.rulesets.model import Ruleset

AT = datetime(2026, 3, 1, 8, 30, tzinfo=UTC)
LABELS = {"lieu_luong_cach_dung": "Liều lượng và cách dùng", "chong_chi_dinh": "Chống chỉ định"}


def question(text: str = "?", drug: str | None = None, section: str | None = None, role: str = "user") -> Turn:
    return Turn.model_validate({"role": role, "text": text, "at": AT, "drug_name": drug, "section_key": section})


@pytest.mark.parametrize(
    ("drug", "section", "line"),
    [
        ("Paracetamol", "lieu_luong_cach_dung", "- đã hỏi Liều lượng và cách dùng của Paracetamol"),
        ("Paracetamol", None, "- đã hỏi thông tin chung của Paracetamol"),
        (None, "chong_chi_dinh", "- đã hỏi Chống chỉ định của thuốc chưa xác định"),
        (None, None, "- đã hỏi thông tin chung của thuốc chưa xác định"),
        ("Para\ncetamol\u200b ", "unknown_key", "- đã hỏi thông tin chung của Para cetamol"),
    ],
)
def test_a_line_is_made_of_labels(drug: str | None, section: str | None, line: str) -> None:
    assert summary_line(question(drug=drug, section=section), LABELS) == line


def test_no_word_of_a_question_or_an_answer_gets_in() -> None:
    turns = [question("liều 500 mg mỗi 6 giờ?", "Paracetamol"), question("Người lớn 0,5 - 1 g", "Paracetamol", role="assistant")]
    summary = summarise("", turns, LABELS, 1600)
    assert summary == "- đã hỏi thông tin chung của Paracetamol"
    assert not any(sign.isdigit() for sign in summary)


def test_lines_are_added_behind_what_is_there() -> None:
    summary = summarise("- đã hỏi Chống chỉ định của Cefazolin", [question(drug="Paracetamol")], LABELS, 1600)
    assert summary.split("\n") == ["- đã hỏi Chống chỉ định của Cefazolin", "- đã hỏi thông tin chung của Paracetamol"]


def test_over_budget_the_oldest_lines_go_whole() -> None:
    turns = [question(drug=f"Thuốc {letter}") for letter in "ABCDE"]
    summary = summarise("", turns, LABELS, 80)
    assert summary.split("\n") == ["- đã hỏi thông tin chung của Thuốc D", "- đã hỏi thông tin chung của Thuốc E"]


def test_a_line_longer_than_the_budget_is_cut_at_a_word() -> None:
    summary = summarise(
        "", [question(drug="Acid acetylsalicylic và một tên rất dài không thể nào vừa được trong khuôn khổ này")], LABELS, 80
    )
    assert len(summary) <= 80
    assert summary == "- đã hỏi thông tin chung của Acid acetylsalicylic và một tên rất dài không thể"


@pytest.mark.parametrize(
    ("line", "budget", "cut"), [("a bc def", 4, "a bc"), ("a bc def", 5, "a bc"), ("abcdef", 3, "abc"), ("ab", 3, "ab")]
)
def test_cutting_at_a_word(line: str, budget: int, cut: str) -> None:
    assert cut_at_word(line, budget) == cut


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(max_size=30), st.sampled_from([None, *LABELS])), max_size=30),
    st.integers(80, 400),
)
def test_the_summary_keeps_to_its_budget_and_to_whole_lines(rows: list[tuple[str, str, str | None]], budget: int) -> None:
    turns = [question(drug=drug, section=section, role=role) for role, drug, section in rows]
    summary = ""
    for found in turns:
        summary = summarise(summary, [found], LABELS, budget)
        assert len(summary) <= budget
    whole = [summary_line(found, LABELS) for found in turns if found.role == "user"]
    lines = summary.split("\n") if summary else []
    assert lines == whole[len(whole) - len(lines) :]


def test_labels_come_from_the_section_table(ruleset: Ruleset) -> None:
    assert section_labels(ruleset.tables["sections"])["chong_chi_dinh"] == "Chống chỉ định"
