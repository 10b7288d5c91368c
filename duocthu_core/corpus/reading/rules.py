"""The words that reading needs, from the shipped tables (``sections.yaml``, ``reading.yaml``, populations, routes, frequency)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from duocthu_core.rulesets.loading import RULESETS_FOLDER, read_yaml, shipped_ruleset


@lru_cache(maxsize=1)
def reading_words() -> Mapping[str, Any]:
    """``data/rulesets/default/reading.yaml``: how pages are cut. Read once; no part of a ruleset's id."""
    return read_yaml(RULESETS_FOLDER / "default" / "reading.yaml")


def table(name: str) -> Mapping[str, Any]:
    """One of the shipped ruleset's phrase tables."""
    return shipped_ruleset().tables[name]
