"""What can be taken along of stored turns: the trace, an audit report, the turns of a list (spec 06, "Traces, exports")."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import streamlit as st

from duocthu_core.access.model import User
from duocthu_core.bootstrap import Services
from duocthu_core.exports.audit_report import AuditReport, audit_report
from duocthu_core.exports.html_report import html_report
from duocthu_core.exports.pdf_report import pdf_report
from duocthu_core.exports.traces import stored_traces, traces_csv, traces_jsonl
from duocthu_core.pipeline.trace import Trace
from duocthu_core.pipeline.trace_store import TraceFilters
from pages.frame.words import _, language

_ICON = ":material/download:"


def turn_downloads(app: Services, trace: Trace, user: User) -> None:
    """One turn as an audit report (PDF, HTML), as a whole (JSONL) and its claims (CSV); each is made when it is asked for."""
    name = f"luot-{trace.trace_id[:12]}"

    def report() -> AuditReport:
        reviews = app.reviewing.store.history(trace.trace_id)
        made_at = datetime.now(UTC)
        return audit_report(
            trace, reviews, is_demo=app.corpus.is_demo, made_at=made_at, made_by=user.name, ruleset=app.ruleset, language=language()
        )

    with st.popover(_("downloads.title"), icon=_ICON, key="downloads"):
        st.text(_("downloads.told"))
        _button(_("downloads.pdf"), lambda: pdf_report(report()), f"{name}.pdf", "application/pdf")
        _button(_("downloads.html"), lambda: html_report(report()).encode(), f"{name}.html", "text/html")
        _button(_("downloads.jsonl"), lambda: "".join(traces_jsonl([trace])).encode(), f"{name}.jsonl", "application/jsonl")
        _button(_("downloads.csv"), lambda: traces_csv([trace]), f"{name}.csv", "text/csv")


def list_downloads(app: Services, filters: TraceFilters) -> None:
    """The turns of a list as JSONL, and their claims as CSV."""
    with st.popover(_("downloads.title"), icon=_ICON, key="downloads"):
        st.text(_("downloads.list_told"))
        lines = lambda: "".join(traces_jsonl(stored_traces(app.traces, filters))).encode()  # noqa: E731 - made when it is asked for
        _button(_("downloads.jsonl"), lines, "luot.jsonl", "application/jsonl")
        _button(_("downloads.csv"), lambda: traces_csv(stored_traces(app.traces, filters)), "luot.csv", "text/csv")


def _button(label: str, data: Callable[[], bytes], name: str, mime: str) -> None:
    st.download_button(label, data, name, mime, icon=_ICON, on_click="ignore", key=f"download-{name}")
