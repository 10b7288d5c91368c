"""Tables for spreadsheets (spec 06, "Traces, exports" and "Access"): UTF-8 with a byte order mark, and no cell that runs as a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

_RUNS_AS_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""OWASP, "CSV Injection": what a spreadsheet takes for a formula, at the start of a cell."""
_NEUTRAL = "'"


def csv_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """A table as bytes of CSV. Numbers stay numbers; a text that would run as a formula gets an apostrophe before it; None is empty."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([cell(name) for name in header])
    writer.writerows([cell(value) for value in row] for row in rows)
    return text.getvalue().encode("utf-8-sig", "replace")


def cell(value: object) -> object:
    """``value`` as a spreadsheet may read it. A text is looked at behind its leading white space, which spreadsheets drop."""
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return value
    text = str(value).replace("\x00", "\ufffd")
    return _NEUTRAL + text if text.lstrip(" \u00a0\n").startswith(_RUNS_AS_FORMULA) or text.startswith(_RUNS_AS_FORMULA) else text
