"""pdfium's functions for single characters, called with plain addresses.

A page takes a thousand such calls. With the addresses of its arguments as numbers a call costs about half of what the checked bindings
cost. The process that reads a PDF has one thread and does nothing else, so a call need not let go of the interpreter's lock.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import pypdfium2.raw as pdfium

_ADDRESS, _INT, _DOUBLE, _FLOAT = ctypes.c_void_p, ctypes.c_int, ctypes.c_double, ctypes.c_float


def _call(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    address = ctypes.cast(getattr(pdfium, name), _ADDRESS).value
    assert address is not None
    return ctypes.PYFUNCTYPE(result, *arguments)(address)


loose_box = _call("FPDFText_GetLooseCharBox", _INT, _ADDRESS, _INT, _ADDRESS)
"""(text page, index, FS_RECTF)."""
origin = _call("FPDFText_GetCharOrigin", _INT, _ADDRESS, _INT, _ADDRESS, _ADDRESS)
"""(text page, index, x, y), both double."""
count_objects_in = _call("FPDFText_CountRects", _INT, _ADDRESS, _INT, _INT)
"""(text page, first character, how many): text objects there; :data:`object_box` then tells of these."""
object_box = _call("FPDFText_GetRect", _INT, _ADDRESS, _INT, _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS)
"""(text page, number of the object, left, top, right, bottom), all double."""
is_generated = _call("FPDFText_IsGenerated", _INT, _ADDRESS, _INT)
"""(text page, index): 1 for a space that pdfium made up."""
font_size = _call("FPDFText_GetFontSize", _DOUBLE, _ADDRESS, _INT)
font_weight = _call("FPDFText_GetFontWeight", _INT, _ADDRESS, _INT)
font_info = _call("FPDFText_GetFontInfo", ctypes.c_ulong, _ADDRESS, _INT, _ADDRESS, ctypes.c_ulong, _ADDRESS)
"""(text page, index, buffer for the name, its size, flags)."""
angle = _call("FPDFText_GetCharAngle", _FLOAT, _ADDRESS, _INT)
"""In radians."""
count_drawn = _call("FPDFPage_CountObjects", _INT, _ADDRESS)
drawn_object = _call("FPDFPage_GetObject", _ADDRESS, _ADDRESS, _INT)
kind_of_drawn = _call("FPDFPageObj_GetType", _INT, _ADDRESS)
bounds_of_drawn = _call("FPDFPageObj_GetBounds", _INT, _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS)
"""(object, left, bottom, right, top), all float."""


def address_of(handle: Any) -> int:
    """The address behind a handle of the checked bindings."""
    address = ctypes.cast(handle, _ADDRESS).value
    assert address is not None
    return address
