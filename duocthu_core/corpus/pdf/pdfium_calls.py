"""pdfium's functions for single characters, called without the checks of the bindings.

A page takes a thousand such calls. A function without declared arguments, given references that were made beforehand
(:func:`ctypes.byref`), costs a quarter of what the checked one costs. The process that reads a PDF has one thread and does nothing else,
so a call need not let go of the interpreter's lock. Every argument must be a small integer or a reference: nothing else is converted.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import Any, cast

import pypdfium2.raw as pdfium

Reference = Any
"""What :func:`ctypes.byref` gives: the address of a C object that the caller keeps alive."""


def _call(name: str, result: Any) -> Callable[..., Any]:
    address = ctypes.cast(getattr(pdfium, name), ctypes.c_void_p).value
    assert address is not None
    return ctypes.PYFUNCTYPE(result)(address)


count_characters = _call("FPDFText_CountChars", ctypes.c_int)
"""(text page)."""
loose_box = _call("FPDFText_GetLooseCharBox", None)
"""(text page, index, FS_RECTF)."""
origin = _call("FPDFText_GetCharOrigin", None)
"""(text page, index, x, y), both double."""
count_objects_in = _call("FPDFText_CountRects", ctypes.c_int)
"""(text page, first character, how many): text objects there; :data:`object_box` then tells of these."""
object_box = _call("FPDFText_GetRect", None)
"""(text page, number of the object, left, top, right, bottom), all double."""
is_generated = _call("FPDFText_IsGenerated", ctypes.c_int)
"""(text page, index): 1 for a space that pdfium made up."""
is_hyphen = _call("FPDFText_IsHyphen", ctypes.c_int)
"""(text page, index): 1 for a hyphen at the end of a line."""
code_of = _call("FPDFText_GetUnicode", ctypes.c_uint)
"""(text page, index)."""
font_size = _call("FPDFText_GetFontSize", ctypes.c_double)
font_weight = _call("FPDFText_GetFontWeight", ctypes.c_int)
font_info = _call("FPDFText_GetFontInfo", None)
"""(text page, index, buffer for the name, its size, flags)."""
angle = _call("FPDFText_GetCharAngle", ctypes.c_float)
"""In radians."""
count_drawn = _call("FPDFPage_CountObjects", ctypes.c_int)


def reference_to(handle: Any) -> Reference:
    """A reference to what a handle of the checked bindings points to."""
    return ctypes.byref(handle.contents)


class Places:
    """Room for the numbers that pdfium writes about many characters at once; made once, it grows as needed."""

    _FIELDS = 4

    def __init__(self, kind: type[ctypes.c_float] | type[ctypes.c_double]) -> None:
        self._kind = kind
        self._room = 0
        self._fields: list[list[Reference]] = [[] for _ in range(self._FIELDS)]
        self._numbers: Any = memoryview(b"")

    def field(self, number: int, count: int) -> list[Reference]:
        """References to field ``number`` of the first ``count`` places, and maybe of more behind them. A place is four numbers."""
        if count > self._room:
            self._grow(count)
        return self._fields[number]

    def read(self, count: int) -> list[float]:
        """What was written: the numbers of the first ``count`` places in a row."""
        return cast("list[float]", self._numbers[: self._FIELDS * count].tolist())

    def _grow(self, count: int) -> None:
        self._room = max(2 * count, 256)
        size = ctypes.sizeof(self._kind)
        array = (self._kind * (self._FIELDS * self._room))()
        self._fields = [
            [ctypes.byref(array, size * (self._FIELDS * place + field)) for place in range(self._room)] for field in range(self._FIELDS)
        ]
        self._numbers = memoryview(array).cast("B").cast("f" if self._kind is ctypes.c_float else "d")


def each(call: Callable[..., Any], page: Reference, *columns: Iterable[Any]) -> None:
    """Calls ``call`` for the page and each row of ``columns``, whose shortest says how many."""
    deque(map(call, repeat(page), *columns), maxlen=0)


def counted(call: Callable[..., int], page: Reference, indices: Sequence[int] | range) -> list[int]:
    """What ``call`` gives for each index."""
    return list(map(call, repeat(page), indices))
