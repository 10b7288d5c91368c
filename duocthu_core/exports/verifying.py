"""``verify``: whether an exported report is still the one that was made (spec 06: hashes "of the report itself")."""

from __future__ import annotations

from pathlib import Path

from duocthu_core.exports.audit_report import AuditReport, ReportError, report_of, sha256_of
from duocthu_core.exports.html_report import report_in_html
from duocthu_core.exports.pdf_report import report_in_pdf
from duocthu_core.pipeline.trace import Trace


def verified_report(path: Path) -> AuditReport:
    """The report in a JSON, HTML or PDF file, every hash of it derived again. Raises :class:`ReportError` with one line."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ReportError(f"{path}: cannot be read ({error.strerror}); give the path of a report") from None
    if data.startswith(b"%PDF"):
        return report_in_pdf(data)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise ReportError(f"{path}: no report; give a JSON, HTML or PDF file that the workbench exported") from None
    return report_in_html(text) if text.lstrip().lower().startswith("<!doctype") else report_of(text)


def check_against(report: AuditReport, trace: Trace | None) -> str:
    """How the report stands to the stored turn: ``same``, ``other`` (the stored turn is another), ``missing`` (it is not stored here)."""
    if trace is None:
        return "missing"
    return "same" if sha256_of(trace) == report.body.hashes.trace_sha256 else "other"
