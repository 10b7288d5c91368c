"""What is told beside an answer, worded in the reader's language when it is drawn."""

from __future__ import annotations

import re

import pytest

from duocthu_core.retrieval.model import Named, Notice, Said
from duocthu_core.retrieval.telling import notice_of, notice_text, told, worded, words
from duocthu_core.rulesets.model import Ruleset

MARK = re.compile(r"\{\w+\}")


def test_names_of_the_product_are_worded_in_both_languages(ruleset: Ruleset) -> None:
    said = told("missing_section", names=words(["Losartan", "Enalapril"]), section=Named(value="tuong_ky", kind="section"))
    assert worded(said, ruleset, "vi") == "Chuyên luận Losartan và Enalapril không có nội dung ở mục Tương kỵ."
    assert worded(said, ruleset, "en").startswith("The monograph of Losartan and Enalapril has nothing under ")
    assert "Tương kỵ" not in worded(said, ruleset, "en")


def test_words_of_the_reader_stay_as_they_are_and_fill_no_mark(ruleset: Ruleset) -> None:
    said = told("did_you_mean_many", words="{names}", names=words(["Metformin"]))
    assert "“{names}”" in worded(said, ruleset, "en")


def test_what_was_carried_over_longer_ago_says_so_in_either_language(ruleset: Ruleset) -> None:
    said = told("carried_over", items=(Named(value="Captopril"), Named(value="tre_em", kind="population", turns_ago=3)))
    assert "Captopril; Trẻ em, nêu 3 lượt trước (lấy" in worded(said, ruleset, "vi")
    assert "Captopril; Children, named 3 turns ago (carried over)" in worded(said, ruleset, "en")


def test_pages_are_named_and_kept(ruleset: Ruleset) -> None:
    notice = notice_of("quarantine", told("quarantine"), ruleset, pages=(346, 345))
    assert notice.pages == (345, 346)
    assert notice.text.endswith("trang 345, 346.")
    assert notice_text(notice, ruleset, "en").endswith("page 345, 346.")


def test_a_notice_of_an_older_trace_stays_as_it_was_said(ruleset: Ruleset) -> None:
    notice = Notice.model_validate({"kind": "carry_over", "text": "Đang nói về paracetamol.", "pages": [1118]})
    assert notice_text(notice, ruleset, "en") == "Đang nói về paracetamol."


def test_a_code_that_these_rules_do_not_know_falls_back(ruleset: Ruleset) -> None:
    assert worded(Said(code="of_another_version"), ruleset, "en", otherwise="Câu cũ.") == "Câu cũ."


@pytest.mark.parametrize("table", ["reader_messages", "common"])
def test_both_languages_fill_the_same_marks(ruleset: Ruleset, table: str) -> None:
    texts = ruleset.tables["severity"][table]
    pairs = (
        [(entry["vi"], entry["en"]) for entry in texts.values()]
        if table == "reader_messages"
        else [(text, texts[f"{key.removesuffix('_vi')}_en"]) for key, text in texts.items() if key.endswith("_vi")]
    )
    assert all(set(MARK.findall(vi)) == set(MARK.findall(en)) for vi, en in pairs)


def test_what_the_offline_model_asks_has_english_words_for_each(ruleset: Ruleset) -> None:
    offline = ruleset.tables["answering"]["offline"]
    assert set(offline["ask"]) == set(offline["ask_en"])
    assert set(offline["names"]) == set(offline["names_en"])
    assert all(set(MARK.findall(text)) == set(MARK.findall(offline["ask_en"][key])) for key, text in offline["ask"].items())
