"""Figures, times and amounts as the reader's language writes them (decimal comma in Vietnamese)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

import streamlit as st
from babel.dates import format_datetime
from babel.numbers import format_decimal, format_percent

from pages.frame.words import _, language


def seconds(milliseconds: float) -> str:
    """A duration: "< 0,01 s", "0,62 s", "3,1 s", "42 s"."""
    value = milliseconds / 1000
    if value < 0.01:
        return _("format.under_seconds", value=format_decimal(0.01, "0.00", locale=language()))
    pattern = "0.00" if value < 1 else "0.0" if value < 10 else "0"
    return _("format.seconds", value=format_decimal(value, pattern, locale=language()))


def whole_seconds(milliseconds: float) -> str:
    """A duration that is still growing: "3 s"."""
    return _("format.seconds", value=int(milliseconds // 1000))


def number(value: float, decimals: int = 0) -> str:
    """A figure with at most ``decimals`` decimals."""
    return format_decimal(round(value, decimals), "#,##0" + ("." + "#" * decimals if decimals else ""), locale=language())


def percent(share: float) -> str:
    """A share, 0 to 1, in whole per cent: "64%"."""
    return format_percent(share, locale=language())


def money(usd: float | None) -> str:
    """An amount in US dollars, or that the price is not known."""
    return _("format.no_price") if usd is None else _("format.usd", value=format_decimal(usd, "#,##0.0000", locale=language()))


def moment(at: datetime, pattern: str = "HH:mm · dd/MM/yyyy") -> str:
    """A moment in the reader's own time zone."""
    return format_datetime(at.astimezone(_zone()), pattern, locale=language())


def clock(at: datetime) -> str:
    """The time of day with milliseconds, for the trace of calls."""
    return moment(at, "HH:mm:ss,SSS")


def pages(first: int | None, last: int | None, *, estimated: bool = False) -> str:
    """Printed pages of the book: "tr. 1120", "tr. 1120-1121", "khoảng tr. 1120"."""
    if first is None:
        return _("book.no_page")
    key = "book.about_page" if estimated else "book.page"
    return _(key, page=str(first) if last in (None, first) else f"{first}-{last}")


def utc_offset() -> timedelta:
    """How far the reader's clock is ahead of UTC now."""
    return datetime.now(_zone()).utcoffset() or timedelta(0)


def _zone() -> tzinfo:
    name = st.context.timezone
    return ZoneInfo(name) if name else UTC
