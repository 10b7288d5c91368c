"""What the contract takes and gives, field by field (spec 05, "HTTP")."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue, StrictBool, StrictInt, model_validator

from duocthu_core.cache.hashing import HashProfile, normalised_claim
from duocthu_core.cache.model import PlainText, Staleness, StalenessRule, Tier, VerdictToKeep
from duocthu_core.verification.model import Stance

CONTRACT_PROFILE: HashProfile = "didi-v1"
"""The hashing of a request that names none."""
MAX_EVIDENCE = 50
CacheStatus = Literal["hit", "miss", "not_asked"]
"""``hit``: a verdict comes back, processed or raw; ``miss``: none does; ``not_asked``: the request did not ask for one."""
NliStatus = Literal["ran", "no_evidence", "provider_unavailable", "request_budget_exhausted", "malformed_output"]


class VerificationWrite(VerdictToKeep):
    """A verdict to keep. ``claim``, ``evidence_urls``, ``tier``, ``prompt_hash`` and ``verification_processed`` are required."""

    schema_name: HashProfile = CONTRACT_PROFILE

    @model_validator(mode="after")
    def _claim_says_something(self) -> Self:
        if not normalised_claim(self.claim, self.schema_name):
            raise ValueError("the claim is blank")
        return self


class VerificationWritten(BaseModel):
    """The key of what was stored, and its times in UTC."""

    cached: Literal[True]
    claim_hash: str
    evidence_hash: str
    tier: Tier
    created_at: AwareDatetime
    updated_at: AwareDatetime
    expires_at: AwareDatetime


class GatherRequest(BaseModel):
    """A claim whose evidence, and on request whose kept verdict, is wanted."""

    model_config = ConfigDict(frozen=True)

    claim: PlainText = Field(min_length=1)
    max_evidence: StrictInt = Field(default=5, ge=0, le=MAX_EVIDENCE)
    run_nli: StrictBool = False
    """Whether the judge compares the claim with each block by itself: one call to the model."""
    include_verification: StrictBool = False
    tier: Tier | None = None
    """Required with ``include_verification``."""
    prompt_hash: PlainText | None = None
    framework_version: PlainText | None = None
    schema_name: HashProfile = CONTRACT_PROFILE
    model: PlainText | None = None
    """The judge's model; None where the caller does not say, and then it is not compared."""
    drug_id: PlainText | None = None
    section_key: PlainText | None = None
    """Both are part of the key under ``duocthu-v1``, and say what the claim leaves unsaid."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if not self.claim.strip():
            raise ValueError("the claim is blank")
        if self.include_verification and self.tier is None:
            raise ValueError("tier is required with include_verification")
        return self


class Nli(BaseModel):
    """What the judge says about the claim and one block."""

    stance: Stance
    confidence: int
    evidence_quote: str
    reasoning: str
    model: str


class GatheredEvidence(BaseModel):
    """One block of the book."""

    url: str
    block_id: str
    drug_id: str | None
    drug_name: str
    section_key: str | None
    section_title: str
    label: str | None
    page_start: int | None
    page_end: int | None
    text: str
    source: str
    """The edition it stands in."""
    nli: Nli | None = None
    """With ``run_nli`` only; null where the judge gave no verdict (``brain_meta.nli_status`` says why)."""


class BrainMeta(BaseModel):
    """About the answer. ``verification_*`` stand here only with ``include_verification``, ``nli_status`` only with ``run_nli``."""

    cache_status: CacheStatus
    evidence_sources: list[str]
    nli_status: NliStatus | None = None
    verification_staleness: Staleness | None = None
    verification_rule: StalenessRule | None = None
    """Which rule made it so."""
    verification: JsonValue = None
    """The processed verdict of a fresh entry, the raw one where only the framework differs, else null."""
    verification_claim: str | None = None
    """The claim as it was stored, for the caller to compare."""
    verification_model: str | None = None
    verification_tier: Tier | None = None
    verification_prompt_hash: str | None = None
    verification_framework_version: str | None = None
    verification_cached_at: AwareDatetime | None = None
    verification_expires_at: AwareDatetime | None = None
    verification_evidence_urls: list[str] | None = None
    verification_evidence_hash: str | None = None
    verification_evidence_overlap: float | None = None
    """Shared part of the stored and the gathered evidence, 0 to 1; the caller decides what is enough."""


class GatherResponse(BaseModel):
    """Evidence for a claim, in the order of the book."""

    claim: str
    evidence: list[GatheredEvidence]
    brain_meta: BrainMeta


class Health(BaseModel):
    """Whether requests can be served."""

    status: Literal["ok", "unavailable"]
    database: str
    """``ok``, or what is wrong and what to do."""


class Problem(BaseModel):
    """An error in one line."""

    detail: str


class InvalidField(BaseModel):
    """What is wrong with one field of a request."""

    loc: list[str | int]
    msg: str
    type: str


class InvalidRequest(BaseModel):
    """Everything that is wrong with a request."""

    detail: list[InvalidField]
