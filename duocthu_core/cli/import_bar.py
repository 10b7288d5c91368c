"""A bar of progress for a long import, on standard error."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

_WIDTH = 32


class ImportBar:
    """Draws which file is read, and how many of its pages: on a terminal one line drawn anew, elsewhere a line for every tenth part."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._drawn = -1
        self._is_open = False
        self._place = ""

    def begin(self, path: Path, number: int, count: int) -> None:
        """File ``number`` of ``count`` is read now."""
        self.end()
        self._drawn = -1
        self._place = f"[{number}/{count}] " if count > 1 else ""
        if count > 1 or path.suffix.lower() != ".pdf":
            self._stream.write(f"{self._place}{path.name}\n")
            self._stream.flush()

    def __call__(self, path: Path, done: int, total: int) -> None:
        """``done`` of ``total`` pages of ``path`` are read."""
        is_terminal = self._stream.isatty()
        step = (200 if is_terminal else 10) * done // max(total, 1)
        if step == self._drawn and done < total:
            return
        self._drawn = step
        if is_terminal:
            filled = _WIDTH * done // max(total, 1)
            self._stream.write(f"\r{self._place}{path.name} [{'█' * filled}{'·' * (_WIDTH - filled)}] {done}/{total} trang")
            self._is_open = True
        else:
            self._stream.write(f"{self._place}{path.name}: {done}/{total} trang\n")
        if done >= total:
            self.end()
        self._stream.flush()

    def end(self) -> None:
        """Ends the line that is drawn, if there is one."""
        if self._is_open:
            self._stream.write("\n")
            self._is_open = False
