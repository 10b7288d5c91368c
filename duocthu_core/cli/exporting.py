"""``traces``, ``report`` and ``verify``: what leaves the workbench, and comes back (spec 06, "Traces, exports")."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from duocthu_core.bootstrap import Services
from duocthu_core.cli.errors import DONE, FAILED, BadInput
from duocthu_core.exports.audit_report import AuditReport, ReportError, audit_report
from duocthu_core.exports.html_report import html_report
from duocthu_core.exports.pdf_report import pdf_report
from duocthu_core.exports.spans import send_now
from duocthu_core.exports.traces import TraceImportError, import_traces, stored_traces, traces_csv, traces_jsonl
from duocthu_core.exports.verifying import check_against, verified_report
from duocthu_core.pipeline.trace import Trace
from duocthu_core.pipeline.trace_store import TraceFilters


def run_export(services: Services, form: str, conversation: str | None, output: Path | None) -> int:
    """Writes stored traces as JSONL or CSV to ``output`` or standard output."""
    traces = stored_traces(services.traces, TraceFilters(conversation_id=conversation))
    with written(output) as file:
        if form == "csv":
            file.write(traces_csv(traces))
        else:
            for line in traces_jsonl(traces):
                file.write(line.encode())
    return DONE


def run_import(services: Services, path: Path) -> int:
    """Stores exported traces; BadInput names the line that cannot be."""
    try:
        with path.open(encoding="utf-8") as lines:
            count = import_traces(services.traces, lines)
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read ({error}); give an exported JSONL file") from None
    except TraceImportError as error:
        raise BadInput(f"{path}: {error}") from None
    sys.stderr.write(f"{count.new} new, {count.known} already stored\n")
    return DONE


def run_send(services: Services, endpoint: str, conversation: str | None) -> int:
    """Sends stored traces to an OpenTelemetry collector; 1 where one did not arrive."""
    sent, failed = send_now(stored_traces(services.traces, TraceFilters(conversation_id=conversation)), endpoint)
    sys.stderr.write(f"{sent} sent, {failed} not taken by {endpoint}\n")
    return FAILED if failed else DONE


def run_report(services: Services, trace_id: str, form: str, output: Path | None) -> int:
    """Writes the audit report of one stored turn as JSON, HTML or PDF."""
    trace = _stored(services, trace_id)
    report = audit_report(
        trace,
        services.reviewing.store.history(trace_id),
        is_demo=services.corpus.is_demo,
        made_at=datetime.now(UTC),
        made_by="command line",
        ruleset=services.ruleset,
        language=services.settings.language,
    )
    with written(output) as file:
        file.write(report_bytes(report, form))
    return DONE


def run_verify(path: Path, services: Services | None) -> int:
    """Derives every hash of a report again, and compares it with the stored turn where there is one; 1 where it does not hold."""
    try:
        report = verified_report(path)
    except ReportError as error:
        sys.stderr.write(f"duocthu: {error}\n")
        return FAILED
    stands = check_against(report, services.traces.load(report.body.trace_id)) if services else "missing"
    told = {
        "same": "the stored turn is the one it reports",
        "other": "but the stored turn is another than the one it reports",
        "missing": "the turn itself is not stored here, so only the file was checked",
    }[stands]
    sys.stderr.write(f"the report is as it was made (sha256 {report.sha256}); {told}\n")
    return FAILED if stands == "other" else DONE


def report_bytes(report: AuditReport, form: str) -> bytes:
    """A report in one of its forms."""
    if form == "pdf":
        return pdf_report(report)
    return (html_report(report) if form == "html" else report.model_dump_json() + "\n").encode()


def _stored(services: Services, trace_id: str) -> Trace:
    trace = services.traces.load(trace_id)
    if trace is None:
        raise BadInput(f"no stored turn has the id {trace_id!r}; list them with: python -m duocthu_core traces export")
    return trace


@contextlib.contextmanager
def written(output: Path | None) -> Iterator[BinaryIO]:
    """The file to write to: whole or not at all under its name."""
    if output is None:
        yield sys.stdout.buffer
        return
    unfinished = output.with_name(output.name + ".unfinished")
    try:
        with unfinished.open("wb") as file:
            yield file
        unfinished.replace(output)
    except OSError as error:
        raise BadInput(f"{output}: cannot be written ({error.strerror}); give another --output") from None
    finally:
        unfinished.unlink(missing_ok=True)
