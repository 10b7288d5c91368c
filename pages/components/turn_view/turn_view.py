"""The turns of a conversation: question, outcome, what it was taken to be about, and either the answer beside its sources or the reason
why there is none and what to do next. An emergency stands above everything, the disclaimer below everything (spec 03, "Answer")."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import streamlit as st

from duocthu_core.answering.model import AnswerBlock, AnswerClaim, Citation, NoticeKind
from duocthu_core.answering.notices import checks_off_words
from duocthu_core.pipeline.outputs import AnswerOutput, FocusOutput, GuardsOutput, ScopeOutput
from duocthu_core.pipeline.told import Told, told_in
from duocthu_core.pipeline.trace import Outcome, StageName, Trace
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.spans import Span
from duocthu_core.verification.dose_arithmetic import DoseLimit
from pages.components.base.registration import component
from pages.frame import formats, labels
from pages.frame.guide_texts import guide_link
from pages.frame.shown_text import Mark, as_data, pieces, shown
from pages.frame.words import _, _n, language, word

NOT_RUN = frozenset({"provider_unavailable", "request_budget_exhausted", "malformed_output"})
"""Reasons that say that a check or a model could not run: not run is not "no" (spec 04)."""
_RULED_OUT_BY_A_CHECK = frozenset({"grounding", "guards", "entailment", "completeness", "repair"})
_LOOK: dict[Outcome, tuple[str, str]] = {
    "answered": ("found", "check"),
    "clarification": ("accent", "question"),
    "verify_pdf": ("locked", "lock"),
    "abstained": ("missing", "stop"),
    "extractive": ("accent", "quote"),
    "smalltalk": ("quiet", "chat"),
}
_NOTICE_LOOK = {
    "quarantine": ("locked", "lock"),
    "interaction_absent": ("warning", "alert"),
    "injection": ("warning", "alert"),
    "unknown_drug": ("warning", "alert"),
    "masked": ("quiet", "mask"),
    "carry_over": ("accent", "back"),
}
_LEAD_LENGTH = 200
_SENTENCE_BORDER = re.compile(r"[.;](?:\s|$)|\n")
_UNCITED_SHOWN = 3
_AGAIN = -1
"""Stands for the question itself where a reader may ask it once more."""
_draw = component(Path(__file__).parent)


@dataclass(frozen=True)
class TurnEvents:
    """What a reader can do in the turns: open another, take an offered reply, go to the stage that raised a reason."""

    on_open: Callable[[int], None]
    on_reply: Callable[[str], None]
    on_stage: Callable[[StageName], None]


@dataclass(frozen=True)
class RunningQuestion:
    """A question whose turn has not ended."""

    index: int
    text: str


def turn_view(
    traces: Sequence[Trace],
    ruleset: Ruleset,
    *,
    key: str,
    opened: int | None,
    events: TurnEvents,
    running: RunningQuestion | None = None,
    answerable: bool = True,
) -> None:
    """Draws ``traces`` with the turn number ``opened`` unfolded; where ``answerable``, the newest turn's offered replies can be taken."""
    newest = traces[-1].turn_index if answerable and traces and running is None else None

    def act() -> None:
        state = st.session_state[key]
        turn, position, stage = state.get("open"), state.get("reply"), state.get("stage")
        if isinstance(turn, int):
            events.on_open(turn)
        elif position == _AGAIN and traces:
            events.on_reply(traces[-1].question)
        elif isinstance(position, int) and traces and 0 <= position < len(traces[-1].quick_replies):
            events.on_reply(traces[-1].quick_replies[position])
        elif stage in get_args(StageName):
            events.on_stage(stage)

    turns = [turn_data(trace, ruleset, opened=trace.turn_index == opened, newest=trace.turn_index == newest) for trace in traces]
    if running is not None:
        turns.append(_running_data(running))
    words = {"replies": _("turn.replies"), "whole_block": _("turn.whole_block")}
    data = {"language": language(), "words": words, "turns": turns}
    _draw(key=key, data=data, on_open_change=act, on_reply_change=act, on_stage_change=act)


def turn_data(trace: Trace, ruleset: Ruleset, *, opened: bool, newest: bool) -> dict[str, Any]:
    """One turn as the component draws it; a folded turn is its question and outcome only."""
    folded = {
        "index": trace.turn_index,
        "number": _("turn.number", n=trace.turn_index),
        "question": shown(trace.question),
        "outcome": outcome_pill(trace.outcome, trace.reject_reason, sum(len(block.claims) for block in trace.answer.blocks)),
        "open": opened,
    }
    if not opened:
        return folded
    focus, told = focus_line(trace, ruleset), told_in(trace, ruleset, language())
    notices = [
        _notice(notice.kind, text)
        for notice, text in zip(trace.answer.notices, told.notices, strict=True)
        if notice.kind not in ("red_flag", "checks_off") and not (focus and notice.kind == "carry_over")
    ]
    return folded | {
        "emergency": [shown(line) for line in _emergency(trace, told)],
        "checks_off": shown(checks_off_line(trace)),
        "focus": focus,
        "stop": _stop(trace, told, newest=newest),
        "blocks": [_block(block, number) for number, block in enumerate(trace.answer.blocks)],
        "workings": working_data(trace),
        "notices": notices,
        "evidence": _evidence(trace),
        "disclaimer": shown(told.disclaimer),
    }


def outcome_pill(outcome: Outcome, reject_reason: str | None, claims: int | None = None) -> dict[str, str]:
    """The outcome as icon, colour and words; an answer says how many claims it has, an abstention in a few words why."""
    tone, sign = _LOOK[outcome]
    if outcome == "answered" and claims is not None:
        return {"tone": tone, "icon": sign, "text": _n("outcome.answered_with", claims)}
    if outcome == "abstained" and reject_reason:
        reason = word("reason", reject_reason)
        if reject_reason in NOT_RUN:
            return {"tone": "warning", "icon": "alert", "text": _("outcome.not_run_because", reason=reason)}
        return {"tone": tone, "icon": sign, "text": _("outcome.abstained_because", reason=reason)}
    return {"tone": tone, "icon": sign, "text": _(f"outcome.{outcome}")}


def focus_line(trace: Trace, ruleset: Ruleset) -> str:
    """What the question was taken to be about, where part of it came from an earlier turn; empty otherwise."""
    record = trace.stage("focus")
    if record is None or not isinstance(record.output, FocusOutput):
        return ""
    carried = [field for field in record.output.fields if field.origin == "inherited" and field.value and field.field != "verbosity"]
    if not carried:
        return ""
    values = [labels.focus_value(ruleset, trace, field.field, field.value) for field in carried]
    items = ", ".join([values[0], *(value[:1].lower() + value[1:] for value in values[1:])])
    turn = min((field.from_turn for field in carried if field.from_turn), default=None)
    # A question and its answer are two turns of the core; a reader counts questions.
    left = min(field.expires_in for field in carried) // 2
    key = "turn.taken_as_from" if turn else "turn.taken_as"
    return _n(key, left, items=shown(items), turn=turn or 0)


def _emergency(trace: Trace, told: Told) -> list[str]:
    record = trace.stage("scope")
    flags = record.output.red_flags if record is not None and isinstance(record.output, ScopeOutput) else ()
    advice = [flag.advice_en if language() == "en" else flag.advice_vi for flag in flags]
    return list(dict.fromkeys(advice)) or [
        text for notice, text in zip(trace.answer.notices, told.notices, strict=True) if notice.kind == "red_flag"
    ]


def checks_off_line(trace: Trace) -> str:
    """The warning that guards were switched off when this answer was made, in the reader's language; empty where none was, and where
    there is no answer."""
    record = trace.stage("guards")
    if trace.outcome != "answered" or record is None or not isinstance(record.output, GuardsOutput):
        return ""
    off = [guard for guard, level in record.output.levels.items() if level == "off"]
    return checks_off_words(off, language()) if off else ""


def _stop(trace: Trace, told: Told, *, newest: bool) -> dict[str, Any] | None:
    if trace.outcome in ("answered", "extractive"):
        return None
    tone, sign = _LOOK[trace.outcome]
    drawn = {"tone": tone, "icon": sign, "heading": _("stop.heading"), "lines": [], "small": [], "jump": None, "guide": None, "replies": []}
    if trace.outcome == "smalltalk":
        return drawn | {"tone": "accent", "heading": shown(told.message)}
    if trace.outcome == "clarification":
        replies = [{"position": number, "text": shown(reply)} for number, reply in enumerate(told.replies)]
        drawn |= {"heading": shown(told.question or told.message)}
        return drawn | ({"replies": replies} if newest else {"small": [" · ".join(reply["text"] for reply in replies)]})
    if trace.outcome == "verify_pdf":
        drawn |= {"heading": _("stop.see_book")}
    if trace.reject_reason in NOT_RUN:
        drawn |= {"tone": "warning", "icon": "alert"}
    ended = trace.stopped_at
    said_no = ended is not None and ended.name in _RULED_OUT_BY_A_CHECK and trace.reject_reason not in NOT_RUN
    small = [_("stop.ran_and_said_no", stage=_(f"stage.{ended.name}"))] if ended is not None and said_no else []
    jump = {"stage": ended.name, "text": _("stop.open_stage", stage=_(f"stage.{ended.name}"))} if ended else None
    again = [{"position": _AGAIN, "text": _("turn.ask_again")}] if newest and trace.reject_reason in NOT_RUN else []
    reason = trace.reject_reason or ("quarantined" if trace.outcome == "verify_pdf" else None)
    guide = {"href": guide_link(reason), "text": _("stop.guide")} if reason else None
    return drawn | {"lines": [shown(told.message)], "small": small, "jump": jump, "guide": guide, "replies": again}


def told_message(trace: Trace, ruleset: Ruleset) -> str:
    """What the reader is told; the message that says that a check could not run says so itself."""
    return told_in(trace, ruleset, language()).message


def _block(block: AnswerBlock, number: int) -> dict[str, Any]:
    claims = [_claim(claim, f"{number}.{position}") for position, claim in enumerate(block.claims)]
    return {"title": shown(block.title), "tone": block.kind, "claims": claims}


def _claim(claim: AnswerClaim, place: str) -> dict[str, Any]:
    citations = [
        {"index": citation.index, "mark": f"{place}:{citation.index}", "spoken": _spoken_citation(citation)} for citation in claim.citations
    ]
    label = shown(claim.label.replace("\n", " ")) if claim.label else ""
    return {"label": label, "text": shown(claim.text), "citations": citations}


def _spoken_citation(citation: Citation) -> str:
    page = formats.pages(citation.page_start, citation.page_end, estimated=citation.page_estimated)
    return _("turn.open_source", n=citation.index, section=shown(citation.section_title), page=_marked(page, citation.edition_mark))


def _marked(page: str, edition_mark: str) -> str:
    """A page with the mark of an edition that is not the book's own text."""
    return f"{page} · {shown(edition_mark)}" if edition_mark else page


def working_data(trace: Trace) -> dict[str, Any] | None:
    """The dose arithmetic of the turn, each figure with the block it comes from; None where nothing was worked out."""
    record = trace.stage("answer")
    if record is None or not isinstance(record.output, AnswerOutput) or not record.output.workings:
        return None
    lines = [
        {
            "label": shown(working.label),
            "steps": [shown(step) for step in working.steps],
            "from": shown(_("working.from", figure=working.operand.text, n=working.operand.index)),
            "limits": [shown(_limit_line(limit)) for limit in working.limits] or [_("working.no_limit")],
        }
        for working in record.output.workings
    ]
    return {"title": _("working.title"), "note": _("working.note"), "lines": lines}


def _limit_line(limit: DoseLimit) -> str:
    key = "working.limit_applied" if limit.applied else "working.limit_kept" if limit.comparable else "working.limit_other_time"
    return _(key, figure=limit.operand.text, value=limit.value, n=limit.operand.index)


def _notice(kind: NoticeKind, text: str) -> dict[str, str]:
    tone, sign = _NOTICE_LOOK.get(kind, ("quiet", "info"))
    return {"tone": tone, "icon": sign, "text": shown(text)}


def _evidence(trace: Trace) -> dict[str, Any] | None:
    if not trace.evidence:
        return None
    marks = _cited_marks(trace)
    cited = [block for block in trace.evidence if block.index in marks]
    first = cited or list(trace.evidence[:_UNCITED_SHOWN])
    others = [block for block in trace.evidence if block not in first]
    many_drugs = len({block.drug_id for block in trace.evidence}) > 1
    return {
        "title": _("turn.evidence") if cited else _("turn.blocks_seen"),
        "blocks": [evidence_card(block, marks.get(block.index, []), with_drug=many_drugs) for block in first],
        "others": [evidence_card(block, [], with_drug=many_drugs) for block in others],
        "more": _n("turn.more_blocks", len(others)),
    }


def _cited_marks(trace: Trace) -> dict[int, list[Mark]]:
    marks: dict[int, list[Mark]] = {}
    for number, block in enumerate(trace.answer.blocks):
        for position, claim in enumerate(block.claims):
            for citation in claim.citations:
                key = f"{number}.{position}:{citation.index}"
                marks.setdefault(citation.index, []).extend(Mark(span, key) for span in citation.spans)
    return marks


def evidence_card(block: Evidence, marks: Sequence[Mark], *, with_drug: bool) -> dict[str, Any]:
    """A block with its beginning shown; a quarantined block shows no text at all, only where it stands in the book."""
    heading = " · ".join(part for part in (block.drug_name if with_drug else "", block.section_title) if part)
    card = {
        "index": block.index,
        "heading": shown(heading),
        "page": _marked(formats.pages(block.page_start, block.page_end, estimated=block.page_estimated), block.edition_mark),
        "locked": "",
        "lead": [],
        "rest": [],
    }
    if block.quarantined:
        return card | {"locked": _("book.locked")}
    lead = Mark(Span(0, _end_of_lead(block.text)), "lead")
    cut = pieces(block.text, [*marks, lead])
    return card | {
        "lead": as_data([piece for piece in cut if "lead" in piece.keys]),
        "rest": as_data([piece for piece in cut if "lead" not in piece.keys]),
    }


def _end_of_lead(text: str) -> int:
    """Where the beginning of a block ends: at a sentence, never inside one."""
    if len(text) <= _LEAD_LENGTH * 1.4:
        return len(text)
    borders = [match.end() for match in _SENTENCE_BORDER.finditer(text)]
    within = [border for border in borders if _LEAD_LENGTH / 3 <= border <= _LEAD_LENGTH]
    return within[-1] if within else next((border for border in borders if border > _LEAD_LENGTH), len(text))


def _running_data(running: RunningQuestion) -> dict[str, Any]:
    return {
        "index": running.index,
        "number": _("turn.number", n=running.index),
        "question": shown(running.text),
        "outcome": {"tone": "accent", "icon": "running", "text": _("outcome.running")},
        "open": False,
    }
