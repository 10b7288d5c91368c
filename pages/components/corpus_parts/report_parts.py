"""The report of an import as parts of a detail: what came in, what was repaired, what is locked and why, what was left out and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from duocthu_core.corpus.import_report import (
    REASONS,
    FileReport,
    ImportReport,
    ImportWarning,
    PageTally,
    QuarantinedBlock,
    RejectedText,
    RepairedBlock,
)
from pages.components.facts.parts import Figure, Group, KeyValues, Note, Part, Pill, Table
from pages.frame import formats
from pages.frame.words import _, _n, knows, word

_ROWS = 100
"""Rows of a table that are shown; the file for download has them all."""
_NAMES = 30


def report_parts(report: ImportReport) -> list[Part]:
    """The report, file by file."""
    parts: list[Part] = []
    if report.problem:
        parts.append(Note(report.problem, "missing", "stop"))
    return [*parts, *(_file(file) for file in report.files)]


def report_counts(report: ImportReport) -> dict[str, int]:
    """Drugs, blocks accepted, repaired and locked, and texts left out, over all files."""
    return {
        "drugs": len({drug_id for file in report.files for drug_id in file.drugs}),
        "accepted": sum(file.accepted for file in report.files),
        "repaired": sum(len(file.repaired) for file in report.files),
        "quarantined": sum(len(file.quarantined) for file in report.files),
        "rejected": sum(len(file.rejected) for file in report.files),
    }


def _file(file: FileReport) -> Part:
    if file.error is not None:
        return Group(file.path, [Note(file.error, "missing", "stop")], Pill(_("import.file_rejected"), "missing", "cross"))
    names = tuple(file.drugs.values())
    more = _("corpus.and_more", n=len(names) - _NAMES) if len(names) > _NAMES else ""
    values = [
        (_("import.drugs"), ", ".join(names[:_NAMES]) + more),
        (_("import.accepted"), formats.number(file.accepted)),
        (_("import.repaired"), formats.number(len(file.repaired))),
        (_("import.quarantined"), formats.number(len(file.quarantined))),
        (_("import.rejected"), formats.number(len(file.rejected))),
        (_("import.heads"), formats.number(file.headers)),
    ]
    if file.file_pages:
        values.append((_("import.file_pages"), formats.number(file.file_pages)))
    parts: list[Part] = [KeyValues(values)]
    parts += _table(_("import.quarantined_title"), ("page", "block", "reason"), file.quarantined, _quarantined_row)
    parts += _table(_("import.rejected_title"), ("where", "reason", "text"), file.rejected, _rejected_row)
    parts += _table(_("import.warnings_title"), ("where", "reason", "text"), file.warnings, _warning_row)
    parts += _table(_("import.repaired_title"), ("page", "block", "repairs"), file.repaired, _repaired_row)
    parts += _table(_("import.pages_title"), ("page", "blocks", "repaired", "quarantined"), file.pages, _page_row)
    return Group(file.path, parts, Pill(_("import.file_accepted"), "found", "check"))


def _table(title: str, columns: Sequence[str], rows: Sequence[Any], cells: Callable[[Any], Sequence[str | Figure]]) -> Iterable[Part]:
    if not rows:
        return
    heading = f"{title} · {formats.number(len(rows))}"
    yield Table([_(f"import.column_{column}") for column in columns], [cells(row) for row in rows[:_ROWS]], heading=heading)
    if len(rows) > _ROWS:
        yield Note(_("import.more_rows", n=formats.number(len(rows) - _ROWS)))


def _reason(code: str) -> str:
    if knows(f"import_reason.{code}"):
        return word("import_reason", code)
    return word("quarantine", code) if knows(f"quarantine.{code}") else REASONS.get(code, code)


def _page(page: int | None) -> str:
    return formats.pages(page, page)


def _where(line: int | None, page: int | None, file_page: int | None) -> str:
    if file_page is not None:
        printed = f" ({_page(page)})" if page is not None else ""
        return _("import.file_page", page=file_page) + printed
    return _("import.line", line=line) if line is not None else _page(page)


def _quarantined_row(block: QuarantinedBlock) -> tuple[str, Figure, str]:
    return _page(block.page), Figure(block.block_id), _reason(block.reason)


def _rejected_row(text: RejectedText) -> tuple[str, str, str]:
    return _where(text.line, text.page, text.file_page), _reason(text.reason), text.text


def _warning_row(warning: ImportWarning) -> tuple[str, str, str]:
    detail, (count, _space, _unit) = warning.detail, warning.detail.partition(" ")
    if warning.reason == "no_page" and count.isdecimal():
        detail = _n("corpus.blocks_count", int(count))
    return _where(warning.line, None, warning.file_page), _reason(warning.reason), detail


def _repaired_row(block: RepairedBlock) -> tuple[str, Figure, str]:
    kinds = Counter(word("text_repair", repair.kind) for repair in block.repairs)
    return _page(block.page), Figure(block.block_id), ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())


def _page_row(tally: PageTally) -> tuple[str, str, str, str]:
    return _page(tally.page), formats.number(tally.blocks), formats.number(tally.repaired), formats.number(tally.quarantined)
