"""The verification cache as the pipeline asks for it: one tier, and no failure of it ever fails a turn (spec 05)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError

from duocthu_core.cache.fail_open import FailOpenCache
from duocthu_core.cache.model import CacheAnswer, CacheQuery, Tier, VerdictToKeep
from duocthu_core.cache.verification_cache import VerificationCache
from duocthu_core.pipeline.verdict_cache import JudgedVerdict, JudgedWith, KnownVerdict, WantedVerdict

_UNAVAILABLE = "cache_unavailable"
_REFUSED = KnownVerdict(claim_hash="", staleness="miss", rule="claim_refused", use="judge")


class PipelineVerdictCache:
    """A :class:`duocthu_core.pipeline.verdict_cache.VerdictCache` over one tier of a verification cache."""

    def __init__(self, cache: VerificationCache, tier: Tier) -> None:
        self._cache = FailOpenCache(cache)
        self._tier: Tier = tier

    def look_up(self, wanted: Sequence[WantedVerdict]) -> tuple[list[KnownVerdict], list[str]]:
        """See the Protocol."""
        queries = [self._query(item) for item in wanted]
        answers, problems = self._cache.get_all([query for query in queries if query is not None])
        waiting = iter(answers)
        known = [_REFUSED if query is None else _known(next(waiting)) for query in queries]
        if problems:
            known = [KnownVerdict(claim_hash="", staleness="miss", rule=_UNAVAILABLE, use="judge") for _ in known]
        return known, problems

    def keep(self, judged: Sequence[JudgedVerdict]) -> list[str]:
        """See the Protocol."""
        verdicts: list[VerdictToKeep] = []
        refused: list[str] = []
        for item in judged:
            try:
                verdicts.append(self._verdict(item))
            except ValidationError as error:
                refused.append(f"verification cache, write: {error.errors(include_url=False, include_input=False)[0]['msg']}")
        return refused + (self._cache.put_all(verdicts) if verdicts else [])

    def _query(self, wanted: WantedVerdict) -> CacheQuery | None:
        with_judge = wanted.judged_with
        try:
            return CacheQuery(
                claim=wanted.text,
                drug_id=wanted.drug_id,
                section_key=wanted.section_key,
                tier=self._tier,
                prompt_hash=with_judge.prompt_hash,
                framework_version=with_judge.framework_version,
                model=with_judge.model,
                evidence_urls=wanted.evidence_urls,
            )
        except ValidationError:  # half a character, which no key can hold
            return None

    def _verdict(self, judged: JudgedVerdict) -> VerdictToKeep:
        wanted = judged.wanted
        return VerdictToKeep(
            claim=wanted.text,
            drug_id=wanted.drug_id,
            section_key=wanted.section_key,
            evidence_urls=wanted.evidence_urls,
            tier=self._tier,
            prompt_hash=wanted.judged_with.prompt_hash,
            framework_version=wanted.judged_with.framework_version,
            model=wanted.judged_with.model,
            verification_raw=judged.raw,
            verification_processed=judged.processed,
        )


def _known(answer: CacheAnswer) -> KnownVerdict:
    entry = answer.entry
    if entry is None:
        return KnownVerdict(claim_hash=answer.claim_hash, staleness=answer.staleness, rule=answer.rule, use=answer.action)
    return KnownVerdict(
        claim_hash=answer.claim_hash,
        staleness=answer.staleness,
        rule=answer.rule,
        use=answer.action,
        overlap=answer.overlap,
        enough_overlap=answer.enough_overlap,
        stored_with=JudgedWith(entry.prompt_hash, entry.framework_version, entry.model),
        evidence_urls=entry.evidence_urls,
        raw=entry.verification_raw,
        processed=entry.verification_processed,
        updated_at=entry.updated_at,
        expires_at=entry.expires_at,
    )
