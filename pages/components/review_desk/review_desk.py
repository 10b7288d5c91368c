"""The desk of a reviewer: one item with its claims and their plain blocks, the verdict, and how the work is saved (spec 06, page 3).

The judge's opinion, the binding and the colleagues are drawn only where the item view brings them: it does so after the first verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

import streamlit as st

from duocthu_core.retrieval.model import Evidence
from duocthu_core.review.deciding import disputed_claims, latest
from duocthu_core.review.model import NOTE_MAX_CHARS, WHOLE_TURN, Assessment, ErrorKind, Judgement, ReviewEvent
from duocthu_core.review.reviewing import ClaimView, ItemView
from duocthu_core.review.severity_index import severity_index
from duocthu_core.rulesets.model import Ruleset
from pages.components.base.registration import component
from pages.components.turn_view.turn_view import outcome_pill
from pages.frame import formats, labels
from pages.frame.shown_text import shown
from pages.frame.words import _, _n, language

_draw = component(Path(__file__).parent)
_LOOK: dict[Judgement, tuple[str, str]] = {"right": ("found", "check"), "wrong": ("missing", "cross"), "cannot_tell": ("quiet", "question")}
_JUDGE_LOOK = {"supported": ("found", "check"), "unsupported": ("missing", "cross"), "not_run": ("warning", "running")}
_PLAIN_WORDS = (
    "desk",
    "question",
    "steps",
    "not_judged",
    "disputed",
    "book",
    "no_blocks",
    "hidden",
    "history",
    "error_kind",
    "note",
    "reason",
    "finish",
    "change",
    "change_verdict",
    "decide",
    "finishing",
    "not_disputed",
    "choose_first",
    "nothing_changed",
    "needs_reason",
    "saving",
    "not_saved",
    "nothing_to_save",
    "previous",
    "next",
)


@dataclass(frozen=True)
class Saving:
    """How the work on the desk is kept: what was confirmed, when something was last saved, whether saving fails now."""

    acked: Sequence[str] = ()
    saved_at: datetime | None = None
    problem: bool = False
    notice: tuple[str, str] | None = None
    """Tone and text of what the reviewer has to know."""


@dataclass(frozen=True)
class DeskEvents:
    """What a reviewer does at the desk: work to be kept, another claim (from 1), the item before (-1) or behind (1)."""

    on_work: Callable[[Mapping[str, Any]], None]
    on_claim: Callable[[int], None]
    on_go: Callable[[int], None]


def review_desk(view: ItemView, ruleset: Ruleset, saving: Saving, *, key: str, selected: int, events: DeskEvents) -> None:
    """Draws ``view``; ``selected`` is the position of the claim that is shown, from 0."""

    def worked() -> None:
        message = st.session_state[key].get("outbox")
        if isinstance(message, Mapping):
            events.on_work(message)

    def moved() -> None:
        state = st.session_state[key]
        claim, step = state.get("claim"), state.get("go")
        if step in (-1, 1):
            events.on_go(step)
        elif isinstance(claim, int) and 1 <= claim <= len(view.claims):
            events.on_claim(claim)

    _draw(
        key=key,
        data=desk_data(view, ruleset, saving, selected=selected),
        on_outbox_change=worked,
        on_claim_change=moved,
        on_go_change=moved,
    )


def desk_data(view: ItemView, ruleset: Ruleset, saving: Saving, *, selected: int) -> dict[str, Any]:
    """What the component draws."""
    return {
        "language": language(),
        "words": _words(view),
        "reviewer": view.reviewer,
        "item": view.item.item_id,
        "purpose": view.purpose,
        "place": f"{view.item.item_id}/{view.purpose}/{view.reviewer}",
        "where": _("review.where", n=view.item.position, total=view.items),
        "until": _("review.until", time=formats.moment(view.reserved_until, "HH:mm")) if view.reserved_until else None,
        "previous": view.item.position > 1,
        "next": view.item.position < view.items or not view.finished,
        "finished": view.finished,
        "question": shown(view.question),
        "about": shown(_about(view, ruleset)),
        "claims": [_claim(claim, number, view) for number, claim in enumerate(view.claims, 1)],
        "drafts": {claim.claim_index: claim.seen.draft.fields.model_dump() for claim in view.claims if claim.seen.draft},
        "selected": min(max(selected, 0), len(view.claims) - 1),
        "judgements": {code: _(f"judgement.{code}") for code in get_args(Judgement)},
        "error_kinds": [[code, _(f"error_type.{code}")] for code in get_args(ErrorKind)],
        "severity": _severity(),
        "longest": NOTE_MAX_CHARS,
        "keys": [[key, _(f"review.key_{name}")] for key, name in _keys(view)],
        "acked": list(saving.acked),
        "save": {
            "at": _("review.saved_at", time=formats.moment(saving.saved_at, "HH:mm:ss")) if saving.saved_at else None,
            "problem": saving.problem,
        },
        "notice": {"tone": saving.notice[0], "text": saving.notice[1]} if saving.notice else None,
    }


def _words(view: ItemView) -> dict[str, Any]:
    numbers = range(1, len(view.claims) + 1)
    counted = {
        "open_claims": [_n("review.open_claims", n) for n in numbers],
        "half_claims": [_("review.half_claim", name=_title(claim, n)) for n, claim in enumerate(view.claims, 1)],
    }
    return {name: _(f"review.{name}") for name in _PLAIN_WORDS} | counted


def _keys(view: ItemView) -> list[tuple[str, str]]:
    moves = [("← →", "claim")] if len(view.claims) > 1 else []
    return [("1 2 3", "judge"), *moves, ("J K", "item"), ("Esc", "leave"), ("Ctrl + Enter", "finish")]


def _about(view: ItemView, ruleset: Ruleset) -> str:
    about = view.resolved
    parts = (
        view.drug_name or about.get("drug_id", ""),
        labels.section(ruleset, about.get("section_key")),
        labels.population(ruleset, about.get("population")),
        labels.route(ruleset, about.get("route")),
    )
    return " · ".join(part for part in parts if part)


def _title(claim: ClaimView, number: int) -> str:
    return _("review.whole_turn") if claim.claim_index == WHOLE_TURN else _("review.claim_title", n=number)


def _claim(claim: ClaimView, number: int, view: ItemView) -> dict[str, Any]:
    whole = claim.claim_index == WHOLE_TURN
    own = [event for event in latest(claim.seen.events) if event.reviewer == view.reviewer]
    revision = sum(event.reviewer == view.reviewer for event in claim.seen.events)
    return {
        "index": claim.claim_index,
        "title": _title(claim, number),
        "short": _("review.whole_short") if whole else str(number),
        "place": _title(claim, number) if whole else _("review.claim_place", n=number, total=_claim_count(view)),
        "text": _("review.whole_text") if whole else shown(claim.seen.claim.text),
        "ask": _("review.ask_whole") if whole else _("review.ask", n=number),
        "blocks": [_block(block) for block in claim.blocks],
        "revision": revision,
        "verdict": own[0].assessment.model_dump() if own else None,
        "revealed": claim.seen.revealed,
        "bound": claim.binding is not None,
        "disputed": claim.disputed,
        "said": _said(claim, view) if claim.seen.revealed else [],
        "reasoning": shown(claim.seen.claim.judge.reasoning) if claim.seen.claim.judge else "",
        "sentences": _sentences(claim, view, own) if claim.seen.revealed else [],
        "events": [_event(event) for event in claim.seen.events],
    }


def _claim_count(view: ItemView) -> int:
    return sum(claim.claim_index != WHOLE_TURN for claim in view.claims)


def _block(block: Evidence) -> dict[str, Any]:
    return {
        "index": block.index,
        "heading": shown(block.section_title),
        "page": formats.pages(block.page_start, block.page_end, estimated=block.page_estimated),
        "locked": _("book.locked") if block.quarantined else "",
        "text": "" if block.quarantined else shown(block.text),
    }


def _severity() -> dict[str, Any]:
    index = severity_index()
    return {
        "title": _("review.severity"),
        "whole": _("review.severity_whole"),
        "copyright": index.copyright,
        "permission": index.permission,
        "options": [[code, category.wording, category.vi] for code, category in index.categories.items()],
    }


def _said(claim: ClaimView, view: ItemView) -> list[dict[str, str]]:
    """What the machine did and said, once it may be seen."""
    if claim.claim_index == WHOLE_TURN and view.outcome:
        return [outcome_pill(view.outcome, view.reject_reason)]
    judge = claim.seen.claim.judge
    if judge is None:
        said = {"tone": "quiet", "icon": "dash", "text": _("review.judge_not_asked")}
    else:
        tone, sign = _JUDGE_LOOK[judge.status]
        confidence = f" ({judge.confidence})" if judge.confidence is not None else ""
        said = {"tone": tone, "icon": sign, "text": _("review.judge_said", status=_(f"status.{judge.status}")) + confidence}
    delivered = {"tone": "quiet", "icon": "chat", "text": _("review.delivered") if claim.seen.claim.delivered else _("review.kept_back")}
    return [said, delivered]


def _sentences(claim: ClaimView, view: ItemView, own: Sequence[ReviewEvent]) -> list[str]:
    sentences = []
    judge = claim.seen.claim.judge
    if own and judge and judge.status != "not_run" and own[0].assessment.judgement != "cannot_tell":
        same = (judge.status == "supported") == (own[0].assessment.judgement == "right")
        sentences.append(_("review.same_as_judge") if same else _("review.differs_from_judge"))
    colleagues = [event for event in latest(claim.seen.events) if event.reviewer != view.reviewer and event.kind != "adjudication"]
    if view.purpose == "review" and not colleagues:
        sentences.append(_("review.no_colleague_yet"))
    if claim.claim_index in disputed_claims(claim.seen.events):
        decided = any(event.kind == "adjudication" for event in claim.seen.events)
        sentences.append(_("review.adjudicated") if decided else _("review.goes_to_adjudication"))
    return sentences


def _event(event: ReviewEvent) -> dict[str, Any]:
    tone, sign = _LOOK[event.assessment.judgement]
    return {
        "said": {"tone": tone, "icon": sign, "text": _(f"judgement.{event.assessment.judgement}")},
        "who": shown(labels.person(event.reviewer)),
        "when": formats.moment(event.created_at),
        "about": " · ".join([_(f"review_event.{event.kind}"), *_details(event.assessment)]),
        "note": _("review.noted", text=shown(event.assessment.note)) if event.assessment.note else "",
        "reason": _("review.because", text=shown(event.reason)) if event.reason else "",
    }


def _details(assessment: Assessment) -> list[str]:
    kind = [_(f"error_type.{assessment.error_kind}")] if assessment.error_kind else []
    severity = [_("review.severity_of", category=assessment.severity)] if assessment.severity else []
    return kind + severity
