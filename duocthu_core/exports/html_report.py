"""The audit report as one HTML file: no script runs in it, nothing is loaded, every text is escaped."""

from __future__ import annotations

import html
import json
import re

from duocthu_core.exports.audit_report import AuditReport, ReportError, report_of
from duocthu_core.exports.report_lines import Entry, Part, parts_of, title_of

_DATA = re.compile(r'<script type="application/json" id="report">(.*?)</script>', re.DOTALL)
_STYLE = """
body { font: 15px/1.5 "Be Vietnam Pro", "Segoe UI", system-ui, sans-serif; color: #0f1922; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; border-bottom: 1px solid #c4cdd6; }
article { margin: .6rem 0; } article > * { margin: .1rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.head { font-weight: 600; } .note { color: #4b5763; font-size: .87rem; }
.demo { background: #ffefd6; color: #844500; padding: .5rem .8rem; border-radius: 6px; }
@media print { body { margin: 0; max-width: none; } article { break-inside: avoid; } }
""".strip()
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def html_report(report: AuditReport) -> str:
    """The report as HTML, its data inside."""
    title = html.escape(title_of(report))
    demo = f'<p class="demo">{html.escape(report.body.edition)}</p>' if report.body.is_demo else ""
    parts = "\n".join(map(_part, parts_of(report)))
    return "\n".join(
        (
            "<!doctype html>",
            f'<html lang="{report.body.language}">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{html.escape(_POLICY)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title>",
            f"<style>\n{_STYLE}\n</style>",
            "</head>",
            "<body>",
            f"<h1>{title}</h1>",
            demo,
            parts,
            f'<script type="application/json" id="report">{_data(report)}</script>',
            "</body>",
            "</html>",
            "",
        )
    )


def report_in_html(text: str) -> AuditReport:
    """The report that the file holds. Raises :class:`ReportError` where it holds none, was altered, or no longer shows its own data."""
    found = _DATA.search(text)
    if found is None:
        raise ReportError("the file holds no audit report; give one that the workbench exported")
    report = report_of(found[1])
    if html_report(report) != text:
        raise ReportError("the report's data are whole, but what the file shows is not what they say: altered, or drawn by another version")
    return report


def _part(part: Part) -> str:
    return f"<section>\n<h2>{html.escape(part.title)}</h2>\n" + "\n".join(map(_entry, part.entries)) + "\n</section>"


def _entry(entry: Entry) -> str:
    text = f"<p>{html.escape(entry.text)}</p>" if entry.text else ""
    notes = "".join(f'<p class="note">{html.escape(note)}</p>' for note in entry.notes if note)
    return f'<article><p class="head">{html.escape(entry.head)}</p>{text}{notes}</article>'


def _data(report: AuditReport) -> str:
    """The report as JSON that cannot end the element it stands in."""
    text = json.dumps(report.model_dump(mode="json"), ensure_ascii=False, sort_keys=True)
    return (
        text.replace("<", "\\u003c")
        .replace(">", "\\u003e")
        .replace("&", "\\u0026")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
    )
