"""The audit report as PDF, in a font that has every Vietnamese letter; the same report always gives the same bytes."""

from __future__ import annotations

import base64
import binascii
import io
import json
import zlib
from functools import cache
from importlib.resources import files
from typing import Any
from xml.sax.saxutils import escape

import pypdfium2
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer

from duocthu_core.exports.audit_report import AuditReport, ReportError, report_of
from duocthu_core.exports.report_lines import Entry, parts_of, title_of

_FONT, _BOLD = "BeVietnamPro", "BeVietnamPro-SemiBold"
_MARK = "duocthu.audit:"
_MARGIN = 18 * mm
_DATA_MAX = 64 * 1024 * 1024
_INK, _QUIET, _WARNING = HexColor(0x0F1922), HexColor(0x4B5763), HexColor(0x844500)


def pdf_report(report: AuditReport) -> bytes:
    """The report as PDF, its data in the document's subject."""
    _register_fonts()
    styles = _styles()
    story: list[Flowable] = [_paragraph(title_of(report), styles["title"])]
    if report.body.is_demo:
        story.append(_paragraph(report.body.edition, styles["demo"]))
    for part in parts_of(report):
        story.append(_paragraph(part.title, styles["part"]))
        for entry in part.entries:
            story += _entry(entry, styles)
    written = io.BytesIO()
    document = SimpleDocTemplate(
        written, pagesize=A4, leftMargin=_MARGIN, rightMargin=_MARGIN, topMargin=_MARGIN, bottomMargin=_MARGIN, title=title_of(report)
    )
    document.subject = _MARK + _packed(report)
    foot = f"{report.body.trace_id} · sha256 {report.sha256}"

    def draw_foot(canvas: Canvas, _document: object) -> None:
        canvas.setFont(_FONT, 7)
        canvas.setFillColor(_QUIET)
        canvas.drawString(_MARGIN, 10 * mm, foot)
        canvas.drawRightString(A4[0] - _MARGIN, 10 * mm, str(canvas.getPageNumber()))

    document.build(story, onFirstPage=draw_foot, onLaterPages=draw_foot, canvasmaker=_SameBytes)
    return written.getvalue()


def report_in_pdf(data: bytes) -> AuditReport:
    """The report that the file holds. Raises :class:`ReportError` where it holds none, was altered, or no longer shows its own data."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError:
        raise ReportError("the file is no PDF that can be read; give one that the workbench exported") from None
    try:
        subject = document.get_metadata_dict().get("Subject", "")
    finally:
        document.close()
    if not subject.startswith(_MARK):
        raise ReportError("the file holds no audit report; give one that the workbench exported")
    report = report_of(_unpacked(subject.removeprefix(_MARK)))
    if pdf_report(report) != data:
        raise ReportError("the report's data are whole, but what the file shows is not what they say: altered, or drawn by another version")
    return report


class _SameBytes(Canvas):
    """A canvas that writes neither the time nor a random id."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **(named | {"invariant": 1}))


def _packed(report: AuditReport) -> str:
    data = json.dumps(report.model_dump(mode="json"), ensure_ascii=False, sort_keys=True).encode()
    return base64.b64encode(zlib.compress(data, 9)).decode()


def _unpacked(packed: str) -> bytes:
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(base64.b64decode(packed, validate=True), _DATA_MAX)
    except (binascii.Error, zlib.error, ValueError):
        raise ReportError("the report's data are damaged; export it again") from None
    if unpacking.unconsumed_tail:
        raise ReportError("the report's data are larger than any report; export it again")
    return data


@cache
def _register_fonts() -> None:
    folder = files("fontpkg_be_vietnam_pro") / "files"
    for name, file in ((_FONT, "BeVietnamPro-Regular.ttf"), (_BOLD, "BeVietnamPro-SemiBold.ttf")):
        pdfmetrics.registerFont(TTFont(name, io.BytesIO((folder / file).read_bytes())))


def _styles() -> dict[str, ParagraphStyle]:
    text = ParagraphStyle("text", fontName=_FONT, fontSize=9.5, leading=14, textColor=_INK, splitLongWords=True)
    return {
        "text": text,
        "title": ParagraphStyle("title", text, fontName=_BOLD, fontSize=15, leading=20, spaceAfter=6),
        "part": ParagraphStyle("part", text, fontName=_BOLD, fontSize=11, leading=16, spaceBefore=12, spaceAfter=4, keepWithNext=True),
        "head": ParagraphStyle("head", text, fontName=_BOLD, keepWithNext=True),
        "note": ParagraphStyle("note", text, fontSize=8, leading=12, textColor=_QUIET),
        "demo": ParagraphStyle("demo", text, textColor=_WARNING),
    }


def _entry(entry: Entry, styles: dict[str, ParagraphStyle]) -> list[Flowable]:
    drawn: list[Flowable] = [_paragraph(entry.head, styles["head"] if entry.text or entry.notes else styles["text"])]
    drawn += [_paragraph(entry.text, styles["text"])] if entry.text else []
    drawn += [_paragraph(note, styles["note"]) for note in entry.notes if note]
    return [*drawn, Spacer(1, 4)]


def _paragraph(text: str, style: ParagraphStyle) -> Paragraph:
    """Plain text: reportlab reads mark-up in what it is given, so every sign of it is escaped."""
    visible = "".join(sign if sign.isprintable() or sign == "\n" else "\u00a0" if sign.isspace() else "\ufffd" for sign in text)
    return Paragraph(escape(visible).replace("\n", "<br/>"), style)
