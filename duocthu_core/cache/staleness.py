"""Whether a stored verdict still holds (spec 05, "Staleness at read")."""

from __future__ import annotations

from duocthu_core.cache.hashing import HASH_PROFILES, HashProfile, normalised_claim
from duocthu_core.cache.model import CacheEntry, CacheQuery, Staleness, StalenessRule


def staleness_by_judge(
    *,
    stored_prompt: str,
    stored_framework: str | None,
    stored_model: str | None,
    has_raw: bool,
    prompt: str | None,
    framework: str | None,
    model: str | None,
) -> tuple[Staleness, StalenessRule]:
    """What a live row is worth to a judge with ``prompt``, ``framework`` and ``model``, and the rule that says so.

    A model that is not given is not compared; a prompt that is not given cannot be equal.
    """
    if prompt is None:
        return "stale_prompt", "prompt_not_given"
    if prompt != stored_prompt:
        return "stale_prompt", "prompt_differs"
    if model is not None and model != stored_model:
        return "stale_prompt", "model_differs"
    if framework == stored_framework:
        return "fresh", "all_equal"
    if not has_raw:
        return "stale_prompt", "raw_missing"
    return "stale_framework", "framework_not_given" if framework is None else "framework_differs"


def staleness_of(entry: CacheEntry, query: CacheQuery) -> tuple[Staleness, StalenessRule]:
    """What ``entry``, found under the key of ``query``, is worth to it.

    The stored claim is compared once more, under the row's own profile: a hash that was made otherwise answers for no other claim.
    """
    if entry.schema_name != query.schema_name:
        return "miss", "profile_differs"
    if not _same_claim(entry, query):
        return "miss", "claim_differs"
    return staleness_by_judge(
        stored_prompt=entry.prompt_hash,
        stored_framework=entry.framework_version,
        stored_model=entry.model,
        has_raw=entry.verification_raw is not None,
        prompt=query.prompt_hash,
        framework=query.framework_version,
        model=query.model,
    )


def _same_claim(entry: CacheEntry, query: CacheQuery) -> bool:
    if (entry.drug_id, entry.section_key) != (query.drug_id, query.section_key) and entry.schema_name != "didi-v1":
        return False
    if entry.claim == query.claim:
        return True
    profile = _profile(entry.schema_name)
    try:
        return profile is not None and normalised_claim(entry.claim, profile) == normalised_claim(query.claim, profile)
    except ValueError:
        return False


def _profile(name: str) -> HashProfile | None:
    return next((profile for profile in HASH_PROFILES if profile == name), None)
