"""Recalling verdicts and keeping new ones: what the cache stage, the judge's two stages and the repair share (spec 05).

One statement asks about all claims of a turn and about the completeness of its answer. A verdict made under other thresholds is made
anew from what the judge said and written back; the evidence of an entry stays the blocks that the judge saw.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from pydantic import JsonValue

from duocthu_core.answering.model import Claim
from duocthu_core.language_models.port import ModelResponse
from duocthu_core.pipeline.kept_verdicts import (
    RecalledCompleteness,
    Spent,
    Unusable,
    claim_documents,
    completeness_documents,
    completeness_of,
    spent_of,
    spent_on,
    verdict_of,
)
from duocthu_core.pipeline.outputs import CacheLookup
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.verdict_cache import JudgedVerdict, JudgedWith, KnownVerdict, VerdictCache, WantedVerdict
from duocthu_core.retrieval.model import Evidence
from duocthu_core.understanding.model import Question, ResolvedQuestion
from duocthu_core.verification.judge_prompts import judged_claims
from duocthu_core.verification.model import CheckedObjection, MissingEvidence, Verdict

COMPLETENESS_SECTION = "completeness"
"""Stands where a claim has its section, so that an answer's entry is never taken for a claim's."""
READ_FAILED, WRITE_FAILED, UNREADABLE = "cache_read_failed", "cache_write_failed", "cache_verdict_unreadable"
"""Codes of the warnings."""
_ACTIONS = {"use": "served", "recompute": "reprocessed", "judge": "judged"}
_RESOLVED_FIELDS = {"section_key", "population", "stated", "route", "verbosity", "intent"}


@dataclass(frozen=True)
class Recalled:
    """What is known of a turn's claims before the judge is asked."""

    verdicts: Mapping[int, Verdict] = field(default_factory=dict)
    """Position of the claim -> its verdict; the other claims are to be judged."""
    completeness: RecalledCompleteness | None = None
    lookups: tuple[CacheLookup, ...] = ()
    completeness_lookup: CacheLookup | None = None
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def wanted_completeness(
    question: Question, resolved: ResolvedQuestion, claims: Sequence[Claim], evidence: Sequence[Evidence], tools: Tools
) -> WantedVerdict:
    """What is asked about a whole answer: the question as it was resolved and the claims in their order, over all shown blocks."""
    return WantedVerdict(
        text=completeness_text(question.text, resolved, claims),
        drug_id=_joined(resolved.drug_ids),
        section_key=COMPLETENESS_SECTION,
        evidence_urls=_urls([block for block in evidence if not block.quarantined]),
        judged_with=JudgedWith(tools.ruleset.completeness_prompt_hash, tools.ruleset.framework_version, tools.judge_name),
    )


def completeness_text(question: str, resolved: ResolvedQuestion, claims: Sequence[Claim]) -> str:
    """The question as it was resolved and the claims in their order, as one text: what an entry about a whole answer is known by."""
    about = {
        "question": question,
        "resolved": resolved.model_dump(mode="json", include=_RESOLVED_FIELDS, exclude_none=True),
        "claims": [claim.text for claim in claims],
    }
    return json.dumps(about, ensure_ascii=False, separators=(",", ":"))


def recall(claims: Sequence[Claim], evidence: Sequence[Evidence], tools: Tools, completeness: WantedVerdict | None = None) -> Recalled:
    """What the cache knows of ``claims`` and, where it is asked about, of the completeness of the answer they make."""
    if tools.verdicts is None:
        return Recalled()
    judged = judged_claims(claims, evidence)
    wanted = [_wanted(claim, blocks, tools) for claim, blocks in judged.values()]
    known, problems = tools.verdicts.look_up(wanted if completeness is None else [*wanted, completeness])
    reading = _Reading(tools, tools.verdicts)
    for (number, (claim, blocks)), asked, found in zip(judged.items(), wanted, known, strict=False):
        reading.read_claim(number - 1, claim, blocks, asked, found)
    if completeness is not None:
        reading.read_completeness(claims, evidence, completeness, known[-1])
    return reading.recalled(problems)


def keep_verdicts(
    verdicts: Sequence[Verdict], claims: Sequence[Claim], evidence: Sequence[Evidence], response: ModelResponse, tools: Tools
) -> tuple[str, ...]:
    """Keeps what the judge said about each of ``claims`` (``verdicts`` in their order) and returns what went wrong."""
    if tools.verdicts is None:
        return ()
    judged = judged_claims(claims, evidence)
    spent = spent_on(response, tools.price, tools.judge.provider, tools.judge.model_id, max(1, len(judged)))
    to_keep = []
    for position, verdict in enumerate(verdicts):
        if verdict.raw is not None and position + 1 in judged:
            raw, processed = claim_documents(verdict, spent)
            to_keep.append(JudgedVerdict(_wanted(*judged[position + 1], tools), raw, processed))
    return tuple(tools.verdicts.keep(to_keep))


def keep_completeness(
    wanted: WantedVerdict,
    said: tuple[bool, Sequence[MissingEvidence]],
    checked: Sequence[CheckedObjection],
    response: ModelResponse,
    tools: Tools,
) -> tuple[str, ...]:
    """Keeps what the judge said about a whole answer and returns what went wrong."""
    if tools.verdicts is None:
        return ()
    spent = spent_on(response, tools.price, tools.judge.provider, tools.judge.model_id, 1)
    raw, processed = completeness_documents(*said, checked, spent)
    return tuple(tools.verdicts.keep([JudgedVerdict(wanted, raw, processed)]))


class _Reading:
    """Goes through what the cache knows, collects what can be used and writes back what was made anew."""

    def __init__(self, tools: Tools, cache: VerdictCache) -> None:
        self._tools = tools
        self._cache = cache
        self._verdicts: dict[int, Verdict] = {}
        self._completeness: RecalledCompleteness | None = None
        self._lookups: list[CacheLookup] = []
        self._completeness_lookup: CacheLookup | None = None
        self._anew: list[JudgedVerdict] = []

    def read_claim(self, position: int, claim: Claim, blocks: Sequence[Evidence], wanted: WantedVerdict, known: KnownVerdict) -> None:
        unusable: Unusable | None = None
        if known.use != "judge":
            try:
                verdict = verdict_of(known, position, claim, blocks, self._tools.ruleset)
                self._verdicts[position] = verdict
                if known.use == "recompute":
                    self._write_back(wanted, known, claim_documents(verdict, spent_of(known))[1])
            except Unusable as error:
                unusable = error
        self._lookups.append(self._lookup(position, wanted, known, unusable))

    def read_completeness(self, claims: Sequence[Claim], evidence: Sequence[Evidence], wanted: WantedVerdict, known: KnownVerdict) -> None:
        unusable: Unusable | None = None
        if known.use != "judge":
            try:
                found = completeness_of(known, claims, evidence, self._tools.ruleset)
                self._completeness = found
                if known.use == "recompute":
                    self._write_back(wanted, known, completeness_documents(found.complete, (), found.objections, spent_of(known))[1])
            except Unusable as error:
                unusable = error
        self._completeness_lookup = self._lookup(-1, wanted, known, unusable)

    def recalled(self, problems: Sequence[str]) -> Recalled:
        not_written = self._cache.keep(self._anew) if self._anew else []
        lookups = [*self._lookups, *([self._completeness_lookup] if self._completeness_lookup else [])]
        warnings = {
            READ_FAILED: bool(problems),
            WRITE_FAILED: bool(not_written),
            UNREADABLE: any(lookup.rule == "unreadable" for lookup in lookups),
        }
        return Recalled(
            verdicts=self._verdicts,
            completeness=self._completeness,
            lookups=tuple(self._lookups),
            completeness_lookup=self._completeness_lookup,
            problems=(*problems, *not_written),
            warnings=tuple(code for code, raised in warnings.items() if raised),
        )

    def _write_back(self, wanted: WantedVerdict, known: KnownVerdict, processed: JsonValue) -> None:
        # A verdict stays one over the blocks that the judge saw, whatever blocks it was recalled for.
        self._anew.append(JudgedVerdict(replace(wanted, evidence_urls=known.evidence_urls), known.raw, processed))

    def _lookup(self, position: int, wanted: WantedVerdict, known: KnownVerdict, unusable: Unusable | None) -> CacheLookup:
        used = known.use != "judge" and unusable is None
        spent = spent_of(known) if used else Spent()
        stored, current = known.stored_with, wanted.judged_with
        return CacheLookup(
            claim_index=position,
            staleness=known.staleness,
            claim_hash=known.claim_hash,
            overlap=known.overlap or 0.0,
            action=_ACTIONS[known.use if used else "judge"],
            rule=unusable.rule if unusable else known.rule,
            enough_overlap=known.enough_overlap,
            overlap_min=self._tools.ruleset.cache.evidence_overlap_min,
            prompt_hash_stored=stored.prompt_hash if stored else None,
            prompt_hash_current=current.prompt_hash,
            framework_stored=stored.framework_version if stored else None,
            framework_current=current.framework_version or "",
            model_stored=stored.model if stored else None,
            model_current=current.model or "",
            evidence_stored=known.evidence_urls,
            evidence_current=wanted.evidence_urls,
            updated_at=known.updated_at,
            expires_at=known.expires_at,
            tokens_saved=spent.tokens,
            cost_saved_usd=spent.cost if used else None,
        )


def _wanted(claim: Claim, blocks: Sequence[Evidence], tools: Tools) -> WantedVerdict:
    """A claim as it is asked about: with the drugs and sections of the blocks it cites, since it often leaves them unsaid."""
    drugs = [*([claim.drug_id] if claim.drug_id else []), *(block.drug_id for block in blocks if block.drug_id)]
    return WantedVerdict(
        text=claim.text,
        drug_id=_joined(drugs),
        section_key=_joined(block.section_key for block in blocks if block.section_key),
        evidence_urls=_urls(blocks),
        judged_with=JudgedWith(tools.ruleset.prompt_hash, tools.ruleset.framework_version, tools.judge_name),
    )


def _joined(keys: Iterable[str]) -> str | None:
    return "+".join(sorted(set(keys))) or None


def _urls(blocks: Sequence[Evidence]) -> tuple[str, ...]:
    """The blocks' addresses, each with its content hash: re-imported other text is other evidence."""
    return tuple(dict.fromkeys(block.url or f"{block.block_id}?h=sha256:{sha256(block.text.encode()).hexdigest()}" for block in blocks))
