"""Checks 1 and 1b over claims outside a turn: the command line's ``ground``, and a claim that a person edited by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from duocthu_core.answering.model import Claim
from duocthu_core.pipeline.outputs import PlanOutput
from duocthu_core.pipeline.trace import Trace
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.binding import bind
from duocthu_core.verification.grounding import ground_claims
from duocthu_core.verification.guards import GuardContext, Guards
from duocthu_core.verification.model import CheckedClaim, ClaimBinding


@dataclass(frozen=True)
class Recheck:
    """What the checks say of one claim, and where its details stand."""

    checked: CheckedClaim
    binding: ClaimBinding


def check_claims(
    claims: Sequence[Claim], evidence: Sequence[Evidence], guards: Guards, context: GuardContext | None = None
) -> tuple[CheckedClaim, ...]:
    """Check 1, then check 1b for the claims that passed it: findings of both in one list a claim."""
    grounded = ground_claims(claims, evidence)
    guarded = guards.check(claims, evidence, context or GuardContext())
    return tuple(first if first.rejected else _joined(first, second) for first, second in zip(grounded, guarded, strict=True))


def _joined(first: CheckedClaim, second: CheckedClaim) -> CheckedClaim:
    return first.model_copy(update={"findings": first.findings + second.findings})


def recheck_claim(guards: Guards, ruleset: Ruleset, trace: Trace, claim: Claim) -> Recheck:
    """Checks ``claim`` against the evidence of ``trace`` under that turn's plan."""
    shown = tuple(block for block in trace.evidence if not block.quarantined)
    (checked,) = check_claims([claim], shown, guards, context_of_trace(trace))
    (binding,) = bind([claim], shown, [checked], ruleset)
    return Recheck(checked, binding)


def context_of_trace(trace: Trace) -> GuardContext:
    """What the guards need to know of a stored turn besides claims and evidence."""
    record = trace.stage("plan")
    if record is None or not isinstance(record.output, PlanOutput):
        return GuardContext(asked_drug_ids=trace.resolved.drug_ids)
    plan = record.output.plan
    return GuardContext(
        suppress_numbers=plan.suppress_numbers,
        list_mode=plan.reasoning_mode == "candidate_list",
        allowed_drug_ids=plan.allowed_drug_ids,
        asked_drug_ids=trace.resolved.drug_ids,
    )
