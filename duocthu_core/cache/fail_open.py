"""The cache for a turn: what goes wrong in it is a miss and a warning, never the turn's failure (spec 05)."""

from __future__ import annotations

from collections.abc import Sequence

from duocthu_core.cache.model import CacheAnswer, CacheQuery, VerdictToKeep
from duocthu_core.cache.verification_cache import VerificationCache


class FailOpenCache:
    """Reads and writes that never raise; each returns the warnings for the trace."""

    def __init__(self, cache: VerificationCache) -> None:
        self._cache = cache

    def get_all(self, queries: Sequence[CacheQuery]) -> tuple[list[CacheAnswer], list[str]]:
        """The answers of the cache; where it fails, a miss for every claim and the reason."""
        try:
            return self._cache.get_all(queries), []
        except Exception as error:
            missed = [CacheAnswer(claim_hash="", tier=query.tier, staleness="miss", rule="no_row") for query in queries]
            return missed, [_warning("read", error)]

    def put_all(self, verdicts: Sequence[VerdictToKeep]) -> list[str]:
        """Stores what can be stored; a verdict that is refused does not keep the others out."""
        warnings: list[str] = []
        accepted: list[VerdictToKeep] = []
        for verdict in verdicts:
            try:
                self._cache.check(verdict)
                accepted.append(verdict)
            except ValueError as error:  # refused, too large, or half a character that no store can hold
                warnings.append(_warning("write", error))
        try:
            self._cache.put_all(accepted)
        except Exception as error:
            warnings.append(_warning("write", error))
        return warnings


def _warning(what: str, error: Exception) -> str:
    return f"verification cache, {what}: {' '.join(str(error).split()) or type(error).__name__}"
