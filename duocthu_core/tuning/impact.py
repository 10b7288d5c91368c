"""What a change of rules makes stale and what judging again costs, before it is saved (spec 05, "Staleness at read"; 06, page 4).

Verdicts are counted in the cache itself. Calls are counted over stored turns, as they would come if the same questions were asked again in
their order and every model said what it said: the first of two turns with one claim has it judged, the second finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pydantic import BaseModel, ConfigDict

from duocthu_core.cache.hashing import evidence_overlap
from duocthu_core.cache.model import CurrentJudge, Staleness
from duocthu_core.cache.verification_cache import VerificationCache
from duocthu_core.pipeline.calling import CallPrice
from duocthu_core.pipeline.outputs import CacheLookup, CacheOutput, RepairOutput
from duocthu_core.pipeline.trace import ModelCall, StageName, Trace
from duocthu_core.rulesets.diffing import RulesetDiff, diff_rulesets
from duocthu_core.rulesets.model import Ruleset

_ANSWER_PROMPTS = ("answer_system", "answer_rules", "answer_user", "answer_no_figures", "answer_list_mode", "repair", "untrusted")


class VerdictCounts(BaseModel):
    """The live verdicts of the cache, as the judge of some rules finds them."""

    model_config = ConfigDict(frozen=True)

    fresh: int = 0
    stale_framework: int = 0
    stale_prompt: int = 0


class CallsNeeded(BaseModel):
    """Calls that the stored turns would need under the other rules."""

    model_config = ConfigDict(frozen=True)

    turns: int = 0
    """Stored turns that were looked at: those that ran under the rules compared with."""
    judge_calls: int = 0
    """To judge again what is stale, if the same questions came again in their order."""
    answer_calls: int = 0
    """To draft again, if these turns were replayed: the prompt of the draft is another one."""
    tokens: int = 0
    """Of the judge calls, as they were counted when they were made."""
    cost_usd: float | None = 0.0
    """Of the judge calls; None where a price is not known."""


class Impact(BaseModel):
    """Everything that is said before a save."""

    model_config = ConfigDict(frozen=True)

    diff: RulesetDiff
    before: VerdictCounts
    after: VerdictCounts
    calls: CallsNeeded

    @property
    def becomes_stale_prompt(self) -> int:
        """Verdicts that must be judged again."""
        return max(0, self.after.stale_prompt - self.before.stale_prompt)

    @property
    def becomes_stale_framework(self) -> int:
        """Verdicts whose status is made anew without a call."""
        return max(0, self.after.stale_framework - self.before.stale_framework)


def impact_of(
    before: Ruleset,
    after: Ruleset,
    *,
    judge_model: str,
    cache: VerificationCache,
    traces: Iterable[Trace],
    price: CallPrice,
    should_stop: Callable[[], bool] = lambda: False,
) -> Impact:
    """What ``after`` does to what was judged under ``before`` by ``judge_model`` (``provider/model_id``); ``traces`` oldest first."""
    counting = _Counting(before, after, price)
    for trace in traces:
        if should_stop():
            break
        if trace.ruleset_id == before.ruleset_id and trace.parent_trace_id is None:
            counting.add(trace)
    return Impact(
        diff=diff_rulesets(before, after),
        before=_verdicts(cache, before, judge_model),
        after=_verdicts(cache, after, judge_model),
        calls=counting.needed(),
    )


def _verdicts(cache: VerificationCache, rules: Ruleset, judge_model: str) -> VerdictCounts:
    judge = CurrentJudge(
        prompt_hash=rules.prompt_hash,
        framework_version=rules.framework_version,
        model=judge_model,
        completeness_prompt_hash=rules.completeness_prompt_hash,
    )
    found = cache.stats(judge).by_staleness
    kinds: tuple[Staleness, ...] = ("fresh", "stale_framework", "stale_prompt")
    return VerdictCounts.model_validate({kind: found.get(kind, 0) for kind in kinds})


class _Counting:
    """Goes through stored turns and keeps in mind what would have been judged again by then."""

    def __init__(self, before: Ruleset, after: Ruleset, price: CallPrice) -> None:
        self._price = price
        self._overlap_min = after.cache.evidence_overlap_min
        self._claims_stale = before.prompt_hash != after.prompt_hash
        self._answers_stale = before.completeness_prompt_hash != after.completeness_prompt_hash
        limits_differ = before.generation.max_output_tokens != after.generation.max_output_tokens
        prompts = ((getattr(before.prompts, name), getattr(after.prompts, name)) for name in _ANSWER_PROMPTS)
        self._drafts_differ = limits_differ or any(old != new for old, new in prompts)
        self._judged: dict[str, tuple[str, ...]] = {}
        self._turns = self._judge_calls = self._answer_calls = self._tokens = 0
        self._costs: list[float | None] = []

    def add(self, trace: Trace) -> None:
        """Counts the calls of one more turn."""
        self._turns += 1
        if self._drafts_differ:
            self._answer_calls += sum(call.request.purpose == "answer" for call in _calls(trace, "generation", "repair"))
        cache, repair = trace.stage("cache"), trace.stage("repair")
        if cache is None or not isinstance(cache.output, CacheOutput):
            return
        if self._claims_stale:
            self._judge(cache.output.lookups, _calls(trace, "entailment"))
        asked = trace.stage("completeness")
        if self._answers_stale and cache.output.completeness is not None and asked is not None and asked.status != "skipped":
            self._judge([cache.output.completeness], asked.calls)
        if self._claims_stale and repair is not None and isinstance(repair.output, RepairOutput):
            made = [call for call in repair.calls if call.request.purpose == "entailment"]
            self._judge(repair.output.lookups, made)

    def needed(self) -> CallsNeeded:
        """What was counted."""
        known = [cost for cost in self._costs if cost is not None]
        return CallsNeeded(
            turns=self._turns,
            judge_calls=self._judge_calls,
            answer_calls=self._answer_calls,
            tokens=self._tokens,
            cost_usd=sum(known) if len(known) == len(self._costs) else None,
        )

    def _judge(self, lookups: Sequence[CacheLookup], made: Sequence[ModelCall]) -> None:
        again = [lookup for lookup in lookups if not self._is_known(lookup)]
        if not again:
            return
        self._judge_calls += 1
        self._judged |= {lookup.claim_hash: lookup.evidence_current for lookup in again}
        responses = [(call, call.response) for call in made if call.response is not None]
        if responses:
            call, response = responses[-1]
            self._tokens += response.input_tokens + response.output_tokens
            self._costs.append(self._price(call.provider, call.model, response.input_tokens, response.output_tokens))
        else:
            self._tokens += sum(lookup.tokens_saved for lookup in again)
            costs = [lookup.cost_saved_usd for lookup in again]
            self._costs.append(None if None in costs else sum(cost for cost in costs if cost is not None))

    def _is_known(self, lookup: CacheLookup) -> bool:
        known = self._judged.get(lookup.claim_hash)
        if known is None:
            return False
        overlap = evidence_overlap(lookup.evidence_current, known)
        return overlap > 0 and overlap >= self._overlap_min


def _calls(trace: Trace, *stages: StageName) -> list[ModelCall]:
    return [call for name in stages if (record := trace.stage(name)) is not None for call in record.calls]
