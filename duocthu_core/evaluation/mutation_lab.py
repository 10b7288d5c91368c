"""The mutation lab: true claims are spoiled in known ways, and the checks without a model must notice (spec 04, "What this must reach";
06, page 7)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict

from duocthu_core.answering.model import Claim
from duocthu_core.evaluation.statistics.intervals import Interval, wilson
from duocthu_core.evaluation.verified_claims import VerifiedClaim
from duocthu_core.pipeline.checking import Recheck, check_claims
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.csv_table import csv_table
from duocthu_core.text.spans import Span
from duocthu_core.verification.binding import bind
from duocthu_core.verification.guards import Guards
from duocthu_core.verification.model import CheckedClaim, RejectReason
from duocthu_core.verification.mutation import MUTANT_KINDS, Mutant, MutantKind, TrueBecause, mutants

DEFAULT_PER_KIND = 20
DEFAULT_SEED = 1
MOST_CLAIMS = 3_000
"""Claims looked at when a kind finds little to spoil."""
Result = Literal["caught", "survived", "still_true"]
OnProgress = Callable[[float], None]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class TriedMutant(_Frozen):
    """One mutant and what became of it."""

    mutant_id: str
    """Of its content, so that an address can name it."""
    kind: MutantKind
    result: Result
    reason: RejectReason | None = None
    """The first reason that caught it."""
    true_because: TrueBecause | None = None
    claim: str
    """The true claim that it was made from."""
    claim_citations: tuple[int, ...]
    text: str
    citations: tuple[int, ...]
    drug_id: str | None = None
    change: str
    was: Span | None = None
    now: Span | None = None
    evidence: tuple[Evidence, ...] = ()
    """Of a survivor: the blocks that claim and mutant cite."""


class RejectedClaim(_Frozen):
    """A true claim that a check refused: a false rejection."""

    text: str
    reason: RejectReason
    block_ids: tuple[str, ...]


class KindResult(_Frozen):
    """What became of the mutants of one kind."""

    kind: MutantKind
    caught: int
    total: int
    """Of those that are really wrong."""
    interval: Interval | None
    """Wilson's 95 % interval of caught/total."""
    by_reason: dict[RejectReason, int]
    """The first reason that caught a mutant -> how many."""
    left_out: dict[TrueBecause, int]
    """Mutants that are still true, by why."""


class MutationReport(_Frozen):
    """A whole run of the lab."""

    edition: str
    corpus_id: str
    ruleset_id: str
    seed: int
    per_kind: int
    claims: int
    """True claims that were looked at."""
    rejected_claims: tuple[RejectedClaim, ...]
    kinds: tuple[KindResult, ...]
    mutants: tuple[TriedMutant, ...]
    stopped: bool = False

    @property
    def survivors(self) -> tuple[TriedMutant, ...]:
        """Wrong claims that no check caught."""
        return tuple(mutant for mutant in self.mutants if mutant.result == "survived")

    @property
    def reasons(self) -> tuple[RejectReason, ...]:
        """The reasons that caught anything, the most telling first."""
        sums: dict[RejectReason, int] = {}
        for kind in self.kinds:
            for reason, count in kind.by_reason.items():
                sums[reason] = sums.get(reason, 0) + count
        return tuple(sorted(sums, key=lambda reason: (-sums[reason], reason)))


@dataclass
class MutationLab:
    """Spoils true claims under one ruleset and counts what the checks say."""

    ruleset: Ruleset
    seed: int = DEFAULT_SEED
    per_kind: int = DEFAULT_PER_KIND
    kinds: Sequence[MutantKind] = MUTANT_KINDS
    guards: Guards | None = None
    _tried: list[TriedMutant] = field(default_factory=list)
    _rejected: list[RejectedClaim] = field(default_factory=list)

    def run(
        self,
        claims: Iterable[VerifiedClaim],
        edition: str = "",
        corpus_id: str = "",
        on_progress: OnProgress | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> MutationReport:
        """Takes ``claims`` one after the other until every kind has ``per_kind`` wrong mutants, or there are no more.

        ``on_progress`` gets the share done, 0 to 1; ``should_stop`` is asked before each claim. A true claim that a check refuses is
        counted and not spoiled.
        """
        self._tried, self._rejected = [], []
        checks = self.guards or Guards(self.ruleset)
        wrong: dict[MutantKind, int] = dict.fromkeys(self.kinds, 0)
        seen, looked_at, stopped = set[str](), 0, False
        for verified in claims:
            open_kinds: list[MutantKind] = [kind for kind in self.kinds if wrong[kind] < self.per_kind]
            if not open_kinds or looked_at >= MOST_CLAIMS:
                break
            if should_stop is not None and should_stop():
                stopped = True
                break
            looked_at += 1
            for tried in self._spoiled(verified, open_kinds, checks):
                if tried.mutant_id not in seen:
                    seen.add(tried.mutant_id)
                    self._tried.append(tried)
                    wrong[tried.kind] += tried.result != "still_true"
            if on_progress is not None:
                on_progress(max(looked_at / MOST_CLAIMS, sum(wrong.values()) / (self.per_kind * len(self.kinds))))
        return MutationReport(
            edition=edition,
            corpus_id=corpus_id,
            ruleset_id=self.ruleset.ruleset_id,
            seed=self.seed,
            per_kind=self.per_kind,
            claims=looked_at,
            rejected_claims=tuple(self._rejected),
            kinds=tuple(_kind_result(kind, self._tried) for kind in self.kinds),
            mutants=tuple(self._tried),
            stopped=stopped,
        )

    def _spoiled(self, verified: VerifiedClaim, kinds: Sequence[MutantKind], checks: Guards) -> list[TriedMutant]:
        (true,) = check_claims([verified.claim], verified.shown, checks, verified.context)
        if true.rejected:
            reason = _first_reason(true)
            if reason is not None:
                block_ids = tuple(block.block_id for block in verified.cited)
                self._rejected.append(RejectedClaim(text=verified.claim.text, reason=reason, block_ids=block_ids))
            return []
        made = mutants([verified.claim], verified.shown, self.ruleset, self.seed, kinds)
        if not made:
            return []
        checked = check_claims([mutant.claim for mutant in made], verified.shown, checks, verified.context)
        return [_tried(mutant, verified, found) for mutant, found in zip(made, checked, strict=True)]


def check_by_hand(claim: Claim, verified: VerifiedClaim, guards: Guards, ruleset: Ruleset) -> Recheck:
    """What the checks say of ``claim``, which a person changed, against the blocks that were shown for the true one."""
    (checked,) = check_claims([claim], verified.shown, guards, verified.context)
    (binding,) = bind([claim], verified.shown, [checked], ruleset)
    return Recheck(checked, binding)


_CSV_HEADER = ("kind", "result", "reason", "true_because", "claim", "claim_citations", "mutant", "citations", "change", "blocks")


def report_csv(report: MutationReport) -> bytes:
    """Every mutant of a run, one a line; UTF-8 with a byte order mark, nothing in it runs as a formula."""
    return csv_table(
        _CSV_HEADER,
        (
            (
                tried.kind,
                tried.result,
                tried.reason,
                tried.true_because,
                tried.claim,
                _numbers(tried.claim_citations),
                tried.text,
                _numbers(tried.citations),
                tried.change,
                " ".join(block.block_id for block in tried.evidence),
            )
            for tried in report.mutants
        ),
    )


def _numbers(citations: Sequence[int]) -> str:
    return "".join(f"[{index}]" for index in citations)


def _tried(mutant: Mutant, verified: VerifiedClaim, checked: CheckedClaim) -> TriedMutant:
    result: Result = "still_true" if mutant.still_true else "caught" if checked.rejected else "survived"
    claim = verified.claim
    named = {*claim.citations, *mutant.claim.citations}
    blocks = tuple(block for block in verified.shown if block.index in named)
    content = "\0".join([mutant.kind, claim.text, mutant.claim.text, *(block.block_id for block in blocks)])
    return TriedMutant(
        mutant_id=hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:12],
        kind=mutant.kind,
        result=result,
        reason=_first_reason(checked) if result == "caught" else None,
        true_because=mutant.true_because,
        claim=claim.text,
        claim_citations=claim.citations,
        text=mutant.claim.text,
        citations=mutant.claim.citations,
        drug_id=mutant.claim.drug_id,
        change=mutant.change,
        was=mutant.was,
        now=mutant.now,
        evidence=blocks if result == "survived" else (),
    )


def _first_reason(checked: CheckedClaim) -> RejectReason | None:
    return next((finding.reason for finding in checked.findings if finding.level == "reject"), None)


def _kind_result(kind: MutantKind, tried: Sequence[TriedMutant]) -> KindResult:
    own = [mutant for mutant in tried if mutant.kind == kind]
    by_reason: dict[RejectReason, int] = {}
    left_out: dict[TrueBecause, int] = {}
    for mutant in own:
        if mutant.reason is not None:
            by_reason[mutant.reason] = by_reason.get(mutant.reason, 0) + 1
        if mutant.true_because is not None:
            left_out[mutant.true_because] = left_out.get(mutant.true_because, 0) + 1
    caught, total = sum(by_reason.values()), sum(mutant.result != "still_true" for mutant in own)
    return KindResult(kind=kind, caught=caught, total=total, interval=wilson(caught, total), by_reason=by_reason, left_out=left_out)
