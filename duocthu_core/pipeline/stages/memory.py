"""Stage 14, memory: the conversation after the turn (spec 02, rules 1 and 8)."""

from __future__ import annotations

from typing import Literal

from duocthu_core.conversation.model import ConversationState, PendingClarification
from duocthu_core.conversation.model import Turn as Utterance
from duocthu_core.conversation.state import append, fold
from duocthu_core.pipeline.outputs import MemoryOutput
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.turn import StageResult, Turn, ran


def run(turn: Turn, tools: Tools) -> StageResult:
    """Appends question and answer, folds what left the window into the summary, and remembers a question that was asked back."""
    before = turn.state
    rules = tools.ruleset.conversation
    state = before.model_copy(update={"focus": turn.focus, "pending_clarification": None})
    state = append(state, _utterance(turn, "user", turn.question.text), rules)
    evidence_ids = tuple(dict.fromkeys(c.block_id for b in turn.answer.blocks for claim in b.claims for c in claim.citations))
    reply = _utterance(turn, "assistant", _spoken(turn)).model_copy(update={"evidence_ids": evidence_ids, "trace_id": turn.trace_id})
    state = append(state, reply, rules)
    evicted = tuple(utterance.text for utterance in state.pending_overflow)
    state = fold(state, tools.ruleset)
    turn.state_after = _with_pending(state, turn)
    output = MemoryOutput(
        summary_before=before.summary, summary_after=state.summary, evicted=evicted, turn_count=turn.state_after.turn_count
    )
    return ran(output, "remembered", evicted=str(len(evicted)))


def _utterance(turn: Turn, role: Literal["user", "assistant"], text: str) -> Utterance:
    drug_id = turn.resolved.drug_id
    return Utterance(
        role=role,
        text=text,
        at=turn.now(),
        drug_id=drug_id,
        drug_name=turn.drug_names.get(drug_id) if drug_id else None,
        section_key=turn.resolved.section_key,
    )


def _spoken(turn: Turn) -> str:
    """The assistant's turn as text: its claims, or what it said instead."""
    claims = [claim.text for block in turn.answer.blocks for claim in block.claims]
    if claims:
        return "\n".join(claims)
    return (turn.ending.clarifying_question if turn.ending else None) or turn.message


def _with_pending(state: ConversationState, turn: Turn) -> ConversationState:
    ending = turn.ending
    if ending is None or ending.outcome != "clarification" or not ending.clarifying_question:
        return state
    pending = PendingClarification(
        question=ending.clarifying_question,
        options=ending.quick_replies,
        asked_at_turn=turn.state.turn_count if turn.question.continues_turn is None else turn.question.continues_turn,
        drug_ids=turn.resolved.drug_ids,
        original_question=turn.question.text,
    )
    return state.model_copy(update={"pending_clarification": pending})
