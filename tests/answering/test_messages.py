"""Every reject reason has its message; the disclaimer stands whatever the ruleset says."""

from __future__ import annotations

from typing import get_args

import pytest

from duocthu_core.answering.messages import disclaimer, reader_message, stage_of_reason
from duocthu_core.pipeline.trace import STAGE_ORDER
from duocthu_core.verification.model import RejectReason

SENTENCE = (
    "Nội dung được trích từ Dược thư Quốc gia Việt Nam 2018, phục vụ tra cứu chuyên môn và không thay thế chỉ định của bác sĩ hoặc dược sĩ "
    "lâm sàng."
)


def test_the_disclaimer_is_the_fixed_sentence_of_the_specification(ruleset):
    assert disclaimer("Dược thư Quốc gia Việt Nam 2018", ruleset) == SENTENCE


def test_no_ruleset_can_switch_the_disclaimer_off(ruleset):
    edited = ruleset.model_copy(update={"tables": {**ruleset.tables, "severity": {"common": {"disclaimer_vi": ""}}}})
    assert disclaimer("Dược thư Quốc gia Việt Nam 2018", edited) == SENTENCE


def test_the_table_says_the_same_words_as_the_code(ruleset):
    for language in ("vi", "en"):
        table = ruleset.tables["severity"]["common"][f"disclaimer_{language}"]
        assert table.replace("{edition}", "Sách X") == disclaimer("Sách X", ruleset, language)


def test_an_edition_with_braces_is_text(ruleset):
    assert "{edition}" in disclaimer("{edition}", ruleset)


@pytest.mark.parametrize("reason", get_args(RejectReason))
@pytest.mark.parametrize("language", ["vi", "en"])
def test_every_reason_has_a_message_and_a_stage(ruleset, reason, language):
    assert len(reader_message("abstained", reason, ruleset, language)) > 20
    assert stage_of_reason(reason, ruleset) in STAGE_ORDER


def test_not_run_is_told_apart_from_no(ruleset):
    not_run = ruleset.tables["severity"]["common"]["not_run_vi"]
    assert not_run in reader_message("abstained", "provider_unavailable", ruleset)
    assert not_run in reader_message("abstained", "request_budget_exhausted", ruleset)
    assert not_run not in reader_message("abstained", "unsupported_claim", ruleset)


def test_an_answer_needs_no_message_and_other_outcomes_have_one(ruleset):
    assert reader_message("answered", None, ruleset) == ""
    assert "không qua máy soạn" in reader_message("extractive", None, ruleset)
    assert "Chào bạn" in reader_message("smalltalk", None, ruleset)
    assert "bảng hoặc công thức" in reader_message("verify_pdf", None, ruleset)
    assert reader_message("clarification", None, ruleset)
