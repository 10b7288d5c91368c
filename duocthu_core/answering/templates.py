"""Filling the marks of a template in one pass."""

from __future__ import annotations

from duocthu_core.text.templates import filled as filled
