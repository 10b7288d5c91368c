"""How the pages of a file are shared between the processes that read it."""

from __future__ import annotations

RUN = 16
"""Pages that one reader reads in a row; then it passes over those of the others."""


def reader_of(index: int, readers: int) -> int:
    """Which of so many readers, from 0, reads page ``index`` (from 0)."""
    return index // RUN % readers
