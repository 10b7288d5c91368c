"""What other thresholds and guard levels make of stored turns, without a call and without running them (spec 01, "Replay"; 06, "Rules").

The draft, what the judge said and its objections stand in the trace. Where the other rules lead to a call that was never made (a claim that
is now let through to the judge, an objection that now counts), the outcome is open, and is said to be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from duocthu_core.answering.model import Claim
from duocthu_core.pipeline.checking import context_of_trace
from duocthu_core.pipeline.outputs import CompletenessOutput, EntailmentOutput, GenerationOutput, GuardsOutput, RepairOutput
from duocthu_core.pipeline.stages.grounding import first_rejection
from duocthu_core.pipeline.trace import Outcome, Trace
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.diffing import diff_rulesets
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.completeness import check_objections
from duocthu_core.verification.guards import Guards
from duocthu_core.verification.judge import statuses
from duocthu_core.verification.model import RejectReason

OpenBecause = Literal["entailment", "completeness", "repair"]
"""The call that would decide: the judge on claims that were never judged, on an answer that was never asked to be complete, the repair."""
_RECOMPUTED = ("thresholds.", "guards.")
_GUARD_THRESHOLDS = ("support_share_min", "support_missing_min", "support_share_floor")


class CannotRecompute(Exception):
    """The rules differ in more than thresholds and guard levels; ``places`` says where. Such turns are replayed instead."""

    def __init__(self, places: Sequence[str]) -> None:
        super().__init__(f"only thresholds and guard levels can be recomputed without a call; these differ too: {', '.join(places[:5])}")
        self.places = tuple(places)


class Recomputed(BaseModel):
    """A stored turn under the other rules."""

    model_config = ConfigDict(frozen=True)

    trace_id: str
    question: str
    before: Outcome
    reason_before: RejectReason | None
    after: Outcome | None
    """None: open, see ``open_because``."""
    reason_after: RejectReason | None = None
    open_because: OpenBecause | None = None

    @property
    def flipped(self) -> bool:
        """Whether the turn ends otherwise now; an open one does not count."""
        return self.after is not None and (self.after, self.reason_after) != (self.before, self.reason_before)


class RecomputedSet(BaseModel):
    """A whole set of stored turns under the other rules."""

    model_config = ConfigDict(frozen=True)

    turns: tuple[Recomputed, ...]
    skipped: int = 0
    """Turns that ran under yet other rules than those compared with."""

    @property
    def flips(self) -> tuple[Recomputed, ...]:
        """Turns that end otherwise."""
        return tuple(turn for turn in self.turns if turn.flipped)

    @property
    def open(self) -> tuple[Recomputed, ...]:
        """Turns that only a call could decide."""
        return tuple(turn for turn in self.turns if turn.after is None)

    def flows(self) -> Counter[tuple[str, str]]:
        """How many turns went from which outcome to which; ``open`` for those that are."""
        return Counter((turn.before, turn.after or "open") for turn in self.turns)


class Recomputation:
    """Other thresholds and guard levels, ready for any number of stored turns. Raises :class:`CannotRecompute`."""

    def __init__(self, before: Ruleset, after: Ruleset) -> None:
        places = [change.place for change in diff_rulesets(before, after).changes]
        if other := [place for place in places if not place.startswith(_RECOMPUTED)]:
            raise CannotRecompute(other)
        self._before, self._after = before, after
        names = {place.removeprefix("thresholds.") for place in places}
        self._guards_differ = any(place.startswith("guards.") for place in places) or bool(names & set(_GUARD_THRESHOLDS))
        self._guards = Guards(after)

    def over(self, traces: Iterable[Trace], *, should_stop: Callable[[], bool] = lambda: False) -> RecomputedSet:
        """Every trace that ran under the rules compared with, until ``should_stop`` says so."""
        turns: list[Recomputed] = []
        skipped = 0
        for trace in traces:
            if should_stop():
                break
            if trace.ruleset_id == self._before.ruleset_id:
                turns.append(self.of(trace))
            else:
                skipped += 1
        return RecomputedSet(turns=tuple(turns), skipped=skipped)

    def of(self, trace: Trace) -> Recomputed:
        """One stored turn under the other rules."""
        after = self._after_guards(trace)
        outcome, reason, because = after if after is not None else (trace.outcome, trace.reject_reason, None)
        return Recomputed(
            trace_id=trace.trace_id,
            question=trace.question,
            before=trace.outcome,
            reason_before=trace.reject_reason,
            after=outcome,
            reason_after=reason,
            open_because=because,
        )

    def _after_guards(self, trace: Trace) -> _Ending | None:
        """How the turn ends where it came to the guards; None: as it did."""
        guards, drafted = trace.stage("guards"), trace.stage("generation")
        if guards is None or not isinstance(guards.output, GuardsOutput) or drafted is None:
            return None
        assert isinstance(drafted.output, GenerationOutput)
        assert drafted.output.draft is not None
        claims = drafted.output.draft.claims
        evidence = tuple(block for block in trace.evidence if not block.quarantined)
        if self._guards_differ:
            rejection = first_rejection(self._guards.check(claims, evidence, context_of_trace(trace)))
            if rejection is not None:
                return "abstained", rejection.reason, None
            if guards.status == "stopped":
                return None, None, "entailment"
        elif guards.status == "stopped":
            return None
        return self._after_judge(trace, claims, evidence)

    def _after_judge(self, trace: Trace, claims: tuple[Claim, ...], evidence: tuple[Evidence, ...]) -> _Ending | None:
        judged = trace.stage("entailment")
        if judged is None or not isinstance(judged.output, EntailmentOutput) or not judged.output.verdicts:
            return None  # the judge could not be asked, or could not be read: other thresholds change nothing
        if not self._all_supported(judged.output, claims, evidence):
            return "abstained", "unsupported_claim", None
        if judged.status == "stopped":
            return None, None, "completeness"
        asked = trace.stage("completeness")
        if asked is None or not isinstance(asked.output, CompletenessOutput) or asked.output.malformed is not None:
            return None
        return self._after_completeness(trace, asked.output, claims, evidence)

    def _after_completeness(
        self, trace: Trace, asked: CompletenessOutput, claims: tuple[Claim, ...], evidence: tuple[Evidence, ...]
    ) -> _Ending | None:
        said = [item.objection for item in asked.objections]
        checked = check_objections(said, claims, evidence, self._after.thresholds, ruleset=self._after)
        accepted = [item.objection for item in checked if item.accepted]
        if not accepted:
            return "answered", None, None
        if accepted != [item.objection for item in asked.objections if item.accepted]:
            return None, None, "repair"
        return self._after_repair(trace, evidence)

    def _after_repair(self, trace: Trace, evidence: tuple[Evidence, ...]) -> _Ending | None:
        record = trace.stage("repair")
        if record is None or not isinstance(record.output, RepairOutput) or record.output.draft is None:
            return None  # no reply that could be read
        repaired = record.output
        assert repaired.draft is not None
        claims = repaired.draft.claims
        incomplete: _Ending = ("abstained", "incomplete_answer", None)
        if self._guards_differ and repaired.bindings:
            if first_rejection(self._guards.check(claims, evidence, context_of_trace(trace))) is not None:
                return incomplete
            if not repaired.verdicts and not any(finding.reason in _CHECK_ONE for item in repaired.claims for finding in item.findings):
                return None, None, "repair"
        if not repaired.verdicts:
            return None
        raw = [verdict.raw for verdict in repaired.verdicts if verdict.raw is not None]
        if any(verdict.status != "supported" for verdict in statuses(raw, self._after.thresholds, claims, evidence)):
            return incomplete
        completeness = trace.stage("completeness")
        assert completeness is not None
        assert isinstance(completeness.output, CompletenessOutput)
        missing = [item.objection for item in completeness.output.objections if item.accepted]
        still = check_objections(missing, claims, evidence, self._after.thresholds, ruleset=self._after)
        return incomplete if any(item.accepted for item in still) else ("answered", None, None)

    def _all_supported(self, judged: EntailmentOutput, claims: tuple[Claim, ...], evidence: tuple[Evidence, ...]) -> bool:
        return all(verdict.status == "supported" for verdict in statuses(judged.raw, self._after.thresholds, claims, evidence))


_Ending = tuple[Outcome | None, RejectReason | None, OpenBecause | None]
_CHECK_ONE = frozenset({"invalid_citation", "uncited_claim", "ungrounded_number"})
