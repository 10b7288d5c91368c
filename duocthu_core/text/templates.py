"""Filling the marks of a template in one pass."""

from __future__ import annotations

import re

_MARK = re.compile(r"\{([a-z_]+)\}")


def filled(template: str, **values: str) -> str:
    """``template`` with each ``{name}`` replaced by its value: braces inside a value, and names that are unknown, stay as they are."""
    return _MARK.sub(lambda mark: values.get(mark.group(1), mark.group()), template)
