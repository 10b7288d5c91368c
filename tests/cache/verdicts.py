"""Verdicts and queries for the cache's tests."""

from __future__ import annotations

from typing import Any

from duocthu_core.cache.model import CacheQuery, VerdictToKeep

CLAIM = "Người lớn: uống 0,5 - 1 g mỗi 4 - 6 giờ, tối đa 4 g/ngày."
URL = "duocthu://dttqg-2015/paracetamol/lieu_luong_cach_dung/3?h=sha256:" + "a" * 64
OTHER_URL = "duocthu://dttqg-2015/paracetamol/than_trong/1?h=sha256:" + "b" * 64
JUDGED_WITH: dict[str, Any] = {
    "prompt_hash": "0123456789ab",
    "framework_version": "ba9876543210",
    "model": "bedrock/apac.amazon.nova-lite-v1:0",
}
ABOUT: dict[str, Any] = {"claim": CLAIM, "drug_id": "paracetamol", "section_key": "lieu_luong_cach_dung", "tier": "free"}
RAW = {"stance": "SUPPORTS", "confidence": 97, "evidence_quote": "0,5 - 1 g", "z": 1.0, "a": ["\u0000", "≥ 10² ½ \U0001f48a", None, 1e22]}
PROCESSED = {"status": "supported", "why": "supported"}


def verdict(**changes: Any) -> VerdictToKeep:
    """A verdict on :data:`CLAIM`."""
    fields = ABOUT | JUDGED_WITH | {"evidence_urls": (URL,), "verification_raw": RAW, "verification_processed": PROCESSED}
    return VerdictToKeep.model_validate(fields | changes)


def query(**changes: Any) -> CacheQuery:
    """The same claim, judge and evidence asked for."""
    return CacheQuery.model_validate(ABOUT | JUDGED_WITH | {"evidence_urls": (URL,)} | changes)
