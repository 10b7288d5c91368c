"""Stage 10, cache: verdicts that were kept from earlier turns (spec 05)."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import CacheOutput
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.trace import Why
from duocthu_core.pipeline.turn import StageResult, Turn


def run(_turn: Turn, _tools: Tools) -> StageResult:
    """No store of verdicts is attached: every claim goes to the judge."""
    return StageResult(CacheOutput(enabled=False), Why(code="cache_off"), status="skipped")
