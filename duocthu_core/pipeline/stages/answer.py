"""Stage 13, answer: what the reader is given, with its notices and its disclaimer (spec 03, "Answer")."""

from __future__ import annotations

from collections.abc import Sequence

from duocthu_core.answering.assembling import assemble, extractive
from duocthu_core.answering.messages import reader_message
from duocthu_core.answering.model import Answer
from duocthu_core.answering.notices import checks_off_notice, figures_left_out_notice, turn_notices
from duocthu_core.answering.part_shown import part_shown_notice
from duocthu_core.pipeline.outputs import AnswerOutput
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.turn import Ending, StageResult, Turn, ran
from duocthu_core.retrieval.model import Evidence
from duocthu_core.understanding.model import patient_values
from duocthu_core.verification.dose_arithmetic import DoseWorking, dose_workings, plain_figure
from duocthu_core.verification.model import EvidenceSpan


def run(turn: Turn, tools: Tools) -> StageResult:
    """Builds blocks for an answer, a message for everything else; notices stand with both."""
    ending = turn.ending or Ending("answered")
    turn.ending = ending
    evidence = turn.retrieval.evidence if turn.retrieval else ()
    blocks: Answer = Answer()
    if ending.outcome == "answered":
        blocks = assemble(turn.claims, evidence, turn.bindings, tools.ruleset)
    elif ending.outcome == "extractive":
        blocks = extractive(evidence, tools.ruleset)
    decision_notices = turn.decision.notices if turn.decision else ()
    if ending.outcome == "clarification":
        # What was left for want of room is no news to a reader who is asked to narrow the question.
        decision_notices = tuple(notice for notice in decision_notices if notice.kind != "left_out")
    if not _shows_open_routes(turn, evidence, ending):
        decision_notices = tuple(notice for notice in decision_notices if notice.said is None or notice.said.code != "route_open")
    notices = turn_notices(turn.question, turn.resolved, turn.drug_names, turn.state, tools.ruleset) + decision_notices
    if ending.outcome == "answered" and (off := checks_off_notice(tools.ruleset)) is not None:
        notices = (off, *notices)
    if ending.outcome == "answered" and turn.plan is not None:
        left_out = figures_left_out_notice(turn.plan, turn.claims, evidence, tools.ruleset)
        part = part_shown_notice(turn.plan, turn.claims, evidence, tools.ruleset)
        notices += tuple(notice for notice in (left_out, part) if notice is not None)
    turn.answer = blocks.model_copy(update={"notices": notices})
    turn.message = reader_message(ending.outcome, ending.reject_reason, tools.ruleset)
    delivered = turn.claims if ending.outcome == "answered" else ()
    workings = _workings(turn, evidence, tools) if delivered else ()
    output = AnswerOutput(outcome=ending.outcome, answer=turn.answer, claims=delivered, workings=workings)
    return ran(output, f"outcome_{ending.outcome}")


def _shows_open_routes(turn: Turn, evidence: Sequence[Evidence], ending: Ending) -> bool:
    """Whether a delivered claim cites a dose that names no route, so that this has to be said of it."""
    if ending.outcome != "answered" or turn.retrieval is None:
        return ending.outcome == "extractive"
    cited = {index for claim in turn.claims for index in claim.citations}
    fits = (turn.retrieval.fit_of(block.block_id) for block in evidence if block.index in cited)
    return any(fit is not None and fit.route_open and fit.carries_dose for fit in fits)


def _workings(turn: Turn, evidence: Sequence[Evidence], tools: Tools) -> tuple[DoseWorking, ...]:
    """The doses of the delivered claims worked out for the patient's weight and height, stated now or carried over."""
    stated = {value.kind: value for value in patient_values(turn.question, turn.resolved) if not value.unsure and value.low == value.high}
    if "weight" not in stated:
        return ()
    height = plain_figure(stated["height"].low) if "height" in stated else None
    age_months = stated["age"].low if "age" in stated else None
    found = dose_workings(evidence, tools.ruleset, plain_figure(stated["weight"].low), height, age_months)
    places = [
        detail.evidence
        for binding in turn.bindings
        for detail in binding.details
        if detail.kind == "number" and detail.found and detail.evidence is not None
    ]
    said = [working for working in found if any(_is_of(working, place) for place in places)]
    return tuple(dict.fromkeys(said))


def _is_of(working: DoseWorking, place: EvidenceSpan) -> bool:
    """Whether a delivered claim states the very figure of the book that was worked with."""
    return place.index == working.operand.index and place.span is not None and place.span.overlaps(working.operand.span)
