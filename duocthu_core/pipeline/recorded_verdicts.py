"""What the verification cache knew when a stored turn ran: a turn run again is told the same, and changes nothing in the cache.

The cache itself has gone on since: the turn's own verdicts stand in it now. Only where claims, prompt, model or evidence are others is it
asked, and never written to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from duocthu_core.answering.model import Claim
from duocthu_core.pipeline.outputs import (
    CacheLookup,
    CacheOutput,
    CompletenessOutput,
    EntailmentOutput,
    GenerationOutput,
    RepairOutput,
)
from duocthu_core.pipeline.recalling import COMPLETENESS_SECTION, READ_FAILED, completeness_text
from duocthu_core.pipeline.trace import Trace
from duocthu_core.pipeline.verdict_cache import CacheUse, JudgedVerdict, JudgedWith, KnownVerdict, VerdictCache, WantedVerdict
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.model import Verdict

_USES: dict[str, CacheUse] = {"served": "use", "reprocessed": "recompute"}
_Key = tuple[str, bool, tuple[str, ...]]


def cache_was_off(trace: Trace) -> bool:
    """Whether the turn ran without a cache."""
    record = trace.stage("cache")
    return record is not None and isinstance(record.output, CacheOutput) and not record.output.enabled


@dataclass(frozen=True)
class _Recorded:
    """A look-up and what was known then."""

    lookup: CacheLookup
    raw: Any = None
    processed: Any = None


class RecordedVerdicts:
    """A :class:`duocthu_core.pipeline.verdict_cache.VerdictCache` for one run of a stored turn."""

    def __init__(self, trace: Trace, ruleset: Ruleset, live: VerdictCache | None) -> None:
        self._live = live
        self._overlap_min = ruleset.cache.evidence_overlap_min
        # A repaired draft is looked up once more, when the first draft's new verdicts are known already.
        self._looked_up = [_first_lookups(trace), _repair_lookups(trace)]
        record = trace.stage("cache")
        failed = record is not None and READ_FAILED in record.warnings
        self._read_problems = record.output.problems if record and failed and isinstance(record.output, CacheOutput) else ()

    def look_up(self, wanted: Sequence[WantedVerdict]) -> tuple[list[KnownVerdict], list[str]]:
        """See the Protocol."""
        recorded = self._looked_up.pop(0) if self._looked_up else {}
        problems, self._read_problems = list(self._read_problems), ()
        known = [self._known(item, recorded.get(_key(item))) for item in wanted]
        unknown = [item for item, found in zip(wanted, known, strict=True) if found is None]
        if unknown and self._live is not None:
            answers, said = self._live.look_up(unknown)
            problems += said
        else:
            answers = [KnownVerdict(claim_hash="", staleness="miss", rule="no_row", use="judge") for _ in unknown]
        waiting = iter(answers)
        return [found if found is not None else next(waiting) for found in known], problems

    def keep(self, judged: Sequence[JudgedVerdict]) -> list[str]:  # noqa: ARG002 - the Protocol names it
        """Keeps nothing: what an experiment was told must not answer for the rules in force."""
        return []

    def _known(self, wanted: WantedVerdict, recorded: _Recorded | None) -> KnownVerdict | None:
        if recorded is None or recorded.lookup.overlap_min != self._overlap_min:
            return None
        lookup, now = recorded.lookup, wanted.judged_with
        if (now.prompt_hash, now.model) != (lookup.prompt_hash_current, lookup.model_current):
            return None
        known = _as_recorded(recorded)
        if now.framework_version == lookup.framework_current or known.use == "judge":
            return known
        return _under_other_thresholds(known) if recorded.raw is not None else None


def _as_recorded(recorded: _Recorded) -> KnownVerdict:
    lookup = recorded.lookup
    stored = lookup.prompt_hash_stored
    return KnownVerdict(
        claim_hash=lookup.claim_hash,
        staleness=lookup.staleness if lookup.staleness != "off" else "miss",
        rule=lookup.rule,
        use=_USES.get(lookup.action, "judge"),
        overlap=lookup.overlap,
        enough_overlap=lookup.enough_overlap,
        stored_with=None if stored is None else JudgedWith(stored, lookup.framework_stored, lookup.model_stored),
        evidence_urls=lookup.evidence_stored,
        raw=recorded.raw,
        processed=recorded.processed,
        updated_at=lookup.updated_at,
        expires_at=lookup.expires_at,
    )


def _under_other_thresholds(known: KnownVerdict) -> KnownVerdict:
    return replace(known, staleness="stale_framework", rule="framework_differs", use="recompute")


def _key(wanted: WantedVerdict) -> _Key:
    return wanted.text, wanted.section_key == COMPLETENESS_SECTION, wanted.evidence_urls


def _first_lookups(trace: Trace) -> dict[_Key, _Recorded]:
    record, drafted = trace.stage("cache"), trace.stage("generation")
    if record is None or drafted is None or not isinstance(record.output, CacheOutput) or not isinstance(drafted.output, GenerationOutput):
        return {}
    claims = drafted.output.draft.claims if drafted.output.draft else ()
    judged = trace.stage("entailment")
    verdicts = judged.output.verdicts if judged is not None and isinstance(judged.output, EntailmentOutput) else ()
    found = _claim_lookups(record.output.lookups, claims, verdicts)
    if record.output.completeness is not None:
        text = completeness_text(trace.question, trace.resolved, claims)
        found[text, True, record.output.completeness.evidence_current] = _completeness(record.output.completeness, trace)
    return found


def _repair_lookups(trace: Trace) -> dict[_Key, _Recorded]:
    record = trace.stage("repair")
    if record is None or not isinstance(record.output, RepairOutput) or record.output.draft is None:
        return {}
    return _claim_lookups(record.output.lookups, record.output.draft.claims, record.output.verdicts)


def _claim_lookups(lookups: Sequence[CacheLookup], claims: Sequence[Claim], verdicts: Sequence[Verdict]) -> dict[_Key, _Recorded]:
    by_claim = {verdict.claim_index: verdict for verdict in verdicts if verdict.from_cache}
    return {
        (claims[lookup.claim_index].text, False, lookup.evidence_current): _verdict(lookup, by_claim.get(lookup.claim_index))
        for lookup in lookups
        if 0 <= lookup.claim_index < len(claims)
    }


def _verdict(lookup: CacheLookup, verdict: Verdict | None) -> _Recorded:
    if verdict is None:
        return _Recorded(lookup)
    raw = verdict.raw.model_dump(mode="json") if verdict.raw is not None else None
    return _Recorded(lookup, raw, {"status": verdict.status, "why": verdict.why, "spent": _spent(lookup)})


def _completeness(lookup: CacheLookup, trace: Trace) -> _Recorded:
    record = trace.stage("completeness")
    if record is None or not isinstance(record.output, CompletenessOutput) or not record.output.from_cache:
        # The answer was refuted before it was asked whether it is complete: what was known of that made no difference.
        processed: dict[str, Any] = {"complete": True, "objections": [], "spent": _spent(lookup)}
        return _Recorded(lookup, {"complete": True, "missing_evidence": []}, processed)
    output = record.output
    missing = [item.objection.model_dump(mode="json") for item in output.objections]
    objections = [item.objection.model_dump(mode="json") | {"accepted": item.accepted, "why": item.why} for item in output.objections]
    return _Recorded(
        lookup,
        {"complete": output.complete, "missing_evidence": missing},
        {"complete": output.complete, "objections": objections, "spent": _spent(lookup)},
    )


def _spent(lookup: CacheLookup) -> dict[str, Any]:
    return {"input_tokens": lookup.tokens_saved, "output_tokens": 0, "cost_usd": lookup.cost_saved_usd, "shared_by": 1}
