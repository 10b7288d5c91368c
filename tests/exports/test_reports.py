"""Audit reports: they show what is in them, run nothing, and tell an altered file."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duocthu_core.exports.audit_report import AuditReport, ReportError, audit_report
from duocthu_core.exports.html_report import html_report
from duocthu_core.exports.pdf_report import pdf_report
from duocthu_core.exports.verifying import check_against, verified_report
from duocthu_core.pipeline.trace import Trace
from duocthu_core.review.model import Assessment, ReviewEvent
from duocthu_core.rulesets.loading import shipped_ruleset
from tests.app import sample_traces as sample

NOW = datetime(2026, 11, 30, 8, tzinfo=UTC)
TRACES = (*sample.conversation(), sample.hostile())
REVIEW = ReviewEvent(
    event_id="e1",
    trace_id=TRACES[0].trace_id,
    claim_index=0,
    reviewer="ds@benhvien.vn",
    rubric_version="1",
    revision=0,
    kind="first",
    revealed=False,
    assessment=Assessment(judgement="wrong", error_kind="unit", severity="F", note="mg thay vì g"),
    queue_id="q",
    created_at=NOW,
)


def report_of_turn(trace: Trace = TRACES[0], **changes: object) -> AuditReport:
    arguments = {"is_demo": True, "made_at": NOW, "made_by": "ds@benhvien.vn", "ruleset": shipped_ruleset(), "language": "vi"} | changes
    return audit_report(trace, [REVIEW], **arguments)  # type: ignore[arg-type]


def words_of(pdf: bytes) -> str:
    document = pypdfium2.PdfDocument(pdf)
    try:
        return " ".join(" ".join(page.get_textpage().get_text_bounded() for page in document).split())
    finally:
        document.close()


@pytest.mark.parametrize("trace", TRACES, ids=[trace.trace_id for trace in TRACES])
@pytest.mark.parametrize("language", ["vi", "en"])
def test_a_report_of_any_turn_is_verified_in_every_form(tmp_path: Path, trace: Trace, language: str) -> None:
    report = report_of_turn(trace, language=language)
    files = {"r.json": report.model_dump_json().encode(), "r.html": html_report(report).encode(), "r.pdf": pdf_report(report)}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
        assert verified_report(tmp_path / name) == report
    assert check_against(report, trace) == "same"


def test_the_pdf_shows_vietnamese_and_every_part() -> None:
    report = report_of_turn(TRACES[0].model_copy(update={"edition": "Bộ minh hoạ: diễn đạt lại"}))
    words = words_of(pdf_report(report))
    for text in (report.body.question, "Bộ minh hoạ", "mg thay vì g", "NCC MERP F", report.sha256[:16]):
        assert " ".join(text.split()) in words


def test_a_hostile_text_is_text_in_html_and_pdf() -> None:
    text = "<script>alert(1)</script><b>x</b> &amp; </script> <para>"
    report = report_of_turn(TRACES[0].model_copy(update={"question": text}))
    page = html_report(report)
    assert "<script>alert" not in page
    assert page.count("<script") == 1
    assert page.count("</script>") == 1
    assert "<script>alert(1)</script><b>x</b> &amp; </script> <para>" in words_of(pdf_report(report))


def test_one_changed_figure_in_what_is_shown_is_told(tmp_path: Path) -> None:
    report = report_of_turn()
    page = html_report(report)
    before, data = page.split('<script type="application/json"')
    shown = before.replace("4 g", "40 g", 1)
    assert shown != before
    (tmp_path / "r.html").write_text(shown + '<script type="application/json"' + data, encoding="utf-8")
    with pytest.raises(ReportError, match="what the file shows is not what they say"):
        verified_report(tmp_path / "r.html")


def test_one_changed_figure_in_the_data_is_told(tmp_path: Path) -> None:
    document = json.loads(report_of_turn().model_dump_json())
    document["body"]["question"] += " 40 g"
    (tmp_path / "r.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ReportError, match="was altered"):
        verified_report(tmp_path / "r.json")


def test_a_changed_byte_of_the_pdf_is_told(tmp_path: Path) -> None:
    data = bytearray(pdf_report(report_of_turn()))
    data[-200] ^= 1
    (tmp_path / "r.pdf").write_bytes(bytes(data))
    with pytest.raises(ReportError):
        verified_report(tmp_path / "r.pdf")


@pytest.mark.parametrize("data", [b"", b"{}", b"%PDF-1.7", b"<!doctype html><p>x", b"\xff\xfe", b"%PDF-1.4\n%%EOF"])
def test_what_is_no_report_gets_one_line(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "r").write_bytes(data)
    with pytest.raises(ReportError) as told:
        verified_report(tmp_path / "r")
    assert "\n" not in str(told.value)


def test_the_stored_turn_is_told_from_another() -> None:
    report = report_of_turn()
    assert check_against(report, None) == "missing"
    assert check_against(report, TRACES[0].model_copy(update={"message": "khác"})) == "other"


@given(st.text(max_size=60))
@settings(max_examples=40)
def test_any_question_can_be_reported(question: str) -> None:
    report = report_of_turn(TRACES[0].model_copy(update={"question": question}))
    assert pdf_report(report) == pdf_report(report)
    assert html_report(report).count("<script") == 1
