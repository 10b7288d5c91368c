"""The words that reading needs, from the shipped tables (``sections.yaml``, ``reading.yaml``, populations, routes, frequency)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from duocthu_core.rulesets.loading import RULESETS_FOLDER, read_yaml, shipped_ruleset

DIGIT = re.compile(r"[\d²³¹⁰⁴-⁹₀-₉]")
"""A figure, raised and lowered ones included."""


@lru_cache(maxsize=1)
def reading_words() -> Mapping[str, Any]:
    """``data/rulesets/default/reading.yaml``: how pages are cut. Read once; no part of a ruleset's id."""
    return read_yaml(RULESETS_FOLDER / "default" / "reading.yaml")


def table(name: str) -> Mapping[str, Any]:
    """One of the shipped ruleset's phrase tables."""
    return shipped_ruleset().tables[name]


@lru_cache(maxsize=1)
def open_end() -> re.Pattern[str]:
    """The end of a line that does not end a sentence: a sign or a word that wants something behind it."""
    words = "|".join(re.escape(word) for word in sorted(reading_words()["open_ends"], key=len, reverse=True))
    return re.compile(rf"(?:[,(/–-]|\b(?:{words}))\Z", re.IGNORECASE)


OPEN_END_LENGTH = 24
"""Characters at the end of a line that :func:`open_end` needs to see."""
