"""Spans: where something stands in a text."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """A half-open range of code points, ``text[start:end]``, in a stored NFC text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The characters of ``text`` inside this span."""
        return text[self.start : self.end]

    def overlaps(self, other: Span) -> bool:
        """Whether the two spans share at least one code point."""
        return self.start < other.end and other.start < self.end

    def covers(self, other: Span) -> bool:
        """Whether ``other`` lies wholly inside this span."""
        return self.start <= other.start and other.end <= self.end
