"""Stage 8, grounding: check 1, no model (spec 04)."""

from __future__ import annotations

from duocthu_core.answering.model import Claim, Draft
from duocthu_core.pipeline.outputs import GroundingOutput
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.turn import Ending, StageResult, Turn, ran, stopped
from duocthu_core.verification.binding import bind
from duocthu_core.verification.grounding import ground_claims
from duocthu_core.verification.model import CheckedClaim, Finding


def run(turn: Turn, tools: Tools) -> StageResult:
    """Binds every number of every claim to a cited block, or ends the turn with the first number that stands nowhere."""
    assert turn.retrieval is not None
    evidence = turn.retrieval.evidence
    checked = ground_claims(turn.claims, evidence)
    turn.bindings = bind(turn.claims, evidence, checked, tools.ruleset)
    output = GroundingOutput(answer_text=answer_text(turn.claims), claims=checked, bindings=turn.bindings)
    return after_check(output, checked, "all_grounded")


def answer_text(claims: tuple[Claim, ...]) -> str:
    """The one string that grounding is about."""
    return Draft(claims=claims, evidence_sufficient=True).answer_text


def first_rejection(checked: tuple[CheckedClaim, ...]) -> Finding | None:
    """The finding that decides: the first that rejects, in claim order."""
    return next((finding for claim in checked for finding in claim.findings if finding.level == "reject"), None)


def after_check(output: GroundingOutput, checked: tuple[CheckedClaim, ...], passed: str) -> StageResult:
    """The turn goes on where nothing rejects; else it ends with the one reason that applies."""
    rejection = first_rejection(checked)
    if rejection is None:
        return ran(output, passed, claims=str(len(checked)))
    return stopped(output, rejection.reason, Ending("abstained", rejection.reason), token=rejection.token or "")
