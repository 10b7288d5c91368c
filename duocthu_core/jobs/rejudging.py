"""Judging kept verdicts again after the judge's prompt or model changed, so that the turns that follow find them fresh (spec 05).

Only what the judge was shown then can be judged now: an entry whose blocks the corpus does not hold word for word any more is left, for
a turn would not take its verdict either. Entries about whole answers are left too: their question is not kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from duocthu_core.answering.json_reply import MalformedOutput
from duocthu_core.answering.model import Claim
from duocthu_core.cache.evidence_now import evidence_now
from duocthu_core.cache.hashing import DEFAULT_PROFILE
from duocthu_core.cache.model import CacheEntry, CurrentJudge, Tier, VerdictToKeep
from duocthu_core.cache.verification_cache import VerificationCache
from duocthu_core.evaluation.verified_claims import evidence_of
from duocthu_core.jobs.kinds import Broken, OtherPlace, Pace
from duocthu_core.jobs.model import Job, JobError, Part, Plan, PlannedPart, chunks, text, texts
from duocthu_core.pipeline.calling import CallLog
from duocthu_core.pipeline.kept_verdicts import claim_documents, spent_on
from duocthu_core.pipeline.recalling import COMPLETENESS_SECTION
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.loading import RulesetError
from duocthu_core.verification.judge import parse_verdicts, statuses
from duocthu_core.verification.judge_prompts import entailment_request

_A_PAGE = 500
_CLAIMS_A_CALL = 8


@dataclass(frozen=True)
class Judging:
    """What claims are judged with under some rules, and where verdicts are kept."""

    cache: VerificationCache
    judge: CurrentJudge
    pipeline: Pipeline


JudgingUnder = Callable[[str | None], Judging]
"""Under a ruleset (name or id), or under the one in force."""


class Rejudging:
    """Jobs of the kind ``verdicts.rejudge``. Arguments: ``ruleset`` (or none)."""

    def __init__(self, judging: JudgingUnder, reopen: Callable[[], None] = lambda: None) -> None:
        self._judging = judging
        self._reopen = reopen

    def plan(self, arguments: Mapping[str, JsonValue]) -> Plan:
        """Every live verdict on a claim that the judge finds ``stale_prompt``, in chunks; claims over the same blocks stay together."""
        try:
            under = self._judging(text(arguments, "ruleset") if arguments.get("ruleset") else None)
        except RulesetError as error:
            raise JobError(str(error)) from None
        stale = sorted(_stale(under), key=lambda entry: (entry.evidence_urls, entry.tier, entry.claim_hash))
        keys = [f"{entry.tier}/{entry.claim_hash}" for entry in stale]
        size = chunks(len(keys))
        rules = under.pipeline.parts.ruleset
        return Plan(
            subject=f"verdicts.rejudge {rules.ruleset_id} {under.judge.model}",
            about={"ruleset_id": rules.ruleset_id, "prompt_hash": under.judge.prompt_hash, "judge": under.judge.model},
            parts=tuple(
                PlannedPart(arguments={"entries": list(keys[start : start + size])}, size=len(keys[start : start + size]))
                for start in range(0, len(keys), size)
            ),
        )

    def run(self, job: Job, part: Part, pace: Pace) -> Mapping[str, int]:
        """Judges what is still stale. Counts: ``judged``, ``fresh`` (by now), ``evidence_changed``, ``malformed``, ``gone``."""
        under = self._opened(job)
        counts: Counter[str] = Counter()
        left: list[tuple[CacheEntry, tuple[Evidence, ...]]] = []
        for key in texts(part.arguments, "entries"):
            tier, _, claim_hash = key.partition("/")
            entry = under.cache.entry(cast("Tier", tier), claim_hash)
            standing = under.cache.standing(entry, under.judge) if entry is not None else None
            if entry is None or standing is None or standing.staleness == "miss":
                counts["gone"] += 1
            elif standing.staleness != "stale_prompt":
                counts["fresh"] += 1
            elif blocks := _blocks(entry, under.pipeline):
                left.append((entry, blocks))
            else:
                counts["evidence_changed"] += 1
        done = counts.total()
        for group in _together(left):
            if pace.should_stop():
                raise Broken
            kept = _judge(group, under)
            pace.patiently(lambda verdicts=kept: under.cache.put_all(verdicts) if verdicts else [])
            counts["judged" if kept else "malformed"] += len(group)
            done += len(group)
            pace.advance(done)
        return counts

    def finish(self, job: Job) -> None:
        """Nothing is left to do: each verdict was kept as it came."""

    def stop(self, job: Job) -> None:
        """Likewise."""

    def _opened(self, job: Job) -> Judging:
        for tried_anew in (False, True):
            try:
                under = self._judging(text(job.about, "ruleset_id"))
            except RulesetError as error:
                raise OtherPlace(str(error)) from None
            here = (under.judge.prompt_hash, under.judge.model)
            if here == (job.about.get("prompt_hash"), job.about.get("judge")):
                return under
            if not tried_anew:
                self._reopen()
        raise OtherPlace(f"this worker judges with {here[1]}, prompt {here[0]}; start it with the settings of the application")


def _stale(under: Judging) -> Iterator[CacheEntry]:
    filters = under.cache.filters(under.judge, staleness="stale_prompt")
    offset = 0
    while page := under.cache.listed(under.judge, filters, limit=_A_PAGE, offset=offset):
        offset += len(page)
        for standing in page:
            entry = standing.entry
            of_a_claim = entry.section_key != COMPLETENESS_SECTION
            if standing.staleness == "stale_prompt" and entry.schema_name == DEFAULT_PROFILE and of_a_claim:
                yield entry


def _blocks(entry: CacheEntry, pipeline: Pipeline) -> tuple[Evidence, ...]:
    """The blocks that the entry was judged over; none where the corpus does not hold all of them as they were."""
    corpus = pipeline.parts.corpus
    found = evidence_now(entry.evidence_urls, corpus)
    if not found or any(each.state != "same" for each in found):
        return ()
    blocks = [corpus.block(each.block_id) for each in found]
    if any(block is None or block.quarantined for block in blocks):
        return ()
    return tuple(evidence_of(index, block, corpus) for index, block in enumerate(blocks, 1) if block is not None)


def _together(left: Sequence[tuple[CacheEntry, tuple[Evidence, ...]]]) -> Iterator[list[tuple[CacheEntry, tuple[Evidence, ...]]]]:
    """Claims over the same blocks, at most :data:`_CLAIMS_A_CALL` to one call of the judge."""
    group: list[tuple[CacheEntry, tuple[Evidence, ...]]] = []
    for entry, blocks in left:
        if group and (len(group) == _CLAIMS_A_CALL or group[0][0].evidence_urls != entry.evidence_urls):
            yield group
            group = []
        group.append((entry, blocks))
    if group:
        yield group


def _judge(group: Sequence[tuple[CacheEntry, tuple[Evidence, ...]]], under: Judging) -> list[VerdictToKeep]:
    """The new verdicts on claims over the same blocks; none where the judge's reply cannot be read. Raises ModelError where it could not
    be consulted."""
    pipeline, rules, evidence = under.pipeline, under.pipeline.parts.ruleset, group[0][1]
    judge = pipeline.parts.judge
    numbers = tuple(block.index for block in evidence)
    claims = [Claim(text=entry.claim, citations=numbers, drug_id=_drug(entry)) for entry, _ in group]
    response = CallLog(pipeline.new_budget(), pipeline.price).complete(judge, entailment_request(claims, evidence, rules))
    try:
        raw = parse_verdicts(response.text, response.stop_reason, claims, evidence)
    except MalformedOutput:
        return []
    spent = spent_on(response, pipeline.price, judge.provider, judge.model_id, len(claims))
    kept: list[VerdictToKeep] = []
    for (entry, _), verdict in zip(group, statuses(raw, rules.thresholds, claims, evidence), strict=True):
        said, processed = claim_documents(verdict, spent)
        kept.append(
            VerdictToKeep(
                claim=entry.claim,
                drug_id=entry.drug_id,
                section_key=entry.section_key,
                evidence_urls=entry.evidence_urls,
                tier=entry.tier,
                prompt_hash=under.judge.prompt_hash,
                framework_version=under.judge.framework_version,
                model=under.judge.model,
                verification_raw=said,
                verification_processed=processed,
            )
        )
    return kept


def _drug(entry: CacheEntry) -> str | None:
    """The drug that the claim named; an entry over blocks of several does not say which, and their headings do."""
    return entry.drug_id if entry.drug_id and "+" not in entry.drug_id else None
