"""Stage 1, scope: is the book for this question at all, and what must stand above the answer (spec 03, "Scope")."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import ScopeOutput
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.turn import Ending, StageResult, Turn, ran, stopped
from duocthu_core.understanding.model import Question, ResolvedQuestion
from duocthu_core.verification.model import RejectReason


def run(turn: Turn, tools: Tools) -> StageResult:
    """Reads the question by rules and ends the turn where it is about an animal or a relation that the book cannot answer."""
    turn.question = tools.understander.read(turn.asked, turn.state.pending_clarification)
    if turn.masked_before:
        turn.question = turn.question.model_copy(update={"masked": turn.masked_before})
    question = turn.question
    # A turn that ends before the focus stage says what it named itself, and leaves the focus as it was (spec 02, rule 9).
    turn.focus, turn.resolved = turn.state.focus, _as_named(question)
    reason = _out_of_scope(question)
    output = ScopeOutput(
        in_scope=reason is None,
        reject_reason=reason,
        animal=question.animal,
        reverse_pattern=question.reverse_pattern,
        red_flags=question.red_flags,
        masked_kinds=tuple(dict.fromkeys(item.kind for item in question.masked)),
        injection_cues=question.injection_cues,
    )
    if reason is not None:
        words = question.animal or question.reverse_pattern or ""
        return stopped(output, f"scope_{reason}", Ending("abstained", reason), words=words)
    return ran(output, "scope_red_flag" if question.red_flags else "scope_in")


def _as_named(question: Question) -> ResolvedQuestion:
    drug_ids = question.drug_ids
    return ResolvedQuestion(
        drug_ids=drug_ids,
        drug_id=drug_ids[0] if len(drug_ids) == 1 else None,
        section_key=question.section_keys[0] if question.section_keys else None,
        population=question.population,
        route=question.route,
        verbosity=question.verbosity,
        intent=question.intent,
    )


def _out_of_scope(question: Question) -> RejectReason | None:
    if question.intent == "out_of_scope":
        return "out_of_scope"
    return "reverse_relation" if question.intent == "reverse" else None
