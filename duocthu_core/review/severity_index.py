"""The NCC MERP index (``data/review/ncc_merp.yaml``): the Council's wording with its copyright line, our gloss beside it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from duocthu_core.review.model import SEVERITIES, Severity
from duocthu_core.rulesets.loading import read_yaml

SEVERITY_INDEX_PATH = Path(__file__).resolve().parents[2] / "data" / "review" / "ncc_merp.yaml"


class SeverityCategory(BaseModel):
    """One category in the Council's words, and our gloss."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    wording: str
    vi: str


class SeverityIndex(BaseModel):
    """The nine categories, and the lines that stand wherever their wording is shown."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    title: str
    copyright: str
    permission: str
    categories: dict[Severity, SeverityCategory]


@lru_cache(maxsize=1)
def severity_index() -> SeverityIndex:
    """The index as it ships; a file that lacks a category is a fault of this version and raises ValueError."""
    index = SeverityIndex.model_validate(read_yaml(SEVERITY_INDEX_PATH))
    if tuple(index.categories) != SEVERITIES:
        raise ValueError(f"{SEVERITY_INDEX_PATH} must give the categories A to I in their order")
    return index
