"""Stage 5, decision: answer, ask back, send to the book, or abstain (spec 03, "Retrieval and decision")."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import DecisionOutput
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.turn import Ending, StageResult, Turn, ran, stopped
from duocthu_core.retrieval.deciding import Decision, decide


def run(turn: Turn, tools: Tools) -> StageResult:
    """Decides from the evidence alone; no model takes part."""
    assert turn.retrieval is not None, "decision follows retrieval"
    decision = decide(turn.question, turn.resolved, turn.retrieval, tools.corpus, tools.ruleset)
    turn.decision = decision
    output = DecisionOutput(
        decision=decision.kind,
        reject_reason=decision.reject_reason,
        clarifying_question=decision.clarifying_question,
        quick_replies=decision.quick_replies,
        clarifying_said=decision.clarifying_said,
        quick_replies_said=decision.quick_replies_said,
        quarantined_pages=decision.quarantined_pages,
        notices=decision.notices,
    )
    ending = _ending(decision)
    if ending is None:
        return ran(output, "decision_answer")
    return stopped(output, f"decision_{decision.kind.lower()}", ending, reason=decision.reject_reason or "")


def _ending(decision: Decision) -> Ending | None:
    if decision.kind == "ANSWER":
        return None
    if decision.kind == "VERIFY_PDF":
        return Ending("verify_pdf", decision.reject_reason or "quarantined")
    if decision.kind == "CLARIFY":
        return Ending(
            "clarification",
            decision.reject_reason,
            decision.clarifying_question,
            decision.quick_replies,
            decision.clarifying_said,
            decision.quick_replies_said,
        )
    return Ending("abstained", decision.reject_reason or "no_evidence")
