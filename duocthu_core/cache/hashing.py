"""Hashes of claims and evidence (spec 05, "Hashing"). Done here alone: who stores and who asks cannot differ in it."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable
from typing import Literal, get_args

from duocthu_core.text.folding import collapse_spaces, has_invisible, nfc

HashProfile = Literal["didi-v1", "duocthu-v1"]
HASH_PROFILES: tuple[HashProfile, ...] = get_args(HashProfile)
DEFAULT_PROFILE: HashProfile = "duocthu-v1"
_SPACES = re.compile(r"\s+")


class ClaimRefused(ValueError):
    """A claim that must not be hashed; the message says why."""


def normalised_claim(claim: str, profile: HashProfile) -> str:
    """The form of ``claim`` that its profile compares; raises :class:`ClaimRefused`.

    ``didi-v1`` is the contract with other backends. It drops marks and case, so "dùng" (use) equals "dừng" (stop): it is not for Vietnamese
    medicine. ``duocthu-v1`` keeps case, marks, superscripts and signs, and refuses characters that no reader sees.
    """
    if profile == "didi-v1":
        bare = "".join(c for c in unicodedata.normalize("NFKD", claim) if not unicodedata.combining(c))
        return _SPACES.sub(" ", bare.lower()).strip().rstrip(".?!")
    if has_invisible(claim):
        raise ClaimRefused("the claim holds a character that no reader sees (zero-width, bidirectional or control)")
    text = collapse_spaces(nfc(claim).replace("\u00b5", "\u03bc"))
    return text.removesuffix(".").rstrip()


def claim_hash(claim: str, profile: HashProfile, drug_id: str | None = None, section_key: str | None = None) -> str:
    """sha256 in hex of a claim under ``profile``; raises :class:`ClaimRefused`.

    ``duocthu-v1`` hashes the claim with its drug and section, since a claim often leaves its drug unsaid, and with its own name, so that no
    row of one profile stands where the other looks.
    """
    normalised = normalised_claim(claim, profile)
    if profile == "didi-v1":
        return _sha256(normalised)
    return _sha256(json.dumps([profile, drug_id, section_key, normalised], ensure_ascii=False, separators=(",", ":")))


def normalised_urls(urls: Iterable[str]) -> tuple[str, ...]:
    """Evidence URLs as they are compared: trimmed, lower case, no trailing ``/``, no empties, each once, sorted."""
    return tuple(sorted({bare for url in urls if (bare := url.strip().lower().rstrip("/"))}))


def evidence_hash(urls: Iterable[str]) -> str:
    """sha256 in hex over the normalised URLs, one a line."""
    return _sha256("\n".join(normalised_urls(urls)))


def evidence_overlap(one: Iterable[str], other: Iterable[str]) -> float:
    """|A ∩ B| / max(|A|, |B|) over normalised URLs, 0 when both are empty: a subset is no full overlap."""
    first, second = set(normalised_urls(one)), set(normalised_urls(other))
    larger = max(len(first), len(second))
    return len(first & second) / larger if larger else 0.0


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
