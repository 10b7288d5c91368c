"""A bar of progress for a long import, on standard error."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

_WIDTH = 32


class ImportBar:
    """Draws how many pages of a file were read. On a terminal one line that is drawn anew; elsewhere a line for every tenth part."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._drawn = -1

    def __call__(self, path: Path, done: int, total: int) -> None:
        """``done`` of ``total`` pages of ``path`` are read."""
        steps = 200 if self._stream.isatty() else 10
        step = steps * done // max(total, 1)
        if step == self._drawn and done < total:
            return
        self._drawn = step
        if self._stream.isatty():
            filled = _WIDTH * done // max(total, 1)
            end = "\n" if done >= total else ""
            self._stream.write(f"\r{path.name} [{'█' * filled}{'·' * (_WIDTH - filled)}] {done}/{total} trang{end}")
        else:
            self._stream.write(f"{path.name}: {done}/{total} trang\n")
        self._stream.flush()
        if done >= total:
            self._drawn = -1
